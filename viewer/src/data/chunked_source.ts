import { DataError, type Frame, type Header, type Series, UnreadableFrame } from './format';
import { LruCache } from './lru';
import type { DataSource, SourceEvents } from './source';

const kCacheBytes = 256 << 20;

/** Some frames; undefined for those that cannot be read. */
export type Chunk = (Frame | undefined)[];

/** Frames that come in chunks: one request per chunk, kept while memory lasts. */
export abstract class ChunkedSource implements DataSource {
  abstract readonly remote: boolean;
  readonly firstFrame = 0;
  protected events: SourceEvents | undefined;
  protected readonly cache = new LruCache<Chunk>(kCacheBytes);
  private readonly underway = new Map<number, Promise<Chunk>>();

  constructor(
    readonly header: Header,
    readonly series: Series,
    protected framesPerChunk: number,
  ) {}

  protected abstract fetchChunk(chunk: number): Promise<Chunk>;

  listen(events: SourceEvents): void {
    this.events = events;
  }

  frameBytes(): number {
    return 188 + 52 * this.header.bodies.length + 44 * this.header.joints.length;
  }

  peek(index: number): Frame | undefined {
    return this.cache.get(Math.floor(index / this.framesPerChunk))?.[index % this.framesPerChunk];
  }

  async load(index: number): Promise<Frame> {
    const chunk = await this.loadChunk(Math.floor(index / this.framesPerChunk));
    const place = index % this.framesPerChunk;
    if (place >= chunk.length)
      throw new DataError(
        `frame ${index} is missing: the recording is shorter than its header says`,
      );
    const frame = chunk[place];
    if (!frame) throw new UnreadableFrame(index);
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

  private loadChunk(chunk: number): Promise<Chunk> {
    const kept = this.cache.get(chunk);
    if (kept) return Promise.resolve(kept);
    const asked = this.underway.get(chunk);
    if (asked) return asked;
    const request = this.fetchChunk(chunk)
      .then((frames) => {
        this.cache.set(
          chunk,
          frames,
          frames.reduce((sum, frame) => sum + (frame?.bytes ?? 0), 0),
        );
        return frames;
      })
      .finally(() => this.underway.delete(chunk));
    this.underway.set(chunk, request);
    return request;
  }
}
