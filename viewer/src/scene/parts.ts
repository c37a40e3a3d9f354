// Shapes of the header become parts: a unit geometry, and the matrix that places and stretches it in its body.
import {
  Box3,
  BoxGeometry,
  BufferAttribute,
  BufferGeometry,
  ConeGeometry,
  CylinderGeometry,
  Matrix4,
  PlaneGeometry,
  Quaternion,
  Sphere,
  SphereGeometry,
  Vector3,
} from 'three';
import type { Body, Pose, Shape } from '../data/format';

export type PartKind =
  | 'sphere'
  | 'box'
  | 'cylinder'
  | 'tube'
  | 'cone'
  | 'half_space'
  | 'bowl'
  | `mesh:${string}`;

/** middle: of the part, in its body's frame; radius: around the middle, 0 if it has no end. */
export interface Part {
  body: number;
  kind: PartKind;
  local: Matrix4;
  middle: Vector3;
  radius: number;
}

export function poseMatrix(pose: ArrayLike<number>, at = 0, out = new Matrix4()): Matrix4 {
  const q = new Quaternion(pose[at + 4], pose[at + 5], pose[at + 6], pose[at + 3]);
  return out.compose(new Vector3(pose[at], pose[at + 1], pose[at + 2]), q, new Vector3(1, 1, 1));
}

function place(pose: Pose, scale: [number, number, number], shift = 0): Matrix4 {
  return poseMatrix(pose)
    .multiply(new Matrix4().makeTranslation(0, 0, shift))
    .multiply(new Matrix4().makeScale(...scale));
}

/** Equal meshes share one geometry: the key is made of their numbers. */
function meshKey(vertices: number[], triangles: number[]): string {
  let hash = 2166136261;
  for (const x of vertices) hash = Math.imul(hash ^ Math.fround(x * 1e6), 16777619) >>> 0;
  for (const i of triangles) hash = Math.imul(hash ^ i, 16777619) >>> 0;
  const sum = vertices.reduce((total, x, k) => total + x * (1 + (k % 7)), 0);
  return `${vertices.length}-${triangles.length}-${hash}-${sum}`;
}

export class PartList {
  readonly parts: Part[] = [];
  readonly meshes = new Map<PartKind, { vertices: number[]; triangles: number[] }>();

  constructor(bodies: Body[]) {
    bodies.forEach((body, index) => body.shapes.forEach((shape) => this.add(index, shape)));
  }

  private add(body: number, shape: Shape): void {
    const push = (
      kind: PartKind,
      scale: [number, number, number],
      radius: number,
      shift = 0,
      middle = new Vector3(),
    ): void => {
      this.parts.push({
        body,
        kind,
        local: place(shape.pose, scale, shift),
        radius,
        middle: middle.applyMatrix4(poseMatrix(shape.pose)),
      });
    };
    switch (shape.type) {
      case 'sphere':
        push('sphere', [shape.radius, shape.radius, shape.radius], shape.radius);
        break;
      case 'bowl':
        push('bowl', [shape.radius, shape.radius, shape.radius], shape.radius);
        break;
      case 'box':
        push('box', shape.half_extents, Math.hypot(...shape.half_extents));
        break;
      case 'ellipsoid':
        push('sphere', shape.half_axes, Math.max(...shape.half_axes));
        break;
      case 'half_space':
        push('half_space', [1, 1, 1], 0);
        break;
      case 'cylinder':
      case 'cone': {
        const { radius: r, half_length: l } = shape;
        push(shape.type, [r, r, l], Math.hypot(r, l));
        break;
      }
      case 'capsule': {
        // a tube and two balls: any proportions from the same geometries
        const { radius: r, half_length: l } = shape;
        push('tube', [r, r, l], r + l);
        push('sphere', [r, r, r], r + l, l);
        push('sphere', [r, r, r], r + l, -l);
        break;
      }
      case 'mesh': {
        const kind: PartKind = `mesh:${meshKey(shape.vertices, shape.triangles)}`;
        this.meshes.set(kind, shape);
        const { center, radius } = new Box3()
          .setFromArray(shape.vertices)
          .getBoundingSphere(new Sphere());
        push(kind, [1, 1, 1], radius, 0, center);
      }
    }
  }

  /** Unit geometry of a kind; round ones are coarser when there are many. */
  geometry(kind: PartKind, count: number): BufferGeometry {
    const fine = count > 600 ? 12 : count > 100 ? 20 : 40;
    const upright = <T extends BufferGeometry>(g: T): T => g.rotateX(Math.PI / 2); // axis y -> z
    switch (kind) {
      case 'sphere':
        return upright(new SphereGeometry(1, fine, Math.ceil(fine * 0.6)));
      case 'bowl':
        return new SphereGeometry(1, 64, 24, 0, 2 * Math.PI, Math.PI / 2, Math.PI / 2).rotateX(
          Math.PI / 2,
        );
      case 'box':
        return new BoxGeometry(2, 2, 2);
      case 'cylinder':
        return upright(new CylinderGeometry(1, 1, 2, fine));
      case 'tube':
        return upright(new CylinderGeometry(1, 1, 2, fine, 1, true));
      case 'cone':
        return upright(new ConeGeometry(1, 2, fine));
      case 'half_space':
        return new PlaneGeometry(2, 2);
      default:
        return this.meshGeometry(kind);
    }
  }

  private meshGeometry(kind: PartKind): BufferGeometry {
    const mesh = this.meshes.get(kind)!;
    const indexed = new BufferGeometry();
    indexed.setAttribute('position', new BufferAttribute(new Float32Array(mesh.vertices), 3));
    indexed.setIndex(mesh.triangles);
    const flat = indexed.toNonIndexed(); // faces keep their edges
    flat.computeVertexNormals();
    flat.setAttribute(
      'uv',
      new BufferAttribute(new Float32Array(2 * flat.getAttribute('position').count), 2),
    );
    return flat;
  }
}
