import { describe, expect, it } from 'vitest';
import { contactInfo, findContact, nthOfPair } from '../../src/contact';
import { DataError, decodeFrame, decodeFrames, decodeSeries, Series } from '../../src/data/format';
import { parseHeader } from '../../src/data/header';
import { LruCache } from '../../src/data/lru';
import { ReportSource } from '../../src/data/report_source';
import { num, round125 } from '../../src/format_number';
import { thin } from '../../src/ui/thin';
import { parseSelection, selectionText } from '../../src/ui/url_state';
// @ts-expect-error plain JavaScript without types
import { encodeFrame, encodeFrames, encodeSeries, reportJson } from '../support/encode.mjs';
// @ts-expect-error plain JavaScript without types
import { kG, kRamp, rampScene, shapesScene } from '../support/scenes.mjs';

const scene = rampScene();
const bytesOf = (index: number): Uint8Array =>
  new Uint8Array(encodeFrame(scene.frames[index], index));

describe('a frame', () => {
  it('comes back with all its numbers', () => {
    const frame = decodeFrame(bytesOf(50));
    expect([frame.index, frame.bodyCount, frame.contactCount, frame.solved]).toEqual([
      50,
      1,
      4,
      true,
    ]);
    expect(frame.time).toBe(0.5);
    expect(frame.stepSize).toBe(kRamp.dt);
    scene.frames[50].bodies[0].forEach((x: number, k: number) =>
      expect(frame.bodies[k]).toBeCloseTo(x, 6),
    );
    expect([frame.bodyA(3), frame.bodyB(3), frame.state(3)]).toEqual([1, 0, 2]);
  });

  it('is read from any place in a buffer', () => {
    const bytes = bytesOf(3);
    const shifted = new Uint8Array(bytes.length + 3);
    shifted.set(bytes, 3);
    expect(decodeFrame(shifted.subarray(3)).index).toBe(3);
  });

  it.each([0, 3, 27, 187, 260])('cut off after %i bytes is refused with a sentence', (length) => {
    expect(() => decodeFrame(bytesOf(0).subarray(0, length))).toThrow(DataError);
    expect(() => decodeFrame(bytesOf(0).subarray(0, length))).toThrow(/cut off|need/);
  });

  it('with bytes too many is refused', () => {
    expect(() => decodeFrame(new Uint8Array([...bytesOf(0), 0]))).toThrow(
      /1 bodies, 0 joints and 4 contacts need/,
    );
  });

  it('with counts too large for any memory is refused', () => {
    const bytes = bytesOf(0);
    new DataView(bytes.buffer).setUint32(12, 0xffffffff, true);
    expect(() => decodeFrame(bytes)).toThrow(/4294967295 bodies/);
  });

  it('of another kind or version is refused', () => {
    const other = bytesOf(0);
    other[0] = 88;
    expect(() => decodeFrame(other)).toThrow(/does not begin with CFRM/);
    expect(() => decodeFrame(new Uint8Array(encodeFrame(scene.frames[0], 0, 1)))).toThrow(
      /frame has version 1, this page reads version 2/,
    );
  });

  it('that is not a number names its bodies', () => {
    const broken = structuredClone(scene.frames[0]);
    broken.bodies[0][8] = NaN;
    expect(decodeFrame(new Uint8Array(encodeFrame(broken, 0))).invalidBodies()).toEqual([0]);
    expect(decodeFrame(bytesOf(0)).invalidBodies()).toEqual([]);
  });
});

describe('frames in a row', () => {
  it('come back in order', () => {
    expect(
      decodeFrames(new Uint8Array(encodeFrames(scene.frames.slice(0, 5)))).map((f) => f?.index),
    ).toEqual([0, 1, 2, 3, 4]);
  });
  it('leave gaps where one cannot be read', () => {
    const bytes = encodeFrames(scene.frames.slice(7, 10), 7, (index: number) => index === 8);
    expect(decodeFrames(new Uint8Array(bytes)).map((f) => f?.index)).toEqual([7, undefined, 9]);
  });
  it('cut off anywhere are refused', () => {
    const bytes = new Uint8Array(encodeFrames(scene.frames.slice(0, 2)));
    for (const length of [2, 10, bytes.length / 2 + 2, bytes.length - 1]) {
      expect(() => decodeFrames(bytes.subarray(0, length))).toThrow(/cut off/);
    }
  });
});

describe('the series', () => {
  it('comes back column by column', () => {
    const series = decodeSeries(new Uint8Array(encodeSeries(scene.frames)));
    expect(series.count).toBe(kRamp.count);
    expect(series.at('time', 100)).toBe(1);
    expect(series.at('sticking', 250)).toBe(4);
  });
  it('cut off is refused', () => {
    const bytes = new Uint8Array(encodeSeries(scene.frames));
    expect(() => decodeSeries(bytes.subarray(0, bytes.length - 8))).toThrow(/frames need/);
    expect(() => decodeSeries(bytes.subarray(0, 7))).toThrow(/cut off/);
  });
  it('with a time that is no number still leads to every frame', () => {
    const frames = structuredClone(scene.frames);
    for (const k of [0, 125, 188]) frames[k].row.time = NaN;
    const series = decodeSeries(new Uint8Array(encodeSeries(frames)));
    expect(series.frameAt(2.4)).toBe(240);
    expect(series.frameAt(1.24)).toBe(125);
    expect(series.frameAt(0.02)).toBe(2);
    expect(series.at('time', 188)).toBe(1.87);
  });
  it('finds the last frame at or before a time', () => {
    const series = new Series();
    for (const t of [0, 0.1, 0.3]) series.append(new Float64Array(20).fill(t));
    expect([-1, 0, 0.1, 0.29, 9].map((t) => series.frameAt(t))).toEqual([0, 0, 1, 1, 2]);
  });
});

describe('a contact', () => {
  const info = (frame: number, contact: number) =>
    contactInfo(decodeFrame(bytesOf(frame)), contact, 1e-8);

  it('that slips uses its whole cone; the four carry the weight', () => {
    const all = [0, 1, 2, 3].map((k) => info(20, k));
    expect(all.map((c) => c.verdict)).toEqual(Array(4).fill('slip'));
    all.forEach((c) => expect(c.coneUse).toBeCloseTo(1, 5));
    expect(all.reduce((sum, c) => sum + c.normalForce, 0)).toBeCloseTo(
      kRamp.mass * kG * Math.cos(kRamp.angle),
      4,
    );
  });
  it('that sticks uses tan(angle)/mu of it', () => {
    expect(info(240, 0).verdict).toBe('stick');
    expect(info(240, 0).coneUse).toBeCloseTo(Math.tan(kRamp.angle) / kRamp.mu, 5);
  });
  it('with a residual above the tolerance is violated', () => {
    expect(info(kRamp.badFrame, 2).verdict).toBe('violated');
    expect(info(kRamp.badFrame, 1).verdict).toBe('slip');
  });
  it.each([
    ['pulls', [0, 0, -1]],
    ['lies outside its cone', [2, 0, 1]],
    ['is not a number', [NaN, 0, 1]],
  ])('whose force %s is violated', (_, impulse) => {
    const frame = structuredClone(scene.frames[0]);
    Object.assign(frame.contacts[0], { impulse, normal: [0, 0, 1], residual: 0 });
    expect(contactInfo(decodeFrame(new Uint8Array(encodeFrame(frame, 0))), 0, 1e-8).verdict).toBe(
      'violated',
    );
  });
  it('is found again by its pair and place', () => {
    const frame = decodeFrame(bytesOf(0));
    expect(nthOfPair(frame, 2)).toBe(2);
    expect(findContact(frame, 1, 0, 2)).toBe(2);
    expect(findContact(frame, 1, 0, 4)).toBe(-1);
  });
});

describe('the header', () => {
  it('of every shape is accepted, with defaults for what is missing', () => {
    const header = parseHeader(shapesScene().header);
    expect(header.bodies.length).toBeGreaterThan(20);
    expect(parseHeader({ version: 2 }).gravity).toEqual([0, 0, -9.81]);
  });
  it.each([
    [{ version: 1 }, /header has version 1, this page reads version 2/],
    [{}, /version undefined, this page reads version 2/],
    [null, /not an object/],
    [{ version: 2, bodies: 3 }, /bodies is not a list/],
    [
      { version: 2, bodies: [{ shapes: [{ type: 'torus' }] }] },
      /bodies\[0\].shapes\[0\] has the unknown type "torus"/,
    ],
    [{ version: 2, bodies: [{ shapes: [{ type: 'sphere' }] }] }, /radius is not a number/],
    [
      {
        version: 2,
        bodies: [{ shapes: [{ type: 'mesh', vertices: [0, 0, 0], triangles: [0, 0, 1] }] }],
      },
      /names the vertex 1 of 1/,
    ],
    [{ version: 2, bodies: [{ pose: [1, 2] }] }, /has 2 numbers, 7 needed/],
  ])('%j is refused with its place', (json, message) => {
    expect(() => parseHeader(json)).toThrow(message);
  });
});

describe('joints and bounds of the header', () => {
  const bodies = [{ name: 'arm', moves: true, size: 0.3 }, { name: 'post' }];

  it('come back, and what is missing has its default', () => {
    const joints = [{ name: 'drive', type: 'HingeJoint', bodies: [1, 0] }, { bodies: [0, 0] }];
    const header = parseHeader({ version: 2, bodies, joints, momentum_bound: 1e-7 });
    expect(header.bodies.map((body) => body.size)).toEqual([0.3, 0]);
    expect(header.joints).toEqual([
      { name: 'drive', type: 'HingeJoint', a: 1, b: 0 },
      { name: 'joint 1', type: '', a: 0, b: 0 },
    ]);
    expect(header.bounds).toEqual({
      closure: 1e-8,
      new_overlap: 1e-3,
      unexplained: 1e-3,
      momentum: 1e-7,
      energy_gain: 1e-6,
    });
    expect(parseHeader({ version: 2 }).joints).toEqual([]);
  });
  it.each([
    [{ joints: {} }, /joints is not a list/],
    [{ joints: [{ bodies: [0] }] }, /joints\[0\].bodies has 1 numbers, 2 needed/],
    [{ joints: [{ bodies: [0, 2] }] }, /joints\[0\].bodies names the body 2 of 2/],
    [{ closure_bound: 'small' }, /closure_bound is not a number/],
    [{ energy_bound: -1 }, /energy_bound is negative: -1/],
    [{ bodies: [{ size: null }] }, /bodies\[0\].size is not a number/],
  ])('%j is refused with its place', (json, message) => {
    expect(() => parseHeader({ version: 2, bodies, ...json })).toThrow(message);
  });
});

describe('a report', () => {
  it('gives frames of all its parts', async () => {
    const source = await ReportSource.open(JSON.stringify(reportJson(scene)));
    expect((await source.load(137)).index).toBe(137);
    expect(source.peek(137)?.index).toBe(137);
    expect(source.peek(0)).toBeUndefined();
  });
  it('that is damaged says so', async () => {
    const json = reportJson(scene);
    await expect(ReportSource.open('{"header"')).rejects.toThrow(/no valid JSON/);
    await expect(ReportSource.open(JSON.stringify({ ...json, series: 'AAAA' }))).rejects.toThrow(
      /series of the report cannot be unpacked/,
    );
    const source = await ReportSource.open(
      JSON.stringify({ ...json, frames: json.frames.slice(0, 1) }),
    );
    await expect(source.load(100)).rejects.toThrow(/part 2 of the frames is missing/);
  });
});

describe('small things', () => {
  it('the cache forgets what was used longest ago', () => {
    const cache = new LruCache<string>(10);
    cache.set(1, 'a', 5);
    cache.set(2, 'b', 5);
    cache.get(1);
    cache.set(3, 'c', 5);
    expect([cache.get(1), cache.get(2), cache.get(3), cache.bytes]).toEqual([
      'a',
      undefined,
      'c',
      10,
    ]);
  });
  it('long series keep their peaks and gaps', () => {
    const values = new Float64Array(1e6).fill(1);
    values[654321] = 7;
    values[123] = NaN;
    const [times, column] = thin(
      values.map((_, k) => k),
      [values],
      Number.isFinite,
    );
    expect(times.length).toBeLessThanOrEqual(20002);
    expect(column.length).toBe(times.length);
    expect(Math.max(...column.map(Number))).toBe(7);
    expect(thin([0, 1], [[NaN, 2]], Number.isFinite)).toEqual([
      [0, 1],
      [null, 2],
    ]);
  });
  it('numbers are short', () => {
    expect([0, 1.23456, -0.5, 1e-9, NaN, 123456].map((x) => num(x))).toEqual([
      '0',
      '1.235',
      '−0.5',
      '1.00e−9',
      'NaN',
      '1.23e5',
    ]);
    expect([0.7, 1.2, 30, 4200].map(round125)).toEqual([0.5, 1, 20, 5000]);
  });
  it('selections survive the address', () => {
    expect(parseSelection(selectionText({ kind: 'contact', a: 1, b: 0, nth: 3 }), 3)).toEqual({
      kind: 'contact',
      a: 1,
      b: 0,
      nth: 3,
    });
    expect(parseSelection(selectionText({ kind: 'joint', joint: 2 }), 3, 3)).toEqual({
      kind: 'joint',
      joint: 2,
    });
    expect(parseSelection('joint:3', 3, 3)).toEqual({ kind: 'none' });
    expect(parseSelection('body:9', 3)).toEqual({ kind: 'none' });
    expect(parseSelection('nonsense', 3)).toEqual({ kind: 'none' });
  });
});
