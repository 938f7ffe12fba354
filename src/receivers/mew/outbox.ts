import type { Clock, Timer } from '../../base/clock.ts';
import type { JsonObject } from '../../base/json.ts';
import type { Logger } from '../../telemetry/logger.ts';
import { Seldom } from '../../transport/seldom.ts';

/** What is to be said in a space. */
export interface Outgoing extends JsonObject {
  readonly id: string;
  readonly kind: string;
}

/** Why something was not said. */
export type Unsaid = 'full' | 'forbidden' | 'stopped';

export interface OutboxOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: {
    mewSaid(count: number): void;
    mewUnsaid(reason: Unsaid, count: number): void;
  };
}

/** Messages that wait while the gateway is away or slow; beyond it what is new is left out. */
const MAX_WAITING = 5_000;
const MAX_WAITING_CHARS = 16_000_000;
/** Said, and not heard again yet: a gateway sends everything to everybody, also to who said it. */
const MAX_UNHEARD = 100;
/** A gateway that sends no echo is taken to have heard. */
const UNHEARD_MS = 5_000;

/** A space that is joined. */
interface OutboxConnection {
  readonly send: (text: string) => void;
  /** Has all that was sent left this process? */
  readonly isSent: () => boolean;
}

interface Waiting {
  readonly taskId: string;
  readonly message: Outgoing;
  readonly text: string;
}

/**
 * Says messages once each, in their order: one is said when the gateway sends it back. What it was not heard to take before
 * it went away is said again, under the same id.
 */
export class Outbox {
  private readonly options: OutboxOptions;
  private readonly seldom: Seldom;
  private waiting: Waiting[] = [];
  private waitingChars = 0;
  private readonly unheard = new Map<string, Waiting>();
  /** Kinds that a capability forbids. */
  private readonly forbidden = new Set<string>();
  private connection: OutboxConnection | undefined;
  private timer: Timer | undefined;
  private onEmpty: () => void = () => undefined;

  constructor(options: OutboxOptions) {
    this.options = options;
    this.seldom = new Seldom(options.clock, options.logger);
  }

  add(message: Outgoing, taskId: string): void {
    if (this.forbidden.has(message.kind)) return this.options.metrics.mewUnsaid('forbidden', 1);
    const text = JSON.stringify(message);
    if (this.waiting.length >= MAX_WAITING || this.waitingChars + text.length > MAX_WAITING_CHARS) {
      this.options.metrics.mewUnsaid('full', 1);
      this.seldom.warn('messages of MEW are not said: the gateway is away or too slow', {});
      return;
    }
    this.waiting.push({ taskId, message, text });
    this.waitingChars += text.length;
    this.go();
  }

  /** The space is joined. */
  joined(connection: OutboxConnection): void {
    this.connection = connection;
    for (const { text } of this.unheard.values()) connection.send(text);
    this.patience();
    this.go();
  }

  left(): void {
    this.connection = undefined;
    this.timer?.cancel();
  }

  /** The gateway sent it back. */
  heard(id: string): void {
    if (!this.unheard.delete(id)) return;
    this.options.metrics.mewSaid(1);
    this.patience();
    this.go();
  }

  /** The gateway took none of these. Only of what was not heard it can say so: all others it has sent to everybody. */
  refused(ids: readonly unknown[], reason: string): void {
    const before = this.forbidden.size;
    for (const id of ids) {
      const found = typeof id === 'string' ? this.unheard.get(id) : undefined;
      if (!found) continue;
      const { kind } = found.message;
      this.unheard.delete(found.message.id);
      this.options.metrics.mewUnsaid('forbidden', 1);
      if (this.forbidden.has(kind)) continue;
      this.forbidden.add(kind);
      this.options.logger.warn(
        { kind, reason },
        'the gateway of MEW does not let this service say messages of a kind: they are left out until the next start',
      );
    }
    // Anybody in the space may say so, as often as they like.
    if (this.forbidden.size === before) return this.go();
    const left = this.waiting.filter(({ message }) => !this.forbidden.has(message.kind));
    this.options.metrics.mewUnsaid('forbidden', this.waiting.length - left.length);
    this.waiting = left;
    this.waitingChars = left.reduce((sum, { text }) => sum + text.length, 0);
    this.go();
  }

  /** Nothing of these tasks is said any more: they are erased. */
  forget(isErased: (taskId: string) => boolean): void {
    for (const [id, { taskId }] of this.unheard) if (isErased(taskId)) this.unheard.delete(id);
    this.waiting = this.waiting.filter(({ taskId }) => !isErased(taskId));
    this.waitingChars = this.waiting.reduce((sum, { text }) => sum + text.length, 0);
    this.go();
  }

  /** Resolves when all is said, or so much later. What is left then is counted. */
  async drain(ms: number): Promise<void> {
    if (this.connection && this.waiting.length + this.unheard.size > 0)
      await new Promise<void>((resolve) => {
        const timer = this.options.clock.after(ms, resolve);
        this.onEmpty = () => {
          timer.cancel();
          resolve();
        };
      });
    this.left();
    this.options.metrics.mewUnsaid('stopped', this.waiting.length + this.unheard.size);
    this.waiting = [];
    this.unheard.clear();
  }

  private go(): void {
    const wasIdle = this.unheard.size === 0;
    while (this.connection && this.unheard.size < MAX_UNHEARD) {
      const next = this.waiting.shift();
      if (!next) break;
      this.waitingChars -= next.text.length;
      this.unheard.set(next.message.id, next);
      this.connection.send(next.text);
    }
    if (wasIdle) this.patience();
    if (this.waiting.length + this.unheard.size === 0) this.onEmpty();
  }

  /** Begins anew whenever something is heard. */
  private patience(): void {
    this.timer?.cancel();
    if (!this.connection || this.unheard.size === 0) return;
    this.timer = this.options.clock.after(UNHEARD_MS, () => {
      // What a gateway does not read is held here: no more of it.
      if (this.connection?.isSent() !== true) return this.patience();
      this.options.metrics.mewSaid(this.unheard.size);
      this.unheard.clear();
      this.go();
    });
  }
}
