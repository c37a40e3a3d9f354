import type { Model } from './model';

/** Moves the cursor with the clock; waits while frames are on their way. */
export class Playback {
  private last = 0;
  private time = 0;
  private shown = -1;

  constructor(private readonly model: Model) {
    model.on('play', () => {
      if (model.playing) this.start();
    });
    model.on('cursor', () => {
      if (model.index !== this.shown) this.time = model.time;
    });
  }

  private start(): void {
    this.time = this.model.time;
    this.last = performance.now();
    requestAnimationFrame((now) => this.tick(now));
  }

  private tick(now: number): void {
    const { model } = this;
    if (!model.playing) return;
    const elapsed = Math.min(0.25, Math.max(0, now - this.last) / 1000);
    this.last = now;
    if (model.ready) this.advance(elapsed);
    if (model.playing) requestAnimationFrame((next) => this.tick(next));
  }

  private advance(elapsed: number): void {
    const { model } = this;
    this.time += elapsed * model.speed;
    const index = model.source.series.frameAt(this.time);
    if (index !== model.index) {
      this.shown = index;
      model.seek(index);
      model.source.prefetch(index, 1);
    }
    if (index >= model.frameCount - 1) {
      if (model.source.header.live) model.setFollowing(true);
      else model.setPlaying(false);
    }
  }
}
