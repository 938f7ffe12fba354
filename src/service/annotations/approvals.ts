import type { Principal } from '../../access/principal.ts';
import { BoundaryError, invalid } from '../../base/boundary-error.ts';
import type { Clock, Timer } from '../../base/clock.ts';
import { approvalEventId, type ApprovalState } from '../../model/approval.ts';
import { eventNodeId } from '../../model/ids.ts';
import type { ExplanationNode } from '../../model/node.ts';
import type { RecordConsumer } from '../../model/pipeline.ts';
import type { EventRecord } from '../../model/records.ts';
import { epochMs, toIso } from '../../model/time.ts';
import type { ApprovalsApi } from '../../servers/control-api.ts';
import type { Logger } from '../../telemetry/logger.ts';
import { askerId, isOf } from '../asker-id.ts';
import { AskerPace } from '../asker-pace.ts';
import { OwnEvents } from '../own-events.ts';
import type { ToldApproval } from '../interrupts/control-target.ts';
import type { Given } from '../given.ts';
import {
  approvalIn,
  endedOf,
  expiryEvent,
  requestEvent,
  type Ended,
  type PendingApproval,
} from './approval-events.ts';
import type { GivenAnnotation } from './given-annotation.ts';
import { givenApproval } from './given-approval.ts';

export interface ApprovalsOptions {
  readonly consumer: RecordConsumer;
  readonly clock: Clock;
  readonly logger: Logger;
  /** In memory or archived; undefined when nothing with this id is known. */
  readonly nodeWith: (nodeId: string) => Promise<ExplanationNode | undefined>;
  /** As readers see it; undefined when it is not in memory. */
  readonly nodeInMemory: (nodeId: string) => ExplanationNode | undefined;
  /** All of them, in memory and archived. */
  readonly ownNodes: () => AsyncIterable<readonly ExplanationNode[]>;
  /** Is a node in memory told by another service, and of no event here? */
  readonly isTold: (node: ExplanationNode) => boolean;
  /** Who asked is told by its control stream. */
  readonly tell: (outcome: ToldApproval) => void;
  /** @throws BoundaryError UNAVAILABLE while nothing is taken in */
  readonly assertOpen: () => void;
}

interface Approval {
  readonly waiting: PendingApproval;
  ended: Ended | undefined;
  /** Until it expires, then until nobody is told any more. */
  timer?: Timer;
  /** That it was asked for; absent of what was asked for before the start. */
  recorded?: Promise<void>;
  /** Ends that somebody is told. */
  readonly over: AbortController;
}

const ASKED_A_MINUTE = 60;
const MAX_PENDING = 1_000;
const MAX_PENDING_OF_ONE = 100;
/** Of so many it is known in memory how they ended; of others their nodes say it. */
const MAX_ENDED = 1_000;
/** Who lost its stream is told within this time after the answer, or until it would have expired if that is later. */
const TOLD_FOR_MS = 10 * 60_000;
const MAX_TIMER_MS = 2 ** 31 - 1;
const RETRY_MS = 1_000;

/** What agents wait for that people have to approve: it stands on the graph, and outlives the service. */
export class Approvals implements ApprovalsApi {
  private readonly options: ApprovalsOptions;
  private readonly pace: AskerPace;
  /** By id, the oldest first. */
  private readonly known = new Map<string, Approval>();
  private readonly events: OwnEvents;

  constructor(options: ApprovalsOptions) {
    this.options = options;
    // What cannot be recorded now expires again after the next start.
    this.events = new OwnEvents({ ...options, lost: 'that an approval has expired is not on the graph' });
    this.pace = new AskerPace(ASKED_A_MINUTE, 'ask for approvals', options.clock);
  }

  /** What was waited for when the service ended is waited for now. */
  async start(): Promise<void> {
    const before: ExplanationNode[] = [];
    try {
      // All of them before one expires: that brings its task back into memory, where nobody looks for the others.
      for await (const nodes of this.options.ownNodes())
        before.push(...nodes.filter((node) => this.goesOn(this.shownBy(node))));
    } catch (error) {
      const { code } = BoundaryError.from(error);
      this.options.logger.error({ code }, 'approvals that left memory before the start do not expire');
    }
    for (const node of before) this.goOn(this.options.nodeInMemory(node.id) ?? node);
  }

  /** What is waited for goes on waiting for the next start. Resolves when what has expired is recorded. */
  async stop(): Promise<void> {
    for (const { timer } of this.known.values()) timer?.cancel();
    await this.events.stop();
  }

  /** Of these tasks nothing is told, or recorded, any more. */
  forget(tasks: readonly string[]): void {
    for (const [id, approval] of this.known) {
      // Who named no task may have been given one by the graph.
      const taskId = approval.waiting.taskId ?? this.options.nodeInMemory(nodeIdOf(approval.waiting))?.taskId;
      if (tasks.includes(taskId ?? '')) this.drop(id, approval);
    }
  }

  async ask(given: Given, by: Principal): Promise<ApprovalState> {
    this.options.assertOpen();
    const asked = givenApproval(given);
    const { id, isFresh } = askerId(given, by, 'approval');
    const found = isFresh ? undefined : await this.find(id);
    // It may have been sent twice at the same time.
    const before = found ?? this.known.get(id);
    if (before) {
      await before.recorded;
      return stateOf(before);
    }
    this.pace.admit(by);
    this.assertRoom(by);
    const now = epochMs(this.options.clock.now());
    const { options, agent, taskId, traceId } = asked;
    const expiresAt = epochMs(now + asked.expiresInMs);
    const approval: Approval = {
      waiting: { id, options, expiresAt, agent, taskId, traceId },
      ended: undefined,
      over: new AbortController(),
    };
    this.known.set(id, approval);
    try {
      approval.recorded = this.record(requestEvent({ id, expiresAt }, asked, now));
      await approval.recorded;
    } catch (error) {
      this.known.delete(id);
      throw error;
    }
    this.await(approval);
    return stateOf(approval);
  }

  async state(id: string, by: Principal): Promise<ApprovalState> {
    const approval = isOf(id, by) ? await this.find(id) : undefined;
    if (!approval) throw new BoundaryError('NOT_FOUND', 'id: you asked for no approval with this id');
    return stateOf(approval);
  }

  /**
   * Somebody approves of a node. Where an agent waits for that, it is told when it is recorded; the first answer counts.
   * @throws BoundaryError FAILED_PRECONDITION, INVALID_ARGUMENT, and what `record` throws
   */
  async decide(
    node: ExplanationNode,
    said: GivenAnnotation & { readonly by: string },
    record: () => Promise<void>,
  ): Promise<void> {
    const shown = this.shownBy(node);
    const approval = shown && (this.known.get(shown.waiting.id) ?? this.adopt(shown));
    if (!approval) {
      if (said.option !== undefined) throw noOption('nobody gave options for this');
      return record();
    }
    if (!approval.ended && approval.waiting.expiresAt <= this.options.clock.now()) this.expire(approval);
    if (approval.ended) throw tooLate(approval.ended);
    const option = optionOf(approval.waiting.options, shown.waiting.options, said);
    approval.timer?.cancel();
    try {
      await record();
    } catch (error) {
      this.await(approval);
      throw error;
    }
    const { decision = 'denied', text, by } = said;
    this.settle(approval, endedOf(decision, { text, option, by }), this.options.clock.now());
  }

  /** One from before the start is waited for, or told to who comes back. */
  private goOn(node: ExplanationNode | undefined): void {
    const shown = this.shownBy(node);
    if (!shown || !this.goesOn(shown) || this.known.has(shown.waiting.id)) return;
    const approval = this.adopt(shown);
    if (shown.ended) this.settle(approval, shown.ended, shown.endedAt);
  }

  private goesOn(shown: ReturnType<typeof approvalIn>): boolean {
    if (!shown) return false;
    const { waiting, ended, endedAt } = shown;
    return !ended || toldUntil(waiting, endedAt) > this.options.clock.now();
  }

  /** What another service tells is no word of anybody here, whatever it is called. */
  private shownBy(node: ExplanationNode | undefined): ReturnType<typeof approvalIn> {
    return node && !this.options.isTold(node) ? approvalIn(node) : undefined;
  }

  private async find(id: string): Promise<Approval | undefined> {
    const held = this.known.get(id);
    if (held) return held;
    const node = await this.options.nodeWith(eventNodeId(approvalEventId(id)));
    const shown = this.shownBy(node);
    return this.known.get(id) ?? (shown && this.adopt(shown));
  }

  /** One that had left memory by the last start. */
  private adopt({
    waiting,
    ended,
  }: {
    readonly waiting: PendingApproval;
    readonly ended: Ended | undefined;
  }): Approval {
    const approval: Approval = { waiting, ended, over: new AbortController() };
    this.known.set(waiting.id, approval);
    if (ended) this.dropFirstEnded();
    else this.await(approval);
    return approval;
  }

  private await(approval: Approval): void {
    const left = approval.waiting.expiresAt - this.options.clock.now();
    if (left <= 0) this.expire(approval);
    else approval.timer = this.options.clock.after(Math.min(left, MAX_TIMER_MS), () => this.await(approval));
  }

  private expire(approval: Approval): void {
    this.settle(approval, { state: 'expired' }, this.options.clock.now());
    const { waiting } = approval;
    const expiry = expiryEvent(waiting, epochMs(this.options.clock.now()));
    this.events.record(expiry, () => this.known.get(waiting.id) === approval);
  }

  /** @param at when it was */
  private settle(approval: Approval, ended: Ended, at: number): void {
    const { clock, tell } = this.options;
    const { waiting, over } = approval;
    approval.ended = ended;
    approval.timer?.cancel();
    const left = toldUntil(waiting, at) - clock.now();
    if (left <= 0) over.abort();
    else {
      approval.timer = clock.after(Math.min(left, MAX_TIMER_MS), () => over.abort());
      const { agent, taskId, traceId } = waiting;
      tell({
        id: waiting.id,
        isFor: (principal) => isOf(waiting.id, principal),
        about: { agent, taskId, traceIds: traceId === undefined ? undefined : [traceId] },
        said: { approvalId: waiting.id, approvalNodeId: nodeIdOf(waiting), ...ended },
        over: over.signal,
      });
    }
    this.dropFirstEnded();
  }

  private dropFirstEnded(): void {
    let count = 0;
    for (const { ended } of this.known.values()) if (ended) count++;
    for (const [id, approval] of this.known) {
      if (count <= MAX_ENDED) return;
      if (!approval.ended) continue;
      this.drop(id, approval);
      count--;
    }
  }

  private drop(id: string, { timer, over }: Approval): void {
    this.known.delete(id);
    timer?.cancel();
    over.abort();
  }

  /** @throws BoundaryError RESOURCE_EXHAUSTED */
  private assertRoom(by: Principal): void {
    const pending = [...this.known].filter(([, { ended }]) => !ended);
    const own = pending.filter(([id]) => isOf(id, by)).length;
    if (pending.length < MAX_PENDING && own < MAX_PENDING_OF_ONE) return;
    const what =
      own < MAX_PENDING_OF_ONE ? `${MAX_PENDING} approvals` : `${MAX_PENDING_OF_ONE} approvals of this key`;
    throw new BoundaryError('RESOURCE_EXHAUSTED', `${what} are waited for: ask again when one is answered`, {
      retryAfterMs: RETRY_MS,
    });
  }

  private async record(event: EventRecord): Promise<void> {
    const { consumer, clock } = this.options;
    await consumer.consume({ receivedAt: clock.monotonic(), source: 'bus', records: [event] });
  }
}

/** @param endedAt when it was answered, or expired */
function toldUntil({ expiresAt }: PendingApproval, endedAt: number): number {
  return Math.max(expiresAt, endedAt + TOLD_FOR_MS);
}

function stateOf({ waiting, ended }: Approval): ApprovalState {
  const { id, expiresAt } = waiting;
  return { id, nodeId: nodeIdOf(waiting), expiresAt: toIso(expiresAt), ...(ended ?? { state: 'pending' }) };
}

function nodeIdOf({ id }: Pick<PendingApproval, 'id'>): string {
  return eventNodeId(approvalEventId(id));
}

function tooLate({ state, by = 'somebody' }: Ended): BoundaryError {
  const what =
    state === 'expired' ? 'nobody answered in time: it has expired' : `it is ${state} already, by ${by}`;
  return new BoundaryError('FAILED_PRECONDITION', `${what}, and the agent was told`);
}

/** @param asked as the agent gave them @param shown to people @throws BoundaryError INVALID_ARGUMENT */
function optionOf(
  asked: readonly string[],
  shown: readonly string[],
  { decision, option }: GivenAnnotation,
): string | undefined {
  if (decision === 'denied' || asked.length === 0) {
    if (option !== undefined)
      throw noOption(decision === 'denied' ? 'nothing is chosen by who denies' : 'there are none');
    return undefined;
  }
  const at = Math.max(shown.indexOf(option ?? ''), asked.indexOf(option ?? ''));
  if (at === -1) throw noOption('is required: one of the options of the node');
  return asked[at];
}

function noOption(why: string): BoundaryError {
  return invalid(`option ${why}`);
}
