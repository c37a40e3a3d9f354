import {
  type Judged,
  bodyOf,
  boundOf,
  inBounds,
  judge,
  kJudged,
  kJudgedText,
  type Overview,
  oversee,
  type StepVerdict,
  valueOf,
} from '../certificate';
import { kMeasures } from '../data/format';
import { num } from '../format_number';
import type { Model } from '../model';
import { bodyLink, button, el } from './dom';
import { verdictMark } from './legend';

const kRefreshMs = 300; // live frames come faster than the overview is read
const kDecadesBelow = 6; // of the bars, below the bound
const kDecadesAbove = 2;

const kStepText: Record<StepVerdict, string> = {
  accurate: 'accurate',
  inaccurate: 'inaccurate',
  unsolved: 'not solved',
};

/** Moves the cursor to the worst step of the run and chooses the body it is of. */
export function seekWorst(model: Model): void {
  const { series, header } = model.source;
  const { worst } = oversee(series, header);
  if (worst < 0) return;
  if (model.following || model.playing) model.setPlaying(false);
  model.seek(worst);
  const body = bodyOf(series, judge(series, header, worst).judged, worst);
  if (body >= 0) model.select({ kind: 'body', body });
}

const steps = (count: number, kind: string): string =>
  `${count} ${kind} ${count === 1 ? 'step' : 'steps'}`;

/** What is said of the run, and what is added to it. A live page may miss frames: it tells of those it has. */
function overviewText(overview: Overview, live: boolean): [string, string] {
  const { inaccurate, unsolved, measured } = overview;
  if (!inaccurate) {
    const verdict = measured ? 'accurate' : 'solved';
    return [live ? `Every step seen is ${verdict}` : `Every step ${verdict}`, ''];
  }
  const seen = live ? ' seen' : '';
  if (unsolved === inaccurate) return [steps(unsolved, 'unsolved') + seen, ''];
  return [steps(inaccurate, 'inaccurate') + seen, unsolved ? `${unsolved} unsolved` : ''];
}

const timesBound = (ratio: number): string =>
  Number.isFinite(ratio) ? `${num(ratio, 2)} × its bound` : 'not a number';

/** Certificate of the run, and of the step at the cursor: measures, bounds, and whose the worst one is. */
export class CertificatePanel {
  readonly element: HTMLElement;
  private readonly total = el('p', { id: 'overview' });
  private readonly worst = el('p', { class: 'quiet', id: 'worst-step' });
  private readonly title = el('span');
  private readonly state = el('b', { id: 'step-verdict' });
  private readonly whose = el('p', { class: 'quiet whose', id: 'worst-body' });
  private readonly rows: Record<Judged, MeasureRow>;
  private measured = false; // some measure of whole steps is not 0
  private timer = 0;

  constructor(private readonly model: Model) {
    this.rows = Object.fromEntries(kJudged.map((each) => [each, new MeasureRow(each)])) as Record<
      Judged,
      MeasureRow
    >;
    const go = button('go to it', () => seekWorst(model), undefined, 'M');
    this.element = el(
      'section',
      { class: 'panel', id: 'certificate', 'aria-label': 'Certificate' },
      this.total,
      el('div', { class: 'worst-line' }, this.worst, go),
      el('h3', { class: 'step-line' }, this.title, this.state),
      el('div', { class: 'measures' }, ...kJudged.map((each) => this.rows[each].element)),
      this.whose,
    );
    model.on(['cursor', 'run'], () => this.showStep());
    model.on('series', () => this.refreshSoon());
    this.refresh();
  }

  private refreshSoon(): void {
    this.timer ||= window.setTimeout(() => {
      this.timer = 0;
      this.refresh();
    }, kRefreshMs);
  }

  private refresh(): void {
    this.showRun();
    this.showStep();
  }

  private showRun(): void {
    const { series, header } = this.model.source;
    const overview = oversee(series, header);
    const { worst, inaccurate, measured } = overview;
    this.measured = measured;
    this.total.classList.toggle('bad', inaccurate > 0);
    const [text, more] = overviewText(overview, header.live);
    const mark = verdictMark(inaccurate ? 'violated' : 'stick');
    const added = more ? [', ', el('span', {}, more)] : [];
    this.total.replaceChildren(mark, el('span', {}, el('b', {}, text), ...added));
    this.total.hidden = worst < 0;
    this.element.querySelector<HTMLElement>('.worst-line')!.hidden = worst < 0;
    if (worst < 0) return;
    const { judged, ratio } = judge(series, header, worst);
    this.worst.textContent =
      `Worst: ${kJudgedText[judged].phrase}, ${timesBound(ratio)}, ` +
      `at ${num(series.at('time', worst))} s`;
  }

  private showStep(): void {
    const { model } = this;
    const { series, header } = model.source;
    if (!series.count) return;
    const { index } = model;
    const { verdict } = judge(series, header, index);
    const began = series.at('step_size', index) > 0;
    this.title.textContent = began ? `Step to frame ${index}` : 'Start: no step yet';
    const text = verdict === 'accurate' && !this.measured ? 'solved' : kStepText[verdict];
    this.state.textContent = began ? text : '';
    this.state.className = verdict === 'accurate' ? 'good' : 'bad';
    for (const each of kJudged) {
      const failed = each === 'law' && verdict === 'unsolved';
      const told = each === 'law' || this.measured;
      const value = told ? valueOf(series, each, index) : undefined;
      this.rows[each].show(value, boundOf(header, each), failed);
    }
    const measure = kMeasures[series.at('worst_measure', index)];
    const body = series.at('worst_body', index);
    const name = measure ? kJudgedText[measure].phrase : '–';
    this.whose.replaceChildren(
      `Worst: ${name}`,
      ...(body >= 0 ? [' of ', bodyLink(model, body)] : []),
    );
  }
}

/** Name, bar on a logarithmic scale with a line at the bound, value, bound. */
class MeasureRow {
  readonly element: HTMLElement;
  private readonly fill = el('i');
  private readonly value = el('b');
  private readonly bound = el('small');

  constructor(judged: Judged) {
    const { name, hint } = kJudgedText[judged];
    const line = (100 * kDecadesBelow) / (kDecadesBelow + kDecadesAbove);
    this.element = el(
      'div',
      { class: 'measure', title: `${hint}. The line in the bar is the bound.` },
      el('span', {}, name),
      el('div', { class: 'bar' }, this.fill, el('u', { style: `left:${line}%` })),
      this.value,
      this.bound,
    );
    this.element.dataset.measure = judged;
  }

  /** value: undefined where nothing was measured. */
  show(value: number | undefined, bound: number, failed: boolean): void {
    const ratio = inBounds(value ?? 0, bound);
    const share = (Math.log10(ratio) + kDecadesBelow) / (kDecadesBelow + kDecadesAbove);
    this.element.classList.toggle('bad', failed || ratio > 1);
    this.fill.style.width = `${100 * Math.max(0, Math.min(1, share))}%`;
    this.value.textContent = value === undefined ? '–' : num(value, 3);
    this.bound.textContent = num(bound, 2);
  }
}
