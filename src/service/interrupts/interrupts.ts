import type { Principal } from '../../access/principal.ts';
import { atMost } from '../../base/at-most.ts';
import { BoundaryError } from '../../base/boundary-error.ts';
import type { Clock } from '../../base/clock.ts';
import { eventNodeId } from '../../model/ids.ts';
import {
  ANSWER_WITHIN_MS,
  type Interrupt,
  type InterruptAnswer,
  type Interrupted,
  type InterruptState,
  type InterruptTarget,
} from '../../model/interrupt.ts';
import type { ExplanationNode } from '../../model/node.ts';
import type { RecordConsumer } from '../../model/pipeline.ts';
import type { EventRecord } from '../../model/records.ts';
import { epochMs } from '../../model/time.ts';
import type { InterruptRefusal } from '../../telemetry/instruments.ts';
import type { Logger } from '../../telemetry/logger.ts';
import { askerName } from '../asker-id.ts';
import { AskerPace } from '../asker-pace.ts';
import { nextTurn, OwnEvents } from '../own-events.ts';
import type { AskedWhy } from './given-interrupt.ts';
import {
  answeredEvent,
  answeredIdOf,
  ASKED,
  askedEvent,
  interruptEventId,
  interruptIdOf,
  unansweredEvent,
} from './interrupt-events.ts';
import { stateOf, stateOfNode, type Asked, type Told } from './interrupt-state.ts';
import { demandMayInterrupt } from './may-interrupt.ts';

export interface InterruptsOptions {
  readonly consumer: RecordConsumer;
  readonly clock: Clock;
  readonly logger: Logger;
  /** The ways to agents, in the order in which they are taken. */
  readonly targets: readonly InterruptTarget[];
  /** In memory or archived; undefined when nothing with this id is known. */
  readonly nodeWith: (nodeId: string) => Promise<ExplanationNode | undefined>;
  /** Of a node in memory. */
  readonly taskOf: (nodeId: string) => string | undefined;
  /** All nodes of interrupts, and of what was answered, in memory and archived. */
  readonly ownNodes: () => AsyncIterable<readonly ExplanationNode[]>;
  /** Told of each that was asked, and not only sent again. */
  readonly onAsked: (by: Principal, interrupt: Interrupt) => void;
  /** Told of each that was refused: by the capabilities of a key, or because one asker has asked too often. */
  readonly onRefused: (why: InterruptRefusal) => void;
  /** For what agents say, in the state that the asker reads. */
  readonly redact: (text: string) => string;
}

/** One who runs away is stopped by a few; more is a program that goes wrong. */
const ASKED_AT_ONCE = 20;
/** Of so many it is known how it stands with them; those that are over go first. */
const MAX_KNOWN = 1_000;
const RETRY_MS = 1_000;
/** Who asks waits so long at most until it is on the graph. */
const RECORDED_WITHIN_MS = 2_000;

/** What was asked to stop, until each who was told has answered or the time is over; all of it is on the graph. */
export class Interrupts {
  private readonly options: InterruptsOptions;
  /** By id, the oldest first. */
  private readonly known = new Map<string, Asked>();
  private readonly pace: AskerPace;
  private readonly events: OwnEvents;
  private isStopping = false;

  constructor(options: InterruptsOptions) {
    this.options = options;
    this.pace = new AskerPace(ASKED_AT_ONCE, 'interrupt', options.clock);
    this.events = new OwnEvents({
      ...options,
      lost: 'an interrupt, or an answer to one, is not on the graph',
    });
  }

  /** What was under way when the service ended is over. */
  async start(): Promise<void> {
    const asked = new Map<string, Pick<Interrupted, 'taskId' | 'agent'>>();
    const answered = new Set<string | undefined>();
    try {
      for await (const nodes of this.options.ownNodes())
        for (const { taskId, name, details = {} } of nodes) {
          const eventId = textOf(details['eventId']) ?? '';
          answered.add(answeredIdOf(eventId));
          const id = interruptIdOf(eventId);
          if (id !== undefined && name === ASKED)
            asked.set(id, { taskId, agent: textOf(details['interruptedAgent']) });
        }
    } catch (error) {
      const { code } = BoundaryError.from(error);
      this.options.logger.error({ code }, 'interrupts that left memory before the start are not ended');
    }
    const at = epochMs(this.options.clock.now());
    const why = 'not answered before the service was started anew';
    for (const [id, about] of asked)
      if (!answered.has(id)) this.record(unansweredEvent({ id, about }, { nth: 0, why }, at));
  }

  /** What is under way ends as unanswered. Resolves when it is recorded. */
  async stop(): Promise<void> {
    this.isStopping = true;
    for (const asked of this.known.values()) this.end(asked, 'the service was stopped');
    await this.events.stop();
  }

  /** Nothing of these tasks is told, or recorded, any more. */
  forget(tasks: readonly string[]): void {
    for (const [id, asked] of this.known) {
      // Who named no task may have been given one by the graph.
      const taskId = asked.interrupt.about.taskId ?? this.options.taskOf(eventNodeId(interruptEventId(id)));
      if (taskId === undefined || !tasks.includes(taskId)) continue;
      this.known.delete(id);
      asked.timer?.cancel();
      asked.ending.abort();
    }
  }

  /** @throws BoundaryError NOT_FOUND */
  stateOf(id: unknown): InterruptState {
    const asked = typeof id === 'string' ? this.known.get(id) : undefined;
    if (asked) return this.state(asked);
    throw new BoundaryError('NOT_FOUND', 'no interrupt with this id is known: look at its task');
  }

  /**
   * Tells whom it reaches, and resolves when it stands on the graph that it was asked. The same id again changes nothing.
   * @param find what is to be stopped @param onlyOf who may be told, where not everybody
   * @throws BoundaryError what `find` throws, PERMISSION_DENIED, RESOURCE_EXHAUSTED, UNAVAILABLE, FAILED_PRECONDITION
   */
  async ask(
    { id, reason, message, after, isFresh }: AskedWhy,
    by: Principal,
    find: () => Promise<Interrupted>,
    onlyOf?: string,
  ): Promise<InterruptState> {
    const before = this.known.get(id);
    if (before) return this.state(before);
    this.counted('rate', () => this.pace.admit(by));
    // The store has other things to do: an id that is new is not looked up, since an agent that runs away goes on meanwhile.
    const shown =
      isFresh === true ? undefined : await this.options.nodeWith(eventNodeId(interruptEventId(id)));
    if (shown) return stateOfNode(id, shown);
    const about = await find();
    // To its own agents a sender may always speak.
    if (onlyOf === undefined) this.counted('capability', () => demandMayInterrupt(by, about, reason));
    const interrupt: Interrupt = {
      id,
      reason,
      message,
      about,
      by: askerName(by),
      at: epochMs(this.options.clock.now()),
      after,
      onlyOf,
    };
    // It may have been sent twice at the same time.
    const meanwhile = this.known.get(id);
    if (meanwhile) return this.state(meanwhile);
    if (this.isStopping) throw new BoundaryError('UNAVAILABLE', 'the service is shutting down');
    const asked: Asked = { interrupt, told: [], ending: new AbortController() };
    this.keep(asked);
    asked.timer = this.options.clock.after(ANSWER_WITHIN_MS, () => this.end(asked));
    // To stop somebody matters more than that it is recorded: a service that is full tells them at once.
    this.record(askedEvent(interrupt, by), asked);
    this.deliver(asked);
    await nextTurn();
    this.options.onAsked(by, interrupt);
    await atMost(RECORDED_WITHIN_MS, this.events.recorded, this.options.clock);
    return this.state(asked);
  }

  private counted(why: InterruptRefusal, demand: () => void): void {
    try {
      demand();
    } catch (error) {
      this.options.onRefused(why);
      throw error;
    }
  }

  private deliver(asked: Asked): void {
    const { interrupt, told } = asked;
    for (const target of this.options.targets) {
      if (target.isLast === true && told.length > 0) continue;
      if (!target.canReach(interrupt)) continue;
      target.send(interrupt, {
        over: asked.ending.signal,
        told: (agent) => {
          const one: Told = { nth: told.length + 1, way: target.way, agent };
          told.push(one);
          return (answer) => this.answered(asked, one, answer);
        },
      });
    }
  }

  private answered(asked: Asked, one: Told, answer: InterruptAnswer): boolean {
    if (one.answer || asked.ending.signal.aborted) return false;
    one.answer = answer;
    this.record(answeredEvent(asked.interrupt, one, answer, epochMs(this.options.clock.now())), asked);
    return true;
  }

  /** The time is over. @param why it is over before */
  private end(asked: Asked, why?: string): void {
    if (asked.ending.signal.aborted) return;
    asked.timer?.cancel();
    asked.ending.abort();
    const { interrupt, told } = asked;
    const at = epochMs(this.options.clock.now());
    const silent = `no word within ${ANSWER_WITHIN_MS / 1000} s`;
    for (const { nth, agent, answer } of told)
      if (!answer) this.record(unansweredEvent(interrupt, { nth, agent, why: why ?? silent }, at), asked);
    if (told.length === 0)
      this.record(
        unansweredEvent(interrupt, { nth: 0, why: why ?? `nobody could be told: ${silent}` }, at),
        asked,
      );
  }

  /** @param of which it is; absent where it cannot be forgotten meanwhile */
  private record(event: EventRecord, of?: Asked): void {
    this.events.record(event, () => of === undefined || this.known.get(of.interrupt.id) === of);
  }

  /** @throws BoundaryError RESOURCE_EXHAUSTED when all that are known are under way */
  private keep(asked: Asked): void {
    if (this.known.size >= MAX_KNOWN)
      for (const [id, { ending }] of this.known) {
        if (!ending.signal.aborted) continue;
        this.known.delete(id);
        break;
      }
    if (this.known.size >= MAX_KNOWN)
      throw new BoundaryError(
        'RESOURCE_EXHAUSTED',
        `${MAX_KNOWN} interrupts are under way: ask again later`,
        {
          retryAfterMs: RETRY_MS,
        },
      );
    this.known.set(asked.interrupt.id, asked);
  }

  private state(asked: Asked): InterruptState {
    return stateOf(asked, this.options.redact);
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
