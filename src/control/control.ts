/**
 * For programs that run agents: waits until somebody asks an agent to stop, calls back, and answers; and asks people for an
 * approval. Small, and without anything beside `fetch`: for Node, Deno, Bun and browsers.
 */
import { ControlWay, type ControlPlace, type Frame } from './control-stream.ts';

export { askApproval } from './ask-approval.ts';
export type { Approval, ApprovalQuestion } from './ask-approval.ts';

/** What an agent says that it does about an interrupt. */
export type AnswerStatus = (typeof STATUSES)[number];
const STATUSES = ['stopping', 'completing_thought', 'continuing', 'ignored'] as const;

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

/** Which interrupts to wait for, and what is done about them. */
export interface ControlOptions extends ControlPlace {
  /** Decides what is done about it, within 30 s. Absent, or when it fails: `stopping`, and `signal` is aborted. */
  readonly onInterrupt?: (interrupt: Interrupt) => InterruptAnswer | Promise<InterruptAnswer>;
}

export interface Control {
  /** Aborted when the agent answered `stopping` or `completing_thought`; its reason is the interrupt. */
  readonly signal: AbortSignal;
  /** Resolves when the agent waits: whoever interrupts it from then on is heard. */
  readonly ready: Promise<void>;
  /** Waits no more. */
  close(): void;
}

/** As much as the service takes: a longer message is cut rather than lost with the answer. */
const MAX_MESSAGE_CHARS = 2_000;
/** An answer is taken within 30 s, so it is tried for as long. */
const ANSWER_TRIES = 8;
/** What was told is not told again; more are never under way at once. */
const MAX_SEEN = 1_000;

/** Waits for interrupts from now on, and again whenever the connection is lost, until it is closed. */
export function waitForInterrupts(options: ControlOptions): Control {
  const { onInterrupt, onError } = options;
  const stopping = new AbortController();
  const closing = new AbortController();
  const ready = Promise.withResolvers<void>();
  const seen = new Set<string>();
  const way = new ControlWay(options, closing.signal);

  async function answer(interrupt: Interrupt): Promise<void> {
    seen.add(interrupt.id);
    for (const first of seen) if (seen.size > MAX_SEEN) seen.delete(first);
    const { status, message } = await decided(interrupt);
    if (status === 'stopping' || status === 'completing_thought') stopping.abort(interrupt);
    const said = { id: interrupt.id, status, message: message?.slice(0, MAX_MESSAGE_CHARS) };
    // What comes too late is refused, and nothing is to be done about it.
    await way.post('/api/control', said, ANSWER_TRIES).catch((error: unknown) => onError?.(error));
  }

  async function decided(interrupt: Interrupt): Promise<InterruptAnswer> {
    try {
      // A program without types may give nothing, or anything.
      const said: Partial<InterruptAnswer> | undefined = await onInterrupt?.(interrupt);
      const status = STATUSES.find((one) => one === said?.status);
      if (status !== undefined)
        return { status, ...(typeof said?.message === 'string' && { message: said.message }) };
      if (onInterrupt) throw new Error(`onInterrupt has to give a status: ${STATUSES.join(', ')}`);
    } catch (error) {
      onError?.(error);
    }
    return { status: 'stopping' };
  }

  void way.wait((frame) => {
    if (frame.type === 'waiting') ready.resolve();
    if (frame.type === 'interrupt' && !seen.has(frame.id)) void answer(frame as Frame & Interrupt);
  });
  return { signal: stopping.signal, ready: ready.promise, close: () => closing.abort() };
}
