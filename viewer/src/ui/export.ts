import { num } from '../format_number';
import type { Model } from '../model';
import type { View } from '../scene/view';
import { el } from './dom';
import { plottedCsv } from './plots';

const kVideoRate = 30; // pictures per second
const kLastPictureMs = 400;
const kVideoTypes = ['video/webm;codecs=vp9', 'video/webm;codecs=vp8', 'video/webm'];

function save(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob);
  el('a', { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}

/** Pictures, films and tables of what is shown. */
export class Exporter {
  private recorder: MediaRecorder | undefined;

  constructor(
    private readonly model: Model,
    private readonly view: View | undefined,
  ) {
    model.on('play', () => {
      if (this.recorder && !model.playing) this.finish(this.recorder);
    });
  }

  private name(ending: string): string {
    const stem =
      this.model.source.header.title
        .replace(/[^\w-]+/g, '_')
        .replace(/^_+|_+$/g, '')
        .slice(0, 60) || 'cornet';
    return `${stem}${ending}`;
  }

  /** The view with a line that says what and when it is. */
  png(): void {
    if (!this.view) return;
    this.view.render(); // the drawing buffer is read in the same task
    const source = this.view.element;
    const picture = el('canvas', { width: source.width, height: source.height });
    const context = picture.getContext('2d')!;
    context.drawImage(source, 0, 0);
    const size = Math.max(12, Math.round(source.height / 45));
    context.font = `${size}px system-ui, sans-serif`;
    context.fillStyle = getComputedStyle(document.body).color;
    context.fillText(
      `${this.model.source.header.title}, t = ${num(this.model.time)} s`,
      size,
      source.height - size,
    );
    picture.toBlob((blob) => {
      if (blob) save(blob, this.name(`_${this.model.time.toFixed(3)}s.png`));
    });
  }

  csv(): void {
    save(new Blob([plottedCsv(this.model)], { type: 'text/csv' }), this.name('.csv'));
  }

  get recording(): boolean {
    return this.recorder !== undefined;
  }

  /** Plays from the cursor on and records until playing stops. */
  webm(): void {
    if (!this.view) return;
    if (this.recorder) {
      this.model.setPlaying(false);
      return;
    }
    const type =
      typeof MediaRecorder === 'undefined'
        ? undefined
        : kVideoTypes.find((t) => MediaRecorder.isTypeSupported(t));
    if (!type) {
      this.model.say('export', 'This browser cannot record WebM.');
      return;
    }
    const recorder = new MediaRecorder(this.view.element.captureStream(kVideoRate), {
      mimeType: type,
      videoBitsPerSecond: 12e6,
    });
    const chunks: Blob[] = [];
    recorder.ondataavailable = (event) => chunks.push(event.data);
    recorder.onstop = () => {
      this.recorder = undefined;
      const film = new Blob(chunks, { type: 'video/webm' });
      this.model.say('export', film.size ? '' : 'Nothing was recorded: the film was too short.');
      if (film.size) save(film, this.name('.webm'));
    };
    recorder.start(500);
    this.model.say('export', 'Recording a film; it ends when playing stops.');
    this.model.setPlaying(true);
    this.recorder = recorder;
  }

  /** The last picture takes a moment to reach the recorder. */
  private finish(recorder: MediaRecorder): void {
    this.view?.draw();
    setTimeout(() => {
      if (recorder.state === 'recording') recorder.stop();
    }, kLastPictureMs);
  }

  menu(): HTMLElement {
    const list = el(
      'details',
      { class: 'menu', id: 'export' },
      el('summary', { title: 'Save a picture, a film or the numbers' }, 'Export'),
    );
    const entry = (label: string, action: () => void): HTMLElement =>
      el(
        'button',
        {
          type: 'button',
          click: () => {
            list.open = false;
            action();
          },
        },
        label,
      );
    list.append(
      el(
        'div',
        {},
        ...(this.view
          ? [entry('Picture (PNG)', () => this.png()), entry('Film (WebM)', () => this.webm())]
          : []),
        entry('Plotted numbers (CSV)', () => this.csv()),
      ),
    );
    document.addEventListener('pointerdown', (event) => {
      if (!list.contains(event.target as Node)) list.open = false;
    });
    return list;
  }
}
