import { button, el } from './dom';

const kKeys: [string, string][] = [
  ['Space', 'play or pause'],
  ['← →', 'one frame back or on; with Shift ten'],
  ['Home End', 'first, last frame'],
  ['[ ]', 'slower, faster'],
  ['M', 'go to the worst step and its body'],
  ['F', 'fit everything into the view'],
  ['X Y Z', 'look along an axis'],
  ['W A S D', 'turn the view'],
  ['Q E', 'nearer, farther'],
  ['B C J', 'next body, contact, joint (with Shift: the one before)'],
  ['Esc', 'choose nothing'],
  ['/', 'find a body by name'],
  ['1 … 9', 'switch what is shown'],
  ['T', 'light or dark'],
  ['P', 'save a picture'],
  ['?', 'this help'],
];

const kMouse: [string, string][] = [
  ['Click', 'choose a body or a contact point'],
  ['Drag', 'turn the view'],
  ['Right drag', 'move the view'],
  ['Wheel', 'zoom'],
  ['Ctrl or Shift + drag', 'live: pull a body'],
  ['Plot: click, drag', 'move the cursor'],
  ['Plot: Shift + wheel', 'zoom in time; double click shows all'],
];

/** Explains the picture and lists the keys. */
export function helpDialog(): HTMLDialogElement {
  const rows = (list: [string, string][]): HTMLElement =>
    el(
      'dl',
      { class: 'keys' },
      ...list.flatMap(([key, text]) => [el('dt', {}, el('kbd', {}, key)), el('dd', {}, text)]),
    );
  const dialog = el('dialog', { id: 'help', 'aria-label': 'Help' });
  dialog.append(
    el(
      'div',
      { class: 'dialog-head' },
      el('h1', {}, 'What you see'),
      button('Close', () => dialog.close()),
    ),
    el(
      'p',
      {},
      'A recording of rigid bodies in contact. Each contact carries a force, drawn as an arrow on the second body of the pair. ',
      'The force must lie in the friction cone around the contact normal: inside it the contact sticks, on its edge it slips ',
      'against the slip velocity. A contact that breaks this law by more than the tolerance is red.',
    ),
    el(
      'p',
      {},
      'The certificate says how far each step is from the truth: against this law, recomputed from the forces alone, and as a whole ',
      'from the states before and after it. A step that misses the law is not solved; one beyond any bound is inaccurate. ',
      'One cursor goes through the view and all plots.',
    ),
    el(
      'div',
      { class: 'columns' },
      el('div', {}, el('h2', {}, 'Keys'), rows(kKeys)),
      el('div', {}, el('h2', {}, 'Mouse'), rows(kMouse)),
    ),
  );
  dialog.addEventListener('click', (event) => {
    if (event.target === dialog) dialog.close();
  });
  return dialog;
}
