// The address holds what is looked at: #t=1.25&cam=...&sel=body:3, so that a link shows the same.
import type { Model, Selection } from '../model';
import type { View } from '../scene/view';

export function selectionText(s: Selection): string {
  return s.kind === 'body'
    ? `body:${s.body}`
    : s.kind === 'contact'
      ? `contact:${s.a},${s.b},${s.nth}`
      : s.kind === 'joint'
        ? `joint:${s.joint}`
        : '';
}

export function parseSelection(text: string, bodyCount: number, jointCount = 0): Selection {
  const [kind, rest = ''] = text.split(':');
  const numbers = rest.split(',').map(Number);
  const isPlace = (k: number, count: number): boolean => Number.isInteger(k) && k >= 0 && k < count;
  const isBody = (k: number): boolean => isPlace(k, bodyCount);
  if (kind === 'body' && isBody(numbers[0])) return { kind: 'body', body: numbers[0] };
  if (kind === 'contact' && isBody(numbers[0]) && isBody(numbers[1]) && numbers[2] >= 0) {
    return { kind: 'contact', a: numbers[0], b: numbers[1], nth: numbers[2] };
  }
  if (kind === 'joint' && isPlace(numbers[0], jointCount))
    return { kind: 'joint', joint: numbers[0] };
  return { kind: 'none' };
}

export class UrlState {
  private timer = 0;
  private written = '';

  constructor(
    private readonly model: Model,
    private readonly view: View | undefined,
  ) {
    this.read();
    model.on(['cursor', 'selection'], () => this.writeSoon());
    if (view) view.onMove = () => this.writeSoon();
    addEventListener('hashchange', () => {
      if (location.hash !== this.written) this.read();
    });
  }

  private read(): void {
    const state = new URLSearchParams(location.hash.slice(1));
    const camera = (state.get('cam') ?? '').split(',').map(Number);
    if (this.view && camera.length === 6 && camera.every(Number.isFinite))
      this.view.setCamera(camera);
    const time = Number(state.get('t') ?? NaN);
    if (Number.isFinite(time) && !this.model.source.header.live) this.model.seekTime(time);
    const { bodies, joints } = this.model.source.header;
    if (state.has('sel'))
      this.model.select(parseSelection(state.get('sel')!, bodies.length, joints.length));
  }

  private writeSoon(): void {
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => this.write(), 300);
  }

  private write(): void {
    const parts = [`t=${Number(this.model.time.toPrecision(9))}`];
    if (this.view)
      parts.push(
        `cam=${this.view
          .cameraNumbers()
          .map((x) => Number(x.toPrecision(5)))
          .join(',')}`,
      );
    const selection = selectionText(this.model.selection);
    if (selection) parts.push(`sel=${selection}`);
    this.written = `#${parts.join('&')}`;
    try {
      history.replaceState(null, '', this.written);
    } catch {
      /* some pages from disk may not */
    }
  }
}
