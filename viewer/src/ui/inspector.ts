import { type ContactInfo, contactInfo, nthOfPair } from '../contact';
import { kBodyWords } from '../data/format';
import { num } from '../format_number';
import { jointInfo, jointKind, jointUnits } from '../joint';
import type { Model } from '../model';
import { kVerdictColor } from '../scene/palette';
import { bodyLink, el } from './dom';
import { verdictMark } from './legend';

const kListed = 12; // contacts of a body that are listed

const kVerdictText = {
  open: 'open: carries nothing',
  stick: 'sticks',
  slip: 'slips',
  violated: 'violates the friction law',
} as const;

type Row = [label: string, value: string | ArrayLike<number>, unit?: string, hint?: string];

// Components come as f32: what is below the rounding of the largest one is nothing.
const kRounding = 1e-7;

function withoutNoise(vector: ArrayLike<number>): number[] {
  const largest = Math.max(...Array.from(vector, Math.abs));
  return Array.from(vector, (x) => (Math.abs(x) < kRounding * largest ? 0 : x));
}

function table(rows: Row[]): HTMLElement {
  return el(
    'dl',
    {},
    ...rows.flatMap(([label, value, unit, hint]) => {
      const tail = unit ? [el('small', {}, ` ${unit}`)] : [];
      return typeof value === 'string'
        ? [el('dt', hint ? { title: hint } : {}, label), el('dd', {}, value, ...tail)]
        : [
            el('dt', { class: 'wide', ...(hint && { title: hint }) }, label),
            el(
              'dd',
              { class: 'wide' },
              ...withoutNoise(value).map((x) => el('span', {}, num(x, 4))),
              el('small', {}, unit ?? ''),
            ),
          ];
    }),
  );
}

/** Numbers of what is chosen, in the frame shown. */
export class Inspector {
  readonly element = el('section', { class: 'panel', id: 'inspector', 'aria-label': 'Selection' });

  constructor(private readonly model: Model) {
    model.on(['frame', 'selection'], () => this.show());
    this.show();
  }

  private show(): void {
    const { selection } = this.model;
    const content =
      selection.kind === 'body'
        ? this.body(selection.body)
        : selection.kind === 'contact'
          ? this.contact()
          : selection.kind === 'joint'
            ? this.joint(selection.joint)
            : [
                el('h2', {}, 'Selection'),
                el(
                  'p',
                  { class: 'quiet' },
                  this.model.source.header.joints.length
                    ? 'Click a body, a joint or a contact point to see its numbers.'
                    : 'Click a body or a contact point to see its numbers.',
                ),
              ];
    this.element.replaceChildren(...content);
  }

  private pair(a: number, b: number): HTMLElement {
    const { model } = this;
    return el('p', { class: 'pair' }, bodyLink(model, a), ' → ', bodyLink(model, b));
  }

  private contact(): HTMLElement[] {
    const { frame, selection, source } = this.model;
    if (selection.kind !== 'contact') return [];
    const pair = this.pair(selection.a, selection.b);
    const index = this.model.chosenContact();
    const heading = el('h2', {}, `Contact ${index >= 0 ? index : ''}`);
    if (!frame || index < 0)
      return [
        heading,
        pair,
        el('p', { class: 'quiet' }, 'This contact does not exist at this time.'),
      ];
    const info = contactInfo(frame, index, source.header.tolerance);
    return [
      heading,
      pair,
      el('p', { class: 'verdict' }, verdictMark(info.verdict), kVerdictText[info.verdict]),
      coneUse(info),
      table([
        ['Normal force', num(info.normalForce), 'N', 'Force along the normal, on the second body'],
        ['Friction force', num(info.frictionForce), 'N', 'Size of the force across the normal'],
        ['Friction bound', num(info.mu * info.normalForce), 'N', 'Coefficient times normal force'],
        ['Coefficient μ', num(info.mu)],
        ['Slip speed', num(info.slipSpeed), 'm/s'],
        ['Residual', num(info.residual), 'm/s', 'Error of this contact against the exact law'],
        ['Force', info.force, 'N', 'On the second body, world axes'],
        ['Slip', info.slip, 'm/s'],
        ['Point', info.point, 'm'],
        ['Normal', info.normal, '', 'From the first body to the second'],
      ]),
    ];
  }

  private joint(place: number): HTMLElement[] {
    const { frame, source } = this.model;
    const joint = source.header.joints[place];
    if (!joint) return [];
    const info = frame && jointInfo(frame, place);
    const units = jointUnits(joint);
    const head = [
      el('h2', {}, joint.name),
      el('p', { class: 'quiet' }, jointKind(joint)),
      this.pair(joint.a, joint.b),
    ];
    if (!info) return [...head, el('p', { class: 'quiet' }, 'This frame has no joints.')];
    const size = [joint.a, joint.b]
      .map((body) => source.header.bodies[body])
      .find((body) => body.moves && body.size > 0)?.size;
    const rows: Row[] = [];
    if (units)
      rows.push(
        ['Position', num(info.position), units.position],
        ['Rate', num(info.rate), units.rate],
      );
    rows.push(['Error', num(info.error), 'm', 'How far its parts are from where they belong']);
    if (size) rows.push(['Error in sizes', num(info.error / size), '', 'Of the body that moves']);
    if (info.effort !== 0 || info.power !== 0)
      rows.push(
        ['Motor effort', num(info.effort), units?.effort ?? ''],
        ['Motor power', num(info.power), 'W'],
      );
    rows.push(
      ['|Force|', num(info.forceSize), 'N'],
      ['|Torque|', num(info.torqueSize), 'N m'],
      ['Force', info.force, 'N', 'On the second body, world axes'],
      ['Torque', info.torque, 'N m', 'On the second body about the joint, world axes'],
    );
    return [...head, table(rows)];
  }

  private body(body: number): HTMLElement[] {
    const { frame, source } = this.model;
    const { mass, size, moves, shapes } = source.header.bodies[body];
    const kinds =
      [...new Set(shapes.map((shape) => shape.type.replace('_', ' ')))].join(', ') || 'none';
    const rows: Row[] = [
      [
        'Mass',
        moves && mass > 0 ? num(mass) : moves ? '–' : 'stands still',
        moves && mass > 0 ? 'kg' : '',
      ],
      ...(moves && size > 0
        ? ([['Size', num(size), 'm', 'What errors of the body are measured by']] as Row[])
        : []),
      [shapes.length > 1 ? `Shapes (${shapes.length})` : 'Shape', kinds],
    ];
    if (frame && body < frame.bodyCount) {
      const w = frame.bodies.subarray(body * kBodyWords, (body + 1) * kBodyWords);
      rows.push(
        ['Position', w.subarray(0, 3), 'm'],
        ['Orientation', w.subarray(3, 7), '', 'Quaternion w, x, y, z'],
        ['Speed', num(Math.hypot(w[7], w[8], w[9])), 'm/s'],
        ['Velocity', w.subarray(7, 10), 'm/s'],
        ['Angular velocity', w.subarray(10, 13), 'rad/s'],
      );
    }
    return [el('h2', {}, this.model.nameOf(body)), table(rows), ...this.contactsOf(body)];
  }

  private contactsOf(body: number): HTMLElement[] {
    const { frame, source } = this.model;
    if (!frame) return [];
    const mine: number[] = [];
    for (let k = 0; k < frame.contactCount; ++k)
      if (frame.bodyA(k) === body || frame.bodyB(k) === body) mine.push(k);
    const rows = mine.slice(0, kListed).map((k) => {
      const info = contactInfo(frame, k, source.header.tolerance);
      const other = info.a === body ? info.b : info.a;
      return el(
        'li',
        {},
        el(
          'button',
          {
            type: 'button',
            class: 'row',
            click: () =>
              this.model.select({
                kind: 'contact',
                a: info.a,
                b: info.b,
                nth: nthOfPair(frame, k),
              }),
          },
          verdictMark(info.verdict),
          el('span', {}, this.model.nameOf(other)),
          el('span', { class: 'value' }, `${num(info.normalForce, 3)} N`),
        ),
      );
    });
    const rest = mine.length - rows.length;
    return [
      el('h3', {}, `${mine.length} ${mine.length === 1 ? 'contact' : 'contacts'}`),
      el('ul', { class: 'rows' }, ...rows),
      ...(rest > 0 ? [el('p', { class: 'quiet' }, `and ${rest} more`)] : []),
    ];
  }
}

/** A bar: how much of the friction cone the force uses; 1 is its edge. */
function coneUse(info: ContactInfo): HTMLElement {
  const shown = Number.isFinite(info.coneUse) ? info.coneUse : 0;
  const bar = el(
    'div',
    { class: 'bar' },
    el('i', {
      style: `width:${Math.min(100, 100 * shown)}%;background:${kVerdictColor[info.verdict]}`,
    }),
  );
  return el(
    'div',
    { class: 'cone-use', title: '|f_t| / (μ f_n): 1 is the edge of the friction cone' },
    el('span', {}, 'Cone use'),
    bar,
    el('b', { id: 'cone-use' }, Number.isFinite(info.coneUse) ? num(info.coneUse) : '–'),
  );
}
