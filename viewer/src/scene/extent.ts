import { Box3, Sphere, Vector3 } from 'three';
import { type Frame, type Header, kBodyWords } from '../data/format';
import type { Bodies } from './bodies';

const kSurroundings = 2.5; // times the scene: larger fixed shapes are not fitted into the view
const kPath = 25; // times the scene: a longer path is not fitted either
const kStray = 8; // times the median distance

interface Reach {
  middle: Vector3;
  radius: number;
}

/** The middle one of some numbers. */
export const median = (values: number[]): number =>
  values.sort((x, y) => x - y)[Math.floor(values.length / 2)];

/** A sphere around what moves, now and in more frames, surroundings of the same size included. */
export function extentOf(bodies: Bodies, header: Header, more: Frame[]): Sphere {
  const parts = bodies.reaches();
  const moving = parts.filter(({ body }) => header.bodies[body].moves);
  const box = boxOf(withoutStrays(moving));
  const first = sizeOf(box);
  for (const frame of more) {
    const later = moving
      .map(({ body, radius }) => ({
        radius,
        middle: new Vector3().fromArray(frame.bodies, body * kBodyWords),
      }))
      .filter(({ middle }) => Number.isFinite(middle.x + middle.y + middle.z));
    const path = boxOf(withoutStrays(later)).union(box);
    if (sizeOf(path) < kPath * first) box.copy(path);
  }
  if (box.isEmpty()) box.set(new Vector3(-1, -1, -1), new Vector3(1, 1, 1));
  const core = sizeOf(box);
  const near = parts.filter(
    ({ body, radius }) => !header.bodies[body].moves && radius < kSurroundings * core,
  );
  box.union(boxOf(near.map(({ middle, radius }) => ({ middle, radius: 0.75 * radius }))));
  return box.getBoundingSphere(new Sphere());
}

const sizeOf = (box: Box3): number => box.getSize(new Vector3()).length();

function boxOf(parts: Reach[]): Box3 {
  const box = new Box3();
  for (const { middle: p, radius: r } of parts)
    box.union(new Box3(p.clone().subScalar(r), p.clone().addScalar(r)));
  return box;
}

/** Leaves out what flew far away from the rest. */
function withoutStrays(parts: Reach[]): Reach[] {
  if (parts.length < 5) return parts;
  const centre = new Vector3(
    median(parts.map((p) => p.middle.x)),
    median(parts.map((p) => p.middle.y)),
    median(parts.map((p) => p.middle.z)),
  );
  const limit = kStray * median(parts.map((p) => p.middle.distanceTo(centre) + p.radius));
  return parts.filter((p) => p.middle.distanceTo(centre) < limit);
}

/** Against gravity, along the nearest axis. */
export function upAxis(gravity: number[]): Vector3 {
  const k = [0, 1, 2].reduce(
    (best, axis) => (Math.abs(gravity[axis]) > Math.abs(gravity[best]) ? axis : best),
    2,
  );
  return new Vector3().setComponent(k, gravity[k] > 0 ? -1 : 1);
}
