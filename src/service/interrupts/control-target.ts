import { createHash } from 'node:crypto';
import type { Principal } from '../../access/principal.ts';
import { BoundaryError } from '../../base/boundary-error.ts';
import { canonicalAgent } from '../../model/agent.ts';
import {
  ANSWER_WITHIN_MS,
  type Delivering,
  type Interrupt,
  type Interrupted,
  type InterruptAnswer,
  type InterruptTarget,
  type TakeAnswer,
} from '../../model/interrupt.ts';
import type {
  ApprovalFrame,
  ControlAnswered,
  ControlApi,
  ControlFrame,
  ControlStream,
  Waiting,
} from '../../servers/control-api.ts';
import { MAX_STREAMS_PER_KEY, type ControlPlaces } from './control-places.ts';
import { textIn, wrong, type Given } from '../given.ts';
import { givenAnswer } from './given-interrupt.ts';
import { interruptFrame } from './interrupt-frame.ts';

interface OpenStream {
  readonly principal: Principal;
  readonly waiting: Waiting;
  /** Who waits: the same after a lost connection. */
  readonly waiter: string;
  readonly stream: ControlStream;
}

/** An interrupt, or the answer to who asked for an approval, on its way to one who waits. */
interface Delivery {
  readonly id: string;
  readonly waiter: string;
  readonly principalId: string;
  readonly over: AbortSignal;
  /** Absent where no answer is asked for. */
  readonly take: TakeAnswer | undefined;
  /** It is told again to who comes back, until it says that it has it. */
  isReceived: boolean;
  answer?: InterruptAnswer;
}

/** What those are told of who wait for it, while it is not over. */
interface Pending {
  readonly id: string;
  readonly about: Interrupted;
  readonly isFor: (principal: Principal) => boolean;
  readonly frame: (deliveryId: string) => ControlFrame;
  /** Somebody is told; absent where no answer is asked for. */
  readonly tells?: Delivering['told'];
  readonly over: AbortSignal;
  /** How many were told by each key. */
  readonly told: Map<string, number>;
}

/** What became of an approval that was asked for. */
export interface ToldApproval extends Pick<Pending, 'id' | 'about' | 'isFor' | 'over'> {
  readonly said: Omit<ApprovalFrame, 'type' | 'id'>;
}

/** Of so many it is known what was answered, so that an answer that is sent again is told from another one. */
const MAX_DELIVERIES = 5_000;

/** Agents that wait on a control stream. Whoever waits for a step while its interrupt is pending is told of it, once. */
export class ControlTarget implements InterruptTarget, ControlApi {
  readonly way = 'control';
  private readonly places: ControlPlaces;
  private readonly streams = new Set<OpenStream>();
  private readonly pending = new Map<string, Pending>();
  /** By their ids, the oldest first. */
  private readonly deliveries = new Map<string, Delivery>();
  private closed: string | undefined;

  constructor(places: ControlPlaces) {
    this.places = places;
  }

  /** Who is not there yet may come within the time. */
  canReach(): boolean {
    return true;
  }

  /** Does somebody wait who would be told of this? */
  isHeard(about: Interrupted): boolean {
    return [...this.streams].some(({ waiting }) => isMeant(about, waiting));
  }

  /** Does somebody wait for exactly this task, or a trace of it? */
  waitsForTask(taskId: string, traceIds: readonly string[]): boolean {
    return [...this.streams].some(
      ({ waiting }) =>
        waiting.taskId === taskId || (waiting.traceId !== undefined && traceIds.includes(waiting.traceId)),
    );
  }

  /** Whoever waits is told why it ends, and nobody waits any more. */
  close(reason: string): void {
    this.closed = reason;
    for (const { stream } of this.streams) endFor(reason, stream);
  }

  send(interrupt: Interrupt, { told, over }: Delivering): void {
    const { id, about, onlyOf } = interrupt;
    this.begin({
      id,
      about,
      isFor: (principal) => onlyOf === undefined || onlyOf === principal.id,
      frame: (deliveryId) => interruptFrame(interrupt, deliveryId),
      tells: told,
      over,
    });
  }

  /** Whoever asked is told, once each that waits for it, and again after a lost stream until it says that it has it. */
  tellApproval({ said, ...approval }: ToldApproval): void {
    this.begin({ ...approval, frame: (id) => ({ type: 'approval', id, ...said }) });
  }

  private begin(told: Omit<Pending, 'told'>): void {
    if (told.over.aborted) return;
    const pending = { ...told, told: new Map<string, number>() };
    this.pending.set(told.id, pending);
    told.over.addEventListener('abort', () => this.pending.delete(told.id), { once: true });
    for (const open of this.streams) this.tell(pending, open);
  }

  wait(principal: Principal, given: Given, stream: ControlStream, lastId?: string): () => void {
    const waiting = waitingIn(given);
    if (this.closed !== undefined) throw new BoundaryError('UNAVAILABLE', this.closed);
    const waiter = waiterOf(principal, waiting);
    const open = { principal, waiting, waiter, stream };
    const release = this.places.take(principal.id, () => {
      this.streams.delete(open);
      endFor('others have less: this one makes room', stream);
    });
    this.streams.add(open);
    if (lastId !== undefined) this.receivedUpTo(waiter, lastId);
    stream.send({ type: 'waiting', ...waiting });
    for (const pending of this.pending.values()) this.tell(pending, open);
    return () => {
      this.streams.delete(open);
      release();
    };
  }

  answer(principal: Principal, given: Given): ControlAnswered {
    const id = textIn(given, 'id');
    if (id === undefined) throw wrong('id', 'is required: that of the interrupt, as it came');
    const answer = givenAnswer(given);
    const delivery = this.deliveries.get(id);
    if (!delivery || delivery.principalId !== principal.id)
      throw new BoundaryError('NOT_FOUND', 'id: you were told of nothing with this id');
    delivery.isReceived = true;
    if (answer === undefined) return { id };
    if (!delivery.take)
      throw new BoundaryError(
        'FAILED_PRECONDITION',
        'nothing is asked of you: say {"id": "…", "received": true} that you have it',
      );
    if (isSame(delivery.answer, answer)) return { id, status: answer.status };
    if (delivery.answer)
      throw new BoundaryError('FAILED_PRECONDITION', 'it is answered already: the first answer counts');
    if (!delivery.take(answer))
      throw new BoundaryError(
        'FAILED_PRECONDITION',
        `too late: an answer is taken within ${ANSWER_WITHIN_MS / 1000} s`,
      );
    delivery.answer = answer;
    return { id, status: answer.status };
  }

  private tell(pending: Pending, { principal, waiting, waiter, stream }: OpenStream): void {
    const { about, told, over } = pending;
    if (!pending.isFor(principal) || !isMeant(about, waiting)) return;
    const id = deliveryId(pending.id, waiter);
    let delivery = this.deliveries.get(id);
    if (delivery?.isReceived === true) return;
    if (!delivery) {
      const before = told.get(principal.id) ?? 0;
      // Each is a step on the graph, and a waiter is new as often as it says so.
      if (before >= MAX_STREAMS_PER_KEY) return;
      told.set(principal.id, before + 1);
      const take = pending.tells?.(about.agent ?? waiting.agent);
      delivery = { id, waiter, principalId: principal.id, over, take, isReceived: false };
      this.keep(delivery);
    }
    stream.send(pending.frame(id));
  }

  private keep(delivery: Delivery): void {
    this.deliveries.set(delivery.id, delivery);
    if (this.deliveries.size <= MAX_DELIVERIES) return;
    // One may be open for days: those behind it that are over go before it.
    const all = [...this.deliveries.values()];
    const first = all.find(({ over }) => over.aborted) ?? all.find(({ isReceived }) => isReceived) ?? all[0];
    if (first) this.deliveries.delete(first.id);
  }

  /** What came before the last one came as well: a stream keeps its order. */
  private receivedUpTo(waiter: string, lastId: string): void {
    if (this.deliveries.get(lastId)?.waiter !== waiter) return;
    for (const delivery of this.deliveries.values()) {
      if (delivery.waiter === waiter) delivery.isReceived = true;
      if (delivery.id === lastId) return;
    }
  }
}

/** Says why nothing more comes. */
function endFor(reason: string, stream: ControlStream): void {
  stream.send({ type: 'closed', reason });
  stream.end();
}

/** @returns for whom an agent waits @throws BoundaryError INVALID_ARGUMENT */
export function waitingIn(given: Given): Waiting {
  const [agent, taskId, traceId, instance] = ['agent', 'taskId', 'traceId', 'instance'].map((field) =>
    textIn(given, field),
  );
  if (agent === undefined && taskId === undefined && traceId === undefined)
    throw wrong('agent', 'is required, or taskId or traceId: say whose interrupts you wait for');
  return {
    ...(agent !== undefined && { agent }),
    ...(taskId !== undefined && { taskId }),
    ...(traceId !== undefined && { traceId: traceId.toLowerCase() }),
    ...(instance !== undefined && { instance }),
  };
}

function waiterOf({ id }: Principal, { agent, taskId, traceId, instance }: Waiting): string {
  return JSON.stringify([id, agent, taskId, traceId, instance]);
}

/** A function of both, so that it is the same after a lost connection; what is not told cannot be guessed from it. */
function deliveryId(interruptId: string, waiter: string): string {
  return createHash('sha256').update(`${interruptId}\0${waiter}`).digest('hex').slice(0, 32);
}

/** What both say is the same, and of what is waited for something is said. */
function isMeant(about: Interrupted, waiting: Waiting): boolean {
  const { agent, taskId, traceIds } = about;
  const agreed = new Set([
    waiting.agent === undefined || agent === undefined
      ? undefined
      : canonicalAgent(waiting.agent) === canonicalAgent(agent),
    waiting.taskId === undefined || taskId === undefined ? undefined : waiting.taskId === taskId,
    waiting.traceId === undefined || traceIds === undefined ? undefined : traceIds.includes(waiting.traceId),
  ]);
  return agreed.has(true) && !agreed.has(false);
}

function isSame(a: InterruptAnswer | undefined, b: InterruptAnswer): boolean {
  return a?.status === b.status && a.message === b.message;
}
