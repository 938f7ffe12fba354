import { randomUUID } from 'node:crypto';
import type { JsonObject } from '../../base/json.ts';
import type { Clock } from '../../base/clock.ts';
import type { InterruptAnswer, InterruptReason } from '../../model/interrupt.ts';
import { MEW_PROTOCOL } from '../../model/mew.ts';
import { toIso, epochMs } from '../../model/time.ts';
import type { Logger } from '../../telemetry/logger.ts';
import { Seldom } from '../../transport/seldom.ts';
import type { Envelope } from './envelope.ts';
import { stopAnswerIn } from './stop-answers.ts';

/** Who is asked to stop what, and why. */
export interface StopRequest {
  readonly space: string;
  /** Its path. */
  readonly contextId: string;
  /** The participant who reasons. */
  readonly to: string;
  readonly reason: InterruptReason;
  readonly message?: string | undefined;
}

/** Asks agents of a space to stop: what interrupts are sent through. */
export interface ContextCanceller {
  /** May it be that the gateway knows who reasons there? What only a sender of this service says is nothing to ask about. */
  mayReach(request: Pick<StopRequest, 'space' | 'to' | 'contextId'>): boolean;
  /** Who began a context by what came through the gateway, whatever senders of this service say; undefined if it was not heard. */
  whoBegan(request: Pick<StopRequest, 'space' | 'contextId'>): string | undefined;
  /**
   * Asks an agent to stop what it reasons about in a context, once.
   * @returns the id of the message, which the gateway may still refuse: then the log says so
   * @throws BoundaryError NOT_FOUND for whom the gateway does not know, UNAVAILABLE while the gateway is away
   */
  cancelContext(request: StopRequest, answers: StopListener): string;
  /** Calls back, once, when the gateway is back; not any more when it is over. */
  onceBack(back: () => void, over: AbortSignal): void;
}

/** Who waits for what an agent answers. */
export interface StopListener {
  /** Told of each answer, until it is over. */
  readonly answered: (answer: InterruptAnswer) => void;
  readonly over: AbortSignal;
}

export interface StopOptions {
  readonly participant: string;
  readonly interrupts: 'cancel' | 'interrupt';
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Requests whose refusal would be told as such. */
const MAX_KNOWN = 1_000;

/** `reasoning/cancel` has a word of its own for who shall do something else. */
const CANCEL_REASONS: Partial<Record<InterruptReason, string>> = { redirect: 'superseded' };

interface Asked {
  readonly to: string;
  readonly context: string;
  readonly answered: StopListener['answered'];
}

/** Makes the messages with which agents are asked to stop, each sent once; and says so when the gateway refuses one. */
export class StopRequests {
  private readonly options: StopOptions;
  private readonly made = new Set<string>();
  /** Those whose answers somebody waits for. */
  private readonly asked = new Map<string, Asked>();
  private readonly seldom: Seldom;

  constructor(options: StopOptions) {
    this.options = options;
    this.seldom = new Seldom(options.clock, options.logger);
  }

  make(
    { contextId, to, reason, message }: StopRequest,
    { answered, over }: StopListener,
  ): { readonly id: string } & JsonObject {
    const { participant, interrupts, clock } = this.options;
    const id = randomUUID();
    this.made.add(id);
    if (this.made.size > MAX_KNOWN)
      for (const oldest of this.made) {
        this.made.delete(oldest);
        break;
      }
    const start = contextId.split('/').at(-1) ?? contextId;
    this.asked.set(id, { to, context: start, answered });
    over.addEventListener('abort', () => this.asked.delete(id), { once: true });
    return {
      protocol: MEW_PROTOCOL,
      id,
      ts: toIso(epochMs(clock.now())),
      from: participant,
      to: [to],
      kind: `reasoning/${interrupts}`,
      context: contextId,
      ...(interrupts === 'interrupt' && { correlation_id: [start] }),
      payload: {
        reason: (interrupts === 'cancel' ? CANCEL_REASONS[reason] : undefined) ?? reason,
        ...(message !== undefined && { message }),
      },
    };
  }

  /** Something was said in the space: it may answer. Only who was asked does; a frame of its stream has no name. */
  heard(envelope: Envelope): void {
    if (this.asked.size === 0) return;
    const answer = stopAnswerIn(envelope);
    if (!answer) return;
    const { from, requests, context, status, message } = answer;
    for (const [id, asked] of this.asked) {
      if (from !== undefined && from !== asked.to) continue;
      if (requests === undefined ? context === asked.context : requests.includes(id))
        asked.answered({ status, message });
    }
  }

  /**
   * A gateway refused something: what others sent is no business of this participant. Nothing is sent again. Anybody in the
   * space may say that it did, so each message is told of once, and what names none once in a while.
   */
  refused({ correlation_id: ids, payload }: JsonObject): void {
    const own = (Array.isArray(ids) ? ids : [ids]).filter(
      (id) => typeof id === 'string' && this.made.delete(id),
    );
    const { error } = (payload ?? {}) as { readonly error?: unknown };
    const reason = typeof error === 'string' && /^[A-Za-z_]{1,60}$/.test(error) ? error : 'unknown';
    // An error without an id is about the connection itself.
    if (ids === undefined) this.seldom.warn(REFUSED, { reason });
    else if (own.length > 0) this.options.logger.warn({ messages: own, reason }, REFUSED);
  }
}

const REFUSED = 'the gateway of MEW refused a message of this service';
