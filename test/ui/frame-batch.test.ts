import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FrameBatch } from '../../ui/connection/frame-batch.ts';

test('[UI7] what piled up is taken in slices, a frame each, in its order, and how far that is behind is said', () => {
  const frames: ((most: number) => void)[] = [];
  const taken: number[] = [];
  const behind: number[] = [];
  const batch = new FrameBatch<number>(
    (hand) => frames.push(hand),
    (items, left) => {
      taken.push(...items);
      behind.push(left);
    },
  );
  const all = Array.from({ length: 120 }, (_, index) => index);
  for (const item of all) batch.add(item);
  for (let frame = frames.shift(); frame; frame = frames.shift()) {
    assert.equal(frames.length, 0, 'one frame is asked for at a time');
    frame(50);
  }
  assert.deepEqual(taken, all);
  assert.deepEqual(behind, [70, 20, 0]);
  batch.add(120);
  batch.close();
  frames.shift()?.(50);
  assert.equal(taken.length, 120);
});
