import { DataError, type Frame, type Header, type Series } from './format';
import { LruCache } from './lru';
import type { DataSource, SourceEvents } from './source';

const kCacheBytes = 256 << 20;

/** Frames that come in chunks: one request per chunk, kept while memory lasts. */
export abstract class ChunkedSource implements DataSource {
  abstract readonly remote: boolean;
  readonly firstFrame = 0;
  protected events: SourceEvents | undefined;
  protected readonly cache = new LruCache<Frame[]>(kCacheBytes);
  private readonly underway = new Map<number, Promise<Frame[]>>();

  constructor(
    readonly header: Header,
    readonly series: Series,
    protected framesPerChunk: number,
  ) {}

  protected abstract fetchChunk(chunk: number): Promise<Frame[]>;

  listen(events: SourceEvents): void {
    this.events = events;
  }

  frameBytes(): number {
    return 120 + 52 * this.header.bodies.length;
  }

  peek(index: number): Frame | undefined {
    return this.cache.get(Math.floor(index / this.framesPerChunk))?.[index % this.framesPerChunk];
  }

  async load(index: number): Promise<Frame> {
    const chunk = await this.loadChunk(Math.floor(index / this.framesPerChunk));
    const frame = chunk[index % this.framesPerChunk];
    if (!frame)
      throw new DataError(
        `frame ${index} is missing: the recording is shorter than its header says`,
      );
    return frame;
  }

  sample(index: number): Promise<Frame> {
    return this.load(index);
  }

  prefetch(index: number, direction: number): void {
    const chunk = Math.floor(index / this.framesPerChunk) + (direction < 0 ? -1 : 1);
    const last = Math.floor((this.series.count - 1) / this.framesPerChunk);
    if (chunk >= 0 && chunk <= last) this.loadChunk(chunk).catch(() => undefined); // load() tells
  }

  private loadChunk(chunk: number): Promise<Frame[]> {
    const kept = this.cache.get(chunk);
    if (kept) return Promise.resolve(kept);
    const asked = this.underway.get(chunk);
    if (asked) return asked;
    const request = this.fetchChunk(chunk)
      .then((frames) => {
        this.cache.set(
          chunk,
          frames,
          frames.reduce((sum, frame) => sum + frame.bytes, 0),
        );
        return frames;
      })
      .finally(() => this.underway.delete(chunk));
    this.underway.set(chunk, request);
    return request;
  }
}
