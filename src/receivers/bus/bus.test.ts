import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BoundaryError } from '../../base/boundary-error.ts';
import { ManualClock } from '../../base/clock.ts';
import { silentLogger } from '../../telemetry/logger.ts';
import { CountingMetrics, eventually } from '../otlp-server.test-support.ts';
import { RecordingConsumer } from '../otlp/otlp.test-support.ts';
import { BusReceiver } from './bus-receiver.ts';
import { RxBus } from './rx-bus.ts';

const COT = { topic: 'cot', value: { requestId: 'r', timestamp: 1, text: 'x' } } as const;

function setup(maxBuffered = 10) {
  const bus = new RxBus();
  const consumer = new RecordingConsumer();
  const counts = new CountingMetrics();
  const clock = new ManualClock();
  const receiver = new BusReceiver({
    bus,
    consumer,
    metrics: counts.sink,
    logger: silentLogger,
    clock,
    maxBuffered,
  });
  receiver.start();
  return { bus, consumer, counts, clock, receiver };
}

test('[IN20] what is published in one turn goes on as one batch, in order', async () => {
  const { bus, consumer, counts, receiver } = setup();
  const event = { topic: 'reflexion', value: { eventType: 'X', timestamp: 1 } } as const;
  await Promise.all([bus.publish(COT), bus.publish(event), bus.publish(COT)]);
  await receiver.stop();
  assert.deepEqual(
    consumer.batches.map((batch) => [batch.source, batch.records.map((record) => record.kind)]),
    [['bus', ['cot', 'event', 'cot']]],
  );
  assert.deepEqual(
    [...counts.accepted],
    [
      ['cot', 2],
      ['event', 1],
    ],
  );
});

test('[IN20] a message that cannot be read is refused to who publishes it, by field', async () => {
  const { bus, consumer, receiver } = setup();
  await assert.rejects(bus.publish({ topic: 'cot', value: {} }), {
    code: 'INVALID_ARGUMENT',
    message: /^requestId: required/,
  });
  await receiver.stop();
  assert.equal(consumer.batches.length, 0);
});

test('[IN20] a full buffer refuses, and nothing that was taken is lost while the consumer is full', async () => {
  const { bus, consumer, counts, clock, receiver } = setup(3);
  consumer.refusal = new BoundaryError('RESOURCE_EXHAUSTED', 'full', { retryAfterMs: 50 });
  await bus.publish(COT);
  await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
  for (let i = 0; i < 3; i++) await bus.publish(COT);
  await assert.rejects(bus.publish(COT), { code: 'RESOURCE_EXHAUSTED' });
  assert.equal(counts.rejected.get('cot/resource_exhausted'), 1);
  consumer.refusal = undefined;
  clock.advance(60);
  await eventually(() => consumer.records.length === 4);
  assert.equal(consumer.records.length, 4);
  await receiver.stop();
});

test('[IN20] publishing is refused while draining, and when nobody listens', async () => {
  const { bus, consumer, receiver } = setup();
  await bus.publish(COT);
  const drained = receiver.drain();
  await assert.rejects(bus.publish(COT), { code: 'UNAVAILABLE' });
  await drained;
  assert.equal(consumer.records.length, 1);
  await receiver.stop();
  await assert.rejects(bus.publish(COT), { code: 'UNAVAILABLE', message: /nobody listens/ });
});

test('[IN20] a full consumer does not hold up draining for ever; what is given up is counted', async () => {
  const { bus, consumer, counts, clock, receiver } = setup();
  consumer.refusal = new BoundaryError('RESOURCE_EXHAUSTED', 'full', { retryAfterMs: 10 });
  await bus.publish(COT);
  const timer = setInterval(() => clock.advance(10), 1);
  await receiver.stop();
  clearInterval(timer);
  assert.equal(counts.rejected.get('cot/resource_exhausted'), 1);
});

test('[IN31] halves of characters in ids and texts of programs are U+FFFD', async () => {
  const { bus, consumer, receiver } = setup();
  await bus.publish({ topic: 'cot', value: { ...COT.value, requestId: 'r\ud800', text: '\udc00 😀' } });
  await receiver.stop();
  const [record] = consumer.records;
  assert.ok(record?.kind === 'cot');
  assert.deepEqual([record.requestId, record.text], ['r\ufffd', '\ufffd 😀']);
});
