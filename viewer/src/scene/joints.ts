import {
  BufferAttribute,
  BufferGeometry,
  Color,
  Group,
  IcosahedronGeometry,
  LineBasicMaterial,
  LineSegments,
  Matrix4,
  Vector3,
} from 'three';
import type { Frame, Header, Joint } from '../data/format';
import { jointInfo } from '../joint';
import type { Model } from '../model';
import { Arrows } from './arrows';
import type { Bodies } from './bodies';
import { Glyphs } from './glyphs';
import { kJointForceColor, kJointTorqueColor, kScene } from './palette';

/**
 * A dot between the two bodies of each joint, on a thin line from centre to centre: where the joint's point lies is not
 * in the data. Surroundings without a finite shape have no centre: the dot is then that of the other body.
 */
export class Joints {
  readonly group = new Group();
  readonly points: (Vector3 | undefined)[] = []; // of the dots, by joint; undefined: not drawn
  private readonly dots = new Glyphs(new IcosahedronGeometry(1, 1));
  private readonly arrows: Arrows;
  private readonly lines = new LineSegments(
    new BufferGeometry(),
    new LineBasicMaterial({ transparent: true, opacity: 0.55, depthTest: false }),
  );

  /** size: radius of a dot [m]. */
  constructor(private readonly size: number) {
    this.arrows = new Arrows(size);
    this.lines.frustumCulled = false;
    this.lines.renderOrder = 2;
    this.group.add(this.lines, this.dots.group, ...this.arrows.glyphs.map((g) => g.group));
  }

  update(model: Model, frame: Frame, bodies: Bodies, theme: 'light' | 'dark'): void {
    const { header } = model.source;
    const { selection, layers } = model;
    const chosen = selection.kind === 'joint' ? selection.joint : -1;
    const palette = kScene[theme];
    this.points.length = 0;
    this.dots.begin(header.joints.length);
    this.arrows.begin(2);
    const ends: Vector3[] = [];
    const matrix = new Matrix4();
    header.joints.forEach((joint, k) => {
      const places = layers.joints || k === chosen ? centres(joint, header, bodies) : [];
      this.points.push(middle(places));
      const point = this.points[k];
      if (!point) return;
      if (places.length === 2) ends.push(...places);
      const radius = (k === chosen ? 1.7 : 1) * this.size;
      const color = k === chosen ? palette.accent : palette.joint;
      this.dots.add(matrix.makeScale(radius, radius, radius).setPosition(point), color);
      if (k === chosen) this.addArrows(model, frame, k, point);
    });
    this.dots.end();
    this.arrows.end();
    this.setLines(ends, palette.joint);
  }

  private addArrows(model: Model, frame: Frame, joint: number, point: Vector3): void {
    const info = jointInfo(frame, joint);
    if (!info) return;
    this.arrows.add(point, info.force, 1 / model.forceScale, kForce, 1.4);
    this.arrows.add(point, info.torque, 1 / model.torqueScale, kTorque, 1.4, 2);
  }

  private setLines(ends: Vector3[], color: Color): void {
    this.lines.visible = ends.length > 0;
    (this.lines.material as LineBasicMaterial).color = color;
    const place = new Float32Array(ends.flatMap((end) => end.toArray()));
    const old = this.lines.geometry.getAttribute('position') as BufferAttribute | undefined;
    if (old?.array.length === place.length) {
      old.copyArray(place).needsUpdate = true;
      return;
    }
    this.lines.geometry.dispose(); // its size never changes in place
    this.lines.geometry = new BufferGeometry();
    this.lines.geometry.setAttribute('position', new BufferAttribute(place, 3));
  }
}

const kForce = new Color(kJointForceColor);
const kTorque = new Color(kJointTorqueColor);

/** Of the bodies of a joint that have one. */
function centres(joint: Joint, header: Header, bodies: Bodies): Vector3[] {
  return [...new Set([joint.a, joint.b])]
    .filter((body) => header.bodies[body].moves || bodies.radius[body] > 0)
    .filter((body) => bodies.isValid(body))
    .map((body) => new Vector3().setFromMatrixPosition(bodies.pose(body)));
}

function middle(places: Vector3[]): Vector3 | undefined {
  if (!places.length) return undefined;
  const sum = places.reduce((s, place) => s.add(place), new Vector3());
  return sum.divideScalar(places.length);
}
