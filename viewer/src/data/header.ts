// The header comes as JSON from a program or a file: every field is checked and missing ones get defaults.
import {
  type Body,
  DataError,
  type Header,
  type Joint,
  type Measure,
  type Parameter,
  type Pose,
  type Shape,
  type Vec3,
  checkVersion,
} from './format';

type Json = Record<string, unknown>;

const kIdentity: Pose = [0, 0, 0, 1, 0, 0, 0];
const kDefaultTolerance = 1e-6; // above f32 rounding of residuals, below anything visible

// Of each measure of a whole step: the bound's key, and its default as the program has it.
const kBounds: Record<Measure, [key: string, fallback: number]> = {
  closure: ['closure_bound', 1e-8],
  new_overlap: ['overlap_bound', 1e-3],
  unexplained: ['motion_bound', 1e-3],
  momentum: ['momentum_bound', 1e-10],
  energy_gain: ['energy_bound', 1e-6],
};

function fail(where: string, what: string): never {
  throw new DataError(`header: ${where} ${what}`);
}

function object(value: unknown, where: string): Json {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    fail(where, 'is not an object');
  return value as Json;
}

function list(value: unknown, where: string): unknown[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) fail(where, 'is not a list');
  return value;
}

const text = (value: unknown): string =>
  value === undefined || value === null ? '' : String(value);

function numberOf(value: unknown, where: string, fallback?: number): number {
  if (value === undefined && fallback !== undefined) return fallback;
  if (typeof value !== 'number' || !Number.isFinite(value)) fail(where, 'is not a number');
  return value;
}

function positive(value: unknown, where: string, fallback?: number): number {
  const x = numberOf(value, where, fallback);
  if (x < 0) fail(where, `is negative: ${x}`);
  return x;
}

function numbers<T extends number[]>(value: unknown, count: number, where: string): T {
  const all = list(value, where);
  if (all.length !== count) fail(where, `has ${all.length} numbers, ${count} needed`);
  return all.map((x) => numberOf(x, where)) as T;
}

function parsePose(value: unknown, where: string): Pose {
  return value === undefined || value === null ? kIdentity : numbers<Pose>(value, 7, where);
}

function parseShape(value: unknown, where: string): Shape {
  const json = object(value, where);
  const pose = parsePose(json.pose, `${where}.pose`);
  const size = (key: string): number => positive(json[key], `${where}.${key}`);
  const triple = (key: string): Vec3 => numbers<Vec3>(json[key], 3, `${where}.${key}`);
  switch (json.type) {
    case 'sphere':
      return { type: 'sphere', pose, radius: size('radius') };
    case 'bowl':
      return { type: 'bowl', pose, radius: size('radius') };
    case 'box':
      return { type: 'box', pose, half_extents: triple('half_extents') };
    case 'ellipsoid':
      return { type: 'ellipsoid', pose, half_axes: triple('half_axes') };
    case 'half_space':
      return { type: 'half_space', pose };
    case 'capsule':
    case 'cylinder':
    case 'cone':
      return { type: json.type, pose, radius: size('radius'), half_length: size('half_length') };
    case 'mesh':
      return parseMesh(json, pose, where);
    default:
      return fail(where, `has the unknown type "${text(json.type)}"`);
  }
}

function parseMesh(json: Json, pose: Pose, where: string): Shape {
  const vertices = list(json.vertices, `${where}.vertices`) as number[];
  const triangles = list(json.triangles, `${where}.triangles`) as number[];
  const count = vertices.length / 3;
  if (vertices.length % 3 || triangles.length % 3) fail(where, 'does not consist of triples');
  if (!vertices.every(Number.isFinite)) fail(where, 'has a vertex that is not a number');
  const bad = triangles.find((i) => !Number.isInteger(i) || i < 0 || i >= count);
  if (bad !== undefined) fail(where, `names the vertex ${bad} of ${count}`);
  return { type: 'mesh', pose, vertices, triangles };
}

function parseBody(value: unknown, place: number): Body {
  const where = `bodies[${place}]`;
  const json = object(value, where);
  return {
    name: text(json.name) || `body ${place}`,
    moves: json.moves === true,
    mass: numberOf(json.mass, `${where}.mass`, 0),
    size: positive(json.size, `${where}.size`, 0),
    pose: parsePose(json.pose, `${where}.pose`),
    shapes: list(json.shapes, `${where}.shapes`).map((s, k) =>
      parseShape(s, `${where}.shapes[${k}]`),
    ),
  };
}

function parseJoint(value: unknown, place: number, bodyCount: number): Joint {
  const where = `joints[${place}]`;
  const json = object(value, where);
  const [a, b] = numbers<[number, number]>(json.bodies, 2, `${where}.bodies`);
  for (const body of [a, b]) {
    if (!Number.isInteger(body) || body < 0 || body >= bodyCount)
      fail(`${where}.bodies`, `names the body ${body} of ${bodyCount}`);
  }
  return { name: text(json.name) || `joint ${place}`, type: text(json.type), a, b };
}

function parseBounds(json: Json): Record<Measure, number> {
  const bounds = Object.entries(kBounds).map(([measure, [key, fallback]]) => [
    measure,
    positive(json[key], key, fallback),
  ]);
  return Object.fromEntries(bounds) as Record<Measure, number>;
}

function parseParameter(given: unknown, place: number): Parameter {
  const where = `parameters[${place}]`;
  const json = object(given, where);
  const value = numberOf(json.value, `${where}.value`);
  return {
    name: text(json.name),
    title: text(json.title) || text(json.name),
    value,
    min: numberOf(json.min, `${where}.min`, value),
    max: numberOf(json.max, `${where}.max`, value),
  };
}

/** An object of texts. */
function texts(value: unknown, where: string): Record<string, string> {
  const entries = Object.entries(value === undefined ? {} : object(value, where));
  return Object.fromEntries(entries.map(([key, entry]) => [key, text(entry)]));
}

export function parseHeader(value: unknown): Header {
  const json = object(value, 'the whole');
  checkVersion(json.version, 'header');
  const scene = json.scene === undefined ? {} : object(json.scene, 'scene');
  const bodies = list(json.bodies, 'bodies').map(parseBody);
  return {
    title: text(json.title) || text(scene.file) || 'untitled',
    program: text(json.program),
    scene: { file: text(scene.file), text: text(scene.text), hash: text(scene.hash) },
    command: text(json.command),
    options: texts(json.options, 'options'),
    gravity: json.gravity === undefined ? [0, 0, -9.81] : numbers<Vec3>(json.gravity, 3, 'gravity'),
    live: json.live === true,
    run: numberOf(json.run, 'run', 0),
    dt: numberOf(json.dt, 'dt', 0),
    tolerance: numberOf(json.tolerance, 'tolerance', kDefaultTolerance),
    bounds: parseBounds(json),
    frame_count: numberOf(json.frame_count, 'frame_count', 0),
    problem: text(json.problem),
    note: text(json.note),
    summary: texts(json.summary, 'summary'),
    bodies,
    joints: list(json.joints, 'joints').map((joint, k) => parseJoint(joint, k, bodies.length)),
    parameters: list(json.parameters, 'parameters').map(parseParameter),
  };
}
