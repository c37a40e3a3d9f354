import { DataError, decodeFrame, Frame, type Header, Series } from './format';
import { parseHeader } from './header';
import type { Http } from './http';
import type { Command, DataSource, LiveState, SourceEvents } from './source';

const kHistoryBytes = 512 << 20; // of frames kept for looking back
const kRetryMs = [500, 1000, 2000, 4000, 8000];

/** A running simulation: frames come by themselves and are kept for looking back. */
export class LiveSource implements DataSource {
  readonly remote = false;
  readonly series = new Series();
  firstFrame = 0;
  private frames: (Frame | undefined)[] = [];
  private bytes = 0;
  private socket: WebSocket | undefined;
  private events: SourceEvents | undefined;
  private tries = 0;

  private constructor(
    public header: Header,
    private readonly http: Http,
  ) {}

  static open(http: Http, header: Header): LiveSource {
    return new LiveSource(header, http);
  }

  listen(events: SourceEvents): void {
    this.events = events;
    this.connect();
  }

  peek(index: number): Frame | undefined {
    return this.frames[index];
  }

  load(index: number): Promise<Frame> {
    const frame = this.frames[index];
    return frame
      ? Promise.resolve(frame)
      : Promise.reject(new DataError(`frame ${index} of the live run is no longer kept`));
  }

  sample(index: number): Promise<Frame> {
    return this.load(index);
  }
  prefetch(): void {
    /* all frames are at hand */
  }
  frameBytes(): number {
    return this.frames.at(-1)?.bytes ?? 0;
  }

  send(command: Command): void {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(command));
    else this.events?.problem('not connected: the command was not sent');
  }

  private connect(): void {
    const secure = location.protocol === 'https:';
    const socket = new WebSocket(this.http.url('live', secure ? 'wss:' : 'ws:'));
    socket.binaryType = 'arraybuffer';
    this.socket = socket;
    socket.onopen = () => {
      this.tries = 0;
      this.events?.problem('');
    };
    socket.onmessage = (message: MessageEvent<string | ArrayBuffer>) => this.receive(message.data);
    socket.onclose = () => this.retry();
  }

  private retry(): void {
    const wait = kRetryMs[Math.min(this.tries++, kRetryMs.length - 1)];
    this.events?.problem(
      'The connection to the program is lost; what was received stays. Trying again …',
    );
    setTimeout(() => this.connect(), wait);
  }

  private receive(data: string | ArrayBuffer): void {
    try {
      if (typeof data === 'string') this.receiveText(data);
      else this.receiveFrame(decodeFrame(new Uint8Array(data)));
    } catch (error) {
      this.events?.problem(
        `A message of the program cannot be read: ${error instanceof Error ? error.message : error}`,
      );
    }
  }

  private receiveText(text: string): void {
    const json = JSON.parse(text) as { type?: string; header?: unknown } & Partial<LiveState>;
    if (json.type === 'state') {
      this.events?.state({
        running: json.running === true,
        time: Number(json.time ?? 0),
        message: json.message ?? '',
        problem: json.problem ?? '',
      });
    } else if (json.type === 'header') {
      this.receiveHeader(parseHeader(json.header));
    }
  }

  private receiveHeader(header: Header): void {
    const before = this.header;
    this.header = header;
    if (header.run === before.run) return;
    this.forget();
    this.events?.begun(before);
  }

  private receiveFrame(frame: Frame): void {
    if (this.series.count > 0 && frame.time < this.series.at('time', this.series.count - 1))
      this.forget();
    this.series.append(frame.row);
    this.frames.push(frame);
    this.bytes += frame.bytes;
    while (this.bytes > kHistoryBytes && this.firstFrame < this.frames.length - 1) {
      this.bytes -= this.frames[this.firstFrame]?.bytes ?? 0;
      this.frames[this.firstFrame++] = undefined;
    }
    this.events?.grown();
  }

  /** Time went back: the run was started again. */
  private forget(): void {
    this.series.clear();
    this.frames = [];
    this.bytes = 0;
    this.firstFrame = 0;
  }
}
