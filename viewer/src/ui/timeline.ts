import { judge } from '../certificate';
import { num } from '../format_number';
import type { Model } from '../model';
import { kVerdictColor } from '../scene/palette';
import { button, el, icon } from './dom';

const kSpeeds = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10];

export function changeSpeed(model: Model, by: number): void {
  const at = kSpeeds.findIndex((s) => s >= model.speed);
  model.speed = kSpeeds[Math.max(0, Math.min(kSpeeds.length - 1, at + by))];
  model.emit('play');
}

export function togglePlay(model: Model): void {
  if (model.following) model.source.send?.({ type: model.live.running ? 'pause' : 'resume' });
  else model.setPlaying(!model.playing);
}

export function stepFrames(model: Model, by: number): void {
  if (model.playing || model.following) model.setPlaying(false);
  model.seek(model.index + by);
}

/** Play, scrub, step; inaccurate steps are marked on the line. */
export class Timeline {
  readonly element: HTMLElement;
  private readonly slider = el('input', {
    type: 'range',
    min: 0,
    max: 0,
    step: 1,
    value: 0,
    'aria-label': 'Time',
    id: 'scrub',
  });
  private readonly marks = el('canvas', { class: 'marks', 'aria-hidden': 'true' });
  private readonly clock = el('output', { class: 'clock', id: 'clock', 'aria-live': 'off' });
  private readonly play = button('Play', () => togglePlay(this.model), 'play', 'Space');
  private readonly follow = button(
    'Follow the newest frame',
    () => this.model.setFollowing(true),
    'follow',
    'End',
  );
  private readonly speed: HTMLSelectElement;
  private timer = 0;

  constructor(private readonly model: Model) {
    this.play.id = 'play';
    this.play.classList.add('primary');
    this.speed = el(
      'select',
      { 'aria-label': 'Speed', title: 'Speed: [ slower, ] faster', id: 'speed' },
      ...kSpeeds.map((s) => el('option', { value: s }, `${s} ×`)),
    );
    this.speed.addEventListener('change', () => {
      model.speed = Number(this.speed.value);
      model.emit('play');
    });
    this.slider.addEventListener('input', () => {
      if (model.following) model.setPlaying(false);
      model.seek(Number(this.slider.value));
    });
    this.follow.hidden = !model.source.header.live;
    this.element = el(
      'footer',
      { id: 'timeline', role: 'group', 'aria-label': 'Time line' },
      el(
        'div',
        { class: 'buttons' },
        button('First frame', () => stepFrames(model, -1e12), 'first', 'Home'),
        button('One frame back', () => stepFrames(model, -1), 'back', '←'),
        this.play,
        button('One frame on', () => stepFrames(model, 1), 'forward', '→'),
        button('Last frame', () => stepFrames(model, 1e12), 'last', 'End'),
        this.follow,
      ),
      el(
        'div',
        { class: 'track', title: 'Red: inaccurate steps; tall ones are not solved' },
        this.marks,
        this.slider,
      ),
      this.clock,
      this.speed,
    );
    model.on(['cursor', 'series'], () => this.showCursor());
    model.on('series', () => this.drawMarksSoon());
    model.on(['play', 'live'], () => this.showPlay());
    new ResizeObserver(() => this.drawMarks()).observe(this.marks);
    this.showCursor();
    this.showPlay();
  }

  private showCursor(): void {
    const { model } = this;
    this.slider.min = String(model.source.firstFrame);
    this.slider.max = String(Math.max(0, model.frameCount - 1));
    this.slider.value = String(model.index);
    const end = model.frameCount ? model.source.series.at('time', model.frameCount - 1) : 0;
    this.slider.setAttribute('aria-valuetext', `${num(model.time)} seconds, frame ${model.index}`);
    this.clock.replaceChildren(
      el('b', {}, `${model.time.toFixed(decimals(end))} s`),
      el(
        'span',
        {},
        ` of ${end.toFixed(decimals(end))} s · frame ${model.index} of ${Math.max(0, model.frameCount - 1)}`,
      ),
    );
  }

  private showPlay(): void {
    const running = this.model.following ? this.model.live.running : this.model.playing;
    this.play.replaceChildren(icon(running ? 'pause' : 'play'));
    this.play.setAttribute('aria-label', running ? 'Pause' : 'Play');
    this.speed.value = String(this.model.speed);
    this.follow.classList.toggle('on', this.model.following);
    this.follow.setAttribute('aria-pressed', String(this.model.following));
  }

  private drawMarksSoon(): void {
    if (!this.timer)
      this.timer = window.setTimeout(() => {
        this.timer = 0;
        this.drawMarks();
      }, 300);
  }

  /** Red: inaccurate; as high as the line allows: not solved. */
  private drawMarks(): void {
    const { series, header } = this.model.source;
    const width = this.marks.clientWidth;
    const height = this.marks.clientHeight;
    this.marks.width = width;
    this.marks.height = height;
    const context = this.marks.getContext('2d');
    if (!context || !width || series.count < 2) return;
    context.fillStyle = kVerdictColor.violated;
    for (let k = 0; k < series.count; ++k) {
      const { verdict } = judge(series, header, k);
      if (verdict === 'accurate') continue;
      const top = verdict === 'unsolved' ? 0 : height / 2;
      const x = Math.round((k / (series.count - 1)) * (width - 16)) + 7;
      context.fillRect(x, top, 2, height - top);
    }
  }
}

const decimals = (end: number): number =>
  end > 0 ? Math.max(1, Math.min(6, 3 - Math.floor(Math.log10(end)))) : 3;
