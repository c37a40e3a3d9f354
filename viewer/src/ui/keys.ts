import { Vector3 } from 'three';
import { nthOfPair } from '../contact';
import { kLayers, type Layer, type Model } from '../model';
import type { View } from '../scene/view';
import { seekWorst } from './certificate_panel';
import type { Exporter } from './export';
import { changeSpeed, stepFrames, togglePlay } from './timeline';

interface Context {
  model: Model;
  view: View | undefined;
  exporter: Exporter;
  help: HTMLDialogElement;
  toggleTheme(): void;
}

const kTurn = 0.12; // [rad] per key press

function nextBody(model: Model, by: number): void {
  const count = model.source.header.bodies.length;
  const { selection } = model;
  const from = selection.kind === 'body' ? selection.body : by > 0 ? -1 : 0;
  if (count) model.select({ kind: 'body', body: (from + by + count) % count });
}

function nextJoint(model: Model, by: number): void {
  const count = model.source.header.joints.length;
  const { selection } = model;
  const from = selection.kind === 'joint' ? selection.joint : by > 0 ? -1 : 0;
  if (count) model.select({ kind: 'joint', joint: (from + by + count) % count });
}

function nextContact(model: Model, by: number): void {
  const { frame } = model;
  if (!frame?.contactCount) return;
  const at = model.chosenContact();
  const next = ((at < 0 && by < 0 ? 0 : at) + by + frame.contactCount) % frame.contactCount;
  model.select({
    kind: 'contact',
    a: frame.bodyA(next),
    b: frame.bodyB(next),
    nth: nthOfPair(frame, next),
  });
}

/** What the keys do; held apart from listening so that the list can be read. */
function actions({
  model,
  view,
  exporter,
  help,
  toggleTheme,
}: Context): Record<string, (shift: boolean) => void> {
  const layers = Object.keys(kLayers) as Layer[];
  const look = (x: number, y: number, z: number) => () =>
    view?.fit(new Vector3(x, y, z).addScaledVector(view.up, 1e-3));
  const list: Record<string, (shift: boolean) => void> = {
    ' ': () => togglePlay(model),
    ArrowLeft: (shift) => stepFrames(model, shift ? -10 : -1),
    ArrowRight: (shift) => stepFrames(model, shift ? 10 : 1),
    Home: () => stepFrames(model, -1e12),
    End: () => (model.source.header.live ? model.setFollowing(true) : stepFrames(model, 1e12)),
    '[': () => changeSpeed(model, -1),
    ']': () => changeSpeed(model, 1),
    m: () => seekWorst(model),
    f: () => view?.fit(),
    x: look(1, 0, 0),
    y: look(0, -1, 0),
    z: look(1e-3, -1e-2, 1),
    a: () => view?.orbit(-kTurn, 0, 1),
    d: () => view?.orbit(kTurn, 0, 1),
    w: () => view?.orbit(0, -kTurn, 1),
    s: () => view?.orbit(0, kTurn, 1),
    q: () => view?.orbit(0, 0, 0.88),
    e: () => view?.orbit(0, 0, 1 / 0.88),
    b: (shift) => nextBody(model, shift ? -1 : 1),
    c: (shift) => nextContact(model, shift ? -1 : 1),
    j: (shift) => nextJoint(model, shift ? -1 : 1),
    Escape: () => model.select({ kind: 'none' }),
    '/': () => document.getElementById('search')?.focus(),
    t: toggleTheme,
    p: () => exporter.png(),
    '?': () => (help.open ? help.close() : help.showModal()),
  };
  layers.forEach((layer, k) => {
    list[String(k + 1)] = () => model.setLayer(layer, !model.layers[layer]);
  });
  return list;
}

export function listenKeys(context: Context): void {
  const list = actions(context);
  addEventListener('keydown', (event) => {
    const target = event.target as HTMLElement;
    const typing = target.matches('input[type=search], select, textarea');
    const sliding = target.matches('input[type=range]') && /^(Arrow|Home|End)/.test(event.key);
    const pressing = target.matches('button, summary, input[type=checkbox]') && event.key === ' ';
    if (typing || sliding || pressing || event.ctrlKey || event.metaKey || event.altKey) return;
    if (context.help.open && event.key !== '?') return;
    const action = list[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!action) return;
    event.preventDefault();
    action(event.shiftKey);
  });
}
