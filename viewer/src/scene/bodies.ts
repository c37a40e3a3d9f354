import {
  BatchedMesh,
  Color,
  Group,
  InstancedMesh,
  Matrix4,
  type Mesh,
  type MeshLambertMaterial,
  type Raycaster,
  Vector3,
} from 'three';
import { type Frame, type Header, kBodyWords } from '../data/format';
import { bodyMaterial, setGhost } from './materials';
import { bodyColor, kScene } from './palette';
import { upAxis } from './extent';
import { type Part, type PartKind, PartList, poseMatrix } from './parts';

const kMaxMeshCalls = 6; // more different meshes than this share one batch
const kUpright = 0.5; // cosine: what leans more is a ramp
const kHidden = new Matrix4().makeScale(0, 0, 0);

/** All bodies: one instanced mesh per geometry, or one batch for many different meshes. */
export class Bodies {
  readonly group = new Group();
  readonly planes: Part[] = [];
  readonly radius: number[]; // reach of each body's finite shapes, 0 without
  private readonly finite: Part[];
  private readonly sets: {
    mesh: InstancedMesh | BatchedMesh;
    parts: Part[];
    seeThrough?: boolean;
  }[] = [];
  private readonly poses: Matrix4[];
  private readonly valid: boolean[];

  constructor(private readonly header: Header) {
    const list = new PartList(header.bodies);
    this.poses = header.bodies.map((body) => poseMatrix(body.pose));
    this.valid = header.bodies.map(() => true);
    this.radius = header.bodies.map(() => 0);
    const byKind = new Map<PartKind, Part[]>();
    const walls: Part[] = [];
    for (const part of list.parts) {
      if (part.radius > 0)
        this.radius[part.body] = Math.max(
          this.radius[part.body],
          part.radius + part.middle.length(),
        );
      if (part.kind === 'half_space') this.planes.push(part);
      else if (this.isWall(part)) walls.push(part);
      else if (!byKind.get(part.kind)?.push(part)) byKind.set(part.kind, [part]);
    }
    this.finite = list.parts.filter((part) => part.radius > 0);
    this.build(list, byKind);
    if (walls.length) this.buildWalls(list, walls);
    this.place(() => true);
  }

  private build(list: PartList, byKind: Map<PartKind, Part[]>): void {
    const meshes = [...byKind.keys()].filter((kind) => kind.startsWith('mesh'));
    const batched = meshes.length > kMaxMeshCalls ? new Set(meshes) : new Set<PartKind>();
    for (const [kind, parts] of byKind) {
      if (batched.has(kind)) continue;
      const mesh = new InstancedMesh(
        list.geometry(kind, parts.length),
        bodyMaterial(kind),
        parts.length,
      );
      mesh.frustumCulled = false;
      this.sets.push({ mesh, parts });
    }
    if (batched.size) this.sets.push(this.batch(list, byKind, batched));
    for (const { mesh } of this.sets) this.group.add(mesh);
  }

  /** A thin upright box that stands still: what it holds would be hidden behind it. */
  private isWall(part: Part): boolean {
    if (part.kind !== 'box' || this.header.bodies[part.body].moves) return false;
    const up = upAxis(this.header.gravity);
    const sides = [new Vector3(), new Vector3(), new Vector3()];
    new Matrix4()
      .multiplyMatrices(this.poses[part.body], part.local)
      .extractBasis(sides[0], sides[1], sides[2]);
    const thin = sides.reduce((least, side) => (side.length() < least.length() ? side : least));
    const height = sides.reduce((sum, side) => sum + Math.abs(side.dot(up)), 0);
    return Math.abs(thin.dot(up)) < kUpright * thin.length() && height > 2 * thin.length();
  }

  private buildWalls(list: PartList, parts: Part[]): void {
    const mesh = new InstancedMesh(
      list.geometry('box', parts.length),
      bodyMaterial('box'),
      parts.length,
    );
    mesh.frustumCulled = false;
    mesh.renderOrder = 2;
    this.sets.push({ mesh, parts, seeThrough: true });
    this.group.add(mesh);
  }

  private batch(
    list: PartList,
    byKind: Map<PartKind, Part[]>,
    kinds: Set<PartKind>,
  ): { mesh: BatchedMesh; parts: Part[] } {
    const geometries = [...kinds].map((kind) => ({
      geometry: list.geometry(kind, 1),
      parts: byKind.get(kind)!,
    }));
    const vertices = geometries.reduce(
      (sum, g) => sum + g.geometry.getAttribute('position').count,
      0,
    );
    const parts = geometries.flatMap((g) => g.parts);
    const mesh = new BatchedMesh(parts.length, vertices, 0, bodyMaterial('mesh:'));
    mesh.frustumCulled = false;
    mesh.perObjectFrustumCulled = false;
    mesh.sortObjects = false;
    for (const { geometry, parts: users } of geometries) {
      const id = mesh.addGeometry(geometry);
      users.forEach(() => mesh.addInstance(id));
    }
    return { mesh, parts };
  }

  /** Bodies of the frame; surroundings that are not in it stand where the header says. */
  update(frame: Frame): void {
    const count = Math.min(frame.bodyCount, this.poses.length);
    for (let body = 0; body < count; ++body) {
      const at = body * kBodyWords;
      let sum = 0;
      for (let k = 0; k < 7; ++k) sum += frame.bodies[at + k];
      this.valid[body] = Number.isFinite(sum);
      if (this.valid[body]) poseMatrix(frame.bodies, at, this.poses[body]);
    }
    this.place((body) => body < count);
  }

  private place(concerns: (body: number) => boolean): void {
    const matrix = new Matrix4();
    for (const { mesh, parts } of this.sets) {
      parts.forEach((part, k) => {
        if (!concerns(part.body)) return;
        mesh.setMatrixAt(
          k,
          this.valid[part.body]
            ? matrix.multiplyMatrices(this.poses[part.body], part.local)
            : kHidden,
        );
      });
      if (mesh instanceof InstancedMesh) {
        mesh.instanceMatrix.needsUpdate = true;
        mesh.boundingSphere = null;
      }
    }
  }

  paint(theme: 'light' | 'dark', chosen: Set<number>): void {
    const palette = kScene[theme];
    const color = new Color();
    for (const { mesh, parts } of this.sets) {
      parts.forEach((part, k) => {
        const { moves } = this.header.bodies[part.body];
        color.copy(moves ? bodyColor(part.body, theme === 'dark') : palette.still);
        if (chosen.has(part.body)) color.lerp(palette.accent, moves ? 0.8 : 0.25);
        mesh.setColorAt(k, color);
      });
      if (mesh instanceof InstancedMesh && mesh.instanceColor)
        mesh.instanceColor.needsUpdate = true;
    }
  }

  setLook(ghost: boolean, shadows: boolean): void {
    for (const { mesh, seeThrough } of this.sets) {
      const clear = ghost || seeThrough === true;
      setGhost(mesh.material as MeshLambertMaterial, clear);
      mesh.castShadow = shadows && !clear;
      mesh.receiveShadow = shadows;
    }
  }

  pose(body: number): Matrix4 {
    return this.poses[body];
  }
  isValid(body: number): boolean {
    return this.valid[body];
  }

  /** Spheres around the finite parts, in the world. */
  reaches(): { body: number; middle: Vector3; radius: number }[] {
    return this.finite
      .filter((part) => this.valid[part.body])
      .map(({ body, middle, radius }) => ({
        body,
        radius,
        middle: middle.clone().applyMatrix4(this.poses[body]),
      }));
  }

  pick(ray: Raycaster): { body: number; point: Vector3 } | undefined {
    const hits = ray.intersectObjects(
      this.sets.filter((set) => !set.seeThrough).map((set) => set.mesh as unknown as Mesh),
      false,
    );
    const hit = hits[0];
    if (!hit) return undefined;
    const set = this.sets.find((s) => (s.mesh as unknown) === hit.object)!;
    return { body: set.parts[hit.instanceId ?? hit.batchId ?? 0].body, point: hit.point };
  }
}
