import type { Frame, Header, Series } from './format';

export interface LiveState {
  running: boolean;
  time: number;
  message: string;
  problem: string; // what went wrong: a scene that cannot be read
}

export type Command =
  | { type: 'pause' }
  | { type: 'resume' }
  | { type: 'step' }
  | { type: 'restart' }
  | { type: 'release' }
  | { type: 'set'; name: string; value: number }
  | { type: 'pull'; body: number; point: number[]; target: number[] };

export interface SourceEvents {
  /** The series grew or was emptied (live). */
  grown(): void;
  /** Another run has begun (live): the header is a new one. */
  begun(before: Header): void;
  state(state: LiveState): void;
  /** Something the user should know; an empty text takes the last one back. */
  problem(text: string): void;
}

/** Frames that are looked at before the first picture: it should hold the whole motion. */
export const surveyed = (count: number): number[] =>
  count > 1 ? [(count - 1) >> 1, count - 1] : [];

/** Where header, series and frames come from. Frames that are at hand are given at once. */
export interface DataSource {
  readonly header: Header;
  readonly series: Series;
  /** Frames before this one are no longer kept (live). */
  readonly firstFrame: number;
  peek(index: number): Frame | undefined;
  load(index: number): Promise<Frame>;
  /** Says that playing goes on from here in this direction. */
  prefetch(index: number, direction: number): void;
  /** One frame for a survey of the whole recording, without disturbing the cache. */
  sample(index: number): Promise<Frame>;
  /** About the size of one frame [bytes]. */
  frameBytes(): number;
  /** Whether frames must be fetched: then a survey takes only some of them. */
  readonly remote: boolean;
  listen(events: SourceEvents): void;
  send?(command: Command): void;
}
