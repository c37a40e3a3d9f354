import type { Model } from '../model';

type Attributes = Record<string, string | number | boolean | ((event: Event) => void) | undefined>;

/** An element with attributes, listeners (functions) and children; text never becomes markup. */
export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    if (typeof value === 'function') element.addEventListener(key, value);
    else element.setAttribute(key, value === true ? '' : String(value));
  }
  element.append(...children);
  return element;
}

const kIcons = {
  play: 'M4 2.5v11l9.5-5.5z',
  pause: 'M3.5 2.5h3.2v11H3.5zM9.3 2.5h3.2v11H9.3z',
  back: 'M11.5 3v10L5 8zM3.3 3h1.5v10H3.3z',
  forward: 'M4.5 3v10L11 8zM11.2 3h1.5v10h-1.5z',
  first: 'M13.5 3v10L8.3 8zM8 3v10L2.8 8zM1.5 3H3v10H1.5z',
  last: 'M2.5 3v10L7.7 8zM8 3v10l5.2-5zM13 3h1.5v10H13z',
  restart: 'M8 2.5a5.5 5.5 0 1 1-5.2 3.7l1.5.5A4 4 0 1 0 8 4v2.3L4.4 3.3 8 .4z',
  follow: 'M2.5 3v10L8 8zM8 3v10l5.5-5z',
  fit: 'M2 2h4v1.5H3.5V6H2zM10 2h4v4h-1.5V3.5H10zM2 10h1.5v2.5H6V14H2zM12.5 10H14v4h-4v-1.5h2.5z',
  theme: 'M8 2a6 6 0 1 0 0 12zM8 1a7 7 0 1 1 0 14A7 7 0 0 1 8 1z',
  help: 'M8 1a7 7 0 1 1 0 14A7 7 0 0 1 8 1zm-.8 9.6v1.6h1.6v-1.6zM8 3.8c-1.6 0-2.7.9-2.8 2.5h1.5c0-.7.5-1.2 1.3-1.2s1.2.4 1.2 1.1c0 1.1-1.9 1.3-1.9 3.2h1.5c0-1.3 2-1.5 2-3.3 0-1.400-1.100-2.300-2.800-2.300z',
} as const;

export function icon(name: keyof typeof kIcons): SVGSVGElement {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  svg.setAttribute('viewBox', '0 0 16 16');
  svg.setAttribute('aria-hidden', 'true');
  const path = document.createElementNS('http://www.w3.org/2000/svg', 'path');
  path.setAttribute('d', kIcons[name]);
  svg.append(path);
  return svg;
}

export function button(
  label: string,
  action: () => void,
  image?: keyof typeof kIcons,
  key?: string,
): HTMLButtonElement {
  return el(
    'button',
    {
      type: 'button',
      'aria-label': image ? label : undefined,
      title: key ? `${label} (${key})` : label,
      click: action,
    },
    image ? icon(image) : label,
  );
}

/** A body's name that chooses it. */
export const bodyLink = (model: Model, body: number): HTMLElement =>
  el(
    'button',
    { type: 'button', class: 'link', click: () => model.select({ kind: 'body', body }) },
    model.nameOf(body),
  );
