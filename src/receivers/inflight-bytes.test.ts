import assert from 'node:assert/strict';
import { test } from 'node:test';
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
