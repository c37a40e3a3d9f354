import { Vector3 } from 'three';
import type { View } from '../scene/view';

const kSize = 64;
const kAxes: [string, string, Vector3][] = [
  ['x', '#d0263e', new Vector3(1, 0, 0)],
  ['y', '#009e73', new Vector3(0, 1, 0)],
  ['z', '#0b7fd0', new Vector3(0, 0, 1)],
];

/** The directions of the world's axes in a corner of the view. */
export function triad(view: View): SVGSVGElement {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  svg.setAttribute('viewBox', `${-kSize / 2} ${-kSize / 2} ${kSize} ${kSize}`);
  svg.setAttribute('class', 'triad');
  svg.setAttribute('aria-hidden', 'true');
  view.onDraw = () => {
    const turn = view.camera.quaternion.clone().invert();
    const axes = kAxes
      .map(([name, color, axis]) => ({ name, color, tip: axis.clone().applyQuaternion(turn) }))
      .sort((a, b) => a.tip.z - b.tip.z);
    svg.innerHTML = axes
      .map(
        ({ name, color, tip }) =>
          `<line x2="${(20 * tip.x).toFixed(1)}" y2="${(-20 * tip.y).toFixed(1)}" stroke="${color}" stroke-width="2"/>` +
          `<text x="${(27 * tip.x).toFixed(1)}" y="${(-27 * tip.y + 3.5).toFixed(1)}" fill="${color}" text-anchor="middle" font-size="11">${name}</text>`,
      )
      .join('');
  };
  return svg;
}
