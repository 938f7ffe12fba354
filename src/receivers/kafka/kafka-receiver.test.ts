import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { BoundaryError } from '../../base/boundary-error.ts';
import { ManualClock } from '../../base/clock.ts';
import type { RecordBatch, RecordConsumer } from '../../model/pipeline.ts';
import type { CotRecord, TelemetryRecord } from '../../model/records.ts';
import type { Logger } from '../../telemetry/logger.ts';
import { CountingMetrics, eventually } from '../otlp-server.test-support.ts';
import { KafkaReceiver } from './kafka-receiver.ts';
import type { KafkaMessage, KafkaPosition, KafkaSession } from './kafka-session.ts';
import { MAX_OF_ONE_THOUGHT } from './message-window.ts';

/** A topic of a broker, as one member of the group sees it. */
class FakeKafka {
  readonly log: KafkaMessage[] = [];
  readonly committed = new Map<number, bigint>();
  readonly commits: (readonly KafkaPosition[])[] = [];
  lost = new Set<number>();
  joinFails: Error | undefined;
  commitFails: Error | undefined;
  closed = 0;
  private sessionFails: Error | undefined;
  private wake = (): void => undefined;

  send(value: unknown, partition = 0): void {
    const offset = BigInt(this.log.filter((message) => message.partition === partition).length);
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    this.log.push({ topic: 'cot', partition, offset, timestamp: 1n, value: Buffer.from(text) });
    this.wake();
  }

  fail(error: Error): void {
    this.sessionFails = error;
    this.wake();
  }

  /** What a member gets again when the group changes: from what is committed. */
  rewind: () => void = () => undefined;

  readonly join = async (): Promise<KafkaSession> => {
    if (this.joinFails) throw this.joinFails;
    this.sessionFails = undefined;
    let waiting: KafkaMessage[] = [];
    let seen = 0;
    const fresh = (): void => {
      waiting.push(
        ...this.log.slice(seen).filter((m) => m.offset >= (this.committed.get(m.partition) ?? 0n)),
      );
      seen = this.log.length;
    };
    this.rewind = () => {
      seen = 0;
      fresh();
      this.wake();
    };
    return {
      next: async (stopped) => {
        stopped.addEventListener('abort', () => this.wake());
        for (;;) {
          if (stopped.aborted) return undefined;
          if (this.sessionFails) throw this.sessionFails;
          fresh();
          const next = waiting.shift();
          if (next) return next;
          await new Promise<void>((resolve) => (this.wake = resolve));
        }
      },
      nextNow: () => waiting.shift(),
      owns: (_topic, partition) => !this.lost.has(partition),
      commit: async (positions) => {
        if (this.commitFails) throw this.commitFails;
        this.commits.push(positions);
        for (const { partition, offset } of positions) this.committed.set(partition, offset);
      },
      close: async () => {
        waiting = [];
        this.closed++;
      },
    };
  };
}

/** Takes batches, or refuses them. */
class FakeIntake implements RecordConsumer {
  readonly batches: RecordBatch[] = [];
  refuse: (records: readonly TelemetryRecord[]) => BoundaryError | undefined = () => undefined;
  tries = 0;

  async consume(batch: RecordBatch): Promise<void> {
    this.tries++;
    const refusal = this.refuse(batch.records);
    if (refusal) throw refusal;
    this.batches.push(batch);
  }

  get ids(): string[] {
    return this.entries.map(({ record }) => record.requestId);
  }

  /** Each entry and the digest that it came with. */
  get entries(): { readonly record: CotRecord; readonly digest: string }[] {
    return this.batches.flatMap(({ records, digest }) =>
      records.map((record) => {
        assert.ok(record.kind === 'cot' && typeof digest === 'function');
        return { record, digest: digest(record) };
      }),
    );
  }
}

function setup(t: TestContext) {
  const kafka = new FakeKafka();
  const intake = new FakeIntake();
  const counts = new CountingMetrics();
  const clock = new ManualClock();
  const lines: string[] = [];
  const say = (fields: object, message: string): void =>
    void lines.push(`${message} ${JSON.stringify(fields)}`);
  const logger: Logger = { debug: say, info: say, warn: say, error: say };
  const receiver = new KafkaReceiver({
    consumer: intake,
    metrics: counts.sink,
    logger,
    clock,
    signalOf: () => 'cot',
    maxMessageBytes: 1000,
  });
  receiver.start(kafka.join);
  t.after(() => receiver.stop());
  /** Time passes until something is so. */
  const passing = (isSo: () => boolean): Promise<void> =>
    eventually(() => {
      clock.advance(1000);
      return isSo();
    });
  return { kafka, intake, counts, clock, lines, receiver, passing };
}

const thought = (requestId: string): object => ({ requestId, timestamp: 1, text: 'x' });

test('[KA1] messages are committed when their records are kept, and not before', async (t) => {
  const { kafka, intake, counts, passing } = setup(t);
  let isFull = true;
  intake.refuse = () =>
    isFull ? new BoundaryError('RESOURCE_EXHAUSTED', 'full', { retryAfterMs: 10 }) : undefined;
  for (const id of ['a', 'b']) kafka.send(thought(id));
  await eventually(() => intake.tries > 0);
  assert.deepEqual(kafka.commits, []);
  isFull = false;
  await passing(() => kafka.commits.length > 0);
  assert.deepEqual(intake.ids, ['a', 'b']);
  assert.equal(kafka.committed.get(0), 2n);
  assert.equal(counts.accepted.get('cot'), 2);
});

test('[KA3] a message has the same digest whenever it is delivered, and no other message has it', async (t) => {
  const { kafka, intake, passing } = setup(t);
  kafka.commitFails = new Error('the group gives out its partitions anew');
  kafka.send([thought('a'), thought('b')]);
  kafka.send(thought('a'));
  kafka.send(thought('a'), 1);
  await eventually(() => intake.ids.length === 4);
  // The session is given up, and another one reads from what is committed: nothing.
  await passing(() => kafka.closed > 0);
  kafka.commitFails = undefined;
  await passing(() => intake.ids.length === 8);
  const digests = intake.entries.map(({ digest }) => digest);
  assert.deepEqual(digests.slice(4), digests.slice(0, 4));
  assert.equal(digests[0], digests[1], 'one message');
  assert.equal(new Set(digests).size, 3);
});

test('[KA3] no more messages of one thought are kept and uncommitted than it remembers', async (t) => {
  const { kafka, intake } = setup(t);
  for (let n = 0; n < 100; n++) kafka.send(thought('a'));
  await eventually(() => kafka.committed.get(0) === 100n);
  for (const { records } of intake.batches) assert.ok(records.length <= MAX_OF_ONE_THOUGHT);
  assert.equal(intake.ids.length, 100);
});

test('[KA3] what is delivered again within a membership is passed over; what another member has is left to it', async (t) => {
  const { kafka, intake } = setup(t);
  kafka.send(thought('a'));
  kafka.send(thought('b'), 1);
  await eventually(() => kafka.commits.length > 0 && intake.ids.length === 2);
  kafka.committed.clear();
  kafka.lost = new Set([1]);
  kafka.send(thought('c'), 1);
  kafka.rewind();
  kafka.send(thought('d'));
  await eventually(() => intake.ids.includes('d'));
  assert.deepEqual(intake.ids, ['a', 'b', 'd']);
  assert.equal(kafka.committed.has(1), false);
});

test('[KA3] what is delivered again before it was kept is taken once', async (t) => {
  const { kafka, intake, passing } = setup(t);
  let isFull = true;
  intake.refuse = () => (isFull ? new BoundaryError('UNAVAILABLE', 'full', { retryAfterMs: 10 }) : undefined);
  kafka.send(thought('a'));
  await eventually(() => intake.tries > 0);
  for (const id of ['b', 'c']) kafka.send(thought(id));
  // The same again behind what waits already.
  kafka.rewind();
  kafka.rewind();
  isFull = false;
  await passing(() => kafka.committed.get(0) === 3n);
  assert.deepEqual(intake.ids, ['a', 'b', 'c']);
});

test('[KA4] messages that cannot be read are counted, named without their text, and skipped', async (t) => {
  const { kafka, intake, counts, lines } = setup(t);
  kafka.send(thought('a'));
  kafka.send('hunter2 {');
  kafka.send({ text: 'hunter2' });
  kafka.send(`"${'hunter2'.repeat(200)}"`);
  kafka.send('');
  kafka.send(thought('b'));
  await eventually(() => kafka.committed.get(0) === 6n);
  assert.deepEqual(intake.ids, ['a', 'b']);
  assert.deepEqual([counts.rejected.get('cot/unparsable'), counts.rejected.get('cot/invalid')], [3, 1]);
  const said = lines.join('\n');
  for (const offset of [1, 2, 3, 4]) assert.match(said, new RegExp(`"cot/0/${offset}"`));
  assert.match(said, /requestId: required/);
  assert.doesNotMatch(said, /hunter2/);
});

test('[KA4] records that are refused for a fault of theirs cost the other messages nothing', async (t) => {
  const { kafka, intake, lines, passing, counts } = setup(t);
  intake.refuse = (records) =>
    records.some((record) => record.kind === 'cot' && record.requestId === 'bad')
      ? new BoundaryError('INTERNAL', 'a bug')
      : undefined;
  for (const id of ['a', 'bad', 'b']) kafka.send(thought(id));
  await passing(() => kafka.committed.get(0) === 3n);
  assert.deepEqual(intake.ids, ['a', 'b']);
  assert.match(lines.join('\n'), /refused and are skipped.*"cot\/0\/1"/);
  assert.equal(counts.rejected.get('cot/internal'), 1);
});

test('[KA5] brokers that are away are said once and tried again; /readyz knows until they are back', async (t) => {
  const { kafka, intake, lines, receiver, passing } = setup(t);
  await eventually(() => receiver.problem === undefined);
  kafka.joinFails = Object.assign(new Error('secret text'), {
    cause: { code: 'ECONNREFUSED' },
    code: 'PLT_KFK_NETWORK',
  });
  kafka.fail(kafka.joinFails);
  await eventually(() => receiver.problem !== undefined);
  for (let n = 0; n < 20; n++) await passing(() => true);
  assert.match(receiver.problem ?? '', /Kafka cannot be read \(ECONNREFUSED\)/);
  assert.equal(lines.length, 1);
  kafka.joinFails = undefined;
  kafka.send(thought('a'));
  await passing(() => intake.ids.length === 1);
  assert.equal(receiver.problem, undefined);
  assert.equal(lines.length, 2);
  assert.doesNotMatch(lines.join('\n'), /secret/);
});

test('[KA6] `stop` keeps and commits what was read, and leaves the group', async (t) => {
  const { kafka, intake, receiver } = setup(t);
  kafka.send(thought('a'));
  await eventually(() => intake.tries > 0);
  await receiver.stop();
  assert.equal(kafka.committed.get(0), 1n);
  assert.equal(kafka.closed, 1);
});

test('[KA6] `stop` gives back what the service does not take any more', async (t) => {
  const { kafka, intake, receiver } = setup(t);
  intake.refuse = () => new BoundaryError('UNAVAILABLE', 'draining', { retryAfterMs: 1000 });
  kafka.send(thought('a'));
  await eventually(() => intake.tries > 0);
  await receiver.stop();
  assert.equal(kafka.committed.has(0), false);
  assert.equal(kafka.closed, 1);
});
