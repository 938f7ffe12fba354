import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../base/clock.ts';
import { InflightBytes } from './inflight-bytes.ts';

test('[IN17] a request that does not fit is told of once, however many of its pieces come', () => {
  let refused = 0;
  const inflight = new InflightBytes(100, () => refused++);
  const first = inflight.open();
  assert.equal(first.grow(80), true);
  const second = inflight.open();
  assert.equal(second.grow(30), false);
  assert.equal(second.grow(30), false);
  assert.equal(refused, 1);
  assert.equal(inflight.open().grow(21), false);
  assert.equal(refused, 2);
});

test('[IN17] what was given back can be taken again, and a closed request takes nothing and counts nothing', () => {
  let refused = 0;
  const inflight = new InflightBytes(100, () => refused++);
  const first = inflight.open();
  assert.equal(first.grow(100), true);
  first.close();
  first.close();
  assert.equal(inflight.used, 0);
  assert.equal(first.grow(1), false);
  assert.equal(inflight.open().grow(100), true);
  assert.equal(refused, 0);
});

test('[IN24] what decoding takes is in the budget before a body is decoded, and half of it is enough for the largest', async () => {
  const inflight = new InflightBytes(1000);
  const small = inflight.open();
  small.grow(10);
  assert.equal(await small.work('json'), true);
  assert.equal(inflight.used, 90);
  small.close();
  const largest = inflight.open();
  largest.grow(400);
  assert.equal(await largest.work('json'), true);
  assert.equal(inflight.used, 900);
  largest.close();
  assert.equal(inflight.used, 0);
});

test('[IN24] a complete body waits a second for room to be decoded in, and is refused then', async () => {
  const clock = new ManualClock();
  let refused = 0;
  const inflight = new InflightBytes(1000, () => refused++, clock);
  const [first, second, third] = [inflight.open(), inflight.open(), inflight.open()];
  for (const reservation of [first, second, third]) reservation.grow(100);
  assert.equal(await first.work('json'), true);
  const waits = [second.work('json'), third.work('json')];
  first.close();
  assert.equal(await waits[0], true);
  clock.advance(1000);
  assert.equal(await waits[1], false);
  assert.equal(refused, 1);
  second.close();
  third.close();
  assert.equal(inflight.used, 0);
});

test('[IN26] when the budget is full, what has been arriving for longest makes room, and nothing that is complete', async () => {
  const clock = new ManualClock();
  let refused = 0;
  const inflight = new InflightBytes(1000, () => refused++, clock);
  const dropped: string[] = [];
  const open = (name: string, bytes: number) => {
    const reservation = inflight.open((error) => dropped.push(`${name} ${error.code}`));
    assert.equal(reservation.grow(bytes), true);
    return reservation;
  };
  const complete = open('complete', 100);
  assert.equal(await complete.work('protobuf'), true);
  open('oldest', 300);
  clock.advance(1);
  open('older', 100);
  clock.advance(1998);
  const late = inflight.open();
  assert.equal(late.grow(200), false, 'nothing has been arriving for two seconds');
  clock.advance(1);
  assert.equal(inflight.open().grow(200), true);
  assert.deepEqual(dropped, ['oldest RESOURCE_EXHAUSTED']);
  clock.advance(10_000);
  assert.equal(inflight.open().grow(700), false);
  assert.equal(inflight.used, 500, 'complete work stays');
  assert.equal(refused, 5);
});

test('[AC35] when the budget is full, who has more than its share makes room, and leaves a quarter of it to others', () => {
  const clock = new ManualClock();
  const dropped: string[] = [];
  const inflight = new InflightBytes(1000, () => undefined, clock);
  const open = (name: string, who: string) =>
    inflight.open((error) => dropped.push(`${name} ${error.code} ${error.retryAfterMs}`), who);
  const flood = Array.from({ length: 10 }, (_, i) => open(`flood ${i}`, 'flood'));
  for (const one of flood) assert.equal(one.grow(100), true, 'who is alone may have everything');
  const other = open('other', 'other');
  assert.equal(other.grow(150), true);
  assert.deepEqual(dropped, ['flood 9 RESOURCE_EXHAUSTED 1000', 'flood 8 RESOURCE_EXHAUSTED 1000']);
  other.close();
  assert.equal(open('flood again', 'flood').grow(100), false, 'a quarter stays free');
  assert.equal(open('other again', 'other').grow(200), true);
  for (const one of flood) one.close();
  clock.advance(60_001);
  const alone = open('flood later', 'flood');
  assert.equal(alone.grow(800), true, 'nobody else came for a minute');
});

test('[AC35] room that becomes free goes first to who has no more than its share', async () => {
  const clock = new ManualClock();
  const inflight = new InflightBytes(1000, () => undefined, clock);
  const order: string[] = [];
  const work = async (name: string, who: string): Promise<void> => {
    const reservation = inflight.open(undefined, who);
    assert.equal(reservation.grow(10), true);
    if (await reservation.reserve(200)) order.push(name);
  };
  const [first, second] = [inflight.open(undefined, 'flood'), inflight.open(undefined, 'flood')];
  assert.equal(first.grow(300), true);
  assert.equal(second.grow(510), true);
  assert.equal(await first.reserve(150), 150);
  assert.equal(await second.reserve(0), 0);
  const waiting = [work('flood 1', 'flood'), work('flood 2', 'flood')];
  waiting.push(work('other', 'other'));
  first.close();
  await waiting[2];
  assert.deepEqual(order, ['other']);
});

test('[AC35] bytes that came before it was known who sends are counted to who does', () => {
  const inflight = new InflightBytes(1000, () => undefined, new ManualClock());
  const late = inflight.open();
  assert.equal(late.grow(600), true);
  late.belongsTo('flood');
  const other = inflight.open(undefined, 'other');
  assert.equal(other.grow(500), true, 'flood has more than its share, and makes room');
  assert.equal(inflight.used, 500);
});
