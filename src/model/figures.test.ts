import assert from 'node:assert/strict';
import { test } from 'node:test';
import { count, dollars, duration, tokens } from './figures.ts';

test('[CLI23] figures are short and keep the digits that count', () => {
  const durations = [0, 0.4, 12.6, 999, 1234, 59_999, 61_000, 3_660_000].map(duration);
  assert.deepEqual(durations, ['0 ms', '<1 ms', '13 ms', '999 ms', '1.2 s', '60.0 s', '1m01s', '1h01m']);
  const costs = [0, 0.000012, 0.00012, 0.0123, 0.5, 1, 12.345].map(dollars);
  assert.deepEqual(costs, ['$0.00', '$0.000012', '$0.00012', '$0.012', '$0.50', '$1.00', '$12.35']);
  assert.equal(tokens(1200, undefined), '1200→?');
  assert.equal(tokens(undefined, undefined), '');
  assert.equal(tokens(12_345, 1_234_567), '12k→1.2M');
  assert.equal(count(1, 'step'), '1 step');
  assert.equal(count(0, 'step'), '0 steps');
});
