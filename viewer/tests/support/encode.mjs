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
];

const rowOf = (frame) => kColumns.map((name) => frame.row[name] ?? 0);

/** frame: { row: {column: value}, bodies: [[13 numbers]], contacts: [{a, b, point, normal, mu, impulse, slip, state, residual}] } */
export function encodeFrame(frame, index, version = 1) {
  const bytes = Buffer.alloc(
    24 + 8 * kColumns.length + 52 * frame.bodies.length + 68 * frame.contacts.length,
  );
  bytes.write('CFRM', 0, 'latin1');
  [version, index, frame.bodies.length, frame.contacts.length, frame.row.unsolved ? 0 : 1].forEach(
    (word, k) => bytes.writeUInt32LE(word, 4 + 4 * k),
  );
  let at = 24;
  for (const x of rowOf(frame)) at = bytes.writeDoubleLE(x, at);
  for (const body of frame.bodies) for (const x of body) at = bytes.writeFloatLE(x, at);
  for (const c of frame.contacts) {
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
  [1, frames.length, kColumns.length].forEach((word, k) => bytes.writeUInt32LE(word, 4 + 4 * k));
  let at = 16;
  for (const name of kColumns)
    for (const frame of frames) at = bytes.writeDoubleLE(frame.row[name] ?? 0, at);
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
