import uPlot from 'uplot';
import { num } from '../format_number';
import { thin } from './thin';

export interface Curve {
  label: string;
  color: string;
  unit: string;
  scale?: string;
  dash?: number[];
  points?: boolean;
  /** Without a value in the heading. */
  silent?: boolean;
  /** Without an entry in the heading. */
  unlisted?: boolean;
}

export interface PlotSpec {
  id: string;
  title: string;
  hint: string;
  curves: Curve[];
  log?: boolean;
}

const kHeight = 112;
const kRight = 26; // room of a right axis, in every plot: their times stand below each other

export interface PlotHost {
  seekTime(time: number): void;
  zoom(min: number | null, max: number | null): void;
}

/** One small plot with the values at the cursor in its heading; click or drag moves the cursor. */
export class Plot {
  readonly element: HTMLElement;
  private readonly values: HTMLElement[] = [];
  private readonly place: HTMLElement;
  private readonly cursor: HTMLElement;
  private readonly note: HTMLElement;
  private chart: uPlot | undefined;
  private data: uPlot.AlignedData = [[]];
  private times: ArrayLike<number> = [];
  private raw: ArrayLike<number>[] = [];
  private time = 0;
  private range: [number, number] | undefined;

  constructor(
    readonly spec: PlotSpec,
    private readonly host: PlotHost,
    tools: HTMLElement[] = [],
  ) {
    const make = (tag: string, name: string, text = ''): HTMLElement => {
      const element = document.createElement(tag);
      element.className = name;
      element.textContent = text;
      return element;
    };
    this.element = make('section', 'plot');
    this.element.id = `plot-${spec.id}`;
    this.element.setAttribute('aria-label', `Plot: ${spec.title}`);
    const heading = make('h2', '', spec.title);
    heading.title = spec.hint;
    const line = make('div', 'plot-head');
    line.append(heading, ...tools);
    const legend = make('div', 'plot-legend');
    for (const curve of spec.curves) {
      const entry = make('span', 'entry');
      entry.hidden = curve.unlisted ?? false;
      const mark = make('i', curve.points ? 'dot' : curve.dash ? 'dash' : 'line');
      mark.style.setProperty('--c', curve.color);
      const value = make('b', '', '–');
      value.hidden = curve.silent ?? false;
      entry.append(mark, make('span', '', curve.label), value, make('small', '', curve.unit));
      this.values.push(value);
      legend.append(entry);
    }
    this.place = make('div', 'plot-area');
    this.note = make('p', 'plot-note');
    this.note.hidden = true;
    this.cursor = make('div', 'plot-cursor');
    this.element.append(line, legend, this.place, this.note);
    new ResizeObserver(() => this.resize()).observe(this.place);
  }

  /** text: shown in place of the plot; empty for the plot itself. */
  setNote(text: string): void {
    this.note.textContent = text;
    this.note.hidden = !text;
    this.place.hidden = text !== '';
  }

  /** Numbers that cannot be drawn leave a gap; the heading tells what they are. */
  setData(times: ArrayLike<number>, columns: ArrayLike<number>[]): void {
    this.times = times;
    this.raw = columns;
    const drawable = (y: number): boolean => Number.isFinite(y) && !(this.spec.log && y <= 0);
    this.data = thin(times, columns, drawable) as uPlot.AlignedData;
    this.chart?.setData(this.data);
    if (!this.chart) this.build();
    this.setCursor(this.time);
  }

  setRange(range: [number, number] | undefined): void {
    this.range = range;
    const times = this.data[0];
    if (!this.chart || !times.length) return;
    this.chart.setScale('x', {
      min: range?.[0] ?? times[0],
      max: range?.[1] ?? times[times.length - 1],
    });
    this.setCursor(this.time);
  }

  /** `exact`: values at the cursor, where the curves have only some of them. */
  setCursor(time: number, exact?: ArrayLike<number>): void {
    this.time = time;
    this.placeCursor();
    this.element.dataset.cursorTime = String(time);
    const at = lastAtOrBefore(this.times, time);
    this.values.forEach((value, k) => {
      const y = exact ? exact[k] : this.raw[k]?.[at];
      value.textContent = y === undefined ? '–' : num(y);
    });
  }

  private placeCursor(): void {
    const { chart } = this;
    if (!chart) return;
    const x = chart.valToPos(this.time, 'x');
    this.cursor.style.transform = `translateX(${x}px)`;
    this.cursor.hidden = !(x >= -1 && x <= chart.over.clientWidth + 1);
  }

  rebuild(): void {
    this.chart?.destroy();
    this.chart = undefined;
    this.build();
    this.setCursor(this.time);
  }

  private resize(): void {
    const width = this.place.clientWidth;
    if (!width) return;
    if (!this.chart) this.build();
    else if (width !== this.chart.width) this.chart.setSize({ width, height: kHeight });
    this.setCursor(this.time);
  }

  private build(): void {
    const width = this.place.clientWidth;
    if (!width || this.chart || this.data.length < 2) return;
    const style = getComputedStyle(this.element);
    const ink = style.getPropertyValue('--quiet').trim();
    const grid = { stroke: style.getPropertyValue('--line').trim(), width: 1 };
    const axis = {
      stroke: ink,
      grid,
      ticks: { ...grid, size: 3 },
      font: '10.5px system-ui, sans-serif',
      gap: 3,
    };
    const scales: uPlot.Scales = {
      x: {
        time: false,
        range: (_, low, high) => (high > low ? [low, high] : [low ?? 0, (low ?? 0) + 1]),
      },
    };
    if (this.spec.log) scales.y = { distr: 3 };
    scales.count = { range: (_, __, high) => [0, 1.15 * Math.max(1, high ?? 1)] };
    const right = this.spec.curves.find((curve) => curve.scale);
    const format = (_: uPlot, ticks: (number | null)[]): string[] =>
      ticks.map((t) => (t === null ? '' : num(t, 3)));
    const logFormat = (_: uPlot, ticks: (number | null)[]): string[] =>
      ticks.map((t) => (t === null ? '' : `1e${Math.round(Math.log10(t))}`.replace('-', '−')));
    this.chart = new uPlot(
      {
        hooks: { draw: [() => this.placeCursor()] }, // after scales are known
        width,
        height: kHeight,
        legend: { show: false },
        scales,
        padding: [6, right ? 0 : kRight, 0, 0],
        cursor: {
          drag: { setScale: false, x: false, y: false },
          points: { show: false },
          y: false,
          sync: { key: 'cornet' },
        },
        axes: [
          {
            ...axis,
            size: 20,
            space: 60,
            values: (chart, ticks) => format(chart, ticks).map((t) => `${t} s`),
          },
          {
            ...axis,
            size: 46,
            space: 26,
            values: format,
            ...(this.spec.log && {
              splits: decades,
              values: logFormat,
              filter: (_: uPlot, ticks: number[]) => ticks,
            }),
          },
          ...(right
            ? [
                {
                  ...axis,
                  scale: right.scale!,
                  side: 1 as const,
                  size: kRight,
                  space: 26,
                  grid: { show: false },
                  values: format,
                },
              ]
            : []),
        ],
        series: [
          {},
          ...this.spec.curves.map(
            (curve): uPlot.Series => ({
              label: curve.label,
              stroke: curve.color,
              width: 1.6,
              pxAlign: 0,
              scale: curve.scale ?? 'y',
              ...(curve.dash && { dash: curve.dash }),
              points: {
                show: curve.points ?? false,
                size: 4,
                fill: curve.color,
                ...(curve.points && { filter: aboveZero }),
              },
              ...(curve.points && { paths: () => null }),
            }),
          ),
        ],
      },
      this.data,
      this.place,
    );
    this.chart.over.append(this.cursor);
    this.listen(this.chart);
    if (this.range) this.setRange(this.range);
  }

  private listen(chart: uPlot): void {
    const { over } = chart;
    const timeAt = (event: MouseEvent): number =>
      chart.posToVal(event.clientX - over.getBoundingClientRect().left, 'x');
    over.addEventListener('pointerdown', (event) => {
      if (event.button !== 0) return;
      over.setPointerCapture(event.pointerId);
      this.host.seekTime(timeAt(event));
    });
    over.addEventListener('pointermove', (event) => {
      if (event.buttons & 1) this.host.seekTime(timeAt(event));
    });
    over.addEventListener(
      'wheel',
      (event) => {
        if (!event.ctrlKey && !event.shiftKey) return; // plain wheel scrolls the column
        event.preventDefault();
        const { min = 0, max = 1 } = chart.scales.x as { min?: number; max?: number };
        const middle = timeAt(event);
        const factor = (event.deltaY || event.deltaX) > 0 ? 1.25 : 0.8;
        this.host.zoom(middle - (middle - min) * factor, middle + (max - middle) * factor);
      },
      { passive: false },
    );
    over.addEventListener('dblclick', () => this.host.zoom(null, null));
  }
}

/** Counts: only those that happened are marked. */
function aboveZero(chart: uPlot, series: number): number[] {
  const marked: number[] = [];
  for (let k = 0; k < chart.data[series].length; ++k)
    if ((chart.data[series][k] ?? 0) > 0) marked.push(k);
  return marked;
}

/** A handful of powers of ten. */
function decades(_: uPlot, __: number, min: number, max: number): number[] {
  const [low, high] = [Math.floor(Math.log10(min)), Math.ceil(Math.log10(max))];
  const stride = Math.max(1, Math.ceil((high - low) / 4));
  const ticks: number[] = [];
  for (let power = Math.ceil(low / stride) * stride; power <= high; power += stride)
    ticks.push(10 ** power);
  return ticks.filter((tick) => tick >= min && tick <= max);
}

function lastAtOrBefore(times: ArrayLike<number>, time: number): number {
  let low = 0;
  let high = times.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (times[middle] <= time + 1e-12) low = middle;
    else high = middle - 1;
  }
  return low;
}
