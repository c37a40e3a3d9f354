import { inBounds, judge, worstInBounds } from '../certificate';
import { type Column, kBodyWords, kColumns } from '../data/format';
import type { Model } from '../model';
import { seekWorst } from './certificate_panel';
import { button, el } from './dom';
import { type Curve, Plot, type PlotHost, type PlotSpec } from './plot';

// Okabe-Ito, in an order that keeps neighbours apart.
const kBlue = '#0b7fd0';
const kOrange = '#e69f00';
const kGreen = '#009e73';
const kRed = '#d0263e';
const kPurple = '#b65f9c';
const kGrey = '#8a8f98';

type Computed = 'total' | 'law' | 'whole' | 'bound' | 'failed';
type Plotted = Column | Computed;

const kSeriesPlots: (PlotSpec & { columns: Plotted[] })[] = [
  {
    id: 'energy',
    title: 'Energy',
    hint: 'Dissipated is work minus the change of kinetic and potential energy: it must never fall',
    columns: ['kinetic', 'potential', 'dissipated', 'work', 'total'],
    curves: [
      { label: 'kinetic', color: kBlue, unit: 'J' },
      { label: 'potential', color: kOrange, unit: 'J' },
      { label: 'dissipated', color: kPurple, unit: 'J' },
      { label: 'work', color: kGrey, unit: 'J' },
      { label: 'total', color: kGreen, unit: 'J', dash: [5, 3] },
    ],
  },
  {
    id: 'certificate',
    title: 'Certificate, in bounds',
    log: true,
    hint:
      'Error against the law of contacts over its tolerance, and the largest measure of the whole step over its bound: ' +
      'above 1 the step is inaccurate',
    columns: ['law', 'whole', 'bound', 'failed'],
    curves: [
      { label: 'law', color: kBlue, unit: '' },
      { label: 'whole step', color: kPurple, unit: '' },
      { label: 'bound', color: kGrey, unit: '', dash: [5, 3], unlisted: true },
      { label: 'inaccurate', color: kRed, unit: '', points: true, silent: true },
    ],
  },
  {
    id: 'contacts',
    title: 'Contacts',
    hint: 'Contacts in the frame, and those that stick',
    columns: ['contacts', 'sticking'],
    curves: [
      { label: 'all', color: kBlue, unit: '' },
      { label: 'sticking', color: kGreen, unit: '', dash: [5, 3] },
    ],
  },
  {
    id: 'step',
    title: 'Step size',
    hint: 'Size of the step, and how often it was taken again',
    columns: ['step_size', 'rejections'],
    curves: [
      { label: 'step', color: kBlue, unit: 's' },
      { label: 'rejections', color: kRed, unit: '', scale: 'count', points: true },
    ],
  },
];

interface Choice {
  label: string;
  word: number;
  names: string[];
  unit: string;
}
const kPose: Choice[] = [
  { label: 'position', word: 0, names: ['x', 'y', 'z'], unit: 'm' },
  { label: 'orientation', word: 3, names: ['qw', 'qx', 'qy', 'qz'], unit: '' },
];
const kVelocity: Choice[] = [
  { label: 'linear', word: 7, names: ['vx', 'vy', 'vz'], unit: 'm/s' },
  { label: 'angular', word: 10, names: ['ωx', 'ωy', 'ωz'], unit: 'rad/s' },
];

const axisCurves = (choice: Choice): Curve[] =>
  choice.names.map((label, k) => ({
    label,
    unit: choice.unit,
    color: (choice.names.length === 4 ? [kGrey, kRed, kGreen, kBlue] : [kRed, kGreen, kBlue])[k],
  }));

/** The column of plots; one cursor and one range of time for all. */
export class Plots implements PlotHost {
  readonly element = el('aside', { id: 'plots', 'aria-label': 'Plots over time' });
  private readonly series: { plot: Plot; columns: Plotted[] }[] = [];
  private readonly body = [
    { choices: kPose, at: 0, title: 'Pose' },
    { choices: kVelocity, at: 0, title: 'Velocity' },
  ];
  private bodyPlots: Plot[] = [];
  private range: [number, number] | undefined;
  private stale = false;
  private filled = false;

  constructor(private readonly model: Model) {
    for (const spec of kSeriesPlots) {
      const tools =
        spec.id === 'certificate'
          ? [button('go to the worst', () => seekWorst(model), undefined, 'M')]
          : [];
      const plot = new Plot(spec, this, tools);
      this.series.push({ plot, columns: spec.columns });
      this.element.append(plot.element);
    }
    this.buildBodyPlots();
    this.element.append(
      el(
        'p',
        { class: 'hint' },
        'Click or drag in a plot to move the cursor. Shift + wheel zooms, a double click shows all.',
      ),
    );
    model.on(['cursor', 'frame'], () => this.showCursor());
    model.on('series', () => this.refreshSoon());
    model.on('theme', () => this.all().forEach((plot) => plot.rebuild()));
    model.on(['track', 'selection'], () => this.fillBody());
  }

  /** Draws them; from then on they follow the model. */
  fill(): void {
    this.filled = true;
    this.fillSeries();
    this.fillBody();
    this.showCursor();
  }

  private all(): Plot[] {
    return [...this.series.map((s) => s.plot), ...this.bodyPlots];
  }

  seekTime(time: number): void {
    if (this.model.following) this.model.setPlaying(false);
    this.model.seekTime(time);
  }

  zoom(min: number | null, max: number | null): void {
    this.range = min === null || max === null ? undefined : [min, max];
    for (const plot of this.all()) plot.setRange(this.range);
  }

  private showCursor(): void {
    if (!this.filled) return;
    const { time, track, frame } = this.model;
    for (const { plot } of this.series) plot.setCursor(time);
    this.bodyPlots.forEach((plot, k) => {
      const choice = this.body[k].choices[this.body[k].at];
      const first = (track?.body ?? 0) * kBodyWords + choice.word;
      const exact = frame?.bodies.subarray(first, first + choice.names.length);
      plot.setCursor(time, track ? exact : undefined);
    });
  }

  /** Live frames come faster than plots need to be drawn. */
  private refreshSoon(): void {
    if (this.stale) return;
    this.stale = true;
    setTimeout(() => {
      this.stale = false;
      this.model.track?.extend();
      if (this.filled) this.fill();
    }, 200);
  }

  private fillSeries(): void {
    const { series } = this.model.source;
    const times = series.column('time');
    const made = computed(this.model);
    for (const { plot, columns } of this.series) {
      plot.setNote(
        series.count > 1 || this.model.source.header.live
          ? ''
          : 'One frame: nothing to plot over time.',
      );
      plot.setData(
        times,
        columns.map((name) => made[name as Computed] ?? series.column(name as Column)),
      );
    }
  }

  private buildBodyPlots(): void {
    for (const old of this.bodyPlots) old.element.remove();
    this.bodyPlots = this.body.map((kind, k) => {
      const choice = kind.choices[kind.at];
      const tools = el(
        'span',
        { class: 'choice', role: 'group', 'aria-label': `${kind.title} shown` },
        ...kind.choices.map((c, at) => {
          const pick = button(c.label, () => {
            kind.at = at;
            this.buildBodyPlots();
            this.fillBody();
            this.showCursor();
          });
          pick.setAttribute('aria-pressed', String(at === kind.at));
          return pick;
        }),
      );
      const plot = new Plot(
        {
          id: k ? 'velocity' : 'pose',
          title: kind.title,
          hint: 'Of the chosen body',
          curves: axisCurves(choice),
        },
        this,
        [tools],
      );
      this.element.insertBefore(plot.element, this.element.querySelector('.hint'));
      return plot;
    });
  }

  private fillBody(): void {
    if (!this.filled) return;
    const { track } = this.model;
    const times = this.model.source.series.column('time');
    this.bodyPlots.forEach((plot, k) => {
      const heading = plot.element.querySelector('h2')!;
      heading.textContent = track
        ? `${this.body[k].title} of ${this.model.nameOf(track.body)}`
        : this.body[k].title;
      plot.setNote(track ? '' : 'Choose a moving body in the view or by its name to plot it.');
      if (!track || !track.count) return;
      const choice = this.body[k].choices[this.body[k].at];
      const samples = Array.from({ length: track.count }, (_, s) => s);
      plot.setData(
        samples.map((s) => times[track.frames[s]]),
        choice.names.map((_, c) => samples.map((s) => track.value(s, choice.word + c))),
      );
      if (this.range) plot.setRange(this.range);
    });
    this.showCursor();
  }
}

/** What is plotted beside the columns of the series. */
function computed(model: Model): Record<Computed, Float64Array> {
  const { series, header } = model.source;
  const law = series.column('certificate').map((x) => inBounds(x, header.tolerance));
  const whole = worstInBounds(series, header);
  const bound = new Float64Array(series.count).fill(1);
  // Those without a number that can be drawn are marked at the bound.
  const failed = whole.map((x, k) => {
    if (judge(series, header, k).verdict === 'accurate') return NaN;
    const worst = Math.max(x, law[k], 1);
    return Number.isFinite(worst) ? worst : 1;
  });
  return { total: totalEnergy(model), law, whole, bound, failed };
}

/** What stays the same: kinetic + potential + dissipated - work. */
export function totalEnergy(model: Model): Float64Array {
  const { series } = model.source;
  const [kinetic, potential, dissipated, work] = (
    ['kinetic', 'potential', 'dissipated', 'work'] as const
  ).map((c) => series.column(c));
  return kinetic.map((x, k) => x + potential[k] + dissipated[k] - work[k]);
}

/** All that is plotted, as a table. */
export function plottedCsv(model: Model): string {
  const { series } = model.source;
  const total = totalEnergy(model);
  const { track } = model;
  const words = [...kPose, ...kVelocity].flatMap((choice) =>
    choice.names.map((name, k) => ({ name: name.replace('ω', 'w'), word: choice.word + k })),
  );
  const places = new Map(
    track?.frames.slice(0, track.count).map((frame, sample) => [frame, sample]),
  );
  const quote = (text: string): string =>
    /[",\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
  const head = [
    ...kColumns,
    'total',
    ...(track ? words.map((w) => quote(`${model.nameOf(track.body)}.${w.name}`)) : []),
  ];
  const rows = Array.from({ length: series.count }, (_, k) => {
    const row: (number | string)[] = [...kColumns.map((c) => series.at(c, k)), total[k]];
    const sample = places.get(k);
    if (track)
      row.push(...words.map((w) => (sample === undefined ? '' : track.value(sample, w.word))));
    return row.join(',');
  });
  return `${[head.join(','), ...rows].join('\n')}\n`;
}
