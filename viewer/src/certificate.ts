// How a step is judged: by the law of its contacts, and as a whole by the states before and after it.
import { type Header, kMeasures, type Measure, type Series } from './data/format';

/** The law first; a step that misses it is not solved, and thereby inaccurate. */
export const kJudged = ['law', ...kMeasures] as const;
export type Judged = (typeof kJudged)[number];

export const kJudgedText: Record<Judged, { name: string; phrase: string; hint: string }> = {
  law: {
    name: 'Contact law',
    phrase: 'contact law',
    hint: 'Largest relative error of any contact against the exact law of Coulomb, recomputed from the impulses alone',
  },
  closure: {
    name: 'Closure',
    phrase: 'closure',
    hint: 'Error of joints and limits at the end of the step, in sizes of the body',
  },
  new_overlap: {
    name: 'New overlap',
    phrase: 'new overlap',
    hint: 'Overlap at the end of the step beyond that at its start, in sizes of the smaller body',
  },
  unexplained: {
    name: 'Unexplained',
    phrase: 'unexplained motion',
    hint: 'Motion of a body that its velocities do not explain, in sizes of the body',
  },
  momentum: {
    name: 'Momentum',
    phrase: 'momentum',
    hint: 'Momentum of a body that forces and reported impulses do not explain',
  },
  energy_gain: {
    name: 'Energy gain',
    phrase: 'energy gain',
    hint: 'Gain beyond the work that was done, of the energies at stake',
  },
};

export type StepVerdict = 'accurate' | 'inaccurate' | 'unsolved';

/** Value in bounds. Anything is infinitely far beyond a bound of zero; what is no number is beyond every bound. */
export function inBounds(value: number, bound: number): number {
  if (Number.isNaN(value)) return Infinity;
  return value <= 0 ? 0 : value / bound;
}

export interface Judgement {
  verdict: StepVerdict;
  judged: Judged; // the one furthest beyond its bound, or nearest to it
  ratio: number; // its value in bounds
}

export function boundOf(header: Header, judged: Judged): number {
  return judged === 'law' ? header.tolerance : header.bounds[judged];
}

const columnOf = (judged: Judged): 'certificate' | Measure =>
  judged === 'law' ? 'certificate' : judged;

/** Value of one judgement in one frame. */
export const valueOf = (series: Series, judged: Judged, frame: number): number =>
  series.at(columnOf(judged), frame);

/** The step that led to a frame; of several steps between two frames the worst. */
export function judge(series: Series, header: Header, frame: number): Judgement {
  let judged: Judged = 'law';
  let ratio = 0;
  for (const each of kJudged) {
    const x = inBounds(valueOf(series, each, frame), boundOf(header, each));
    if (each === 'law' || x > ratio) [judged, ratio] = [each, x];
  }
  const law = inBounds(series.at('certificate', frame), header.tolerance);
  const verdict =
    series.at('unsolved', frame) > 0 || law > 1
      ? 'unsolved'
      : series.at('inaccurate', frame) > 0 || ratio > 1
        ? 'inaccurate'
        : 'accurate';
  return { verdict, judged, ratio };
}

/** The body a judgement is of; -1 where none is named. */
export function bodyOf(series: Series, judged: Judged, frame: number): number {
  const named = kMeasures[series.at('worst_measure', frame)];
  return named === judged ? series.at('worst_body', frame) : -1;
}

/** Of all five measures the largest value in bounds, frame by frame; for the plot. */
export function worstInBounds(series: Series, header: Header): Float64Array {
  const worst = new Float64Array(series.count);
  for (const measure of kMeasures) {
    series.column(measure).forEach((x, k) => {
      worst[k] = Math.max(worst[k], inBounds(x, header.bounds[measure]));
    });
  }
  return worst;
}

export interface Overview {
  inaccurate: number; // steps, unsolved ones among them
  unsolved: number;
  measured: boolean; // some measure of whole steps is not 0
  worst: number; // frame of the worst step; -1 without any
}

/** All steps of the run. One that failed is worse than one that did not, whatever their numbers. */
export function oversee(series: Series, header: Header): Overview {
  const all: Overview = { inaccurate: 0, unsolved: 0, measured: false, worst: -1 };
  let least = -1;
  for (let k = 0; k < series.count; ++k) {
    const { verdict, judged, ratio } = judge(series, header, k);
    const unsolved = verdict === 'unsolved' ? Math.max(1, series.at('unsolved', k) || 0) : 0;
    all.unsolved += unsolved;
    if (verdict !== 'accurate')
      all.inaccurate += Math.max(1, unsolved, series.at('inaccurate', k) || 0);
    all.measured ||= judged !== 'law' || kMeasures.some((measure) => series.at(measure, k) !== 0);
    const badness = verdict === 'accurate' ? Math.min(1, ratio) : Math.max(1, ratio) + 1;
    if (badness > least) [all.worst, least] = [k, badness];
  }
  return all;
}
