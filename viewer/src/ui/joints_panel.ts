import { type Joint } from '../data/format';
import { num } from '../format_number';
import { type JointInfo, jointInfo, jointUnits } from '../joint';
import type { Model } from '../model';
import { el } from './dom';

/** All joints of the scene with their numbers in the frame shown; none without joints. */
export function jointsPanel(model: Model): HTMLElement[] {
  const { joints } = model.source.header;
  if (!joints.length) return [];
  const rows = joints.map((joint, k) => new JointRow(model, joint, k));
  const list = el('ul', { class: 'joints' }, ...rows.map((row) => row.element));
  const panel = el(
    'details',
    { class: 'panel', id: 'joints', open: true },
    el('summary', {}, `Joints (${joints.length})`),
    list,
  );
  const show = (): void => {
    if (panel.open) rows.forEach((row) => row.show());
  };
  const mark = (): void => {
    const { selection } = model;
    const chosen = selection.kind === 'joint' ? selection.joint : -1;
    rows.forEach((row, k) => row.mark(k === chosen));
    if (chosen >= 0) reveal(list, rows[chosen].element);
  };
  model.on('frame', show);
  model.on('selection', mark);
  panel.addEventListener('toggle', show);
  show();
  mark();
  return [panel];
}

/** Scrolls the list alone: what stands above it stays in sight. */
function reveal(list: HTMLElement, row: HTMLElement): void {
  const [outer, inner] = [list.getBoundingClientRect(), row.getBoundingClientRect()];
  if (inner.top < outer.top) list.scrollTop -= outer.top - inner.top;
  if (inner.bottom > outer.bottom) list.scrollTop += inner.bottom - outer.bottom;
}

type Cell = [name: string, read: (info: JointInfo) => number, unit: string | undefined];

/** Name; position, rate, error; force, torque, and of those that have one the motor. */
class JointRow {
  readonly element: HTMLElement;
  private readonly press: HTMLButtonElement;
  private readonly cells: { cell: Cell; value: HTMLElement }[] = [];
  private readonly motor: HTMLElement[];
  private readonly filler = el('span'); // in its place
  private driven = false;

  constructor(
    private readonly model: Model,
    joint: Joint,
    private readonly place: number,
  ) {
    const units = jointUnits(joint);
    const cell = (...entry: Cell): HTMLElement => {
      const value = el('span', { title: `${entry[0]}${entry[2] ? ` [${entry[2]}]` : ''}` });
      this.cells.push({ cell: entry, value });
      return value;
    };
    this.motor = [
      cell('Effort of the motor', (info) => info.effort, units?.effort ?? ''),
      cell('Power of the motor', (info) => info.power, 'W'),
    ];
    this.press = el(
      'button',
      {
        type: 'button',
        class: 'joint',
        click: () => model.select({ kind: 'joint', joint: place }),
      },
      el('b', {}, joint.name),
      el(
        'span',
        { class: 'numbers' },
        cell('Position', (info) => info.position, units?.position),
        cell('Rate', (info) => info.rate, units?.rate),
        cell('Error', (info) => info.error, 'm'),
      ),
      el(
        'span',
        { class: 'numbers' },
        cell('Force on B', (info) => info.forceSize, 'N'),
        cell('Torque on B about the joint', (info) => info.torqueSize, 'N m'),
        ...this.motor,
        this.filler,
      ),
    );
    this.element = el('li', {}, this.press);
  }

  mark(chosen: boolean): void {
    this.press.setAttribute('aria-pressed', String(chosen));
  }

  show(): void {
    const { frame } = this.model;
    const info = frame && jointInfo(frame, this.place);
    this.driven ||= info !== undefined && (info.effort !== 0 || info.power !== 0);
    for (const part of this.motor) part.hidden = !this.driven;
    this.filler.hidden = this.driven;
    for (const { cell, value } of this.cells) {
      const [, read, unit] = cell;
      value.textContent =
        !info || unit === undefined ? '–' : `${num(read(info), 3)} ${unit}`.trimEnd();
    }
  }
}
