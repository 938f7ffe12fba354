/** The control stream as an agent reads it, with `fetch` alone: for Node, Deno, Bun and browsers. */

/** Of which steps the agent is told: every field that is given must match. */
export interface ControlPlace {
  /** Of the service's port for readers. `http://127.0.0.1:9000` if absent. */
  readonly url?: string | undefined;
  /** A key that may send. */
  readonly token?: string | undefined;
  readonly agent?: string | undefined;
  readonly taskId?: string | undefined;
  readonly traceId?: string | undefined;
  /** Told of what goes wrong; it is tried again. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** What comes on the stream; its other fields go by its type. */
export interface Frame {
  readonly type: string;
  readonly id: string;
}

const FIRST_DELAY_MS = 250;
const MAX_DELAY_MS = 10_000;
/** The service says something every 15 s: a stream that is silent for longer is lost. */
const SILENCE_MS = 45_000;

/** A way to one service, until `closing` is aborted. */
export class ControlWay {
  private readonly place: ControlPlace;
  private readonly closing: AbortSignal;
  private readonly keepsAlive: boolean;
  private readonly base: string;
  private readonly headers: Readonly<Record<string, string>>;

  /** @param keepsAlive whether a Node process waits for what it waits for between two tries */
  constructor(place: ControlPlace, closing: AbortSignal, keepsAlive = false) {
    this.place = place;
    this.keepsAlive = keepsAlive;
    this.closing = closing;
    this.base = (place.url ?? 'http://127.0.0.1:9000').replace(/\/+$/, '');
    this.headers = {
      'content-type': 'application/json',
      ...(place.token !== undefined && { authorization: `Bearer ${place.token}` }),
    };
  }

  /**
   * Posts it, again while the service is away, full or failing. @param tries how often at most
   * @returns its answer; undefined when it was never taken @throws Error with the service's words when it is refused
   */
  async post(path: string, said: object, tries: number): Promise<unknown> {
    const body = JSON.stringify(said);
    for (let attempt = 0; attempt < tries && !this.closing.aborted; attempt++) {
      if (attempt > 0) await this.pause(attempt);
      let refusal: string;
      try {
        const answer = await fetch(this.base + path, { method: 'POST', headers: this.headers, body });
        const { status } = answer;
        const text = await answer.text();
        if (status < 300) return JSON.parse(text);
        if (status >= 500 || status === 429) throw new Error(`an answer is refused with ${status}`);
        refusal = text;
      } catch (error) {
        this.place.onError?.(error);
        continue;
      }
      throw new Error(refusal);
    }
    return undefined;
  }

  /** Waits, and again whenever the connection is lost, as the same agent. Never rejects. */
  async wait(take: (frame: Frame) => void): Promise<void> {
    const { agent, taskId, traceId } = this.place;
    const query = new URLSearchParams({ instance: crypto.randomUUID() });
    for (const [name, value] of Object.entries({ agent, taskId, traceId }))
      if (value !== undefined) query.set(name, value);
    for (let attempt = 0; !this.closing.aborted; attempt++) {
      if (await this.read(query, take)) attempt = 0;
      await this.pause(attempt);
    }
  }

  /** @returns whether it waited at all */
  private async read(query: URLSearchParams, take: (frame: Frame) => void): Promise<boolean> {
    const ending = new AbortController();
    const end = (): void => ending.abort();
    this.closing.addEventListener('abort', end);
    let silence = setTimeout(end, SILENCE_MS);
    let hasWaited = false;
    try {
      const { status, body } = await fetch(`${this.base}/api/control?${query.toString()}`, {
        headers: this.headers,
        signal: ending.signal,
      });
      if (status !== 200 || !body) throw new Error(`waiting for interrupts is refused with ${status}`);
      const reader = body.pipeThrough(new TextDecoderStream()).getReader();
      let text = '';
      for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
        clearTimeout(silence);
        silence = setTimeout(end, SILENCE_MS);
        unref(silence);
        const frames = (text + piece.value).split('\n\n');
        text = frames.pop() ?? '';
        for (const frame of frames) {
          const data = /^data: (.*)$/m.exec(frame)?.[1];
          if (data === undefined) continue;
          hasWaited = true;
          take(JSON.parse(data) as Frame);
        }
      }
    } catch (error) {
      if (!this.closing.aborted) this.place.onError?.(error);
    } finally {
      clearTimeout(silence);
      this.closing.removeEventListener('abort', end);
    }
    return hasWaited;
  }

  /** Grows, and is never the same for two: a service that comes back is not asked by all at once. */
  private pause(attempt: number): Promise<void> {
    const ms = Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** attempt) * (0.5 + Math.random() / 2);
    return new Promise((resolve) => {
      if (this.closing.aborted) return resolve();
      const end = (): void => {
        clearTimeout(timer);
        this.closing.removeEventListener('abort', end);
        resolve();
      };
      const timer = setTimeout(end, ms);
      if (!this.keepsAlive) unref(timer);
      this.closing.addEventListener('abort', end);
    });
  }
}

/** Keeps no Node process alive; in browsers timers are numbers. */
function unref(timer: unknown): void {
  (timer as { unref?: () => unknown }).unref?.();
}
