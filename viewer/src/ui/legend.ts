import type { Verdict } from '../contact';
import { num } from '../format_number';
import type { Model } from '../model';
import type { View } from '../scene/view';
import { kJointForceColor, kJointTorqueColor, kSlipColor, kVerdictColor } from '../scene/palette';
import { el } from './dom';

const kMarks: Record<Verdict, string> = {
  stick: 'M8 3a5 5 0 1 1 0 10A5 5 0 0 1 8 3z',
  slip: 'M8 1.500 14.500 8 8 14.500 1.500 8z',
  violated:
    'M3 1.500 8 6.200 13 1.500 14.500 3 9.800 8l4.700 5-1.500 1.500-5-4.700-5 4.700L1.500 13l4.700-5L1.500 3z',
  open: 'M8 2.500a5.500 5.500 0 1 1 0 11 5.500 5.500 0 0 1 0-11zm0 2a3.500 3.500 0 1 0 0 7 3.500 3.500 0 0 0 0-7z',
};

function mark(path: string, color: string): SVGSVGElement {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  svg.setAttribute('viewBox', '0 0 16 16');
  svg.setAttribute('class', 'mark');
  svg.setAttribute('aria-hidden', 'true');
  const shape = document.createElementNS('http://www.w3.org/2000/svg', 'path');
  shape.setAttribute('d', path);
  shape.setAttribute('fill', color);
  svg.append(shape);
  return svg;
}

export const verdictMark = (verdict: Verdict): SVGSVGElement =>
  mark(kMarks[verdict], kVerdictColor[verdict]);

const kArrow = 'M1 7h8V3.500L15.500 8 9 12.500V9H1z';
const kTwoHeads = 'M0 7h5V3.500L11 7V3.500L16 8 11 12.500V9L5 12.500V9H0z';
const kCone = 'M8 14.500 1.500 3.500Q8 6.500 14.500 3.500z';

/** What the colours, shapes and lengths in the view mean; only of layers that are shown. */
export function legend(model: Model, view: View): HTMLElement {
  const box = el('div', { id: 'legend', 'aria-label': 'Legend', role: 'note' });
  const entry = (image: Node, text: string): HTMLElement => el('span', {}, image, text);
  const show = (): void => {
    const { layers } = model;
    const states = layers.markers || layers.forces || layers.cones;
    box.replaceChildren(
      ...(states
        ? [
            entry(verdictMark('stick'), 'sticks'),
            entry(verdictMark('slip'), 'slips'),
            entry(verdictMark('violated'), 'violates the law'),
            entry(verdictMark('open'), 'open'),
          ]
        : []),
      ...(layers.forces
        ? [entry(mark(kArrow, 'currentColor'), `contact force, ${num(model.forceScale)} N per m`)]
        : []),
      ...(layers.cones
        ? [entry(mark(kCone, 'currentColor'), 'friction cone, cut at the normal force')]
        : []),
      ...(layers.slip
        ? [entry(mark(kArrow, kSlipColor), `slip velocity, ${num(model.slipScale)} m/s per m`)]
        : []),
      ...(model.selection.kind === 'joint'
        ? [
            entry(
              mark(kArrow, kJointForceColor),
              `joint force${layers.forces ? '' : `, ${num(model.forceScale)} N per m`}`,
            ),
            entry(
              mark(kTwoHeads, kJointTorqueColor),
              `torque, ${num(model.torqueScale)} N m per m`,
            ),
          ]
        : []),
      ...(view.gridSpacing > 0
        ? [
            el(
              'span',
              {},
              el('i', { class: 'grid-mark', 'aria-hidden': 'true' }),
              `grid ${num(view.gridSpacing)} m`,
            ),
          ]
        : []),
    );
  };
  model.on(['layers', 'selection'], show);
  show();
  return box;
}
