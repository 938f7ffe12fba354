import { wholeInTurns } from '../../base/in-turns.ts';
import type { JsonObject } from '../../base/json.ts';
import { counted, type Turns } from '../../base/pace.ts';
import { spanKey } from '../../model/ids.ts';
import type { RecordBatch, RecordConsumer } from '../../model/pipeline.ts';
import type { SpanRecord } from '../../model/records.ts';
import type { OwnMetrics } from '../../telemetry/own-metrics.ts';
import { Bounds } from '../bounds.ts';
import { boundObject } from '../bounded-values.ts';
import { DEFAULT_RECEIVER_LIMITS } from '../config.ts';
import { itemsIn, objectIn, type Item } from '../events/split-items.ts';
import { consumeCounted, ItemAnswer, type ItemsBody } from '../item-answer.ts';
import { readSession } from './consolidated.ts';
import type { NoEdges } from './dependencies.ts';
import { flowRecords } from './flow-records.ts';
import { isLogEvent, readEvent } from './log-event.ts';
import type { OpenSession } from './open-session.ts';
import type { KnownItem, OpenSessions } from './open-sessions.ts';
import { flowsOf, Touched } from './touched.ts';

/** The answer to a POST of ThoughtFlow, as JSON. */
export interface FlowAnswer {
  /** 202; 400 only if nothing could be read. */
  readonly status: 202 | 400;
  /** Items are sessions, or lines that are not blank; conversations and steps of a session are rejected as well. */
  readonly body: ItemsBody & {
    /** What `depends_on` names that makes no edge; absent when there is none. */
    readonly noEdge?: NoEdges;
    /** Texts that were cut; absent when there are none. */
    readonly truncated?: number;
  };
}

export interface FlowReceiverOptions {
  readonly open: OpenSessions;
  readonly consumer: RecordConsumer;
  readonly metrics: OwnMetrics;
  readonly pace: Turns;
  /** Finds what began before, and is not held here any more. */
  readonly known: KnownItem;
  /** Told of the nodes of sessions that are over, when they were taken. */
  readonly onEnded: (nodeIds: readonly string[]) => void;
}

export interface FlowPost {
  readonly body: Buffer;
  readonly contentType: string | undefined;
  /** The task that the sender named beside the body. */
  readonly taskId: string | undefined;
  /** Clock.monotonic() */
  readonly receivedAt: number;
}

/** Takes ThoughtFlow: consolidated sessions and event logs of every era, by what the body holds. */
export class FlowReceiver {
  private readonly options: FlowReceiverOptions;
  private readonly open: OpenSessions;

  constructor(options: FlowReceiverOptions) {
    this.options = options;
    this.open = options.open;
  }

  /** @throws BoundaryError UNSUPPORTED_MEDIA_TYPE, TOO_LARGE; or the consumer's RESOURCE_EXHAUSTED, UNAVAILABLE */
  async receive(post: FlowPost): Promise<FlowAnswer> {
    const { metrics, known, consumer, onEnded } = this.options;
    const pace = counted(this.options.pace);
    const splitting = itemsIn(post.body, post.contentType, () => pace.isOver);
    const items = await wholeInTurns(splitting, pace);
    if (items === undefined) {
      metrics.recordsRejected('span', 'unparsable', 1);
      return unreadable();
    }
    const reading = new BodyReading(this.open, post.taskId);
    for (const [index, item] of items.entries()) {
      if (pace.isOver) await pace.rest();
      reading.read(index, item);
    }
    await this.open.recall(reading.touched, known);
    const records = reading.records();
    const { rejected } = reading.items;
    if (rejected > 0) metrics.recordsRejected('span', 'invalid', rejected);
    if (reading.bounds.textsCut > 0) metrics.textsCut('span', reading.bounds.textsCut);
    const batch: RecordBatch = { receivedAt: post.receivedAt, source: 'http', records };
    await consumeCounted('span', batch, consumer, metrics);
    this.open.taken(reading.touched);
    const ended = reading.endedSessions();
    if (ended.length > 0) onEnded(ended);
    return { status: 202, body: reading.answer() };
  }
}

/** What the items of one body say. */
class BodyReading {
  readonly bounds = new Bounds(DEFAULT_RECEIVER_LIMITS);
  readonly touched = new Touched();
  readonly items = new ItemAnswer();
  private readonly noEdge: NoEdges = { dangling: 0, self: 0, cyclic: 0, excess: 0 };
  private readonly consolidated: SpanRecord[] = [];
  private readonly ended = new Set<string>();
  private readonly open: OpenSessions;
  private readonly namedTask: string | undefined;
  private current: OpenSession | undefined;

  constructor(open: OpenSessions, namedTask: string | undefined) {
    this.open = open;
    this.namedTask = namedTask;
  }

  read(index: number, item: Item): void {
    this.items.orReject(index, () => {
      const value = objectIn(item);
      if (isLogEvent(value)) this.readLine(index, value);
      else this.readWhole(index, value);
    });
  }

  records(): readonly SpanRecord[] {
    const lines = [...flowsOf(this.touched, this.noEdge)].flatMap((session) => [...flowRecords(session)]);
    return [...this.consolidated, ...lines];
  }

  endedSessions(): readonly string[] {
    const told = [...this.touched.ended].map(({ traceId, spanId }) => spanKey(traceId, spanId));
    return [...new Set([...this.ended, ...told])];
  }

  answer(): FlowAnswer['body'] {
    const { noEdge, bounds } = this;
    return {
      ...this.items.body,
      ...(Object.values(noEdge).some((count) => count > 0) && { noEdge }),
      ...(bounds.textsCut > 0 && { truncated: bounds.textsCut }),
    };
  }

  private readLine(index: number, value: JsonObject): void {
    const event = readEvent(boundObject(value, this.bounds));
    if (event.of === 'unknown') {
      this.items.passOver(index);
      return;
    }
    this.items.accepted++;
    if (event.of === 'other') return;
    this.current = this.open.sessionOf(event, this.namedTask, this.current);
    this.open.apply(this.current, event, this.touched);
  }

  private readWhole(index: number, value: JsonObject): void {
    const { session, problems } = readSession(value, this.namedTask, this.bounds, this.noEdge);
    for (const problem of problems) this.items.reject(index, problem);
    // Nothing of it is left: an empty task would tell nobody what was wrong.
    if (problems.length > 0 && session.conversations.every(({ steps }) => steps.length === 0)) return;
    this.items.accepted++;
    // Not spread: a session of very many steps has more records than a call can have arguments.
    for (const record of flowRecords(session)) this.consolidated.push(record);
    if (!session.isOpen) this.ended.add(spanKey(session.traceId, session.spanId));
  }
}

function unreadable(): FlowAnswer {
  const message =
    'the body holds no JSON; send a consolidated session, an array of sessions, or an event log with one event per line';
  return { status: 400, body: { accepted: 0, rejected: 0, errors: [{ index: 0, message }] } };
}
