import {
  Color,
  Group,
  InstancedMesh,
  Matrix4,
  type MeshLambertMaterial,
  type ShaderMaterial,
} from 'three';
import { round125 } from '../format_number';
import type { Bodies } from './bodies';
import { gridMaterial, surfaceMaterial } from './materials';
import { PartList } from './parts';
import { kScene } from './palette';

/** Half-spaces: a large plane with a grid, seen from the free side only. */
export class Ground {
  readonly group = new Group();
  spacing = 0; // of the lines [m]
  reach = 1;
  private readonly surface: InstancedMesh | undefined;
  private readonly grid: InstancedMesh | undefined;

  constructor(private readonly bodies: Bodies) {
    const { planes } = bodies;
    if (!planes.length) return;
    const geometry = new PartList([]).geometry('half_space', 1);
    this.surface = new InstancedMesh(geometry, surfaceMaterial(), planes.length);
    this.grid = new InstancedMesh(geometry, gridMaterial(), planes.length);
    this.grid.renderOrder = 1;
    for (const mesh of [this.surface, this.grid]) {
      mesh.frustumCulled = false;
      this.group.add(mesh);
    }
  }

  /** Fits the planes to a scene of this radius. */
  setReach(reach: number): void {
    if (!this.grid) return;
    this.reach = reach;
    this.spacing = round125(reach / 12);
    const { uniforms } = this.grid.material as ShaderMaterial;
    uniforms.spacing.value = this.spacing;
    uniforms.radius.value = 6 * reach;
    this.update();
  }

  update(): void {
    const size = new Matrix4().makeScale(6 * this.reach, 6 * this.reach, 1);
    this.bodies.planes.forEach((part, k) => {
      const matrix = new Matrix4()
        .multiplyMatrices(this.bodies.pose(part.body), part.local)
        .multiply(size);
      this.surface!.setMatrixAt(k, matrix);
      this.grid!.setMatrixAt(k, matrix);
    });
    if (this.surface) this.surface.instanceMatrix.needsUpdate = true;
    if (this.grid) this.grid.instanceMatrix.needsUpdate = true;
  }

  paint(theme: 'light' | 'dark', shadows: boolean): void {
    if (!this.surface || !this.grid) return;
    (this.surface.material as MeshLambertMaterial).color.set(kScene[theme].ground);
    this.surface.receiveShadow = shadows;
    ((this.grid.material as ShaderMaterial).uniforms.color.value as Color).set(kScene[theme].grid);
  }
}
