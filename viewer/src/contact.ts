// Numbers of one contact as a person wants them, from the words of a frame.
import { ContactState, type Frame, kContactWords, type Vec3 } from './data/format';

export type Verdict = 'open' | 'stick' | 'slip' | 'violated';
export const kVerdicts: Verdict[] = ['open', 'stick', 'slip', 'violated'];

// Impulses come as f32: a use of the cone beyond 1 by rounding is no violation.
const kConeRounding = 1e-4;

export interface ContactInfo {
  index: number;
  a: number;
  b: number;
  point: Vec3;
  normal: Vec3;
  mu: number;
  force: Vec3; // on B [N]
  normalForce: number;
  frictionForce: number;
  coneUse: number; // |f_t| / (mu f_n); NaN where nothing presses
  slip: Vec3;
  slipSpeed: number;
  residual: number;
  verdict: Verdict;
}

const norm = (x: number, y: number, z: number): number => Math.hypot(x, y, z);

export function contactInfo(frame: Frame, index: number, tolerance: number): ContactInfo {
  const w = frame.contacts;
  const at = index * kContactWords;
  const triple = (k: number): Vec3 => [w[at + k], w[at + k + 1], w[at + k + 2]];
  const normal = triple(5);
  const mu = w[at + 8];
  const scale = frame.stepSize > 0 ? 1 / frame.stepSize : 0;
  const force = triple(9).map((x) => x * scale) as Vec3;
  const normalForce = force[0] * normal[0] + force[1] * normal[1] + force[2] * normal[2];
  const frictionForce = norm(
    force[0] - normalForce * normal[0],
    force[1] - normalForce * normal[1],
    force[2] - normalForce * normal[2],
  );
  const slip = triple(12);
  const bound = mu * normalForce;
  const coneUse = bound > 0 ? frictionForce / bound : NaN;
  const info = {
    index,
    a: frame.bodyA(index),
    b: frame.bodyB(index),
    point: triple(2),
    normal,
    mu,
    force,
    normalForce,
    frictionForce,
    coneUse,
    slip,
    slipSpeed: norm(...slip),
    residual: w[at + 16],
  };
  return { ...info, verdict: verdictOf(info, frame.state(index), frame.solved, tolerance) };
}

/** Sizes of all contact forces of a frame that carry something [N]. */
export function contactForces(frame: Frame): number[] {
  const sizes: number[] = [];
  for (let k = 0; k < frame.contactCount && frame.stepSize > 0; ++k) {
    const at = k * kContactWords;
    const [x, y, z] = frame.contacts.subarray(at + 9, at + 12);
    const size = norm(x, y, z) / frame.stepSize;
    if (size > 0) sizes.push(size);
  }
  return sizes;
}

/**
 * Violated: not a number, a force outside its cone or one that pulls, or in a step that missed its tolerance a residual
 * above it, speeds being taken as 1 m/s.
 */
function verdictOf(
  info: Omit<ContactInfo, 'verdict'>,
  state: ContactState,
  solved: boolean,
  tolerance: number,
): Verdict {
  const numbers = [...info.point, ...info.normal, ...info.force, ...info.slip, info.residual];
  const size = norm(...info.force);
  if (
    !numbers.every(Number.isFinite) ||
    (!solved && info.residual > tolerance) ||
    info.coneUse > 1 + kConeRounding ||
    info.normalForce < -kConeRounding * size
  )
    return 'violated';
  return state === ContactState.stick ? 'stick' : state === ContactState.slip ? 'slip' : 'open';
}

/** The contact's place among those of the same pair: what it is known by over time. */
export function nthOfPair(frame: Frame, index: number): number {
  let nth = 0;
  for (let k = 0; k < index; ++k) {
    if (frame.bodyA(k) === frame.bodyA(index) && frame.bodyB(k) === frame.bodyB(index)) ++nth;
  }
  return nth;
}

export function findContact(frame: Frame, a: number, b: number, nth: number): number {
  for (let k = 0; k < frame.contactCount; ++k) {
    if (frame.bodyA(k) === a && frame.bodyB(k) === b && nth-- === 0) return k;
  }
  return -1;
}
