import { DataError } from './format';

declare global {
  interface Window {
    cornetHeader?: Promise<Response>;
  } // asked for by index.html
}

/** Answers of the program that serves the page; refusals become sentences. */
export class Http {
  readonly token: string;
  private readonly ahead = new Map<string, Promise<Response>>();

  constructor(private readonly base: URL) {
    this.token = base.searchParams.get('token') ?? '';
    if (window.cornetHeader) this.ahead.set('data/header', window.cornetHeader);
  }

  /** Asks now; the next one who wants this takes the answer. */
  askAhead(path: string): void {
    const answer = this.ask(path);
    answer.catch(() => undefined); // told by who takes it
    this.ahead.set(path, answer);
  }

  private ask(path: string, signal?: AbortSignal): Promise<Response> {
    return fetch(this.url(path), { cache: 'no-store', ...(signal && { signal }) });
  }

  url(path: string, scheme = this.base.protocol): string {
    return `${scheme}//${this.base.host}/${path}?token=${encodeURIComponent(this.token)}`;
  }

  async get(path: string, signal?: AbortSignal): Promise<Response> {
    let answer: Response;
    try {
      const asked = this.ahead.get(path);
      this.ahead.delete(path);
      answer = await (asked ?? this.ask(path, signal));
    } catch (error) {
      if (signal?.aborted) throw error;
      throw new DataError(
        'the program does not answer: it may have ended. Start it again, then reload this page',
      );
    }
    if (answer.status === 401 || answer.status === 403) {
      throw new DataError(
        'the program refuses this address: the token in it is missing or wrong. ' +
          'Open the address that the program printed',
      );
    }
    if (!answer.ok) {
      const detail = (await answer.text().catch(() => '')).slice(0, 200);
      throw new DataError(
        `the program answered ${answer.status} to ${path}${detail ? `: ${detail}` : ''}`,
      );
    }
    return answer;
  }

  async bytes(path: string, signal?: AbortSignal): Promise<Uint8Array> {
    return new Uint8Array(await (await this.get(path, signal)).arrayBuffer());
  }
}
