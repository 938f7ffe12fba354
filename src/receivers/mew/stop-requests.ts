import { randomUUID } from 'node:crypto';
import type { JsonObject } from '../../base/json.ts';
import type { Clock } from '../../base/clock.ts';
import { toIso, epochMs } from '../../model/time.ts';
import type { Logger } from '../../telemetry/logger.ts';

/** Who is asked to stop what, and why. */
export interface StopRequest {
  readonly space: string;
  /** Its path. */
  readonly contextId: string;
  /** The participant who reasons. */
  readonly to: string;
  readonly reason: string;
  readonly message?: string | undefined;
}

/** Asks agents of a space to stop: what interrupts are sent through. */
export interface ContextCanceller {
  cancelContext(request: StopRequest): string;
}

export interface StopOptions {
  readonly participant: string;
  readonly interrupts: 'cancel' | 'interrupt';
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Requests whose refusal would be told as such. */
const MAX_KNOWN = 1_000;

/** Makes the messages with which agents are asked to stop, each sent once; and says so when the gateway refuses one. */
export class StopRequests {
  private readonly options: StopOptions;
  private readonly made = new Set<string>();

  constructor(options: StopOptions) {
    this.options = options;
  }

  make({ contextId, to, reason, message }: StopRequest): { readonly id: string } & JsonObject {
    const { participant, interrupts, clock } = this.options;
    const id = randomUUID();
    this.made.add(id);
    if (this.made.size > MAX_KNOWN)
      for (const oldest of this.made) {
        this.made.delete(oldest);
        break;
      }
    const start = contextId.split('/').at(-1) ?? contextId;
    return {
      protocol: 'mew/v0.4',
      id,
      ts: toIso(epochMs(clock.now())),
      from: participant,
      to: [to],
      kind: `reasoning/${interrupts}`,
      context: contextId,
      ...(interrupts === 'interrupt' && { correlation_id: [start] }),
      payload: { reason, ...(message !== undefined && { message }) },
    };
  }

  /** A gateway refused something: what others sent is no business of this participant. Nothing is sent again. */
  refused({ correlation_id: ids, payload }: JsonObject): void {
    const own = (Array.isArray(ids) ? ids : [ids]).filter(
      (id) => typeof id === 'string' && this.made.has(id),
    );
    // An error without an id is about the connection itself.
    if (ids !== undefined && own.length === 0) return;
    const { error } = (payload ?? {}) as { readonly error?: unknown };
    const reason = typeof error === 'string' && /^[A-Za-z_]{1,60}$/.test(error) ? error : 'unknown';
    this.options.logger.warn(
      { messages: own, reason },
      'the gateway of MEW refused a message of this service',
    );
  }
}
