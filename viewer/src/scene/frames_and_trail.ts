import {
  BufferAttribute,
  BufferGeometry,
  Color,
  CylinderGeometry,
  InstancedMesh,
  Line,
  LineBasicMaterial,
  Matrix4,
  MeshBasicMaterial,
} from 'three';
import { mergeGeometries } from 'three/examples/jsm/utils/BufferGeometryUtils.js';
import type { Track } from '../track';
import type { Bodies } from './bodies';
import { median } from './extent';

const kLongest = 3; // times the typical body: axes of longer ones would cover the view

const kTrailPoints = 4000;
const kAxisColors = ['#d0263e', '#009e73', '#0b7fd0']; // x y z

/** Three thin rods, x y z in red, green, blue. */
function axesGeometry(): BufferGeometry {
  const rods = kAxisColors.map((text, axis) => {
    const rod = new CylinderGeometry(0.025, 0.025, 1, 6).translate(0, 0.5, 0);
    if (axis === 0) rod.rotateZ(-Math.PI / 2);
    if (axis === 2) rod.rotateX(Math.PI / 2);
    const color = new Color(text);
    const count = rod.getAttribute('position').count;
    rod.setAttribute(
      'color',
      new BufferAttribute(
        new Float32Array(3 * count).map((_, k) => color.toArray()[k % 3]),
        3,
      ),
    );
    return rod;
  });
  return mergeGeometries(rods);
}

export class BodyFrames {
  readonly mesh: InstancedMesh;

  constructor(count: number) {
    this.mesh = new InstancedMesh(
      axesGeometry(),
      new MeshBasicMaterial({ vertexColors: true, depthTest: false, transparent: true }),
      Math.max(1, count),
    );
    this.mesh.frustumCulled = false;
    this.mesh.renderOrder = 5;
  }

  /** Frames of the given bodies, a little longer than the bodies reach. */
  update(bodies: Bodies, which: number[]): void {
    const matrix = new Matrix4();
    const typical = median(bodies.radius.filter((r) => r > 0)) || 1;
    let count = 0;
    for (const body of which) {
      if (!bodies.isValid(body)) continue;
      const length = 1.15 * Math.min(bodies.radius[body] || typical, kLongest * typical);
      this.mesh.setMatrixAt(
        count++,
        matrix.copy(bodies.pose(body)).multiply(new Matrix4().makeScale(length, length, length)),
      );
    }
    this.mesh.count = count;
    this.mesh.visible = count > 0;
    this.mesh.instanceMatrix.needsUpdate = true;
  }
}

/** The path of the chosen body's centre; what lies ahead of the cursor is fainter. */
export class Trail {
  readonly line = new Line(
    new BufferGeometry(),
    new LineBasicMaterial({ vertexColors: true, transparent: true }),
  );

  constructor() {
    this.line.frustumCulled = false;
  }

  update(track: Track | undefined, index: number, color: string): void {
    this.line.visible = track !== undefined && track.count > 1;
    if (!track || !this.line.visible) return;
    const stride = Math.ceil(track.count / kTrailPoints);
    const samples: number[] = [];
    for (let k = 0; k < track.count; k += stride) {
      if (Number.isFinite(track.value(k, 0) + track.value(k, 1) + track.value(k, 2)))
        samples.push(k);
    }
    const count = samples.length;
    const place = new Float32Array(3 * count);
    const colors = new Float32Array(4 * count);
    const { r, g, b } = new Color(color);
    samples.forEach((sample, k) => {
      for (let axis = 0; axis < 3; ++axis) place[3 * k + axis] = track.value(sample, axis);
      colors.set([r, g, b, track.frames[sample] <= index ? 1 : 0.25], 4 * k);
    });
    this.line.geometry.dispose();
    this.line.geometry = new BufferGeometry();
    this.line.geometry.setAttribute('position', new BufferAttribute(place, 3));
    this.line.geometry.setAttribute('color', new BufferAttribute(colors, 4));
  }
}
