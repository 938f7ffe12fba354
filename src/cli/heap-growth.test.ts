import assert from 'node:assert/strict';
import { test } from 'node:test';
import { boundHeapGrowth } from './heap-growth.ts';

const MIB = 1024 * 1024;

test('[FZ2] the heap grows to what may live in it at the limits, and by a third of what lives beyond that', () => {
  const flags: string[] = [];
  const { collected } = boundHeapGrowth({
    boundedBytes: 252 * MIB,
    setFlag: (flag) => void flags.push(flag),
  });
  const after = (mib: number): string | undefined => {
    flags.length = 0;
    collected(mib * MIB);
    return flags[0];
  };
  assert.equal(after(60), undefined, 'a small heap is left to V8');
  assert.equal(after(150), '--heap-growing-percent=100');
  assert.equal(after(150), undefined, 'once is enough');
  assert.equal(after(1000), '--heap-growing-percent=33');
  assert.equal(after(60), '--heap-growing-percent=0');
});

test('[FZ2] the young generation grows no further once it has 48 MiB, until it is smaller again', () => {
  const flags: string[] = [];
  const { young } = boundHeapGrowth({ boundedBytes: 252 * MIB, setFlag: (flag) => void flags.push(flag) });
  for (const mib of [16, 32, 48, 48, 2, 16, 64]) young(mib * MIB);
  const factor = '--semi-space-growth-factor=';
  assert.deepEqual(flags, [`${factor}1`, `${factor}2`, `${factor}1`]);
});
