// Small recordings with known numbers.
import { kVersion } from './encode.mjs';

export const kG = 9.81;
export const kStill = [0, 0, 0, 1, 0, 0, 0];

export const header = (title, bodies, more = {}) => ({
  version: kVersion,
  title,
  program: 'cornet 0.1.0',
  scene: {
    file: `${title.split(/\W/)[0].toLowerCase()}.toml`,
    text: 'title = "sample"\n',
    hash: '0123456789abcdef',
  },
  command: 'cornet run sample.toml',
  options: { solver: 'exact', integrator: 'fixed' },
  gravity: [0, 0, -kG],
  live: false,
  dt: 0.01,
  tolerance: 1e-8,
  problem: '',
  bodies,
  parameters: [],
  ...more,
});

export const kRamp = {
  angle: (20 * Math.PI) / 180,
  mu: 0.5,
  mass: 2,
  half: [0.3, 0.2, 0.15],
  speed: 2,
  dt: 0.01,
  count: 251,
  badFrame: 60,
};

/** A box slides down a ramp that is too flat to keep it going: it slows down, stops and sticks. Closed form throughout. */
export function rampScene() {
  const { angle, mu, mass, half, speed, dt, count, badFrame } = kRamp;
  const [s, c] = [Math.sin(angle), Math.cos(angle)];
  const down = [c, 0, -s];
  const normal = [s, 0, c];
  const q = [Math.cos(angle / 2), 0, Math.sin(angle / 2), 0];
  const slow = kG * (mu * c - s);
  const stop = speed / slow;
  const start = [-1.3, 0, 1.1];
  const press = mass * kG * c;
  const frames = Array.from({ length: count }, (_, k) => {
    const t = k * dt;
    const slips = t < stop;
    const tau = Math.min(t, stop);
    const way = speed * tau - 0.5 * slow * tau * tau;
    const v = slips ? speed - slow * t : 0;
    const foot = start.map((x, i) => x + way * down[i]);
    const centre = foot.map((x, i) => x + half[2] * normal[i]);
    const friction = slips ? mu * press : mass * kG * s;
    const tilt = (friction * half[2]) / half[0]; // friction loads the front edge
    const contacts = [
      [1, 1],
      [1, -1],
      [-1, 1],
      [-1, -1],
    ].map(([ex, ey], n) => {
      const load = (press + ex * tilt) / 4;
      const share = (friction / press) * load;
      return {
        a: 1,
        b: 0,
        mu,
        normal,
        state: slips ? 2 : 1,
        residual: k >= badFrame && k < badFrame + 3 && n === 2 ? 1e-3 : 1e-13,
        point: foot.map((x, i) => x + ex * half[0] * down[i] + (i === 1 ? ey * half[1] : 0)),
        impulse: normal.map((x, i) => dt * (load * x - share * down[i])),
        slip: down.map((x) => v * x),
      };
    });
    const kinetic = 0.5 * mass * v * v;
    return {
      row: {
        time: t,
        kinetic,
        potential: mass * kG * centre[2],
        dissipated: mu * press * way,
        certificate: k >= badFrame && k < badFrame + 3 ? 1e-3 : 10 ** (-12.5 + Math.sin(k / 9)),
        step_size: dt,
        rejections: k % 70 === 35 ? 2 : 0,
        contacts: 4,
        sticking: slips ? 0 : 4,
        iterations: 5,
        unsolved: k >= badFrame && k < badFrame + 3 ? 1 : 0,
        inaccurate: k >= badFrame && k < badFrame + 3 ? 1 : 0,
      },
      bodies: [[...centre, ...q, ...down.map((x) => v * x), 0, 0, 0]],
      contacts,
    };
  });
  const wedge = {
    type: 'mesh',
    vertices: wedgeVertices(start, down),
    triangles: kWedge,
    pose: kStill,
  };
  return {
    frames,
    header: header('Ramp: a box slides, stops and sticks', [
      {
        name: 'box',
        moves: true,
        mass,
        shapes: [{ type: 'box', half_extents: half, pose: kStill }],
      },
      { name: 'ramp', moves: false, mass: 0, pose: kStill, shapes: [wedge] },
      {
        name: 'ground',
        moves: false,
        mass: 0,
        pose: kStill,
        shapes: [{ type: 'half_space', pose: kStill }],
      },
    ]),
  };
}

const kWedge = [0, 1, 2, 0, 2, 3, 0, 3, 5, 0, 5, 4, 1, 4, 2, 2, 4, 5, 0, 4, 1, 3, 2, 5].flat();
function wedgeVertices(start, down) {
  const along = (x) => start[2] + ((x - start[0]) * down[2]) / down[0];
  const [back, front] = [-1.8, start[0] - (start[2] * down[0]) / down[2]];
  return [
    [back, -0.5, 0],
    [back, -0.5, along(back)],
    [back, 0.5, along(back)],
    [back, 0.5, 0],
    [front, -0.5, 0],
    [front, 0.5, 0],
  ].flat();
}

function randoms(seed) {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Many bodies of four shapes in a heap; the forces are made up, the sizes are what counts. */
export function pileScene(count = 2000, frameCount = 12) {
  const random = randoms(7);
  const shapes = [
    { type: 'sphere', radius: 0.1 },
    { type: 'box', half_extents: [0.1, 0.08, 0.09] },
    { type: 'capsule', radius: 0.06, half_length: 0.08 },
    { type: 'cylinder', radius: 0.09, half_length: 0.08 },
  ];
  const side = Math.ceil(Math.cbrt(count) * 1.5);
  const places = [];
  for (let layer = 0; places.length < count; ++layer) {
    const width = Math.max(3, side - layer);
    for (let k = 0; k < width * width && places.length < count; ++k) {
      places.push([
        ((k % width) - (width - 1) / 2) * 0.2 + 0.02 * random(),
        (Math.floor(k / width) - (width - 1) / 2) * 0.2 + 0.02 * random(),
        0.1 + 0.17 * layer,
      ]);
    }
  }
  const turns = places.map(() => {
    const q = [random() - 0.5, random() - 0.5, random() - 0.5, random() - 0.5];
    const n = Math.hypot(...q);
    return q.map((x) => x / n);
  });
  const frames = Array.from({ length: frameCount }, (_, f) => ({
    row: {
      time: 0.02 * f,
      kinetic: 3 / (1 + f),
      potential: 900 - f,
      dissipated: 3 - 3 / (1 + f) + f,
      certificate: 1e-10 * (1 + (f % 3)),
      step_size: 0.02,
      contacts: count,
      sticking: Math.round(0.7 * count),
    },
    bodies: places.map((p, k) => [p[0], p[1], p[2] - 0.002 * f, ...turns[k], 0, 0, -0.1, 0, 0, 0]),
    contacts: places.map((p, k) => ({
      a: k,
      b: k % 7 ? (k + 1) % count : count,
      point: [p[0], p[1], p[2] - 0.09],
      normal: [0, 0, k % 7 ? 1 : -1],
      mu: 0.4,
      impulse: [0, 0, (k % 7 ? 1 : -1) * 0.02 * (5 + 20 * random())],
      slip: k % 4 ? [0, 0, 0] : [0.1, 0.05, 0],
      state: k % 4 ? 1 : 2,
      residual: 1e-10,
    })),
  }));
  return {
    frames,
    header: header(`Pile of ${count} bodies`, [
      ...places.map((_, k) => ({
        name: `piece[${k}]`,
        moves: true,
        mass: 1,
        shapes: [{ ...shapes[k % 4], pose: kStill }],
      })),
      {
        name: 'ground',
        moves: false,
        mass: 0,
        pose: kStill,
        shapes: [{ type: 'half_space', pose: kStill }],
      },
    ]),
  };
}

/** One body of each shape, and many different hulls. */
export function shapesScene(hulls = 20) {
  const random = randoms(3);
  const list = [
    { type: 'sphere', radius: 0.3 },
    { type: 'box', half_extents: [0.3, 0.2, 0.25] },
    { type: 'capsule', radius: 0.15, half_length: 0.2 },
    { type: 'cylinder', radius: 0.2, half_length: 0.25 },
    { type: 'cone', radius: 0.25, half_length: 0.3 },
    { type: 'ellipsoid', half_axes: [0.35, 0.2, 0.15] },
  ];
  const tetra = () => ({
    type: 'mesh',
    vertices: [
      [1, 1, 1],
      [-1, -1, 1],
      [-1, 1, -1],
      [1, -1, -1],
    ]
      .flat()
      .map((x) => 0.25 * x * (0.6 + 0.6 * random())),
    triangles: [0, 1, 3, 0, 2, 1, 0, 3, 2, 1, 2, 3],
  });
  const all = [...list, ...Array.from({ length: hulls }, tetra)];
  const bodies = all.map((shape, k) => ({
    name: `${shape.type}[${k}]`,
    moves: true,
    mass: 1,
    shapes: [{ ...shape, pose: kStill }],
  }));
  const frame = {
    row: { time: 0, step_size: 0.01 },
    contacts: [],
    bodies: all.map((_, k) => [
      0.8 * (k % 6) - 2,
      0.8 * Math.floor(k / 6) - 1,
      0.35,
      1,
      0,
      0,
      0,
      ...Array(6).fill(0),
    ]),
  };
  return {
    frames: [frame],
    header: header('Shapes of every kind', [
      ...bodies,
      {
        name: 'bowl',
        moves: false,
        mass: 0,
        pose: [3.5, 0, 1, 1, 0, 0, 0],
        shapes: [{ type: 'bowl', radius: 1, pose: kStill }],
      },
      {
        name: 'ground',
        moves: false,
        mass: 0,
        pose: kStill,
        shapes: [{ type: 'half_space', pose: kStill }],
      },
    ]),
  };
}
