import {
  type BufferGeometry,
  type Color,
  ConeGeometry,
  CylinderGeometry,
  Matrix4,
  Vector3,
} from 'three';
import { along, Glyphs } from './glyphs';

const shaft = (): BufferGeometry =>
  new CylinderGeometry(1, 1, 1, 8, 1, true).rotateX(Math.PI / 2).translate(0, 0, 0.5);
const head = (): BufferGeometry =>
  new ConeGeometry(1, 1, 10).rotateX(Math.PI / 2).translate(0, 0, 0.5);

/** Arrows of forces and velocities; with two heads those of torques. */
export class Arrows {
  readonly glyphs = [new Glyphs(shaft()), new Glyphs(head())];
  private readonly matrix = new Matrix4();

  /** size: radius of the marker they start at [m]; shorter ones are not drawn. */
  constructor(private readonly size: number) {}

  begin(capacity: number): void {
    for (const glyphs of this.glyphs) glyphs.begin(2 * capacity);
  }
  end(): void {
    for (const glyphs of this.glyphs) glyphs.end();
  }

  add(from: Vector3, value: number[], scale: number, color: Color, big = 1, heads = 1): void {
    const direction = new Vector3(value[0], value[1], value[2]);
    const length = direction.length() * scale;
    const width = 0.36 * this.size * big;
    if (!Number.isFinite(length) || length < 0.2 * this.size) return;
    direction.normalize();
    const headLength = Math.min(4.5 * width, 0.6 * length);
    const [shafts, tips] = this.glyphs;
    shafts.add(along(from, direction, width, length - headLength, this.matrix), color);
    for (let k = 0; k < heads; ++k) {
      const neck = from.clone().addScaledVector(direction, length - (1 + 0.6 * k) * headLength);
      tips.add(along(neck, direction, 0.46 * headLength, headLength, this.matrix), color);
    }
  }
}
