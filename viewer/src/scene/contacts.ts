import {
  BoxGeometry,
  BufferGeometry,
  Color,
  ConeGeometry,
  DoubleSide,
  Group,
  IcosahedronGeometry,
  InstancedMesh,
  Matrix4,
  MeshBasicMaterial,
  OctahedronGeometry,
  TorusGeometry,
  Vector3,
} from 'three';
import { mergeGeometries } from 'three/examples/jsm/utils/BufferGeometryUtils.js';
import { type ContactInfo, contactInfo, type Verdict } from '../contact';
import type { Frame } from '../data/format';
import type { Layer } from '../model';
import { Arrows } from './arrows';
import { along, Glyphs } from './glyphs';
import { kSlipColor, kVerdictColor } from './palette';

const kMaxMu = 20; // wider cones are flat discs: not drawn

function crossGeometry(): BufferGeometry {
  const bar = (turn: number): BufferGeometry => new BoxGeometry(2.6, 0.7, 0.7).rotateZ(turn);
  return mergeGeometries([bar(Math.PI / 4), bar(-Math.PI / 4)]);
}

/** Everything drawn at contacts. Shape tells the state as well as colour: ball, diamond, cross, ring. */
export class Contacts {
  readonly group = new Group();
  infos: ContactInfo[] = [];
  private readonly markers: Record<Verdict, Glyphs> = {
    open: new Glyphs(new TorusGeometry(0.9, 0.2, 6, 16)),
    stick: new Glyphs(new IcosahedronGeometry(1, 1)),
    slip: new Glyphs(new OctahedronGeometry(1.35)),
    violated: new Glyphs(crossGeometry()),
  };
  private readonly arrows: Arrows;
  private readonly colors = Object.fromEntries(
    Object.entries(kVerdictColor).map(([verdict, color]) => [verdict, new Color(color)]),
  ) as Record<Verdict, Color>;
  private readonly slipColor = new Color(kSlipColor);
  private cones: InstancedMesh | undefined;
  private readonly matrix = new Matrix4();

  /** size: radius of a contact marker [m]. */
  constructor(private readonly size: number) {
    this.arrows = new Arrows(size);
    for (const glyphs of [...this.all(), ...this.arrows.glyphs]) this.group.add(glyphs.group);
  }

  private all(): Glyphs[] {
    return Object.values(this.markers);
  }

  update(
    frame: Frame,
    tolerance: number,
    layers: Record<Layer, boolean>,
    forceScale: number,
    slipScale: number,
    chosen: number,
  ): void {
    const count = frame.contactCount;
    this.infos = Array.from({ length: count }, (_, k) => contactInfo(frame, k, tolerance));
    for (const glyphs of this.all()) glyphs.begin(count);
    this.arrows.begin(count); // a force and a slip each
    this.beginCones(count);
    let cones = 0;
    for (const info of this.infos) {
      const point = new Vector3(...info.point);
      const normal = new Vector3(...info.normal);
      if (!Number.isFinite(point.x + point.y + point.z + normal.x + normal.y + normal.z)) continue;
      const big = info.index === chosen ? 1.7 : 1;
      const color = this.colors[info.verdict];
      if (layers.markers || info.index === chosen) {
        this.markers[info.verdict].add(
          along(point, normal, big * this.size, big * this.size, this.matrix),
          color,
        );
      }
      if (layers.forces) this.arrows.add(point, info.force, 1 / forceScale, color, big);
      if (layers.slip) this.arrows.add(point, info.slip, 1 / slipScale, this.slipColor, big);
      if (layers.cones && this.cone(cones, info, point, normal, forceScale, color)) ++cones;
    }
    for (const glyphs of this.all()) glyphs.end();
    this.arrows.end();
    this.endCones(cones);
  }

  /** The cone is as high as the normal force is long: a slipping force ends on its rim. */
  private cone(
    place: number,
    info: ContactInfo,
    point: Vector3,
    normal: Vector3,
    forceScale: number,
    color: Color,
  ): boolean {
    const height = info.normalForce / forceScale;
    if (!(height > 0.2 * this.size) || !(info.mu > 0) || info.mu > kMaxMu) return false;
    this.cones!.setMatrixAt(place, along(point, normal, info.mu * height, height, this.matrix));
    this.cones!.setColorAt(place, color);
    return true;
  }

  private beginCones(count: number): void {
    if (this.cones && this.cones.instanceMatrix.count >= count) return;
    if (this.cones) {
      this.group.remove(this.cones);
      this.cones.dispose();
    }
    const geometry = new ConeGeometry(1, 1, 40, 1, true).rotateX(-Math.PI / 2).translate(0, 0, 0.5); // apex at 0
    const material = new MeshBasicMaterial({
      transparent: true,
      opacity: 0.22,
      side: DoubleSide,
      depthWrite: false,
    });
    this.cones = new InstancedMesh(geometry, material, Math.max(64, Math.ceil(1.5 * count)));
    this.cones.setColorAt(0, new Color());
    this.cones.frustumCulled = false;
    this.cones.renderOrder = 4;
    this.group.add(this.cones);
  }

  private endCones(count: number): void {
    this.cones!.count = count;
    this.cones!.visible = count > 0;
    this.cones!.instanceMatrix.needsUpdate = true;
    this.cones!.instanceColor!.needsUpdate = true;
  }
}
