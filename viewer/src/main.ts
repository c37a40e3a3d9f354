import 'uplot/dist/uPlot.min.css';
import './style.css';
import type { WebGLRenderer } from 'three';
import { openSource } from './data/open';
import type { Frame, Header } from './data/format';
import { type DataSource, surveyed } from './data/source';
import { Model } from './model';
import { Playback } from './playback';
import { makeRenderer } from './scene/renderer';
import { View } from './scene/view';
import { CertificatePanel } from './ui/certificate_panel';
import { button, el } from './ui/dom';
import { Exporter } from './ui/export';
import { helpDialog } from './ui/help';
import { Inspector } from './ui/inspector';
import { jointsPanel } from './ui/joints_panel';
import { listenKeys } from './ui/keys';
import { layersPanel } from './ui/layers';
import { legend } from './ui/legend';
import { livePanel } from './ui/live_panel';
import { messageBar, showFailure } from './ui/message_bar';
import { Plots } from './ui/plots';
import { listenPointer } from './ui/pointer';
import { runInfo } from './ui/run_info';
import { searchBox } from './ui/search';
import { summaryPanel } from './ui/summary';
import { Theme } from './ui/theme';
import { Timeline } from './ui/timeline';
import { triad } from './ui/triad';
import { UrlState } from './ui/url_state';

const kSurveyMs = 700;

declare global {
  interface Window {
    /** complete: all has been drawn once. */
    cornet?: { model: Model; view: View | undefined; complete: boolean };
  } // for tests and the curious
}

/** What the page was built around: with other bodies or sliders it must be built again. */
const layoutOf = (header: Header): string =>
  JSON.stringify([
    header.bodies.map((body) => [body.name, body.moves]),
    header.joints,
    header.parameters.map(({ name, title, min, max }) => [name, title, min, max]),
  ]);

function connect(model: Model, source: DataSource): void {
  let first = true;
  source.listen({
    grown: () => {
      if (model.index >= source.series.count) model.index = 0;
      model.emit('series');
      if (model.following) model.seek(source.series.count - 1);
      if (first) {
        first = false;
        if (!location.hash.includes('cam=')) window.cornet?.view?.fit();
      }
    },
    begun: (before) => {
      if (layoutOf(before) !== layoutOf(source.header)) {
        location.reload(); // the address keeps camera and token
        return;
      }
      window.cornet?.view?.rebuild();
      model.select(model.selection);
      model.emit('run');
    },
    state: (state) => {
      model.live = state;
      model.say('scene', state.problem);
      model.emit('live');
    },
    problem: (text) => model.say('connection', text),
  });
}

/** The 3D view, or why there is none: plots and numbers work without. */
function makeView(
  canvas: HTMLCanvasElement,
  renderer: WebGLRenderer | string,
  model: Model,
  theme: Theme,
): View | undefined {
  if (typeof renderer !== 'string') return new View(canvas, renderer, model, theme);
  canvas.replaceWith(
    el(
      'p',
      { class: 'loading' },
      `The 3D view needs WebGL, which this browser does not give: ${renderer}`,
    ),
  );
  return undefined;
}

const describe = (header: Header): string =>
  header.live ? 'live simulation' : [header.scene.file, header.note].filter(Boolean).join(' · ');

async function firstFrame(model: Model, source: DataSource): Promise<void> {
  if (!source.series.count) {
    if (!source.header.live) model.say('empty', 'This recording has no frames.');
    return;
  }
  await source.load(0).catch(() => undefined); // seek() tells what is wrong with it
  model.seek(0);
}

/** Some later frames, if they come soon: the first look should hold the whole motion. */
async function survey(source: DataSource): Promise<Frame[]> {
  const wanted = surveyed(source.series.count);
  if (!wanted.length) return [];
  const frames = Promise.all(wanted.map((index) => source.sample(index))).catch(() => []);
  return Promise.race([
    frames,
    new Promise<Frame[]>((resolve) => {
      setTimeout(() => resolve([]), kSurveyMs);
    }),
  ]);
}

/** When the page has been painted once more. */
const nextPaint = (): Promise<void> =>
  new Promise((resolve) => {
    requestAnimationFrame(() => setTimeout(resolve));
  });

/** What one came for is seen first: the bodies; then the panels; then ground and shadows; then the plots. */
async function reveal(
  app: HTMLElement,
  model: Model,
  view: View | undefined,
  plots: Plots,
): Promise<void> {
  const tell = (reason: unknown): void => model.say('error', `The view is not drawn: ${reason}`);
  await Promise.all([view?.drawFirst().catch(tell), nextPaint()]);
  app.className = 'ready';
  await nextPaint();
  if (model.index === 0) model.source.prefetch(-1, 1); // what playing begins with
  await view?.drawAll().catch(tell);
  await nextPaint();
  plots.fill();
  await nextPaint();
}

async function start(): Promise<void> {
  const theme = new Theme();
  const canvas = el('canvas', {
    id: 'view',
    tabindex: 0,
    role: 'img',
    'aria-label': '3D view of the bodies, joints and contacts',
  });
  const [source, renderer] = await openSource(() => makeRenderer(canvas));
  const { header } = source;
  const model = new Model(source);
  model.say('problem', header.problem);
  await firstFrame(model, source);
  const later = await survey(source);
  document.title = `${header.title} – Cornet`;

  const stage = el('main', { id: 'stage' }, canvas);
  const app = document.getElementById('app')!;
  const toggleTheme = (): void => {
    theme.toggle();
    model.emit('theme');
  };
  const help = helpDialog();
  app.replaceChildren(stage); // in the page before it is measured
  const view = makeView(canvas, renderer, model, theme);
  view?.chooseScales(later); // before the sliders that show them
  const plots = new Plots(model);
  const exporter = new Exporter(model, view);
  const timeline = new Timeline(model);
  const fit = button('Fit everything into the view', () => view?.fit(), 'fit', 'F');
  if (view)
    stage.append(
      legend(model, view),
      listenPointer(model, view),
      triad(view),
      el('div', { class: 'stage-tools' }, fit),
    );
  app.replaceChildren(
    el(
      'header',
      { id: 'top' },
      el('h1', {}, header.title),
      el('span', { class: 'quiet', title: describe(header) }, describe(header)),
      el('span', { class: 'space' }),
      searchBox(model),
      exporter.menu(),
      button('Light or dark', toggleTheme, 'theme', 'T'),
      button('Help', () => help.showModal(), 'help', '?'),
    ),
    messageBar(model),
    el(
      'nav',
      { id: 'side', 'aria-label': 'Certificate, selection and layers' },
      ...(source.send ? [livePanel(model)] : []),
      new CertificatePanel(model).element,
      ...jointsPanel(model),
      new Inspector(model).element,
      ...summaryPanel(model),
      layersPanel(model),
      runInfo(model),
    ),
    stage,
    plots.element,
    timeline.element,
    help,
  );
  app.className = 'ready opening';
  new Playback(model);
  listenKeys({ model, view, exporter, help, toggleTheme });
  window.cornet = { model, view, complete: false };
  if (model.frame) {
    model.emit('frame');
    view?.fit(undefined, later);
  }
  const busy = (): void =>
    void stage.toggleAttribute('data-busy', !model.ready && model.frameCount > 0);
  model.on(['cursor', 'frame'], busy);
  new UrlState(model, view); // after the fit: a camera in the address wins
  connect(model, source);
  await reveal(app, model, view, plots);
  window.cornet.complete = true;
}

addEventListener('unhandledrejection', (event) =>
  window.cornet?.model.say('error', `Something went wrong: ${event.reason}`),
);
addEventListener('error', (event) =>
  window.cornet?.model.say('error', `Something went wrong: ${event.message}`),
);
start().catch(showFailure);
