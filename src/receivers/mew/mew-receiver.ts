import { maySay, whyNot, type Capability } from '../../access/capability.ts';
import { BoundaryError } from '../../base/boundary-error.ts';
import type { Clock } from '../../base/clock.ts';
import { wholeInTurns } from '../../base/in-turns.ts';
import { counted, type Turns } from '../../base/pace.ts';
import { receivedIn } from '../../model/mew-history.ts';
import type { RecordConsumer } from '../../model/pipeline.ts';
import type { SpanRecord } from '../../model/records.ts';
import { epochMs, type EpochMs } from '../../model/time.ts';
import type { OwnMetrics } from '../../telemetry/own-metrics.ts';
import { Bounds } from '../bounds.ts';
import { DEFAULT_RECEIVER_LIMITS } from '../config.ts';
import { itemsIn, lineItem, objectIn, type Item } from '../events/split-items.ts';
import { EventRate } from '../event-rate.ts';
import { consumeCounted, ItemAnswer, type ItemsBody } from '../item-answer.ts';
import { readEnvelope, type Envelope } from './envelope.ts';
import { isOver, isPlumbing, isShown } from './kinds.ts';
import type { MewPlace } from './mew-ids.ts';
import { endRecords, mewRecords, thoughtRecord } from './mew-records.ts';
import { leaverIn, OpenContexts, type OpenContext } from './open-contexts.ts';
import { isFrame, readFrame, wordsOfThought } from './stream-frame.ts';
import { TwiceTold } from './twice-told.ts';

export interface MewReceiverOptions {
  readonly consumer: RecordConsumer;
  readonly clock: Clock;
  readonly metrics: OwnMetrics;
  readonly pace: Turns;
  /** Did this service say it itself? Then it is there already; absent: it says nothing. */
  readonly isOwn?: ((envelope: Envelope) => boolean) | undefined;
}

export interface MewPost {
  readonly body: Buffer;
  readonly contentType: string | undefined;
  /** The task that the sender named beside the body. */
  readonly taskId: string | undefined;
  /** The space whose messages these are, where a line does not say so itself. */
  readonly space: string | undefined;
  /** Who sends it, where that is known: under whatever names, it is bounded as one participant is. */
  readonly key?: string | undefined;
  /** What it may say; absent: everything. */
  readonly capabilities?: readonly Capability[] | undefined;
}

/** The answer to a POST of messages; items are messages, or lines of a gateway's log. */
export interface MewAnswer {
  /** 202; 400 only if nothing could be read. */
  readonly status: 202 | 400;
  readonly body: ItemsBody & {
    /** Texts that were cut; absent when there are none. */
    readonly truncated?: number;
  };
}

const SIGNAL = 'mew';

/** Takes messages of MEW, and makes of what each says a span. */
export class MewReceiver {
  private readonly options: MewReceiverOptions;
  private readonly open = new OpenContexts();
  private readonly rate = new EventRate('messages a second come of one participant');
  private readonly keyRate = new EventRate('messages a second come of one key');
  private readonly twice = new TwiceTold();

  constructor(options: MewReceiverOptions) {
    this.options = options;
  }

  /** @throws BoundaryError UNSUPPORTED_MEDIA_TYPE, TOO_LARGE, PERMISSION_DENIED, RESOURCE_EXHAUSTED, UNAVAILABLE: nothing was taken */
  async receive({ body, contentType, taskId, space = '', key, capabilities }: MewPost): Promise<MewAnswer> {
    const { metrics, clock, consumer } = this.options;
    const pace = counted(this.options.pace);
    const receivedAt = clock.monotonic();
    const items = await wholeInTurns(
      itemsIn(body, contentType, () => pace.isOver),
      pace,
    );
    if (items === undefined) {
      metrics.recordsRejected(SIGNAL, 'unparsable', 1);
      return unreadable();
    }
    const reading = new Reading({ space, namedTask: taskId }, clock.now(), capabilities);
    for (const [index, item] of items.entries()) {
      if (pace.isOver) await pace.rest();
      reading.read(index, item);
    }
    const { forbidden: refused } = reading;
    const invalid = reading.items.rejected - refused.length;
    if (invalid > 0) metrics.recordsRejected(SIGNAL, 'invalid', invalid);
    if (refused.length > 0) metrics.recordsRejected(SIGNAL, 'capability', refused.length);
    if (reading.bounds.textsCut > 0) metrics.textsCut(SIGNAL, reading.bounds.textsCut);
    if (refused[0] !== undefined && reading.messages.length === 0)
      throw new BoundaryError('PERMISSION_DENIED', refused[0]);
    this.checkRate(reading, key, receivedAt);
    const records: SpanRecord[] = [];
    const ended: OpenContext[] = [];
    for (const message of reading.messages) {
      if (pace.isOver) await pace.rest();
      if (this.options.isOwn?.(message.envelope) === true) continue;
      for (const record of this.recordsOf(message, ended)) records.push(record);
    }
    try {
      await consumeCounted(SIGNAL, { receivedAt, source: 'http', records }, consumer, metrics);
    } catch (error) {
      this.open.reopen(ended);
      throw error;
    }
    for (const [sender, count] of reading.bySender) this.rate.take(sender, count, receivedAt);
    if (key !== undefined) this.keyRate.take(key, reading.messages.length, receivedAt);
    return { status: 202, body: reading.answer };
  }

  /**
   * What came over the connection to a gateway: messages of today's protocol, and frames of streams between them.
   * @param listener told of each that is read, and of each that is not taken, and why
   */
  read(texts: readonly string[], place: MewPlace, { heard, refused }: LiveListener): readonly SpanRecord[] {
    const { clock, metrics } = this.options;
    const now = clock.monotonic();
    const bounds = new Bounds(DEFAULT_RECEIVER_LIMITS);
    const records: SpanRecord[] = [];
    for (const text of texts) {
      try {
        const live = liveMessage(text, bounds);
        if (live === undefined) continue;
        // Also what is too much to be kept may be the answer that somebody waits for.
        heard(live.envelope);
        if (this.options.isOwn?.(live.envelope) === true) continue;
        const sender = JSON.stringify([place.space, live.sender]);
        this.rate.check(sender, now);
        this.rate.take(sender, 1, now);
        const time = live.envelope.time ?? epochMs(clock.now());
        for (const record of this.liveRecords(live, place, time)) records.push(record);
      } catch (error) {
        const reason = BoundaryError.from(error).code === 'RESOURCE_EXHAUSTED' ? 'rate' : 'invalid';
        metrics.recordsRejected(SIGNAL, reason, 1);
        refused(reason);
      }
    }
    if (bounds.textsCut > 0) metrics.textsCut(SIGNAL, bounds.textsCut);
    return records;
  }

  /** @throws BoundaryError RESOURCE_EXHAUSTED, UNAVAILABLE: nothing was taken */
  keep(records: readonly SpanRecord[]): Promise<void> {
    const { clock, consumer, metrics } = this.options;
    return consumeCounted(
      SIGNAL,
      { receivedAt: clock.monotonic(), source: 'mew', records },
      consumer,
      metrics,
    );
  }

  private *liveRecords(
    { envelope, frame }: Live,
    place: MewPlace,
    time: EpochMs,
  ): Generator<SpanRecord, void> {
    const inner = envelope.context.at(-1);
    if (frame === 'end') return yield* endRecords(envelope, place, time, isOver(envelope));
    if (envelope.kind !== 'reasoning/thought' || inner === undefined)
      return yield* this.recordsOf({ envelope, place, time }, []);
    const words = wordsOfThought(envelope);
    if (frame === undefined) {
      const sameAs = this.twice.inMessage(place, inner, words);
      return yield* this.recordsOf({ envelope, place, time }, [], sameAs);
    }
    const knownBy = this.twice.inFrame(place, inner, words);
    if (knownBy !== undefined) yield thoughtRecord(envelope, place, time, knownBy);
  }

  /** Nothing is held any more: something was erased. */
  forgetAll(): void {
    this.open.forgetAll();
  }

  /** Who sends too much has the whole body refused, so that it can be sent again. @throws BoundaryError RESOURCE_EXHAUSTED */
  private checkRate(reading: Reading, key: string | undefined, now: number): void {
    try {
      if (key !== undefined) this.keyRate.check(key, now);
      for (const sender of reading.bySender.keys()) this.rate.check(sender, now);
    } catch (error) {
      this.options.metrics.recordsRejected(SIGNAL, 'resource_exhausted', reading.messages.length);
      throw error;
    }
  }

  /** @param ended gets the contexts that are over because of somebody who left */
  private *recordsOf(
    { envelope, place, time }: Message,
    ended: OpenContext[],
    sameAs?: string,
  ): Generator<SpanRecord, void> {
    const leaver = leaverIn(envelope);
    if (leaver !== undefined)
      for (const context of this.open.leave(leaver, place)) {
        ended.push(context);
        yield* endRecords({ ...envelope, context: context.path }, place, time, 'left');
      }
    if (!isShown(envelope)) return;
    this.open.note(envelope, place);
    yield* mewRecords(envelope, place, time, sameAs);
  }
}

/** Who hears what comes over a connection. */
export interface LiveListener {
  readonly heard: (envelope: Envelope) => void;
  readonly refused: (reason: Refused) => void;
}

/** Why something that came over a connection was not taken. */
export type Refused = 'rate' | 'invalid';

/** What came over the connection to a gateway. */
interface Live {
  readonly envelope: Envelope;
  /** Who is counted for it: whoever a message names, or the stream of a frame. */
  readonly sender: string | undefined;
  readonly frame: 'thought' | 'end' | undefined;
}

/** undefined for what is passed over. @throws BoundaryError INVALID_ARGUMENT */
function liveMessage(text: string, bounds: Bounds): Live | undefined {
  if (isFrame(text)) {
    const frame = readFrame(text, bounds);
    return frame && { ...frame, sender: `#${frame.stream}`, frame: frame.isEnd ? 'end' : 'thought' };
  }
  const value = objectIn(lineItem(text));
  // Words of earlier versions stand in files alone.
  if (typeof value['kind'] !== 'string' || value['kind'].includes('.')) return undefined;
  const envelope = readEnvelope(value, bounds);
  return { envelope, sender: envelope.from, frame: undefined };
}

interface Message {
  readonly envelope: Envelope;
  readonly place: MewPlace;
  readonly time: EpochMs;
}

/** What the items of one body say. */
class Reading {
  readonly items = new ItemAnswer();
  readonly bounds = new Bounds(DEFAULT_RECEIVER_LIMITS);
  readonly messages: Message[] = [];
  /** How many messages, by space and sender. */
  readonly bySender = new Map<string, number>();
  /** Why what its sender may not say was refused. */
  readonly forbidden: string[] = [];
  private readonly place: MewPlace;
  private readonly capabilities: readonly Capability[] | undefined;
  /** Of the message before: one without a time stands where that does. */
  private time: EpochMs;

  constructor(place: MewPlace, now: number, capabilities?: readonly Capability[]) {
    this.place = place;
    this.capabilities = capabilities;
    this.time = epochMs(now);
  }

  read(index: number, item: Item): void {
    this.items.orReject(index, () => {
      const received = receivedIn(objectIn(item));
      if (received === undefined) return void this.items.accepted++;
      const { space, participant } = received;
      const envelope = sentBy(readEnvelope(received.value, this.bounds), participant);
      if (!isShown(envelope) && !isPlumbing(envelope.kind)) return this.items.passOver(index);
      if (!maySay(this.capabilities, envelope)) return this.forbid(index, envelope);
      this.items.accepted++;
      this.time = envelope.time ?? this.time;
      const place = space === undefined ? this.place : { ...this.place, space };
      this.messages.push({ envelope, place, time: this.time });
      const sender = JSON.stringify([place.space, envelope.from]);
      this.bySender.set(sender, (this.bySender.get(sender) ?? 0) + 1);
    });
  }

  private forbid(index: number, { kind }: Envelope): void {
    const why = whyNot({ kind });
    this.forbidden.push(why);
    this.items.reject(index, why);
  }

  get answer(): MewAnswer['body'] {
    const { textsCut } = this.bounds;
    return { ...this.items.body, ...(textsCut > 0 && { truncated: textsCut }) };
  }
}

/** A message is from who its gateway knows as its sender; what it says itself may be anything. */
function sentBy(envelope: Envelope, participant: string | undefined): Envelope {
  const { from } = envelope;
  if (participant === undefined || participant === from) return envelope;
  // The gateway speaks for others: who joined, what it refused.
  if (from === undefined || isPlumbing(envelope.kind)) return { ...envelope, from: from ?? participant };
  return { ...envelope, from: participant, claimedFrom: from };
}

function unreadable(): MewAnswer {
  const message =
    'the body holds no JSON; send one message, an array of messages, or one message or line of envelope-history.jsonl per line';
  return { status: 400, body: { accepted: 0, rejected: 0, errors: [{ index: 0, message }] } };
}
