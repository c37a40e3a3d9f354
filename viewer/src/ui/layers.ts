import { num, round125 } from '../format_number';
import { kLayers, type Layer, type Model } from '../model';
import { el } from './dom';

/** Switches of what the view draws, and the scales of arrows. Keys 1 to 9. */
export function layersPanel(model: Model): HTMLElement {
  const layers = (Object.keys(kLayers) as Layer[]).filter(
    (layer) => layer !== 'joints' || model.source.header.joints.length > 0,
  );
  const boxes = layers.map((layer, k) => {
    const box = el('input', {
      type: 'checkbox',
      id: `layer-${layer}`,
      change: () => model.setLayer(layer, box.checked),
    });
    return {
      layer,
      box,
      row: el(
        'label',
        { class: 'switch' },
        box,
        el('span', {}, kLayers[layer]),
        el('kbd', {}, String(k + 1)),
      ),
    };
  });
  const sync = (): void => {
    for (const { layer, box } of boxes) box.checked = model.layers[layer];
  };
  model.on('layers', sync);
  sync();
  return el(
    'section',
    { class: 'panel', 'aria-label': 'What is shown' },
    el('h2', {}, 'Show'),
    ...boxes.map((b) => b.row),
    scale(
      model,
      'Force arrows',
      'N per m',
      () => model.forceScale,
      (x) => {
        model.forceScale = x;
      },
      'force-scale',
    ),
    scale(
      model,
      'Slip arrows',
      'm/s per m',
      () => model.slipScale,
      (x) => {
        model.slipScale = x;
      },
      'slip-scale',
    ),
  );
}

/** A slider over two decades each way, in steps of 1, 2, 5. */
function scale(
  model: Model,
  label: string,
  unit: string,
  get: () => number,
  set: (x: number) => void,
  id: string,
): HTMLElement {
  const middle = get();
  const value = el('output', {}, `${num(middle)} ${unit}`);
  const slider = el('input', {
    type: 'range',
    id,
    min: -6,
    max: 6,
    step: 1,
    value: 0,
    'aria-label': `${label}, ${unit}`,
  });
  slider.addEventListener('input', () => {
    set(round125(middle * 10 ** (Number(slider.value) / 3)));
    value.textContent = `${num(get())} ${unit}`;
    model.emit('layers');
  });
  return el('label', { class: 'scale' }, el('span', {}, label), value, slider);
}
