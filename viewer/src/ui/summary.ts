import type { Model } from '../model';
import { el } from './dom';

/** What came out of the run: certificate and energy balance, as the program computed them from every step. */
export function summaryPanel(model: Model): HTMLElement[] {
  const rows = Object.entries(model.source.header.summary);
  if (!rows.length) return [];
  const line = ([name, value]: [string, string]): HTMLElement =>
    el('tr', {}, el('th', { scope: 'row' }, name), el('td', {}, value));
  return [
    el(
      'details',
      { class: 'panel', id: 'summary', open: true },
      el('summary', {}, 'Certificate and energy'),
      el('table', { class: 'summary' }, el('tbody', {}, ...rows.map(line))),
    ),
  ];
}
