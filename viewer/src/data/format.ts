// The data the page gets, version 2: docs/formats/page_data.md. Everything that comes from outside is
// checked here, so that the rest of the page works on data it can trust. Numbers are little-endian.

export const kVersion = 2;

export type Vec3 = [number, number, number];
export type Pose = [number, number, number, number, number, number, number]; // x y z qw qx qy qz

export type Shape = { pose: Pose } & (
  | { type: 'sphere'; radius: number }
  | { type: 'box'; half_extents: Vec3 }
  | { type: 'capsule' | 'cylinder' | 'cone'; radius: number; half_length: number }
  | { type: 'ellipsoid'; half_axes: Vec3 }
  | { type: 'half_space' }
  | { type: 'bowl'; radius: number }
  | { type: 'mesh'; vertices: number[]; triangles: number[] }
);

export interface Body {
  name: string;
  moves: boolean;
  mass: number;
  size: number; // [m] what errors are measured by; 0: not told
  pose: Pose;
  shapes: Shape[];
}
export interface Joint {
  name: string;
  type: string;
  a: number; // places in the list of bodies; of one body alone: twice the same
  b: number;
}
export interface Parameter {
  name: string;
  value: number;
  min: number;
  max: number;
  title: string;
}

export interface Header {
  title: string;
  program: string;
  scene: { file: string; text: string; hash: string };
  command: string;
  options: Record<string, string>;
  gravity: Vec3;
  live: boolean;
  dt: number;
  run: number; // live: counts how often it was begun
  tolerance: number; // of the certificate
  bounds: Record<Measure, number>; // of the certificate of whole steps
  frame_count: number;
  problem: string;
  note: string; // what else one should know
  summary: Record<string, string>; // what came out, for a table
  bodies: Body[];
  joints: Joint[];
  parameters: Parameter[];
}

/** What a whole step is judged by, beside the law of its contacts. */
export const kMeasures = [
  'closure',
  'new_overlap',
  'unexplained',
  'momentum',
  'energy_gain',
] as const;
export type Measure = (typeof kMeasures)[number];

export const kColumns = [
  'time',
  'kinetic',
  'potential',
  'dissipated',
  'work',
  'certificate',
  'step_size',
  'rejections',
  'contacts',
  'sticking',
  'iterations',
  'unsolved',
  'inaccurate',
  ...kMeasures,
  'worst_measure',
  'worst_body',
] as const;
export type Column = (typeof kColumns)[number];
const kPlaceOf = Object.fromEntries(kColumns.map((name, k) => [name, k])) as Record<Column, number>;

export const enum ContactState {
  open = 0,
  stick = 1,
  slip = 2,
}

// Layout of a frame: header bytes, then words per body, per joint and per contact.
const kRowAt = 28;
const kFrameHead = kRowAt + 8 * kColumns.length;
export const kBodyWords = 13;
export const kJointWords = 11;
export const kContactWords = 17;

/** Data that cannot be used; the message is shown to the user as it is. */
export class DataError extends Error {
  override name = 'DataError';
}

/** A frame that its recording has, but damaged; the others can be shown. */
export class UnreadableFrame extends DataError {
  constructor(index: number) {
    super(`frame ${index} cannot be read: the recording is damaged there`);
  }
}

/** One frame; accessors read the buffers in place. */
export class Frame {
  constructor(
    readonly index: number,
    readonly solved: boolean,
    readonly accurate: boolean, // solved, and within every bound of the whole step
    readonly row: Float64Array, // the series' columns
    readonly bodies: Float32Array, // kBodyWords per body
    readonly joints: Float32Array, // kJointWords per joint
    readonly contacts: Float32Array, // kContactWords per contact
    private readonly words: Int32Array, // the same memory as contacts
  ) {}

  column(name: Column): number {
    return this.row[kPlaceOf[name]];
  }
  get time(): number {
    return this.row[0];
  }
  get stepSize(): number {
    return this.row[6];
  }
  get bodyCount(): number {
    return this.bodies.length / kBodyWords;
  }
  get jointCount(): number {
    return this.joints.length / kJointWords;
  }
  get contactCount(): number {
    return this.contacts.length / kContactWords;
  }
  get bytes(): number {
    return kFrameHead + 4 * (this.bodies.length + this.joints.length + this.contacts.length);
  }

  bodyA(contact: number): number {
    return this.words[contact * kContactWords];
  }
  bodyB(contact: number): number {
    return this.words[contact * kContactWords + 1];
  }
  state(contact: number): ContactState {
    return this.words[contact * kContactWords + 15];
  }

  /** Bodies whose pose or velocity is not a number. */
  invalidBodies(): number[] {
    const bad: number[] = [];
    for (let body = 0; body < this.bodyCount; ++body) {
      for (let k = 0; k < kBodyWords; ++k) {
        if (!Number.isFinite(this.bodies[body * kBodyWords + k])) {
          bad.push(body);
          break;
        }
      }
    }
    return bad;
  }
}

function checkStart(view: DataView, magic: string, headBytes: number, what: string): void {
  if (view.byteLength < headBytes) {
    throw new DataError(
      `${what} is cut off: ${view.byteLength} bytes, at least ${headBytes} needed`,
    );
  }
  const found = String.fromCharCode(...new Uint8Array(view.buffer, view.byteOffset, 4));
  if (found !== magic)
    throw new DataError(`${what} does not begin with ${magic}: the data is damaged`);
  checkVersion(view.getUint32(4, true), what);
}

export function checkVersion(version: unknown, what: string): void {
  if (version !== kVersion) {
    throw new DataError(
      `${what} has version ${String(version)}, this page reads version ${kVersion}: ` +
        'open it with the viewer of the program that wrote it',
    );
  }
}

/** Decodes one frame; the sizes must agree to the byte. */
export function decodeFrame(bytes: Uint8Array): Frame {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  checkStart(view, 'CFRM', kFrameHead, 'frame');
  const index = view.getUint32(8, true);
  const bodyCount = view.getUint32(12, true);
  const contactCount = view.getUint32(16, true);
  const flags = view.getUint32(20, true);
  const jointCount = view.getUint32(24, true);
  const words =
    bodyCount * kBodyWords + jointCount * kJointWords + contactCount * kContactWords;
  const needed = kFrameHead + 4 * words;
  if (needed !== bytes.byteLength) {
    throw new DataError(
      `frame ${index} has ${bytes.byteLength} bytes, but ${bodyCount} bodies, ${jointCount} joints ` +
        `and ${contactCount} contacts need ${needed}`,
    );
  }
  const row = new Float64Array(kColumns.length);
  for (let k = 0; k < row.length; ++k) row[k] = view.getFloat64(kRowAt + 8 * k, true);
  // A copy of its own: aligned, and the transfer buffer can go.
  const data = bytes.slice(kFrameHead).buffer;
  const jointsAt = 4 * bodyCount * kBodyWords;
  const contactsAt = jointsAt + 4 * jointCount * kJointWords;
  return new Frame(
    index,
    (flags & 1) !== 0,
    (flags & 2) !== 0,
    row,
    new Float32Array(data, 0, bodyCount * kBodyWords),
    new Float32Array(data, jointsAt, jointCount * kJointWords),
    new Float32Array(data, contactsAt),
    new Int32Array(data, contactsAt),
  );
}

/** Decodes frames that lie one after the other, each prefixed by its size; undefined for those that are empty. */
export function decodeFrames(bytes: Uint8Array): (Frame | undefined)[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const frames: (Frame | undefined)[] = [];
  for (let at = 0; at < bytes.byteLength; ) {
    if (at + 4 > bytes.byteLength) throw new DataError('frames are cut off in a size');
    const size = view.getUint32(at, true);
    if (at + 4 + size > bytes.byteLength) {
      throw new DataError(
        `frames are cut off: ${size} bytes announced, ${bytes.byteLength - at - 4} there`,
      );
    }
    frames.push(size ? decodeFrame(bytes.subarray(at + 4, at + 4 + size)) : undefined);
    at += 4 + size;
  }
  return frames;
}

/** Columns over all frames; grows when frames come in live. */
export class Series {
  count = 0;
  private columns: Float64Array[];

  constructor(capacity = 1024) {
    this.columns = kColumns.map(() => new Float64Array(capacity));
  }

  static from(columns: Float64Array[]): Series {
    const series = new Series(0);
    series.columns = columns;
    series.count = columns[0].length;
    return series;
  }

  column(name: Column): Float64Array {
    return this.columns[kPlaceOf[name]].subarray(0, this.count);
  }

  at(name: Column, frame: number): number {
    return this.columns[kPlaceOf[name]][frame];
  }

  append(row: Float64Array): void {
    if (this.count === this.columns[0].length) {
      this.columns = this.columns.map((old) => {
        const grown = new Float64Array(Math.max(1024, 2 * old.length));
        grown.set(old);
        return grown;
      });
    }
    this.columns.forEach((column, k) => {
      column[this.count] = row[k];
    });
    ++this.count;
  }

  clear(): void {
    this.count = 0;
  }

  /** The last frame at or before a time. */
  frameAt(time: number): number {
    const times = this.column('time');
    let low = 0;
    let high = this.count - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (times[middle] <= time + 1e-12) low = middle;
      else high = middle - 1;
    }
    return Math.max(0, low);
  }
}

/** Times by which frames can be found: one that is no number, or falls, becomes that of the frame before. */
function straighten(times: Float64Array): void {
  let last = 0;
  times.forEach((time, k) => {
    if (Number.isFinite(time) && (k === 0 || time >= last)) last = time;
    times[k] = last;
  });
}

export function decodeSeries(bytes: Uint8Array): Series {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  checkStart(view, 'CSER', 16, 'series');
  const count = view.getUint32(8, true);
  const columnCount = view.getUint32(12, true);
  if (columnCount < kColumns.length) {
    throw new DataError(`series has ${columnCount} columns, ${kColumns.length} needed`);
  }
  const needed = 16 + 8 * count * columnCount;
  if (needed !== bytes.byteLength) {
    throw new DataError(`series has ${bytes.byteLength} bytes, ${count} frames need ${needed}`);
  }
  const data = bytes.slice(16).buffer;
  const columns = kColumns.map((_, k) => new Float64Array(data, 8 * count * k, count));
  straighten(columns[0]);
  return Series.from(columns);
}
