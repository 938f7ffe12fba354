import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EncodedOnce } from './encoded-once.ts';

test('[FZ2] what is encoded once is kept only while it is among the last 16 MiB', () => {
  const made: number[] = [];
  const once = new EncodedOnce<string>();
  const values = Array.from({ length: 20 }, (_, n) => ({ n }));
  const encode = ({ n }: { readonly n: number }): string => (made.push(n), 'x'.repeat(1024 * 1024));
  for (const value of values) once.of(value, encode);
  const last = values.at(-1) ?? assert.fail();
  assert.equal(once.of(last, encode).length, 1024 * 1024);
  assert.equal(made.length, 20);
  once.of(values[4] ?? last, encode);
  assert.equal(made.length, 20, 'the last sixteen are there');
  once.of(values[3] ?? last, encode);
  assert.equal(made.length, 21);
});
