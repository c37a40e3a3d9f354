// The 3D view: draws the model's frame when something changed, never in vain.
import {
  AmbientLight,
  ArrowHelper,
  DirectionalLight,
  Mesh,
  PerspectiveCamera,
  Scene,
  Vector2,
  Vector3,
  type WebGLRenderer,
} from 'three';
import { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js';
import type { Frame } from '../data/format';
import { contactForces } from '../contact';
import { jointForces } from '../joint';
import { round125 } from '../format_number';
import type { Model } from '../model';
import type { Theme } from '../ui/theme';
import { Bodies } from './bodies';
import { Contacts } from './contacts';
import { extentOf, upAxis } from './extent';
import { Ground } from './ground';
import { BodyFrames, Trail } from './frames_and_trail';
import { Joints } from './joints';
import { kScene } from './palette';
import { Picker } from './picker';
import { allDrawn, drawsInSoftware } from './renderer';

const kManyBodies = 300; // without graphics hardware, their shadows take too long
const kMost = 0.9; // of the contacts have arrows that are not longer than the bodies
const kFar = 60; // of the view's distance

export class View {
  readonly camera = new PerspectiveCamera(38, 1, 0.01, 1000);
  readonly controls: OrbitControls;
  bodies: Bodies;
  readonly up: Vector3;
  readonly picker: Picker;
  drawCalls = 0;
  onMove: () => void = () => undefined;
  onDraw: () => void = () => undefined;
  private readonly scene = new Scene();
  private readonly sun = new DirectionalLight('#ffffff', 1.75);
  readonly contacts: Contacts;
  readonly joints: Joints;
  private ground: Ground;
  private frames: BodyFrames;
  private readonly trail = new Trail();
  private readonly pullLine = new ArrowHelper(
    new Vector3(0, 0, 1),
    new Vector3(),
    1,
    '#0b7fd0',
    0.1,
    0.05,
  );
  private asked = 0; // to draw before the next repaint
  private plain = true; // bodies and contacts alone, until the first picture is there
  private preparing = false; // the programs of the rest

  constructor(
    private readonly canvas: HTMLCanvasElement,
    private readonly renderer: WebGLRenderer,
    private readonly model: Model,
    private readonly theme: Theme,
  ) {
    if (model.source.header.bodies.length > kManyBodies && drawsInSoftware(renderer))
      model.layers.shadows = false;
    this.up = upAxis(model.source.header.gravity);
    this.camera.up.copy(this.up);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.addEventListener('change', () => {
      this.draw();
      this.onMove();
    });
    this.bodies = new Bodies(model.source.header);
    const size = this.typicalSize();
    this.chooseScales();
    this.contacts = new Contacts(0.085 * size);
    this.joints = new Joints(0.085 * size);
    if (model.frame) this.bodies.update(model.frame);
    this.ground = new Ground(this.bodies);
    this.frames = new BodyFrames(model.source.header.bodies.length);
    this.pullLine.visible = false;
    this.scene.add(
      new AmbientLight('#ffffff', 1.55),
      this.sun,
      this.sun.target,
      this.ground.group,
      this.bodies.group,
      this.contacts.group,
      this.joints.group,
      this.frames.mesh,
      this.trail.line,
      this.pullLine,
    );
    this.picker = new Picker(model, this);
    this.listen();
    this.paint();
    this.fit();
  }

  /** Takes the bodies of a new header: shapes and places of a run that was begun anew. */
  rebuild(): void {
    for (const old of [this.bodies.group, this.ground.group, this.frames.mesh]) {
      this.scene.remove(old);
      old.traverse((part) => {
        if (part instanceof Mesh) part.geometry.dispose();
      });
    }
    this.bodies = new Bodies(this.model.source.header);
    if (this.model.frame) this.bodies.update(this.model.frame);
    const { reach } = this.ground;
    this.ground = new Ground(this.bodies);
    this.ground.setReach(reach);
    this.frames = new BodyFrames(this.model.source.header.bodies.length);
    this.scene.add(this.ground.group, this.bodies.group, this.frames.mesh);
    this.paint();
  }

  private listen(): void {
    const { model } = this;
    model.on('frame', () => this.updateFrame());
    model.on('selection', () => {
      this.paint();
      this.updateFrame();
    });
    model.on('layers', () => {
      this.paint();
      this.updateFrame();
    });
    model.on('theme', () => {
      this.paint();
      this.updateFrame();
    });
    model.on('track', () => this.updateTrail());
    new ResizeObserver(() => {
      if (!this.place().filled) this.draw();
    }).observe(this.canvas.parentElement!);
  }

  /** Median reach of what moves: glyphs and scales are made to fit it. */
  private typicalSize(): number {
    const { bodies } = this.model.source.header;
    const sizes = this.bodies.radius
      .filter((r, k) => r > 0 && bodies[k].moves)
      .sort((x, y) => x - y);
    return sizes[Math.floor(sizes.length / 2)] ?? 1;
  }

  /**
   * The weight of a middling body is drawn as long as the body, or what most contacts and joints of these frames carry
   * if that is more; scales are round numbers.
   */
  chooseScales(frames: Frame[] = []): void {
    const size = this.typicalSize();
    const { bodies, gravity } = this.model.source.header;
    const masses = bodies
      .filter((b) => b.moves && b.mass > 0)
      .map((b) => b.mass)
      .sort((x, y) => x - y);
    const weight = (masses[Math.floor(masses.length / 2)] ?? 1) * (Math.hypot(...gravity) || 10);
    const forces = frames
      .flatMap((frame) => [...contactForces(frame), ...jointForces(frame)])
      .filter(Number.isFinite)
      .sort((x, y) => x - y);
    const large = forces[Math.floor(kMost * forces.length)] ?? 0;
    this.model.forceScale = round125(Math.max(weight / (2 * size), large / (1.5 * size)));
    this.model.slipScale = round125(1 / size);
    this.model.torqueScale = round125(this.model.forceScale * size);
  }

  private updateFrame(): void {
    const { frame, layers } = this.model;
    if (!frame) return;
    this.bodies.update(frame);
    this.ground.update();
    this.contacts.update(
      frame,
      this.model.source.header.tolerance,
      layers,
      this.model.forceScale,
      this.model.slipScale,
      this.model.chosenContact(),
    );
    this.joints.update(this.model, frame, this.bodies, this.theme.name);
    const { selection } = this.model;
    const moving = this.model.source.header.bodies.flatMap((body, k) => (body.moves ? [k] : []));
    this.frames.update(
      this.bodies,
      layers.frames ? moving : selection.kind === 'body' ? [selection.body] : [],
    );
    this.updateTrail();
  }

  private updateTrail(): void {
    const track = this.model.layers.trail ? this.model.track : undefined;
    this.trail.update(track, this.model.index, kScene[this.theme.name].trail);
    this.draw();
  }

  private paint(): void {
    const { layers } = this.model;
    this.renderer.setClearColor(kScene[this.theme.name].background);
    this.bodies.paint(this.theme.name, new Set(this.model.chosenBodies()));
    const shadows = layers.shadows && !this.plain;
    this.bodies.setLook(layers.ghost, shadows);
    this.ground.paint(this.theme.name, shadows);
    this.ground.group.visible = !this.plain;
    this.renderer.shadowMap.enabled = shadows;
    this.sun.castShadow = shadows;
    this.sun.shadow.mapSize.set(2048, 2048);
    this.draw();
  }

  /** Looks at everything from the present direction; the first time from a corner. */
  fit(direction?: Vector3, more: Frame[] = []): void {
    const { center, radius } = extentOf(this.bodies, this.model.source.header, more);
    this.ground.setReach(radius);
    this.model.emit('layers'); // the legend names the grid
    const view = direction ?? this.camera.position.clone().sub(this.controls.target);
    if (
      !direction &&
      this.controls.target.lengthSq() === 0 &&
      this.camera.position.lengthSq() === 0
    )
      view.copy(this.corner());
    const half = (Math.min(this.camera.fov, this.camera.fov * this.camera.aspect) * Math.PI) / 360;
    this.controls.target.copy(center);
    this.camera.position
      .copy(center)
      .addScaledVector(view.normalize(), (0.92 * radius) / Math.sin(half));
    this.controls.update();
    this.draw();
  }

  private corner(): Vector3 {
    const side = Math.abs(this.up.z) > 0.5 ? new Vector3(0.55, -1, 0) : new Vector3(0.55, 0, 1);
    return side.addScaledVector(this.up, 0.5);
  }

  orbit(turn: number, tilt: number, zoom: number): void {
    const arm = this.camera.position.clone().sub(this.controls.target);
    const side = new Vector3().crossVectors(this.up, arm).normalize();
    arm.applyAxisAngle(this.up, turn);
    const tilted = arm.clone().applyAxisAngle(side, tilt);
    if (Math.abs(tilted.clone().normalize().dot(this.up)) < 0.995) arm.copy(tilted);
    this.camera.position.copy(this.controls.target).addScaledVector(arm, zoom);
    this.controls.update();
    this.draw();
  }

  setCamera(numbers: number[]): void {
    this.camera.position.fromArray(numbers, 0);
    this.controls.target.fromArray(numbers, 3);
    this.controls.update();
    this.draw();
  }

  cameraNumbers(): number[] {
    return [...this.camera.position.toArray(), ...this.controls.target.toArray()];
  }

  /**
   * The first picture has bodies and contacts alone: without graphics hardware the programs that draw ground and
   * shadows take longer than all the rest.
   */
  async drawFirst(): Promise<void> {
    this.render();
    await allDrawn(this.renderer);
  }

  /** Adds ground and shadows; the picture before stands until their programs are there, and nothing waits for them. */
  async drawAll(): Promise<void> {
    this.plain = false;
    this.preparing = true;
    this.paint();
    try {
      if (!this.renderer.getContext().isContextLost()) {
        for (const group of [this.bodies.group, this.ground.group])
          this.renderer.compile(group, this.camera, this.scene);
        await allDrawn(this.renderer);
      }
    } finally {
      this.preparing = false;
      this.draw();
    }
  }

  /** Draws before the next repaint. */
  draw(): void {
    this.asked ||= requestAnimationFrame(() => {
      this.asked = 0;
      if (!this.preparing) this.render();
    });
  }

  /** Whether the drawing is as large as its place, and that place. */
  private place(): { width: number; height: number; ratio: number; filled: boolean } {
    const { clientWidth: width, clientHeight: height } = this.canvas.parentElement!;
    const ratio = Math.min(2, window.devicePixelRatio);
    const size = this.renderer.getSize(new Vector2());
    const filled =
      size.x === width && size.y === height && this.renderer.getPixelRatio() === ratio;
    return { width, height, ratio, filled };
  }

  render(): void {
    cancelAnimationFrame(this.asked); // once is enough
    this.asked = 0;
    const { width, height, ratio, filled } = this.place();
    if (!width || !height) return;
    if (!filled) {
      this.renderer.setDrawingBufferSize(width, height, ratio); // both at once: each change is slow
      this.camera.aspect = width / height;
    }
    const distance = this.camera.position.distanceTo(this.controls.target);
    this.camera.near = distance / 200;
    this.camera.far = distance * kFar;
    this.camera.updateProjectionMatrix();
    this.light(distance);
    this.renderer.info.reset();
    this.renderer.render(this.scene, this.camera);
    this.drawCalls = this.renderer.info.render.calls;
    this.canvas.dataset.drawCalls = String(this.drawCalls);
    this.onDraw();
  }

  /** The sun goes with the view, so that its shadows are sharp where one looks. */
  private light(distance: number): void {
    const reach = 0.9 * distance;
    const side =
      Math.abs(this.up.z) > 0.5 ? new Vector3(-0.45, -0.5, 0) : new Vector3(-0.45, 0, 0.5);
    this.sun.target.position.copy(this.controls.target);
    this.sun.position
      .copy(this.controls.target)
      .addScaledVector(side.addScaledVector(this.up, 1.2), reach);
    const { camera } = this.sun.shadow;
    if (camera.right !== reach) {
      camera.left = camera.bottom = -reach;
      camera.right = camera.top = reach;
      camera.near = 0.01 * reach;
      camera.far = 4 * reach;
      camera.updateProjectionMatrix();
    }
    this.sun.shadow.normalBias = 0.002 * reach;
  }

  showPull(from: Vector3 | undefined, to?: Vector3): void {
    this.pullLine.visible = from !== undefined && to !== undefined;
    if (from && to) {
      const arm = to.clone().sub(from);
      const length = Math.max(1e-6, arm.length());
      this.pullLine.position.copy(from);
      this.pullLine.setDirection(arm.normalize());
      this.pullLine.setLength(length, 0.15 * length, 0.08 * length);
    }
    this.draw();
  }

  get element(): HTMLCanvasElement {
    return this.canvas;
  }
  /** 0 if there is no grid. */
  get gridSpacing(): number {
    return this.ground.spacing;
  }
}
