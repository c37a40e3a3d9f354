import type { Model } from '../model';
import { button, el } from './dom';

/** What the user must know: unreadable data, a lost connection, frames that are not numbers. */
export function messageBar(model: Model): HTMLElement {
  const bar = el('div', { id: 'messages', role: 'alert' });
  const hidden = new Set<string>();
  const show = (): void => {
    const open = [...model.messages].filter(([kind, text]) => !hidden.has(kind + text));
    bar.replaceChildren(
      ...open.map(([kind, text]) =>
        el(
          'div',
          { class: 'message' },
          el('span', {}, text.charAt(0).toUpperCase() + text.slice(1)),
          button('Dismiss', () => {
            hidden.add(kind + text);
            show();
          }),
        ),
      ),
    );
  };
  model.on('message', show);
  show();
  return bar;
}

/** The page as one readable sentence, when there is nothing to show. */
export function showFailure(error: unknown): void {
  const text = error instanceof Error ? error.message : String(error);
  const sentence = text.charAt(0).toUpperCase() + text.slice(1);
  const app = document.getElementById('app') ?? document.body;
  app.className = 'failed';
  app.replaceChildren(
    el(
      'main',
      { class: 'failure', role: 'alert' },
      el('h1', {}, 'Nothing to show'),
      el('p', {}, `${sentence}.`),
      el(
        'p',
        { class: 'quiet' },
        'If this page was open before, reload it. A recording is shown by the command that made it; ',
        'a report is one HTML file that can be opened by itself.',
      ),
    ),
  );
}
