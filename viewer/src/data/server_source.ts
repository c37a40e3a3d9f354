import { type Chunk, ChunkedSource } from './chunked_source';
import {
  type Frame,
  type Header,
  decodeFrames,
  decodeSeries,
  type Series,
  UnreadableFrame,
} from './format';
import type { Http } from './http';
import { surveyed } from './source';

const kChunkBytes = 1 << 20; // a request is answered within one drawn frame on the same machine
const kMaxFramesPerChunk = 64;

/** A recording that a program serves: only what is looked at is fetched. */
export class ServerSource extends ChunkedSource {
  readonly remote = true;
  private bytesPerFrame = 0;

  private constructor(
    header: Header,
    series: Series,
    private readonly http: Http,
    private readonly first: Frame | undefined,
  ) {
    const bytes = first?.bytes ?? 1;
    super(
      header,
      series,
      Math.max(1, Math.min(kMaxFramesPerChunk, Math.floor(kChunkBytes / bytes))),
    );
    this.bytesPerFrame = first?.bytes ?? super.frameBytes();
  }

  /** All that the first picture needs is asked for at once. */
  static async open(http: Http, header: Header): Promise<ServerSource> {
    http.askAhead('data/series');
    if (header.frame_count > 0)
      for (const index of new Set([0, ...surveyed(header.frame_count)]))
        http.askAhead(`data/frames/${index}/${index + 1}`);
    const series = decodeSeries(await http.bytes('data/series'));
    const first =
      series.count > 0 ? decodeFrames(await http.bytes('data/frames/0/1'))[0] : undefined;
    return new ServerSource(header, series, http, first);
  }

  override peek(index: number): Frame | undefined {
    return super.peek(index) ?? (index === 0 ? this.first : undefined);
  }

  override async load(index: number): Promise<Frame> {
    return this.peek(index) ?? super.load(index);
  }

  override frameBytes(): number {
    return this.bytesPerFrame;
  }

  protected override async fetchChunk(chunk: number): Promise<Chunk> {
    const from = chunk * this.framesPerChunk;
    return this.range(from, Math.min(from + this.framesPerChunk, this.series.count));
  }

  override async sample(index: number): Promise<Frame> {
    const frame = this.peek(index) ?? (await this.range(index, index + 1))[0];
    if (!frame) throw new UnreadableFrame(index);
    return frame;
  }

  private async range(from: number, to: number): Promise<Chunk> {
    try {
      const frames = decodeFrames(await this.http.bytes(`data/frames/${from}/${to}`));
      this.events?.problem('');
      return frames;
    } catch (error) {
      this.events?.problem(error instanceof Error ? error.message : String(error));
      throw error;
    }
  }
}
