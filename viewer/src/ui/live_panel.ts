import type { Parameter } from '../data/format';
import { num } from '../format_number';
import type { Model } from '../model';
import { button, el } from './dom';

/** Controls of a running simulation. */
export function livePanel(model: Model): HTMLElement {
  const send = model.source.send!.bind(model.source);
  const toggle = button('Pause', () => send({ type: model.live.running ? 'pause' : 'resume' }));
  toggle.id = 'live-toggle';
  const status = el('p', { class: 'quiet', id: 'live-state' });
  const show = (): void => {
    toggle.textContent = model.live.running ? 'Pause' : 'Resume';
    const { series } = model.source;
    const time = series.count ? series.at('time', series.count - 1) : model.live.time;
    status.textContent =
      `${model.live.running ? 'Running' : 'Paused'} at ${num(time)} s` +
      `${model.live.message ? `: ${model.live.message}` : ''}`;
  };
  model.on(['live', 'series'], show);
  show();
  return el(
    'section',
    { class: 'panel', id: 'live', 'aria-label': 'Live simulation' },
    el('h2', {}, 'Live'),
    status,
    el(
      'div',
      { class: 'row-of-buttons' },
      toggle,
      button('Step', () => send({ type: 'step' })),
      button('Restart', () => send({ type: 'restart' })),
    ),
    ...model.source.header.parameters.filter(({ min, max }) => min < max).map(slider),
    el('p', { class: 'quiet' }, 'Pull a body: hold Ctrl or Shift and drag it.'),
  );

  function slider(parameter: Parameter): HTMLElement {
    const value = el('output', {}, num(parameter.value));
    const input = el('input', {
      type: 'range',
      min: parameter.min,
      max: parameter.max,
      step: 'any',
      value: parameter.value,
      id: `parameter-${parameter.name}`,
      'aria-label': parameter.title,
    });
    input.addEventListener('input', () => {
      value.textContent = num(Number(input.value), 3);
      send({ type: 'set', name: parameter.name, value: Number(input.value) });
    });
    model.on('run', () => {
      const now = model.source.header.parameters.find(({ name }) => name === parameter.name);
      if (!now || document.activeElement === input) return;
      input.value = String(now.value);
      value.textContent = num(now.value, 3);
    });
    return el('label', { class: 'scale' }, el('span', {}, parameter.title), value, input);
  }
}
