// What is shown: cursor, selection, layers. One model; views listen and redraw.
import { findContact } from './contact';
import { type Frame, UnreadableFrame } from './data/format';
import type { DataSource, LiveState } from './data/source';
import { Emitter } from './emitter';
import { Track } from './track';

export type Selection =
  | { kind: 'none' }
  | { kind: 'body'; body: number }
  | { kind: 'contact'; a: number; b: number; nth: number }
  | { kind: 'joint'; joint: number };

export const kLayers = {
  forces: 'Contact forces',
  cones: 'Friction cones',
  markers: 'Contact points',
  slip: 'Slip velocities',
  frames: 'Body frames',
  trail: 'Trail of the chosen body',
  ghost: 'See-through bodies',
  shadows: 'Shadows',
  joints: 'Joints',
} as const;
export type Layer = keyof typeof kLayers;

export type ModelEvent =
  | 'cursor'
  | 'frame'
  | 'series'
  | 'selection'
  | 'layers'
  | 'play'
  | 'live'
  | 'run' // another run has begun
  | 'track'
  | 'theme'
  | 'message';

export class Model extends Emitter<ModelEvent> {
  index = 0;
  frame: Frame | undefined;
  playing = false;
  following = false; // live: the cursor stays at the newest frame
  speed = 1;
  selection: Selection = { kind: 'none' };
  layers: Record<Layer, boolean> = {
    forces: true,
    cones: false,
    markers: true,
    slip: true,
    frames: false,
    trail: true,
    ghost: false,
    shadows: true,
    joints: true,
  };
  forceScale = 1; // [N per m]
  slipScale = 1; // [m/s per m]
  torqueScale = 1; // [N m per m], of joints
  live: LiveState = { running: true, time: 0, message: '', problem: '' };
  track: Track | undefined;
  messages = new Map<string, string>(); // by kind; shown in the bar

  constructor(readonly source: DataSource) {
    super();
    this.following = source.header.live;
  }

  get frameCount(): number {
    return this.source.series.count;
  }
  get time(): number {
    return this.frameCount ? this.source.series.at('time', this.index) : 0;
  }
  /** The frame shown is the one the cursor asks for, or that one cannot be read. */
  get ready(): boolean {
    return this.shownIndex === this.index;
  }
  private shownIndex = -1;
  private loading = false;

  say(kind: string, text: string): void {
    if ((this.messages.get(kind) ?? '') === text) return;
    if (text) this.messages.set(kind, text);
    else this.messages.delete(kind);
    this.emit('message');
  }

  seek(index: number): void {
    const wanted = Math.max(
      this.source.firstFrame,
      Math.min(this.frameCount - 1, Math.round(index)),
    );
    if (!Number.isFinite(wanted) || wanted < 0) return;
    this.index = wanted;
    this.emit('cursor');
    void this.fetch();
  }

  /** Shows the frame at the cursor. One request at a time: a cursor that moves on is caught up with. */
  private async fetch(): Promise<void> {
    const wanted = this.index;
    const frame = this.source.peek(wanted);
    if (frame) this.show(wanted, frame);
    if (frame || this.loading) return;
    this.loading = true;
    try {
      this.show(wanted, await this.source.load(wanted));
    } catch (error) {
      this.say('frame', error instanceof Error ? error.message : String(error));
      if (error instanceof UnreadableFrame) {
        this.shownIndex = wanted; // the one before stays in the view
        this.emit('frame');
      } else if (this.playing) this.setPlaying(false); // it would wait for ever
    }
    this.loading = false;
    if (this.index !== wanted) void this.fetch();
  }

  seekTime(time: number): void {
    this.seek(this.source.series.frameAt(time));
  }

  private show(index: number, frame: Frame): void {
    this.frame = frame;
    this.shownIndex = index;
    const bad = frame.invalidBodies();
    const names = bad
      .slice(0, 3)
      .map((body) => this.nameOf(body))
      .join(', ');
    this.say(
      'frame',
      bad.length
        ? `Frame ${index}: ${bad.length} ${bad.length === 1 ? 'body has' : 'bodies have'} ` +
            `a pose or velocity that is not a number (NaN) and cannot be drawn: ${names}${bad.length > 3 ? ', …' : ''}`
        : '',
    );
    this.emit('frame');
  }

  select(selection: Selection): void {
    this.selection = selection;
    const body = this.chosenBody();
    if (body !== (this.track?.body ?? -1)) {
      this.track?.cancel();
      this.track = body >= 0 ? new Track(this.source, body, () => this.emit('track')) : undefined;
      this.emit('track');
    }
    this.emit('selection');
  }

  /** The moving body whose track is plotted; of a contact or a joint, its moving side. */
  chosenBody(): number {
    const s = this.selection;
    const moves = (body: number): boolean => this.source.header.bodies[body]?.moves ?? false;
    if (s.kind === 'body') return moves(s.body) ? s.body : -1;
    const joint = s.kind === 'joint' ? this.source.header.joints[s.joint] : undefined;
    const pair = s.kind === 'contact' ? s : joint;
    if (!pair) return -1;
    return moves(pair.b) ? pair.b : moves(pair.a) ? pair.a : -1;
  }

  /** Index of the chosen contact in the frame shown, -1 if there is none. */
  chosenContact(): number {
    const s = this.selection;
    return s.kind === 'contact' && this.frame ? findContact(this.frame, s.a, s.b, s.nth) : -1;
  }

  /** Bodies that the choice is about. */
  chosenBodies(): number[] {
    const s = this.selection;
    if (s.kind === 'body') return [s.body];
    if (s.kind === 'contact') return [s.a, s.b];
    const joint = s.kind === 'joint' ? this.source.header.joints[s.joint] : undefined;
    return joint ? [joint.a, joint.b] : [];
  }

  nameOf(body: number): string {
    return this.source.header.bodies[body]?.name ?? (body < 0 ? 'world' : `body ${body}`);
  }

  setLayer(layer: Layer, on: boolean): void {
    this.layers[layer] = on;
    this.emit('layers');
  }

  setPlaying(on: boolean): void {
    if (on && this.index >= this.frameCount - 1) this.seek(this.source.firstFrame);
    this.playing = on;
    this.following = false;
    this.emit('play');
  }

  setFollowing(on: boolean): void {
    this.following = on;
    this.playing = false;
    if (on) this.seek(this.frameCount - 1);
    this.emit('play');
  }
}
