import { num } from '../format_number';
import type { Model } from '../model';
import { el } from './dom';

/** Where the recording comes from: scene, command, options. */
export function runInfo(model: Model): HTMLElement {
  const panel = el('details', { class: 'panel', id: 'about' });
  const show = (): void => panel.replaceChildren(...content(model));
  model.on('run', show);
  show();
  return panel;
}

function content(model: Model): HTMLElement[] {
  const { header } = model.source;
  const moving = header.bodies.filter((body) => body.moves).length;
  const rows: [string, string][] = [
    ['Bodies', `${moving} moving, ${header.bodies.length - moving} fixed`],
    ['Scene', [header.scene.file, header.scene.hash].filter(Boolean).join(' · ')],
    ['Command', header.command],
    ['Program', header.program],
    ['Step', header.dt ? `${num(header.dt)} s` : ''],
    ['Gravity', `${header.gravity.map((g) => num(g)).join(', ')} m/s²`],
    ['Tolerance', num(header.tolerance)],
    ['Joints', header.joints.length ? String(header.joints.length) : ''],
    ...header.parameters.map(({ name, value }): [string, string] => [name, num(value)]),
    ...Object.entries(header.options),
  ];
  return [
    el('summary', {}, 'About this run'),
    el(
      'dl',
      {},
      ...rows
        .filter(([, value]) => value)
        .flatMap(([key, value]) => [el('dt', {}, key), el('dd', { class: 'text' }, value)]),
    ),
    ...(header.scene.text
      ? [
          el(
            'details',
            {},
            el('summary', {}, 'Scene file'),
            el('pre', { tabindex: 0 }, header.scene.text),
          ),
        ]
      : []),
  ];
}
