import { type Matrix4, Vector3 } from 'three';
import type { Model } from '../model';
import type { View } from '../scene/view';
import { el } from './dom';

const kClickPixels = 4; // a press that moves less is a click

/** Mouse on the view: click selects, hovering names, Ctrl or Shift drags a body of a live run. */
export function listenPointer(model: Model, view: View): HTMLElement {
  const canvas = view.element;
  const label = el('div', { id: 'hover', role: 'tooltip', hidden: true });
  let down: { x: number; y: number } | undefined;
  let pull: { body: number; local: Vector3; target: Vector3 } | undefined;
  let sent = 0;

  const pose = (body: number): Matrix4 => view.bodies.pose(body);
  const sendPull = (): void => {
    if (!pull || performance.now() - sent < 15) return;
    sent = performance.now();
    model.source.send?.({
      type: 'pull',
      body: pull.body,
      point: pull.local.toArray(),
      target: pull.target.toArray(),
    });
  };
  const beginPull = (event: PointerEvent): void => {
    const hit = view.picker.pickBody(event.clientX, event.clientY);
    if (!hit || !model.source.header.bodies[hit.body].moves) return;
    event.stopImmediatePropagation();
    canvas.setPointerCapture(event.pointerId);
    pull = {
      body: hit.body,
      local: hit.point.clone().applyMatrix4(pose(hit.body).clone().invert()),
      target: hit.point,
    };
    model.select({ kind: 'body', body: hit.body });
  };
  const endPull = (): void => {
    if (!pull) return;
    pull = undefined;
    view.showPull(undefined);
    model.source.send?.({ type: 'release' });
  };

  canvas.addEventListener(
    'pointerdown',
    (event) => {
      down = { x: event.clientX, y: event.clientY };
      label.hidden = true;
      if (model.source.send && (event.ctrlKey || event.shiftKey) && event.button === 0)
        beginPull(event);
    },
    { capture: true },
  );
  canvas.addEventListener('pointermove', (event) => {
    if (!pull) {
      hover(event);
      return;
    }
    const from = pull.local.clone().applyMatrix4(pose(pull.body));
    pull.target = view.picker.dragPoint(event.clientX, event.clientY, from);
    view.showPull(from, pull.target);
    sendPull();
  });
  canvas.addEventListener('pointerup', (event) => {
    const still = down && Math.hypot(event.clientX - down.x, event.clientY - down.y) < kClickPixels;
    const pulled = pull !== undefined;
    down = undefined;
    endPull();
    if (still && !pulled && event.button === 0) view.picker.selectAt(event.clientX, event.clientY);
  });
  canvas.addEventListener('pointercancel', endPull);
  canvas.addEventListener('pointerleave', () => {
    label.hidden = true;
  });

  let waiting = false;
  function hover(event: PointerEvent): void {
    if (waiting || event.buttons || model.playing) return;
    waiting = true;
    setTimeout(() => {
      waiting = false;
      const { frame } = model;
      const contact = view.picker.pickContact(event.clientX, event.clientY);
      const joint = contact < 0 ? view.picker.pickJoint(event.clientX, event.clientY) : -1;
      const hit =
        contact < 0 && joint < 0 ? view.picker.pickBody(event.clientX, event.clientY) : undefined;
      label.hidden = contact < 0 && joint < 0 && !hit;
      label.textContent =
        contact >= 0 && frame
          ? `contact ${contact}: ${model.nameOf(frame.bodyA(contact))} → ${model.nameOf(frame.bodyB(contact))}`
          : joint >= 0
            ? model.source.header.joints[joint].name
            : hit
              ? model.nameOf(hit.body)
              : '';
      const box = canvas.getBoundingClientRect();
      label.style.transform = `translate(${event.clientX - box.left + 14}px, ${event.clientY - box.top + 12}px)`;
      canvas.style.cursor = label.hidden ? 'grab' : 'pointer';
    }, 60);
  }
  return label;
}
