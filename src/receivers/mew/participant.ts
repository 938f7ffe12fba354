import { randomUUID } from 'node:crypto';
import { WebSocket } from 'ws';
import { BoundaryError } from '../../base/boundary-error.ts';
import type { Clock, Timer } from '../../base/clock.ts';
import { isObject, type JsonObject } from '../../base/json.ts';
import type { Logger } from '../../telemetry/logger.ts';
import { DEFAULT_RETRY_AFTER_MS } from '../config.ts';
import type { Envelope } from './envelope.ts';
import type { Outbox } from './outbox.ts';
import { KnownAgents } from './known-agents.ts';
import type { MewReceiver } from './mew-receiver.ts';
import { StopRequests, type ContextCanceller, type StopListener, type StopRequest } from './stop-requests.ts';

export interface ParticipantSettings {
  /** `ws://` or `wss://`. */
  readonly url: string;
  readonly space: string;
  readonly token?: string | undefined;
  readonly participant: string;
  /** With which message an agent is asked to stop. */
  readonly interrupts: 'cancel' | 'interrupt';
}

export interface ParticipantOptions extends ParticipantSettings {
  readonly receiver: Pick<MewReceiver, 'read' | 'keep'>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly maxMessageBytes: number;
  /** What is to be said there; absent: nothing. */
  readonly outbox?: Outbox | undefined;
}

/** Pauses between attempts, doubled from the first to the last. */
const FIRST_PAUSE_MS = 250;
const LAST_PAUSE_MS = 5_000;
/** Whoever was in the space for so long begins again with the first pause. */
const STEADY_MS = 30_000;
/** The gateway forgets who is silent. */
const HEARTBEAT_MS = 30_000;
/** A gateway that does not speak MEW says nothing. */
const WELCOME_MS = 10_000;
/** Messages that wait to be taken; beyond it nothing more is read, and the gateway has to wait. */
const MAX_WAITING = 2_000;
const MAX_WAITING_CHARS = 16_000_000;
/** Of these so many are read in one turn of the event loop: some milliseconds. */
const PORTION_CHARS = 128 * 1024;
/** What was refused is told once in this time. */
const TELL_MS = 10_000;

/**
 * Joins the space of a gateway and observes it: everybody there gets every message. It asks for no capability but to ask agents
 * to stop, and answers nothing. While the gateway is away it tries again; what was said meanwhile is not said again.
 */
export class MewParticipant implements ContextCanceller {
  private readonly options: ParticipantOptions;
  private readonly stops: StopRequests;
  private readonly agents = new KnownAgents();
  private socket: WebSocket | undefined;
  private isIn = false;
  private readonly waitingForIt = new Set<() => void>();
  private isStopping = false;
  private problemNow: string | undefined;
  private waiting: string[] = [];
  private waitingChars = 0;
  private taking: Promise<void> | undefined;
  private timer: Timer | undefined;
  private pauseMs = FIRST_PAUSE_MS;
  private readonly refused = { rate: 0, invalid: 0 };
  private telling: Timer | undefined;

  constructor(options: ParticipantOptions) {
    this.options = options;
    this.stops = new StopRequests(options);
  }

  /** Why nothing comes in, for `/readyz`; undefined while all is well. */
  get problem(): string | undefined {
    return this.problemNow;
  }

  start(): void {
    this.connect();
  }

  /** Leaves the space; resolves when what came is taken, or was refused. */
  async stop(): Promise<void> {
    this.isStopping = true;
    this.isIn = false;
    this.timer?.cancel();
    this.socket?.terminate();
    this.telling?.cancel();
    this.tellRefused();
    await this.taking;
  }

  mayReach({ space, to, contextId }: Pick<StopRequest, 'space' | 'to' | 'contextId'>): boolean {
    // Who is there is known when the gateway has said it.
    return space === this.options.space && (!this.isIn || this.agents.knows(to, contextId));
  }

  whoBegan({ space, contextId }: Pick<StopRequest, 'space' | 'contextId'>): string | undefined {
    return space === this.options.space ? this.agents.whoBegan(contextId) : undefined;
  }

  cancelContext(request: StopRequest, answers: StopListener): string {
    if (!this.mayReach(request))
      throw new BoundaryError('NOT_FOUND', 'no gateway that is joined knows this agent');
    // A connection that closes takes nothing any more, and says so a little later.
    if (!this.isIn || this.socket?.readyState !== WebSocket.OPEN)
      throw new BoundaryError('UNAVAILABLE', 'the gateway of MEW is away');
    const message = this.stops.make(request, answers);
    this.send(message);
    return message.id;
  }

  onceBack(back: () => void, over: AbortSignal): void {
    this.waitingForIt.add(back);
    over.addEventListener('abort', () => this.waitingForIt.delete(back), { once: true });
  }

  private connect(): void {
    if (this.isStopping) return;
    const { url, clock, maxMessageBytes, space, participant, token } = this.options;
    const socket = new WebSocket(url, { maxPayload: maxMessageBytes, followRedirects: false });
    this.socket = socket;
    const began = clock.monotonic();
    let failure = 'closed';
    const patience = clock.after(WELCOME_MS, () => {
      failure = 'no welcome';
      socket.terminate();
    });
    socket.on('open', () =>
      this.send({ type: 'join', space, participantId: participant, token, capabilities: [] }),
    );
    socket.on('message', (data, isBinary) => {
      if (isBinary) return;
      // As the library gives it: one Buffer.
      this.take((data as Buffer).toString('utf8'), () => patience.cancel());
    });
    socket.on('error', (error) => {
      const { code } = error as { readonly code?: unknown };
      failure = typeof code === 'string' && /^[A-Z0-9_]{2,60}$/.test(code) ? code : 'not a WebSocket';
    });
    socket.on('close', () => {
      patience.cancel();
      this.timer?.cancel();
      this.isIn = false;
      this.options.outbox?.left();
      if (this.isStopping) return;
      this.isAway(failure);
      if (clock.monotonic() - began > STEADY_MS) this.pauseMs = FIRST_PAUSE_MS;
      this.timer = clock.after(this.pauseMs, () => this.connect());
      this.pauseMs = Math.min(2 * this.pauseMs, LAST_PAUSE_MS);
    });
  }

  private take(text: string, onWelcome: () => void): void {
    const plumbing = text.startsWith('#') ? undefined : ownBusiness(text);
    if (plumbing?.['kind'] === 'system/welcome') {
      onWelcome();
      if (!this.isIn) this.agents.welcomed(plumbing);
      // Whoever else in the space says so puts off no heartbeat.
      if (!this.isIn) this.isBack();
      return;
    }
    if (plumbing?.['kind'] === 'system/error') {
      const { correlation_id: ids, payload } = plumbing;
      const reason =
        isObject(payload) && payload['error'] === 'capability_violation' ? 'a capability' : 'other';
      this.options.outbox?.refused(Array.isArray(ids) ? ids : [ids], reason);
      return this.stops.refused(plumbing);
    }
    if (!this.isIn) return;
    this.waiting.push(text);
    this.waitingChars += text.length;
    if (this.isFull) this.socket?.pause();
    this.taking ??= this.takeAll();
  }

  private get isFull(): boolean {
    return this.waiting.length >= MAX_WAITING || this.waitingChars >= MAX_WAITING_CHARS;
  }

  /** What waits together is taken together, but no more of it than others can wait for. */
  private async takeAll(): Promise<void> {
    while (this.waiting.length > 0) {
      // What comes in the same turn of the event loop is one batch.
      await new Promise((resolve) => void setImmediate(resolve));
      const texts = this.portion();
      if (!this.isFull) this.socket?.resume();
      await this.keep(texts);
    }
    this.taking = undefined;
  }

  private portion(): readonly string[] {
    let count = 0;
    let chars = 0;
    for (const { length } of this.waiting) {
      count++;
      chars += length;
      if (chars >= PORTION_CHARS) break;
    }
    this.waitingChars -= chars;
    return this.waiting.splice(0, count);
  }

  /** While the service is full it is asked again. */
  private async keep(texts: readonly string[]): Promise<void> {
    const { receiver, clock, logger, space } = this.options;
    let records: ReturnType<MewReceiver['read']> | undefined;
    for (;;) {
      try {
        records ??= receiver.read(
          texts,
          { space, namedTask: undefined },
          { refused: (reason) => this.refuse(reason), heard: (envelope) => this.heard(envelope) },
        );
        return await receiver.keep(records);
      } catch (error) {
        const { code, retryAfterMs = DEFAULT_RETRY_AFTER_MS } = BoundaryError.from(error);
        const mayPass = code === 'RESOURCE_EXHAUSTED' || code === 'UNAVAILABLE';
        if (!mayPass || this.isStopping) {
          logger.warn({ messages: texts.length, code }, 'messages of MEW were not taken');
          return;
        }
        await new Promise<void>((resolve) => void clock.after(retryAfterMs, resolve));
      }
    }
  }

  private heard(envelope: Envelope): void {
    this.stops.heard(envelope);
    this.options.outbox?.heard(envelope.id);
    if (envelope.kind === 'system/presence') this.agents.changed(envelope);
    else this.agents.heard(envelope);
  }

  private refuse(reason: 'rate' | 'invalid'): void {
    this.refused[reason]++;
    this.telling ??= this.options.clock.after(TELL_MS, () => this.tellRefused());
  }

  private tellRefused(): void {
    this.telling = undefined;
    const { rate, invalid } = this.refused;
    if (rate + invalid === 0) return;
    this.refused.rate = 0;
    this.refused.invalid = 0;
    this.options.logger.warn({ tooMany: rate, invalid }, 'messages of MEW were not taken');
  }

  private isBack(): void {
    const { logger, space } = this.options;
    logger.info({ space }, 'joined the space of a gateway of MEW');
    this.isIn = true;
    this.problemNow = undefined;
    this.beat();
    this.options.outbox?.joined({
      send: (text) => this.sendText(text),
      isSent: () => this.socket?.bufferedAmount === 0,
    });
    const waiting = [...this.waitingForIt];
    this.waitingForIt.clear();
    for (const back of waiting) back();
  }

  private isAway(reason: string): void {
    const isNews = this.problemNow === undefined;
    this.problemNow = `the gateway of MEW is away (${reason}): what is said there meanwhile is missed; it is tried again`;
    if (isNews)
      this.options.logger.warn({ reason }, 'the gateway of MEW is away, it is tried again until it is there');
  }

  private beat(): void {
    this.timer?.cancel();
    this.timer = this.options.clock.after(HEARTBEAT_MS, () => {
      this.send({ id: randomUUID(), kind: 'system/heartbeat', payload: {} });
      this.beat();
    });
  }

  private send(message: object): void {
    this.sendText(JSON.stringify(message));
  }

  private sendText(text: string): void {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(text);
  }
}

/** What a gateway says to this participant; of all other texts nothing is read yet. */
function ownBusiness(text: string): JsonObject | undefined {
  if (!text.includes('"system/')) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
