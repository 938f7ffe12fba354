/**
 * For programs that run agents: waits until somebody asks an agent to stop, calls back, and answers. Small, and without
 * anything beside `fetch`: for Node, Deno, Bun and browsers.
 */

/** What an agent says that it does about an interrupt. */
export type AnswerStatus = 'stopping' | 'completing_thought' | 'continuing' | 'ignored';

export interface InterruptAnswer {
  readonly status: AnswerStatus;
  readonly message?: string | undefined;
}

/** Somebody asks the agent to stop. */
export interface Interrupt {
  readonly id: string;
  readonly reason: 'timeout' | 'redirect' | 'error' | 'user_request' | 'resource_limit' | 'other';
  readonly message?: string;
  /** Who asks. */
  readonly by: string;
  /** The node that shows it: name it in `depends_on` of a span that comes of it. */
  readonly interruptNodeId: string;
  /** The step that is to be stopped. */
  readonly nodeId?: string;
  readonly taskId?: string;
  readonly agent?: string;
}

/** For what the agent waits: all that is given must be that of the step. */
export interface ControlOptions {
  /** Of the service's port for readers. `http://127.0.0.1:9000` if absent. */
  readonly url?: string;
  /** A key that may send. */
  readonly token?: string;
  readonly agent?: string;
  readonly taskId?: string;
  readonly traceId?: string;
  /** Decides what is done about it, within 30 s. Absent, or when it fails: `stopping`, and `signal` is aborted. */
  readonly onInterrupt?: (interrupt: Interrupt) => InterruptAnswer | Promise<InterruptAnswer>;
  /** Told of what goes wrong; it is tried again. */
  readonly onError?: (error: unknown) => void;
}

export interface Control {
  /** Aborted when the agent answered `stopping` or `completing_thought`; its reason is the interrupt. */
  readonly signal: AbortSignal;
  /** Resolves when the agent waits: whoever interrupts it from then on is heard. */
  readonly ready: Promise<void>;
  /** Waits no more. */
  close(): void;
}

const FIRST_DELAY_MS = 250;
const MAX_DELAY_MS = 10_000;
/** An answer is taken within 30 s, so it is tried for as long. */
const ANSWER_TRIES = 8;
/** The service says something every 15 s: a stream that is silent for longer is lost. */
const SILENCE_MS = 45_000;
/** What was told is not told again; more are never under way at once. */
const MAX_SEEN = 1_000;

/** Waits for interrupts from now on, and again whenever the connection is lost, until it is closed. */
export function waitForInterrupts(options: ControlOptions): Control {
  const { url = 'http://127.0.0.1:9000', token, agent, taskId, traceId, onInterrupt, onError } = options;
  const base = url.replace(/\/+$/, '');
  const headers = {
    'content-type': 'application/json',
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
  };
  const query = new URLSearchParams({ instance: crypto.randomUUID() });
  for (const [name, value] of Object.entries({ agent, taskId, traceId }))
    if (value !== undefined) query.set(name, value);
  const stopping = new AbortController();
  const closing = new AbortController();
  const ready = Promise.withResolvers<void>();
  const seen = new Set<string>();

  async function answer(interrupt: Interrupt): Promise<void> {
    seen.add(interrupt.id);
    for (const first of seen) if (seen.size > MAX_SEEN) seen.delete(first);
    let said: InterruptAnswer = { status: 'stopping' };
    try {
      if (onInterrupt) said = await onInterrupt(interrupt);
    } catch (error) {
      onError?.(error);
    }
    if (said.status === 'stopping' || said.status === 'completing_thought') stopping.abort(interrupt);
    const body = JSON.stringify({ id: interrupt.id, ...said });
    for (let attempt = 0; attempt < ANSWER_TRIES; attempt++) {
      if (attempt > 0) await pause(delayAfter(attempt));
      try {
        const { status } = await fetch(`${base}/api/control`, { method: 'POST', headers, body });
        if (status < 500 && status !== 429) return;
        throw new Error(`an answer is refused with ${status}`);
      } catch (error) {
        onError?.(error);
      }
    }
  }

  /** @returns whether it waited at all */
  async function read(): Promise<boolean> {
    const ending = new AbortController();
    const end = (): void => ending.abort();
    closing.signal.addEventListener('abort', end);
    let silence = setTimeout(end, SILENCE_MS);
    let hasWaited = false;
    try {
      const { status, body } = await fetch(`${base}/api/control?${query.toString()}`, {
        headers,
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
          const said = JSON.parse(data) as { readonly type: string } & Interrupt;
          hasWaited = true;
          if (said.type === 'waiting') ready.resolve();
          if (said.type === 'interrupt' && !seen.has(said.id)) void answer(said);
        }
      }
    } catch (error) {
      if (!closing.signal.aborted) onError?.(error);
    } finally {
      clearTimeout(silence);
      closing.signal.removeEventListener('abort', end);
    }
    return hasWaited;
  }

  async function run(): Promise<void> {
    for (let attempt = 0; !closing.signal.aborted; attempt++) {
      if (await read()) attempt = 0;
      await pause(delayAfter(attempt));
    }
  }

  /** Ends with `close`. */
  function pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      unref(timer);
      closing.signal.addEventListener('abort', () => resolve(), { once: true });
    });
  }

  void run();
  return { signal: stopping.signal, ready: ready.promise, close: () => closing.abort() };
}

/** Grows, and is never the same for two: a service that comes back is not asked by all at once. */
function delayAfter(attempt: number): number {
  return Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** attempt) * (0.5 + Math.random() / 2);
}

/** Keeps no Node process alive; in browsers timers are numbers. */
function unref(timer: unknown): void {
  (timer as { unref?: () => unknown }).unref?.();
}
