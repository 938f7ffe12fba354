import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AnswerBytes } from './answer-bytes.ts';

const soon = (): Promise<void> => new Promise(setImmediate);

test('[SV78] of answers that are too many bytes together the eldest is made, and others when it is read', async () => {
  const bytes = new AnswerBytes(10);
  const [eldest, second, third] = [bytes.open(), bytes.open(), bytes.open()];
  assert.equal(eldest.add(6), undefined);
  assert.equal(second.add(4), undefined);
  assert.equal(eldest.add(100), undefined);
  assert.equal(bytes.isAwaited, false);
  const goneOn: string[] = [];
  void second.add(1)?.then(() => goneOn.push('second'));
  void third.add(20)?.then(() => goneOn.push('third'));
  await soon();
  assert.deepEqual(goneOn, []);
  assert.ok(bytes.isAwaited);
  eldest.close();
  await soon();
  assert.deepEqual(goneOn, ['second']);
  second.close();
  await soon();
  assert.deepEqual(goneOn, ['second', 'third']);
  assert.equal(bytes.isAwaited, false);
});

test('[SV78] an answer that is over holds nothing, and waits for nothing', async () => {
  const bytes = new AnswerBytes(10);
  const [eldest, second, third] = [bytes.open(), bytes.open(), bytes.open()];
  assert.equal(eldest.add(10), undefined);
  const waits = second.add(1);
  assert.ok(waits);
  second.close();
  await waits;
  assert.equal(second.add(100), undefined);
  eldest.close();
  assert.equal(third.add(10), undefined);
  assert.equal(bytes.open().add(0), undefined, 'nothing of the others is left');
});

test('[SV78] a small answer is made at once, whatever others hold', async () => {
  const bytes = new AnswerBytes(640);
  const [eldest, small, other] = [bytes.open(), bytes.open(), bytes.open()];
  assert.equal(eldest.add(10_000), undefined);
  assert.equal(small.add(4), undefined);
  assert.equal(small.add(6), undefined);
  assert.equal(bytes.isAwaited, false);
  const waits = other.add(11);
  assert.ok(waits);
  eldest.close();
  await waits;
});
