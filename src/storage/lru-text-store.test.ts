import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { propertyRuns } from '../../test/support/property-runs.ts';
import { LruTextStore } from './lru-text-store.ts';

const prompt = (length: number, char = 'x') => ({ texts: { prompt: char.repeat(length) } });

test('[ST15] the bound holds, what was used last is there, and nothing is mixed up', () => {
  const key = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f');
  const command = fc.oneof(
    {
      weight: 3,
      arbitrary: fc.record({ do: fc.constant('put' as const), key, length: fc.nat({ max: 3000 }) }),
    },
    { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('get' as const, 'delete' as const), key }) },
  );
  fc.assert(
    fc.property(fc.array(command, { maxLength: 60 }), (commands) => {
      const maxBytes = 10_000;
      const store = new LruTextStore(maxBytes);
      const put = new Map<string, number>();
      for (const step of commands) {
        if (step.do === 'put') {
          store.put(step.key, prompt(step.length, step.key));
          put.set(step.key, step.length);
          assert.deepEqual(store.get(step.key), prompt(step.length, step.key));
        } else if (step.do === 'get') {
          const got = store.get(step.key);
          if (got) assert.deepEqual(got, prompt(put.get(step.key) ?? -1, step.key));
        } else {
          store.delete(step.key);
          assert.equal(store.get(step.key), undefined);
        }
        const held = ['a', 'b', 'c', 'd', 'e', 'f'].filter((name) => store.get(name) !== undefined);
        assert.equal(held.length, store.size);
        for (const name of held) assert.deepEqual(store.get(name), prompt(put.get(name) ?? -1, name));
        const chars = held.reduce((sum, name) => sum + (put.get(name) ?? 0), 0);
        assert.ok(chars <= maxBytes, `${chars} characters`);
      }
    }),
    propertyRuns(),
  );
});

test('[ST15] the least recently used go first', () => {
  const store = new LruTextStore(3000);
  for (const key of ['a', 'b', 'c']) store.put(key, prompt(700));
  assert.ok(store.get('a'));
  store.put('d', prompt(700));
  assert.equal(store.get('b'), undefined);
  for (const key of ['c', 'a', 'd']) assert.ok(store.get(key), key);
});

test('[ST15] nor are there more entries than allowed', () => {
  const store = new LruTextStore(100_000, 3);
  for (const key of ['a', 'b', 'c', 'd']) store.put(key, prompt(10));
  assert.equal(store.get('a'), undefined);
  assert.equal(store.size, 3);
});

test('[ST15] an entry larger than the bound is not kept, and what it replaced is gone', () => {
  const store = new LruTextStore(1000);
  store.put('a', prompt(10));
  store.put('a', prompt(2000));
  assert.equal(store.get('a'), undefined);
  assert.equal(store.size, 0);
});

test('[ST15] text of any script comes back as it was', () => {
  const store = new LruTextStore(10_000);
  const texts = { texts: { prompt: 'naïve 日本語 🦜 \u0000 "quoted" \ud800' } };
  store.put('a', texts);
  assert.deepEqual(store.get('a'), texts);
});
