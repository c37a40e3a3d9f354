import { type Frame, kBodyWords, UnreadableFrame } from './data/format';
import type { DataSource } from './data/source';

const kMaxSamples = 2000;
const kRemoteBudget = 48 << 20; // bytes fetched for one track
const kBatch = 8; // requests at a time

/** Pose and velocity of one body over the recording: every frame, or as many as can be fetched quickly. */
export class Track {
  readonly stride: number;
  count = 0;
  readonly frames: number[] = [];
  private data: Float32Array;
  private cancelled = false;

  constructor(
    private readonly source: DataSource,
    readonly body: number,
    private readonly changed: () => void,
  ) {
    const total = source.series.count;
    const wanted = source.remote
      ? Math.max(
          50,
          Math.min(kMaxSamples, Math.floor(kRemoteBudget / Math.max(1, source.frameBytes()))),
        )
      : kMaxSamples;
    this.stride = source.header.live ? 1 : Math.max(1, Math.ceil(total / wanted));
    this.data = new Float32Array(256 * kBodyWords);
    void this.fill();
  }

  cancel(): void {
    this.cancelled = true;
  }

  value(sample: number, word: number): number {
    return this.data[sample * kBodyWords + word];
  }

  /** Live: what came in since. A run that began again empties the track. */
  extend(): void {
    if (this.count > 0 && this.frames[this.count - 1] >= this.source.series.count) {
      this.count = 0;
      this.frames.length = 0;
    }
    const from = Math.max(this.source.firstFrame, this.count ? this.frames[this.count - 1] + 1 : 0);
    for (let index = from; index < this.source.series.count; ++index) {
      const frame = this.source.peek(index);
      if (frame) this.add(index, frame.bodies);
    }
  }

  private add(index: number, bodies: Float32Array): void {
    if ((this.count + 1) * kBodyWords > this.data.length) {
      const grown = new Float32Array(2 * this.data.length);
      grown.set(this.data);
      this.data = grown;
    }
    const words = bodies.subarray(this.body * kBodyWords, (this.body + 1) * kBodyWords);
    if (words.length < kBodyWords) return;
    this.data.set(words, this.count * kBodyWords);
    this.frames[this.count++] = index;
  }

  /** Nothing for a frame that cannot be read. */
  private async fetch(index: number): Promise<Frame | undefined> {
    try {
      return await (this.stride === 1 ? this.source.load(index) : this.source.sample(index));
    } catch (error) {
      if (error instanceof UnreadableFrame) return undefined;
      throw error;
    }
  }

  private async fill(): Promise<void> {
    if (this.source.header.live) {
      this.extend();
      return;
    }
    const total = this.source.series.count;
    const wanted: number[] = [];
    for (let index = 0; index < total; index += this.stride) wanted.push(index);
    if (total && wanted.at(-1) !== total - 1) wanted.push(total - 1);
    let shown = performance.now();
    for (let k = 0; k < wanted.length && !this.cancelled; k += kBatch) {
      const batch = wanted.slice(k, k + kBatch);
      const frames = await Promise.all(batch.map((i) => this.fetch(i))).catch(() => undefined);
      if (this.cancelled) return;
      if (!frames) break; // the program has ended: what came stays
      frames.forEach((frame, n) => {
        if (frame) this.add(batch[n], frame.bodies);
      });
      if (performance.now() - shown > 150) {
        shown = performance.now();
        this.changed();
      }
    }
    if (!this.cancelled) this.changed();
  }
}
