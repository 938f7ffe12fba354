import { BoundaryError } from '../../base/boundary-error.ts';
import type { Clock } from '../../base/clock.ts';
import type { RecordConsumer } from '../../model/pipeline.ts';
import type { CotRecord, TelemetryRecord } from '../../model/records.ts';
import type { Logger } from '../../telemetry/logger.ts';
import { DEFAULT_RETRY_AFTER_MS } from '../config.ts';
import { countByKind } from '../count-kinds.ts';
import { reasonOf } from './failure-reason.ts';
import type { JoinKafka, KafkaMessage, KafkaPosition, KafkaSession } from './kafka-session.ts';
import { MessageWindow, type WindowOptions } from './message-window.ts';

export interface KafkaReceiverOptions extends WindowOptions {
  readonly consumer: RecordConsumer;
  readonly logger: Logger;
  readonly clock: Clock;
}

/** Pauses between attempts, doubled from the first to the last. */
const FIRST_PAUSE_MS = 250;
const LAST_PAUSE_MS = 5_000;
/** Whoever was a member for so long begins again with the first pause. */
const STEADY_MS = 30_000;
/** While a group gives out its partitions anew, commits are refused until the next heartbeats: then a member joins anew. */
const COMMIT_TRIES = 10;
const COMMIT_PAUSE_MS = 1_000;
/** How often records are tried that are refused for what may be a fault of theirs. */
const FAULT_TRIES = 3;
/** Messages that one line of the log names. */
const MAX_NAMED = 10;

/** The receiver is to stop: what is under way and not kept is read again after the next start. */
const STOPPED = Symbol('stopped');

/**
 * Reads messages from Kafka and commits their offsets once the records in them are kept: each is taken at least once, and
 * what is delivered again adds nothing. While the consumer is full, or the brokers are away, it waits and tries again.
 */
export class KafkaReceiver {
  private readonly options: KafkaReceiverOptions;
  private readonly stopping = new AbortController();
  private running: Promise<void> | undefined;
  private away: string | undefined;

  constructor(options: KafkaReceiverOptions) {
    this.options = options;
  }

  /** Why nothing is read now, for `/readyz`; undefined while all is well. */
  get problem(): string | undefined {
    return this.away;
  }

  start(join: JoinKafka): void {
    this.running ??= this.run(join);
  }

  /** Reads nothing more; resolves when what was read is kept and committed, or given back, and the group is left. */
  async stop(): Promise<void> {
    this.stopping.abort(STOPPED);
    await this.running;
  }

  private get isStopping(): boolean {
    return this.stopping.signal.aborted;
  }

  private async run(join: JoinKafka): Promise<void> {
    const { clock } = this.options;
    for (let pause = FIRST_PAUSE_MS; !this.isStopping; pause = Math.min(2 * pause, LAST_PAUSE_MS)) {
      const began = clock.monotonic();
      await this.attend(join);
      if (clock.monotonic() - began > STEADY_MS) pause = FIRST_PAUSE_MS;
      await this.pause(pause);
    }
  }

  /** One membership of the group, to its end. */
  private async attend(join: JoinKafka): Promise<void> {
    let session: KafkaSession | undefined;
    try {
      session = await join();
      this.isBack();
      await this.read(session);
    } catch (error) {
      if (!this.isStopping) this.isAway(error);
    } finally {
      await session?.close();
    }
  }

  private async read(session: KafkaSession): Promise<void> {
    /** Up to where each partition was read: what is before that is delivered again when the group changes. */
    const read = new Map<string, bigint>();
    const take = (message: KafkaMessage, window: MessageWindow): void => {
      const { topic, partition, offset } = message;
      const name = `${topic}/${partition}`;
      if (!session.owns(topic, partition) || offset < (read.get(name) ?? 0n)) return;
      read.set(name, offset + 1n);
      window.add(message);
    };
    for (;;) {
      const first = await session.next(this.stopping.signal);
      if (first === undefined) return;
      const window = new MessageWindow(this.options);
      for (
        let next: KafkaMessage | undefined = first;
        next;
        next = window.isFull ? undefined : session.nextNow()
      )
        take(next, window);
      await this.keep(window);
      await this.commit(session, window.positions);
    }
  }

  /** Resolves when the records are kept, but for those of messages that are at fault. @throws STOPPED */
  private async keep(window: MessageWindow): Promise<void> {
    tellSome(this.options.logger, window.unreadable, 'messages from Kafka cannot be read and are skipped');
    const digest = (entry: CotRecord): string => window.digestOf(entry);
    const { read } = window;
    const all = read.flatMap(({ records }) => records);
    if (all.length === 0 || (await this.keepAll(all, digest)) === undefined) return;
    // One of them is at fault: the others are not to be lost for it.
    const faulty: object[] = [];
    for (const { message, records } of read) {
      const refusal = await this.keepAll(records, digest);
      if (!refusal) continue;
      for (const [kind, count] of countByKind(records))
        this.options.metrics.recordsRejected(kind, refusal.code.toLowerCase(), count);
      faulty.push({ message, code: refusal.code });
    }
    tellSome(this.options.logger, faulty, 'messages from Kafka were refused and are skipped');
  }

  /**
   * While the consumer is full or its disk refuses, it is asked again.
   * @returns why it refuses them for another reason, asked several times
   */
  private async keepAll(
    records: readonly TelemetryRecord[],
    digest: (entry: CotRecord) => string,
  ): Promise<BoundaryError | undefined> {
    const { clock, consumer, metrics } = this.options;
    const receivedAt = clock.monotonic();
    for (let faults = 0; ;) {
      try {
        await consumer.consume({ receivedAt, source: 'kafka', records, digest });
        for (const [kind, count] of countByKind(records)) metrics.recordsAccepted(kind, count);
        return undefined;
      } catch (error) {
        const refusal = BoundaryError.from(error);
        const mayPass = refusal.code === 'RESOURCE_EXHAUSTED' || refusal.code === 'UNAVAILABLE';
        if (!mayPass && ++faults === FAULT_TRIES) return refusal;
        await this.pause(refusal.retryAfterMs ?? DEFAULT_RETRY_AFTER_MS);
        if (this.isStopping) throw STOPPED;
      }
    }
  }

  /** @throws when it cannot be done: the messages come again to whoever has the partition then, and add nothing */
  private async commit(session: KafkaSession, positions: readonly KafkaPosition[]): Promise<void> {
    for (let tries = 1; ; tries++) {
      // What another member has by now is for that one to commit.
      const own = positions.filter(({ topic, partition }) => session.owns(topic, partition));
      if (own.length === 0) return;
      try {
        return await session.commit(own);
      } catch (error) {
        if (tries === COMMIT_TRIES || this.isStopping) throw error;
        await this.pause(COMMIT_PAUSE_MS);
      }
    }
  }

  private isAway(error: unknown): void {
    const reason = reasonOf(error);
    const isNews = this.away === undefined;
    this.away = `Kafka cannot be read (${reason}): what is sent there waits, and is tried again`;
    if (isNews) this.options.logger.warn({ reason }, 'Kafka cannot be read, it is tried again until it can');
  }

  private isBack(): void {
    if (this.away !== undefined) this.options.logger.info({}, 'Kafka can be read again');
    this.away = undefined;
  }

  /** Ends early when the receiver is to stop. */
  private pause(ms: number): Promise<void> {
    const { signal } = this.stopping;
    if (signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = this.options.clock.after(ms, done);
      signal.addEventListener('abort', done);
      function done(): void {
        timer.cancel();
        signal.removeEventListener('abort', done);
        resolve();
      }
    });
  }
}

/** One line, however many there are. */
function tellSome(logger: Logger, messages: readonly object[], what: string): void {
  if (messages.length > 0) logger.warn({ messages: messages.slice(0, MAX_NAMED), of: messages.length }, what);
}
