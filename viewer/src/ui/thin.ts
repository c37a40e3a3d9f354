const kMaxPoints = 20000; // far more than a plot has pixels

type Column = (number | null)[];

/** Columns for drawing: gaps (null) where a number cannot be drawn; long ones as smallest and largest of each stretch. */
export function thin(
  times: ArrayLike<number>,
  columns: ArrayLike<number>[],
  drawable: (y: number) => boolean,
): [number[], ...Column[]] {
  if (times.length <= kMaxPoints) {
    return [
      Array.from(times),
      ...columns.map((column) => Array.from(column, (y) => (drawable(y) ? y : null))),
    ];
  }
  const stretch = Math.ceil((2 * times.length) / kMaxPoints);
  const thinTimes: number[] = [];
  for (let from = 0; from < times.length; from += stretch) {
    const last = Math.min(times.length, from + stretch) - 1;
    thinTimes.push(times[from], last > from ? times[last] : times[from]);
  }
  return [thinTimes, ...columns.map((column) => extremes(column, stretch, drawable))];
}

/** Two per stretch, in the order in which they come. */
function extremes(
  column: ArrayLike<number>,
  stretch: number,
  drawable: (y: number) => boolean,
): Column {
  const kept: Column = [];
  for (let from = 0; from < column.length; from += stretch) {
    let low = -1;
    let high = -1;
    for (let k = from; k < Math.min(column.length, from + stretch); ++k) {
      if (!drawable(column[k])) continue;
      if (low < 0 || column[k] < column[low]) low = k;
      if (high < 0 || column[k] > column[high]) high = k;
    }
    if (low < 0) kept.push(null, null);
    else kept.push(column[Math.min(low, high)], column[Math.max(low, high)]);
  }
  return kept;
}
