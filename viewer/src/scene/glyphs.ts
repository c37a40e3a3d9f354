import {
  type BufferGeometry,
  Color,
  GreaterDepth,
  Group,
  InstancedMesh,
  Matrix4,
  MeshBasicMaterial,
  MeshLambertMaterial,
  Quaternion,
  Vector3,
} from 'three';

const kHiddenOpacity = 0.4; // of what lies behind or inside a body
const kMany = 400; // more of them would cover everything: then what is hidden stays hidden

/** Many copies of one small geometry; parts behind bodies shine through faintly. */
export class Glyphs {
  readonly group = new Group();
  private mesh: InstancedMesh | undefined;
  private through: InstancedMesh | undefined;
  private count = 0;

  constructor(private readonly geometry: BufferGeometry) {}

  begin(capacity: number): void {
    this.count = 0;
    if (!this.mesh || this.mesh.instanceMatrix.count < capacity)
      this.grow(Math.max(64, Math.ceil(1.5 * capacity)));
  }

  add(matrix: Matrix4, color: Color): void {
    this.mesh!.setMatrixAt(this.count, matrix);
    this.mesh!.setColorAt(this.count, color);
    ++this.count;
  }

  end(): void {
    for (const mesh of [this.mesh!, this.through!]) {
      mesh.count = this.count;
      mesh.visible = this.count > 0;
      mesh.instanceMatrix.needsUpdate = true;
      if (mesh.instanceColor) mesh.instanceColor.needsUpdate = true;
    }
    if (this.count > kMany) this.through!.visible = false;
  }

  private grow(capacity: number): void {
    this.group.clear();
    this.mesh?.dispose();
    this.mesh = new InstancedMesh(this.geometry, new MeshLambertMaterial(), capacity);
    this.mesh.setColorAt(0, new Color());
    this.through = new InstancedMesh(
      this.geometry,
      new MeshBasicMaterial({
        transparent: true,
        opacity: kHiddenOpacity,
        depthWrite: false,
        depthFunc: GreaterDepth,
      }),
      capacity,
    );
    this.through.instanceMatrix = this.mesh.instanceMatrix; // the same memory, drawn twice
    this.through.instanceColor = this.mesh.instanceColor;
    this.through.renderOrder = 2;
    this.mesh.renderOrder = 3;
    for (const mesh of [this.mesh, this.through]) {
      mesh.frustumCulled = false;
      this.group.add(mesh);
    }
  }
}

const kZ = new Vector3(0, 0, 1);
const rotation = new Quaternion();

/** Places a unit geometry along z at a point, along a unit direction. */
export function along(
  point: Vector3,
  direction: Vector3,
  width: number,
  length: number,
  out: Matrix4,
): Matrix4 {
  rotation.setFromUnitVectors(kZ, direction);
  return out.compose(point, rotation, new Vector3(width, width, length));
}
