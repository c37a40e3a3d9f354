import { Raycaster, Vector2, Vector3 } from 'three';
import { nthOfPair } from '../contact';
import type { Model } from '../model';
import type { View } from './view';

const kPickPixels = 12;
const kJointPixels = 8; // dots may lie on a body that one wants to choose

/** What lies under a place of the page, and where on the page a point of the world is. */
export class Picker {
  constructor(
    private readonly model: Model,
    private readonly view: View,
  ) {}

  private pointer(x: number, y: number): Vector2 {
    const box = this.view.element.getBoundingClientRect();
    return new Vector2((2 * (x - box.left)) / box.width - 1, 1 - (2 * (y - box.top)) / box.height);
  }

  private ray(x: number, y: number): Raycaster {
    const ray = new Raycaster();
    ray.setFromCamera(this.pointer(x, y), this.view.camera);
    return ray;
  }

  /** Where a point of the world is on the page. */
  toPage(point: Vector3): { x: number; y: number; visible: boolean } {
    const box = this.view.element.getBoundingClientRect();
    const p = point.clone().project(this.view.camera);
    return {
      x: box.left + ((p.x + 1) * box.width) / 2,
      y: box.top + ((1 - p.y) * box.height) / 2,
      visible: p.z < 1,
    };
  }

  pickContact(x: number, y: number): number {
    if (!this.model.layers.markers && !this.model.layers.forces) return -1;
    let best = -1;
    let nearest = kPickPixels;
    let depth = Infinity;
    for (const info of this.view.contacts.infos) {
      const point = new Vector3(...info.point);
      const page = this.toPage(point);
      const distance = Math.hypot(page.x - x, page.y - y);
      const away = point.distanceTo(this.view.camera.position);
      if (!page.visible || distance > kPickPixels) continue;
      if (distance < nearest - 3 || (distance < nearest + 3 && away < depth)) {
        nearest = distance;
        depth = away;
        best = info.index;
      }
    }
    return best;
  }

  pickJoint(x: number, y: number): number {
    let best = -1;
    let nearest = kJointPixels;
    this.view.joints.points.forEach((point, joint) => {
      const page = point && this.toPage(point);
      const distance = page?.visible ? Math.hypot(page.x - x, page.y - y) : Infinity;
      if (distance < nearest) [best, nearest] = [joint, distance];
    });
    return best;
  }

  pickBody(x: number, y: number): { body: number; point: Vector3 } | undefined {
    return this.view.bodies.pick(this.ray(x, y));
  }

  /** Selects what lies under the pointer: contacts and joints before bodies. */
  selectAt(x: number, y: number): void {
    const { frame } = this.model;
    const contact = this.pickContact(x, y);
    if (frame && contact >= 0) {
      this.model.select({
        kind: 'contact',
        a: frame.bodyA(contact),
        b: frame.bodyB(contact),
        nth: nthOfPair(frame, contact),
      });
      return;
    }
    const joint = this.pickJoint(x, y);
    if (joint >= 0) {
      this.model.select({ kind: 'joint', joint });
      return;
    }
    const hit = this.pickBody(x, y);
    this.model.select(hit ? { kind: 'body', body: hit.body } : { kind: 'none' });
  }

  /** The point under the pointer in the plane through a point, across the view. */
  dragPoint(x: number, y: number, through: Vector3): Vector3 {
    const { ray } = this.ray(x, y);
    const ahead = this.view.camera.getWorldDirection(new Vector3());
    const t = through.clone().sub(ray.origin).dot(ahead) / ray.direction.dot(ahead);
    return ray.at(t, new Vector3());
  }
}
