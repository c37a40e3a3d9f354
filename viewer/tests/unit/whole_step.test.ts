import { describe, expect, it } from 'vitest';
import { bodyOf, inBounds, judge, oversee, worstInBounds } from '../../src/certificate';
import { decodeFrame, decodeSeries, type Header, type Series } from '../../src/data/format';
import { parseHeader } from '../../src/data/header';
import { jointInfo, jointKind, jointUnits } from '../../src/joint';
// @ts-expect-error plain JavaScript without types
import { encodeFrame, encodeSeries, kColumns } from '../support/encode.mjs';
// @ts-expect-error plain JavaScript without types
import { crankAt, kCrank, mechanismScene } from '../support/mechanism.mjs';

const scene = mechanismScene();
const header: Header = parseHeader(scene.header);
const seriesOf = (frames: unknown[]): Series => decodeSeries(new Uint8Array(encodeSeries(frames)));
const series = seriesOf(scene.frames);
const frameOf = (frame: unknown, index = 0) =>
  decodeFrame(new Uint8Array(encodeFrame(frame, index)));
const row = (numbers: object) => seriesOf([{ row: { time: 0, step_size: 0.01, ...numbers } }]);

describe('a frame of version 2, byte by byte', () => {
  // One body, two joints, one contact: every number is its place.
  const bytes = new Uint8Array(188 + 52 + 2 * 44 + 68);
  const view = new DataView(bytes.buffer);
  bytes.set([67, 70, 82, 77]); // CFRM
  [2, 9, 1, 1, 2, 2].forEach((word, k) => view.setUint32(4 + 4 * k, word, true));
  for (let k = 0; k < 20; ++k) view.setFloat64(28 + 8 * k, 100 + k, true);
  for (let at = 188; at < bytes.length; at += 4) view.setFloat32(at, at, true);
  [3, 4].forEach((body, k) => view.setInt32(328 + 4 * k, body, true));
  view.setUint32(328 + 60, 1, true);
  const frame = decodeFrame(bytes);

  it('has its head and numbers where the format says', () => {
    expect([frame.index, frame.bodyCount, frame.jointCount, frame.contactCount]).toEqual([
      9, 1, 2, 1,
    ]);
    expect([frame.solved, frame.accurate]).toEqual([false, true]); // bits 0 and 1
    expect([...frame.row]).toEqual(Array.from({ length: 20 }, (_, k) => 100 + k));
    expect(kColumns.map((name: never) => frame.column(name))).toEqual([...frame.row]);
    expect(frame.bytes).toBe(bytes.length);
  });
  it('has bodies, joints and contacts one after the other', () => {
    expect([frame.bodies[0], frame.bodies[12]]).toEqual([188, 188 + 48]);
    expect([frame.joints[0], frame.joints[11], frame.joints[21]]).toEqual([240, 284, 324]);
    expect([frame.contacts[2], frame.contacts[16]]).toEqual([336, 392]);
    expect([frame.bodyA(0), frame.bodyB(0), frame.state(0)]).toEqual([3, 4, 1]);
  });
  it('with a joint too many or too few is refused', () => {
    for (const count of [1, 3]) {
      const other = bytes.slice();
      new DataView(other.buffer).setUint32(24, count, true);
      expect(() => decodeFrame(other)).toThrow(
        new RegExp(`1 bodies, ${count} joints and 1 contacts need`),
      );
    }
  });
  it('takes joints from the words of the format', () => {
    const info = jointInfo(frame, 1)!;
    expect([info.position, info.rate, info.error]).toEqual([284, 288, 292]);
    expect([info.force, info.torque]).toEqual([
      [296, 300, 304],
      [308, 312, 316],
    ]);
    expect([info.effort, info.power]).toEqual([320, 324]);
    expect([jointInfo(frame, 2), jointInfo(frame, -1)]).toEqual([undefined, undefined]);
  });
});

describe('the series of version 2', () => {
  it('has the eight columns of whole steps', () => {
    const { worst } = kCrank;
    expect(series.at('closure', worst)).toBe(scene.frames[worst].row.closure);
    expect([series.at('worst_measure', worst), series.at('worst_body', worst)]).toEqual([0, 1]);
    expect([series.at('worst_measure', 0), series.at('worst_body', 0)]).toEqual([-1, -1]);
  });
  it('skips columns after the twentieth, and refuses fewer', () => {
    const bytes = new Uint8Array(16 + 8 * 21 * 2);
    bytes.set([67, 83, 69, 82, 2, 0, 0, 0, 2, 0, 0, 0, 21]);
    new DataView(bytes.buffer).setFloat64(16 + 8 * 2 * 19, 7, true);
    expect(decodeSeries(bytes).at('worst_body', 0)).toBe(7);
    bytes[12] = 12;
    expect(() => decodeSeries(bytes.subarray(0, 16 + 8 * 12 * 2))).toThrow(
      /12 columns, 20 needed/,
    );
  });
});

describe('a step', () => {
  it('is measured in bounds', () => {
    expect([0, 1e-9, 2e-8].map((x) => inBounds(x, 1e-8))).toEqual([0, 0.1, 2]);
    expect([inBounds(1e-30, 0), inBounds(0, 0), inBounds(NaN, 1)]).toEqual([Infinity, 0, Infinity]);
  });
  it('beyond a bound is inaccurate, and one that misses the law is unsolved', () => {
    const verdicts = [10, kCrank.worst, kCrank.pushed, kCrank.unsolved].map(
      (k) => judge(series, header, k).verdict,
    );
    expect(verdicts).toEqual(['accurate', 'inaccurate', 'inaccurate', 'unsolved']);
    expect(judge(series, header, kCrank.unsolved).judged).toBe('law');
    expect(judge(series, header, kCrank.pushed)).toMatchObject({ judged: 'momentum' });
    expect(judge(series, header, kCrank.pushed).ratio).toBeCloseTo(5, 9);
  });
  it('is inaccurate when the program says so, and when a measure is not a number', () => {
    expect(judge(row({ inaccurate: 1 }), header, 0).verdict).toBe('inaccurate');
    expect(judge(row({ unsolved: 1 }), header, 0).verdict).toBe('unsolved'); // as old recordings have it
    expect(judge(row({ new_overlap: NaN }), header, 0)).toEqual({
      verdict: 'inaccurate',
      judged: 'new_overlap',
      ratio: Infinity,
    });
  });
  it('names the body of its worst measure alone', () => {
    expect(bodyOf(series, 'closure', kCrank.worst)).toBe(1);
    expect(bodyOf(series, 'momentum', kCrank.worst)).toBe(-1);
    expect(bodyOf(series, 'law', kCrank.unsolved)).toBe(-1);
  });
});

describe('a run', () => {
  it('counts its inaccurate steps and knows the worst', () => {
    expect(oversee(series, header)).toEqual({
      inaccurate: 7,
      unsolved: 1,
      measured: true,
      worst: kCrank.worst,
    });
  });
  it('without any has one that comes nearest', () => {
    const clean = seriesOf(mechanismScene({ clean: true }).frames);
    const { inaccurate, unsolved, worst } = oversee(clean, header);
    const largest = Math.max(...worstInBounds(clean, header));
    expect([inaccurate, unsolved]).toEqual([0, 0]);
    expect(judge(clean, header, worst).ratio).toBe(largest);
  });
  it('sums steps that were left out between frames', () => {
    const frames = [{ inaccurate: 3, unsolved: 2, certificate: 1 }, { inaccurate: 4, closure: 1 }];
    const sums = seriesOf(frames.map((numbers, k) => ({ row: { time: k, ...numbers } })));
    expect(oversee(sums, header)).toMatchObject({ inaccurate: 7, unsolved: 2 });
  });
  it('prefers a step that failed to one with larger numbers', () => {
    const sums = seriesOf([{ row: { momentum: 9e-11 } }, { row: { inaccurate: 1 } }]);
    expect(oversee(sums, header).worst).toBe(1);
  });
  it('without measures does not pretend to have any', () => {
    expect(oversee(row({ certificate: 1e-12 }), header).measured).toBe(false);
    expect(oversee(seriesOf([]), header).worst).toBe(-1);
  });
});

describe('a joint', () => {
  it('has its numbers, and units by its type', () => {
    const k = 30;
    const { angle, v } = crankAt(k * kCrank.dt);
    const frame = frameOf(scene.frames[k], k);
    expect(jointInfo(frame, 0)!.position).toBeCloseTo(angle, 6);
    expect(jointInfo(frame, 3)!.rate).toBeCloseTo(v, 6);
    const { effort, power } = jointInfo(frame, 0)!;
    expect(power).toBeCloseTo(effort * kCrank.omega, 4);
    expect(header.joints.map((joint) => jointUnits(joint)?.position)).toEqual([
      'rad',
      'rad',
      undefined,
      'm',
    ]);
    expect(header.joints.map(jointKind)).toEqual(['hinge', 'hinge', 'ball', 'slider']);
  });
});
