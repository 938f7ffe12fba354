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
