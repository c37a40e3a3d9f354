import type { Model } from '../model';
import { el } from './dom';

const kShown = 8;

/** Finds bodies by name: type, arrow keys, Enter. */
export function searchBox(model: Model): HTMLElement {
  const input = el('input', {
    type: 'search',
    id: 'search',
    placeholder: 'Find a body …',
    'aria-label': 'Find a body by name',
    role: 'combobox',
    'aria-expanded': 'false',
    'aria-controls': 'found',
    autocomplete: 'off',
    spellcheck: 'false',
  });
  const found = el('ul', {
    id: 'found',
    role: 'listbox',
    'aria-label': 'Bodies found',
    hidden: true,
  });
  const { bodies } = model.source.header;
  let matches: number[] = [];
  let at = 0;

  const choose = (body: number): void => {
    model.select({ kind: 'body', body });
    input.value = '';
    show();
    input.blur();
  };
  const show = (): void => {
    const text = input.value.trim().toLowerCase();
    matches = [];
    let total = 0;
    if (text) {
      bodies.forEach((body, k) => {
        if (!body.name.toLowerCase().includes(text)) return;
        if (++total <= kShown) matches.push(k);
      });
    }
    at = Math.min(at, Math.max(0, matches.length - 1));
    found.replaceChildren(
      ...matches.map((body, k) =>
        el(
          'li',
          {
            role: 'option',
            id: `found-${k}`,
            'aria-selected': String(k === at),
            pointerdown: (event) => {
              event.preventDefault();
              choose(body);
            },
          },
          bodies[body].name,
        ),
      ),
      ...(total > kShown ? [el('li', { class: 'quiet' }, `and ${total - kShown} more`)] : []),
      ...(text && !total ? [el('li', { class: 'quiet' }, 'no body of that name')] : []),
    );
    found.hidden = !text;
    input.setAttribute('aria-expanded', String(Boolean(text)));
    input.setAttribute('aria-activedescendant', matches.length ? `found-${at}` : '');
  };
  input.addEventListener('input', () => {
    at = 0;
    show();
  });
  input.addEventListener('keydown', (event) => {
    if (event.key === 'ArrowDown') at = Math.min(matches.length - 1, at + 1);
    else if (event.key === 'ArrowUp') at = Math.max(0, at - 1);
    else if (event.key === 'Enter' && matches.length) {
      choose(matches[at]);
      return;
    } else if (event.key === 'Escape') {
      input.value = '';
      input.blur();
    } else return;
    event.preventDefault();
    event.stopPropagation();
    show();
  });
  input.addEventListener('blur', () => {
    found.hidden = true;
  });
  return el('div', { class: 'search' }, input, found);
}
