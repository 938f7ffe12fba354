import { hash } from 'node:crypto';
import { BoundaryError } from '../../base/boundary-error.ts';
import type { Clock } from '../../base/clock.ts';
import { counted, type Turns } from '../../base/pace.ts';
import { DEFAULT_AG_UI_AGENT } from '../../model/agent.ts';
import type { RecordConsumer } from '../../model/pipeline.ts';
import type { TelemetryRecord } from '../../model/records.ts';
import type { OwnMetrics } from '../../telemetry/own-metrics.ts';
import { Bounds } from '../bounds.ts';
import { DEFAULT_RECEIVER_LIMITS, MAX_LISTED_ERRORS } from '../config.ts';
import { boundedId } from '../events/event-fields.ts';
import { EventRate } from '../event-rate.ts';
import { BodyOrder } from './body-order.ts';
import { foldEvent } from './fold-event.ts';
import type { HeldEncrypted } from './held-encrypted.ts';
import { HeldRuns, type RunsInHands } from './held-runs.ts';
import { isLong, LongBodies } from './long-bodies.ts';
import { keyOf, OpenRuns, type Sender } from './open-runs.ts';
import { readEvents, type BodyEvent, type ItemError, type ReadBody } from './read-body.ts';
import { Recalled, type StepOf } from './recalled.ts';
import type { Run } from './run.ts';
import { RunRecords } from './run-records.ts';
import { endedBy, RunsOfBody, type SourcesOf } from './runs-of-body.ts';
import { toldTask, type ToldTask } from './told-task.ts';

export interface AgUiReceiverOptions {
  readonly consumer: RecordConsumer;
  readonly clock: Clock;
  readonly metrics: OwnMetrics;
  /** How long work is cut into pieces. */
  readonly pace: Turns;
  /** Of a task that a service like this one told: spans that make the same graph. Absent: it is a run like any other. */
  readonly retell?: ((task: ToldTask) => readonly TelemetryRecord[]) | undefined;
  /** By which a run of an id that was used before is known as another one. Absent: of what is open alone. */
  readonly sourcesOf?: SourcesOf | undefined;
  /** By which a step that began before a restart goes on as what it was. Absent: what is known of it begins anew. */
  readonly stepOf?: StepOf | undefined;
  /** Absent where encrypted values are not held. */
  readonly held?: HeldEncrypted | undefined;
}

export interface AgUiPost {
  readonly body: Buffer;
  readonly contentType: string | undefined;
  /** Absent: each run is a task of its own. */
  readonly taskId: string | undefined;
  readonly agent: string | undefined;
  /** The run that goes on in it, where that is known: events that name none are its. */
  readonly runId?: string | undefined;
  /** Whose next turn gets the encrypted values of this one. Absent: nobody's. */
  readonly heldFor?: string | undefined;
}

/** The answer to a POST of events, as JSON. */
export interface AgUiAnswer {
  /** 400 only if nothing could be read. */
  readonly status: 202 | 400;
  readonly body: {
    readonly accepted: number;
    readonly rejected: number;
    /** The first MAX_LISTED_ERRORS; `index` counts events from 0. */
    readonly errors: readonly ItemError[];
  };
}

/** Bodies that were taken, by which one that is sent again is known. */
const MAX_DIGESTS = 1_000;

/** Takes in events of AG-UI, and makes of each run a task with its steps. */
export class AgUiReceiver {
  private readonly options: AgUiReceiverOptions;
  private readonly runs = new OpenRuns();
  private readonly rate = new EventRate('events a second come of this run');
  /** With the tasks of its runs. */
  private readonly digests = new Map<string, readonly string[]>();
  private readonly longBodies = new LongBodies();
  private readonly inHands: RunsInHands = new Map();
  private readonly order = new BodyOrder();

  constructor(options: AgUiReceiverOptions) {
    this.options = options;
  }

  /** Runs of which more may come. */
  get openRuns(): number {
    return this.runs.size;
  }

  /** @throws BoundaryError: nothing of the body was taken */
  receive(post: AgUiPost): Promise<AgUiAnswer> {
    return isLong(post.body.length)
      ? this.longBodies.inTurn(lineOf(post), () => this.take(post))
      : this.take(post);
  }

  private async take(post: AgUiPost): Promise<AgUiAnswer> {
    const { body, contentType, ...named } = post;
    const { metrics, clock } = this.options;
    const pace = counted(this.options.pace);
    const receivedAt = clock.monotonic();
    const sender: Sender = {
      agent: boundedId('agent', named.agent ?? DEFAULT_AG_UI_AGENT),
      taskId: boundedId('taskId', named.taskId),
    };
    const runId = boundedId('runId', named.runId);
    const bounds = new Bounds(DEFAULT_RECEIVER_LIMITS);
    const told = this.options.retell && toldTask(body, contentType, bounds, sender.taskId);
    if (told) return this.takeTold(told, receivedAt);
    const read = await readEvents(body, contentType, bounds, pace);
    if (read === undefined) {
      metrics.recordsRejected(SIGNAL, 'unparsable', 1);
      return unreadable();
    }
    const { events, isStartRefused } = read;
    if (read.rejected > 0) metrics.recordsRejected(SIGNAL, 'invalid', read.rejected);
    if (bounds.textsCut > 0) metrics.textsCut(SIGNAL, bounds.textsCut);
    const noteStart = (isRefused: boolean): void => {
      if (runId === undefined && isStartRefused !== undefined) this.runs.noteStart(sender, isRefused);
    };
    // A stream that is sent again whole says nothing new; a single piece may well be equal to the one before.
    const isWhole = events[0]?.type === 'RUN_STARTED' && events.length > 1;
    const digest = isWhole ? requestDigest(body) : undefined;
    const ofNoRun: ItemError[] = [];
    try {
      const ends = endedBy(events);
      const begins = events[0]?.type === 'RUN_STARTED';
      const names = begins ? 'begins' : (runId ?? ends) === undefined ? 'unnamed' : 'named';
      const taken = await this.order.inOrder(keyOf(sender, ''), names, async () => {
        const { heldFor } = named;
        const of = { sender, runId, heldFor, events, ends, bounds, receivedAt, digest, ofNoRun };
        const isAlone = isLong(body.length);
        let folded = await this.fold(of, isAlone);
        if (folded === NEEDS_SEVERAL)
          folded = await this.longBodies.inTurn(lineOf(post), () => this.fold(of, true));
        noteStart(isStartRefused === true);
        return folded;
      });
      if (typeof taken === 'function') await taken();
    } catch (error) {
      noteStart(true);
      const refusal = BoundaryError.from(error);
      metrics.recordsRejected(SIGNAL, refusal.code.toLowerCase(), events.length);
      throw refusal;
    }
    if (ofNoRun.length > 0) metrics.recordsRejected(SIGNAL, 'no-run', ofNoRun.length);
    metrics.recordsAccepted(SIGNAL, events.length - ofNoRun.length);
    return answerTo(read, ofNoRun);
  }

  /** What was told here or elsewhere comes back as it was. */
  private async takeTold(told: ToldTask, receivedAt: number): Promise<AgUiAnswer> {
    const { consumer, metrics, retell } = this.options;
    const records = retell?.(told) ?? [];
    await consumer.consume({ receivedAt, source: 'http', records });
    metrics.recordsAccepted(SIGNAL, told.events);
    return { status: 202, body: { accepted: told.events, rejected: 0, errors: [] } };
  }

  private async fold(body: Body, isAlone: boolean): Promise<Folded> {
    const held = new HeldRuns(this.inHands);
    try {
      return await this.foldInto(held, body, isAlone);
    } finally {
      held.letGo();
    }
  }

  /**
   * @param isAlone one body at a time may hold a run and wait for another one: two that do may wait for each other
   */
  private async foldInto(held: HeldRuns, body: Body, isAlone: boolean): Promise<Folded> {
    const { sender, runId, heldFor, events, ends, bounds, receivedAt, digest, ofNoRun } = body;
    ofNoRun.length = 0;
    if (events.length === 0) return undefined;
    const { clock, consumer, sourcesOf, stepOf } = this.options;
    const pace = counted(this.options.pace);
    const ofRun = (of: string): string => keyOf(sender, of);
    if (runId !== undefined && !held.take(ofRun(runId))) await held.wait(ofRun(runId));
    const key = digest === undefined ? undefined : `${keyOf(sender, '')} ${digest}`;
    if (key !== undefined && this.digests.has(key)) return undefined;
    const received = clock.now();
    const take = (of: string): boolean => held.take(ofRun(of));
    const runs = new RunsOfBody(this.runs, sender, { received, runId, ends, sourcesOf, take });
    const recalled = new Recalled(stepOf);
    const records = new RunRecords();
    const counts = new Map<string, number>();
    for (const event of events) {
      if (pace.isOver) await pace.rest();
      let of = event.type === 'RUN_STARTED' ? await runs.runsBegunBy(event) : runs.runsOf(event);
      while (typeof of !== 'string' && 'takenRunId' in of) {
        if (!held.isEmpty && !isAlone) return NEEDS_SEVERAL;
        await held.wait(ofRun(of.takenRunId));
        if (key !== undefined && this.digests.has(key)) return undefined;
        runs.lookAgain();
        of = await runs.runsBegunBy(event);
      }
      if (typeof of === 'string') ofNoRun.push({ index: event.index, message: of });
      else
        for (const run of of) {
          const count = counts.get(run.traceId);
          if (count === undefined) this.rate.check(run.traceId, receivedAt);
          counts.set(run.traceId, (count ?? 0) + 1);
          await recalled.lookUp(run, event);
          foldEvent({ run, records, bounds, received }, event);
          if (heldFor !== undefined) this.options.held?.hold(heldFor, run, event);
        }
    }
    for (const run of runs.all) {
      if (run.isImplied && !run.isOver) records.root(run);
      records.log(run, received);
    }
    for (const [traceId, count] of counts) this.rate.take(traceId, count, receivedAt);
    const takeBack = runs.commit(receivedAt);
    if (key !== undefined) this.remember(key, runs.all);
    const consumed = consumer.consume({ receivedAt, source: 'http', records: records.all, digest });
    return async () => {
      try {
        await consumed;
      } catch (error) {
        takeBack();
        if (key !== undefined) this.digests.delete(key);
        throw error;
      }
    };
  }

  /** What is held of these tasks goes: they are erased. */
  forget(tasks: ReadonlySet<string>): void {
    this.runs.forget(tasks);
    this.options.held?.forget(tasks);
    for (const [digest, of] of this.digests)
      if (of.some((taskId) => tasks.has(taskId))) this.digests.delete(digest);
  }

  private remember(digest: string, runs: readonly Run[]): void {
    this.digests.set(digest, [...new Set(runs.map(({ taskId }) => taskId))]);
    if (this.digests.size <= MAX_DIGESTS) return;
    for (const oldest of this.digests.keys()) return void this.digests.delete(oldest);
  }
}

const SIGNAL = 'ag-ui';
/** A body holds a run and needs one that another body holds. */
const NEEDS_SEVERAL = 'needs several runs';
/** Waits until the records are taken; undefined when the body came before. */
type Folded = (() => Promise<void>) | undefined | typeof NEEDS_SEVERAL;

interface Body {
  readonly sender: Sender;
  readonly runId: string | undefined;
  readonly heldFor: string | undefined;
  readonly events: readonly BodyEvent[];
  /** The run that it ends (`endedBy`). */
  readonly ends: string | undefined;
  readonly bounds: Bounds;
  readonly receivedAt: number;
  /** Gets the events that may be of several runs, and are taken into none. */
  readonly ofNoRun: ItemError[];
  /** Absent where equal bodies may say different things. */
  readonly digest: string | undefined;
}

/** Long bodies of it are taken in their order. */
function lineOf({ agent, taskId, runId }: AgUiPost): string {
  return JSON.stringify([agent, taskId, runId]);
}

function requestDigest(body: Buffer): string {
  return hash('sha256', body, 'base64');
}

function answerTo(read: ReadBody, ofNoRun: readonly ItemError[]): AgUiAnswer {
  const errors = [...read.errors, ...ofNoRun.slice(0, MAX_LISTED_ERRORS)];
  errors.sort((a, b) => a.index - b.index);
  return {
    status: 202,
    body: {
      accepted: read.accepted - ofNoRun.length,
      rejected: read.rejected + ofNoRun.length,
      errors: errors.slice(0, MAX_LISTED_ERRORS),
    },
  };
}

function unreadable(): AgUiAnswer {
  const message =
    'the body holds no event; send one JSON object, an array, one object per line, or server-sent events';
  return { status: 400, body: { accepted: 0, rejected: 0, errors: [{ index: 0, message }] } };
}
