import assert from 'node:assert/strict';
import { test } from 'node:test';
import { collectExternalMemory } from './external-memory.ts';

const MIB = 1024 * 1024;

test('[FZ2] dead buffers outside the heap are collected when they are many, and not before', () => {
  let used = 10 * MIB;
  const flags: string[] = [];
  const look = collectExternalMemory({
    keptBytes: 100 * MIB,
    usedBytes: () => used,
    setFlag: (flag) => void flags.push(flag),
  });
  const counted = '--external-memory-accounted-in-global-limit';
  assert.deepEqual(flags, [counted]);
  used = 200 * MIB;
  look();
  assert.equal(flags.length, 1, 'what is kept is no reason');
  used = 300 * MIB;
  look();
  look();
  used = 110 * MIB;
  look();
  assert.deepEqual(flags, [counted, '--no-external-memory-accounted-in-global-limit', counted]);
});
