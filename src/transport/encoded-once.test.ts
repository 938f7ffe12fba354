import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EncodedOnce } from './encoded-once.ts';

const MIB = 1024 * 1024;

test('[FZ2] what is encoded once is kept while it is among the last 8 MiB, and no longer than among the last 16', () => {
  const made: number[] = [];
  const once = new EncodedOnce<string>();
  const encode = ({ n }: { readonly n: number }): string => (made.push(n), 'x'.repeat(MIB));
  const values = Array.from({ length: 40 }, (_, n) => ({ n }));
  for (const [n, value] of values.entries()) {
    once.of(value, encode);
    for (const last of values.slice(Math.max(0, n - 7), n + 1)) once.of(last, encode);
    assert.equal(made.length, n + 1, 'the last eight are there');
  }
  for (const value of values.slice(0, -18)) once.of(value, encode);
  assert.equal(
    made.length,
    40 + 22,
    'of those before the last sixteen and two that went beyond a half none is',
  );
});
