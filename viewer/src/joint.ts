// Numbers of one joint as a person wants them, from the words of a frame.
import { type Frame, type Joint, kJointWords, type Vec3 } from './data/format';

export interface JointInfo {
  position: number;
  rate: number;
  error: number; // [m]
  force: Vec3; // on B [N]
  forceSize: number;
  torque: Vec3; // on B, about the joint's point [N m]
  torqueSize: number;
  effort: number; // of the motor
  power: number; // [W]
}

/** The units of a joint's position, rate and effort; undefined where it has no position. */
export interface JointUnits {
  position: string;
  rate: string;
  effort: string;
}

const kUnits: Record<string, JointUnits> = {
  HingeJoint: { position: 'rad', rate: 'rad/s', effort: 'N m' },
  SliderJoint: { position: 'm', rate: 'm/s', effort: 'N' },
  DistanceConstraint: { position: 'm', rate: 'm/s', effort: 'N' },
};
export const jointUnits = (joint: Joint): JointUnits | undefined => kUnits[joint.type];

/** "HingeJoint" as a word: hinge. */
export const jointKind = (joint: Joint): string =>
  joint.type
    .replace(/(Joint|Constraint)$/, '')
    .replace(/(?<=[a-z])(?=[A-Z])/g, ' ')
    .toLowerCase() || 'joint';

/** Undefined for a joint that the frame does not have. */
export function jointInfo(frame: Frame, joint: number): JointInfo | undefined {
  if (joint < 0 || joint >= frame.jointCount) return undefined;
  const at = joint * kJointWords;
  const w = frame.joints.subarray(at, at + kJointWords);
  return {
    position: w[0],
    rate: w[1],
    error: w[2],
    force: [w[3], w[4], w[5]],
    forceSize: Math.hypot(w[3], w[4], w[5]),
    torque: [w[6], w[7], w[8]],
    torqueSize: Math.hypot(w[6], w[7], w[8]),
    effort: w[9],
    power: w[10],
  };
}

/** Sizes of all joint forces of a frame that carry something [N]. */
export function jointForces(frame: Frame): number[] {
  const sizes = Array.from({ length: frame.jointCount }, (_, k) => jointInfo(frame, k)!.forceSize);
  return sizes.filter((size) => size > 0);
}
