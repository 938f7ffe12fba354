import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LongBodies } from './long-bodies.ts';

/** Work that is done when it is told to be. */
function works(): {
  readonly order: string[];
  readonly start: (bodies: LongBodies, key: string, name: string) => Promise<void>;
  readonly end: (name: string) => void;
} {
  const order: string[] = [];
  const ends = new Map<string, () => void>();
  return {
    order,
    start: (bodies, key, name) =>
      bodies.inTurn(key, () => {
        order.push(name);
        return new Promise((resolve) => ends.set(name, resolve));
      }),
    end: (name) => ends.get(name)?.(),
  };
}

test('[AG13] long bodies are taken one after the other, the runs in turn', async () => {
  const bodies = new LongBodies();
  const { order, start, end } = works();
  const names = ['a1', 'a2', 'a3', 'b1', 'b2'];
  const done = names.map((name) => start(bodies, name.charAt(0), name));
  assert.deepEqual(order, ['a1']);
  for (const [i, name] of ['a1', 'a2', 'b1', 'a3', 'b2'].entries()) {
    assert.equal(order[i], name);
    end(name);
    await done[names.indexOf(name)];
    await Promise.resolve();
  }
});

test('[AG13] after a long body that failed the next one is taken', async () => {
  const bodies = new LongBodies();
  const failed = bodies.inTurn('a', () => Promise.reject(new Error('refused')));
  const next = bodies.inTurn('a', () => Promise.resolve('taken'));
  await assert.rejects(failed, /refused/);
  assert.equal(await next, 'taken');
  assert.equal(await bodies.inTurn('a', () => Promise.resolve('free')), 'free');
});
