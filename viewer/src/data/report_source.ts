import { type Chunk, ChunkedSource } from './chunked_source';
import {
  DataError,
  type Header,
  decodeFrames,
  decodeSeries,
  type Series,
} from './format';
import { parseHeader } from './header';

/** Bytes of base64 text that holds a raw deflate stream. */
export async function inflate(base64: string, what: string): Promise<Uint8Array> {
  if (typeof DecompressionStream === 'undefined') {
    throw new DataError(
      'this browser cannot unpack the report: a version of 2023 or later is needed',
    );
  }
  try {
    const packed = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
    return new Uint8Array(await new Response(stream).arrayBuffer());
  } catch {
    throw new DataError(`${what} of the report cannot be unpacked: the file is damaged or cut off`);
  }
}

/** A recording inside the page; its chunks are unpacked when they are looked at. */
export class ReportSource extends ChunkedSource {
  readonly remote = false;

  private constructor(
    header: Header,
    series: Series,
    private readonly chunks: string[],
    framesPerChunk: number,
  ) {
    super(header, series, framesPerChunk);
  }

  static async open(text: string): Promise<ReportSource> {
    let json: { header?: unknown; series?: unknown; frames?: unknown; frames_per_chunk?: unknown };
    try {
      json = JSON.parse(text);
    } catch {
      throw new DataError('the data in this page is no valid JSON: the file is damaged or cut off');
    }
    const { series, frames, frames_per_chunk: size } = json;
    const header = parseHeader(json.header);
    if (
      typeof series !== 'string' ||
      !Array.isArray(frames) ||
      !Number.isInteger(size) ||
      Number(size) < 1
    ) {
      throw new DataError('the data in this page lacks series, frames or frames_per_chunk');
    }
    const columns = decodeSeries(await inflate(series, 'the series'));
    return new ReportSource(header, columns, frames.map(String), Number(size));
  }

  protected override async fetchChunk(chunk: number): Promise<Chunk> {
    const text = this.chunks[chunk];
    if (text === undefined)
      throw new DataError(`part ${chunk} of the frames is missing in the report`);
    return decodeFrames(await inflate(text, `part ${chunk} of the frames`));
  }
}
