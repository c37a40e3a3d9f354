// A crank turns at constant speed and drives a heavy piston; crank and rod weigh nothing. Closed form throughout.
import { header, kStill } from './scenes.mjs';

export const kCrank = {
  radius: 0.25,
  rod: 0.7,
  omega: 4,
  mass: 3,
  height: 0.6,
  dt: 0.01,
  count: 201,
  worst: 42, // closure of the rod, 300 bounds
  pushed: 90, // momentum of the piston, 5 bounds
  unsolved: 120, // the law, 10 tolerances
};
const kBounds = { closure: 1e-8, momentum: 1e-10, tolerance: 1e-8 };

const turned = (angle) => [Math.cos(angle / 2), 0, Math.sin(angle / 2), 0]; // about y
const size = (...x) => Math.hypot(...x);

/** Angle of the crank, place, speed and acceleration of the piston. */
export function crankAt(time) {
  const { radius: r, rod, omega } = kCrank;
  const angle = omega * time;
  const [s, c] = [Math.sin(angle), Math.cos(angle)];
  const lean = Math.asin((r * s) / rod); // of the rod
  const root = rod * Math.cos(lean);
  const x = r * c + root;
  const v = -omega * r * s - (omega * r * r * s * c) / root;
  const rootRate = -(omega * r * r * s * c) / root;
  const a =
    -omega * omega * r * c -
    omega * r * r * ((omega * (c * c - s * s)) / root - (s * c * rootRate) / (root * root));
  return { angle, lean, x, v, a, pin: [r * c, 0, r * s] };
}

/** What the certificate of whole steps says; rounding where nothing is wrong. */
function certificateOf(k) {
  const { worst, pushed, unsolved } = kCrank;
  const near = Math.abs(k - worst);
  const row = {
    certificate: 1e-13,
    closure: 3e-13 * (1 + Math.sin(k / 5) ** 2),
    new_overlap: 0,
    unexplained: 4e-6 * (1 + Math.cos(k / 7) ** 2),
    momentum: 2e-15,
    energy_gain: 1e-9 * (1 + Math.sin(k / 11) ** 2),
    worst_measure: 2,
    worst_body: 1,
  };
  if (k === 0) return { worst_measure: -1, worst_body: -1 };
  if (near < 3)
    Object.assign(row, { closure: 300 * kBounds.closure * 10 ** -near, worst_measure: 0 });
  if (k === pushed)
    Object.assign(row, { momentum: 5 * kBounds.momentum, worst_measure: 3, worst_body: 2 });
  if (k === unsolved) Object.assign(row, { certificate: 10 * kBounds.tolerance, unsolved: 1 });
  row.inaccurate = near < 3 || k === pushed || k === unsolved ? 1 : 0;
  return row;
}

/** clean: without any step that is inaccurate. */
export function mechanismScene({ clean = false } = {}) {
  const { radius, rod, omega, mass, height, dt, count } = kCrank;
  const frames = Array.from({ length: count }, (_, k) => {
    const { angle, lean, x, v, a, pin } = crankAt(k * dt);
    const push = k ? mass * a : 0; // of the rod on the piston, along x
    const along = k ? push * Math.tan(lean) : 0;
    const effort = k ? (push * v) / omega : 0;
    const up = (p) => [p[0], p[1], p[2] + height];
    const crank = up([pin[0] / 2, 0, pin[2] / 2]);
    const middle = up([(pin[0] + x) / 2, 0.06, pin[2] / 2]);
    const onPiston = [push, 0, -along];
    const row = certificateOf(clean && k ? 1 + (k % 30) : k);
    return {
      row: {
        time: k * dt,
        kinetic: 0.5 * mass * v * v,
        work: 0.5 * mass * v * v,
        step_size: k ? dt : 0,
        contacts: 0,
        ...row,
      },
      bodies: [
        [...crank, ...turned(-angle), (-omega * pin[2]) / 2, 0, (omega * pin[0]) / 2, 0, -omega, 0],
        [...middle, ...turned(lean), v / 2, 0, 0, 0, 0, 0],
        [...up([x, 0.06, 0]), 1, 0, 0, 0, v, 0, 0, 0, 0, 0],
      ],
      joints: [
        [angle, omega, 2e-14, ...onPiston, 0, -effort, 0, effort, effort * omega],
        [angle + lean, omega, k ? row.closure * rod : 0, ...onPiston, 0, 0, 0, 0, 0],
        [0, 0, 1e-14, ...onPiston, 0, 0, 0, 0, 0],
        [x - radius - rod, v, 0, 0, 0, along + mass * 9.81, 0, 0, 0, 0, 0],
      ],
      contacts: [],
    };
  });
  const bar = (name, half, thick) => ({
    name,
    moves: true,
    mass: 0.1,
    size: size(half, thick, thick),
    shapes: [{ type: 'box', half_extents: [half, 0.02, thick], pose: kStill }],
  });
  const bodies = [
    bar('crank', radius / 2 + 0.03, 0.04),
    bar('rod', rod / 2 + 0.03, 0.03),
    {
      name: 'piston',
      moves: true,
      mass,
      size: 0.16,
      shapes: [{ type: 'box', half_extents: [0.1, 0.09, 0.09], pose: kStill }],
    },
    {
      name: 'ground',
      moves: false,
      shapes: [{ type: 'half_space', pose: kStill }],
    },
    {
      name: 'post',
      moves: false,
      pose: [0, -0.08, height / 2 + 0.03, 1, 0, 0, 0],
      shapes: [{ type: 'box', half_extents: [0.06, 0.05, height / 2 + 0.03], pose: kStill }],
    },
  ];
  const joints = [
    { name: 'drive', type: 'HingeJoint', bodies: [4, 0] },
    { name: 'hinge crank-rod', type: 'HingeJoint', bodies: [0, 1] },
    { name: 'ball rod-piston', type: 'BallJoint', bodies: [1, 2] },
    { name: 'slider ground-piston', type: 'SliderJoint', bodies: [3, 2] },
  ];
  return { frames, header: header('Crank and piston', bodies, { joints }) };
}
