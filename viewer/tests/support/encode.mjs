// Writes page data as docs/formats/page_data.md describes it, independently of the page's decoder.
import { deflateRawSync } from 'node:zlib';

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
  'closure',
  'new_overlap',
  'unexplained',
  'momentum',
  'energy_gain',
  'worst_measure',
  'worst_body',
];

export const kVersion = 2;
const kMissing = { worst_measure: -1, worst_body: -1 };
const valueOf = (frame, name) => frame.row[name] ?? kMissing[name] ?? 0;

/**
 * frame: { row: {column: value}, bodies: [[13 numbers]], joints: [[11 numbers]], contacts: [{a, b, point, normal, mu, impulse,
 * slip, state, residual}] }
 */
export function encodeFrame(frame, index, version = kVersion) {
  const { row, bodies, contacts, joints = [] } = frame;
  const bytes = Buffer.alloc(
    28 + 8 * kColumns.length + 52 * bodies.length + 44 * joints.length + 68 * contacts.length,
  );
  bytes.write('CFRM', 0, 'latin1');
  const flags = (row.unsolved ? 0 : 1) + (row.inaccurate ? 0 : 2);
  [version, index, bodies.length, contacts.length, flags, joints.length].forEach((word, k) =>
    bytes.writeUInt32LE(word, 4 + 4 * k),
  );
  let at = 28;
  for (const name of kColumns) at = bytes.writeDoubleLE(valueOf(frame, name), at);
  for (const state of [...bodies, ...joints]) for (const x of state) at = bytes.writeFloatLE(x, at);
  for (const c of contacts) {
    at = bytes.writeInt32LE(c.a, at);
    at = bytes.writeInt32LE(c.b, at);
    for (const x of [...c.point, ...c.normal, c.mu, ...c.impulse, ...c.slip])
      at = bytes.writeFloatLE(x, at);
    at = bytes.writeUInt32LE(c.state, at);
    at = bytes.writeFloatLE(c.residual, at);
  }
  return bytes;
}

export function encodeFrames(frames, from = 0, damaged = () => false) {
  return Buffer.concat(
    frames.flatMap((frame, k) => {
      const bytes = damaged(from + k) ? Buffer.alloc(0) : encodeFrame(frame, from + k);
      const size = Buffer.alloc(4);
      size.writeUInt32LE(bytes.length);
      return [size, bytes];
    }),
  );
}

export function encodeSeries(frames) {
  const bytes = Buffer.alloc(16 + 8 * kColumns.length * frames.length);
  bytes.write('CSER', 0, 'latin1');
  [kVersion, frames.length, kColumns.length].forEach((word, k) =>
    bytes.writeUInt32LE(word, 4 + 4 * k),
  );
  let at = 16;
  for (const name of kColumns)
    for (const frame of frames) at = bytes.writeDoubleLE(valueOf(frame, name), at);
  return bytes;
}

const pack = (bytes) => deflateRawSync(bytes).toString('base64');

export function reportJson({ header, frames }, framesPerChunk = 50) {
  const chunks = [];
  for (let from = 0; from < frames.length; from += framesPerChunk) {
    chunks.push(pack(encodeFrames(frames.slice(from, from + framesPerChunk), from)));
  }
  return {
    header: { ...header, frame_count: frames.length },
    series: pack(encodeSeries(frames)),
    frames: chunks,
    frames_per_chunk: framesPerChunk,
  };
}

const kSlot = '<script id="cornet-data" type="application/json"></script>';

/** The built page with data in its slot. */
export function reportPage(page, json) {
  if (page.split(kSlot).length !== 2)
    throw new Error('the page must have exactly one empty slot for data');
  const text = (typeof json === 'string' ? json : JSON.stringify(json)).replaceAll('<', '\\u003c');
  return page.replace(kSlot, () => kSlot.replace('></', `>${text}</`));
}
