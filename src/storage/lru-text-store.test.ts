import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { LruTextStore } from './lru-text-store.ts';

const prompt = (length: number) => ({ texts: { prompt: 'x'.repeat(length) } });

test('[ST15] the bound holds, and what was used last is there', () => {
  const key = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f');
  const command = fc.oneof(
    fc.record({ do: fc.constant('put' as const), key, length: fc.nat({ max: 3000 }) }),
    fc.record({ do: fc.constantFrom('get' as const, 'delete' as const), key }),
  );
  fc.assert(
    fc.property(fc.array(command, { maxLength: 60 }), (commands) => {
      const maxBytes = 10_000;
      const store = new LruTextStore(maxBytes);
      for (const command of commands) {
        if (command.do === 'put') {
          store.put(command.key, prompt(command.length));
          assert.deepEqual(store.get(command.key), prompt(command.length));
        } else if (command.do === 'get') store.get(command.key);
        else store.delete(command.key);
        const held = [...store.entries()];
        const chars = held.reduce(
          (sum, [key, { texts }]) => sum + key.length + (texts?.prompt?.length ?? 0),
          0,
        );
        assert(store.bytes <= maxBytes && chars * 2 <= store.bytes);
        assert.equal(held.length, store.size);
        if (held.length === 0) assert.equal(store.bytes, 0);
      }
    }),
  );
});

test('[ST15] the least recently used go first', () => {
  const store = new LruTextStore(5000);
  store.put('a', prompt(700));
  store.put('b', prompt(700));
  store.put('c', prompt(700));
  assert(store.get('a'));
  store.put('d', prompt(700));
  assert.equal(store.get('b'), undefined);
  assert.deepEqual(
    [...store.entries()].map(([key]) => key),
    ['c', 'a', 'd'],
  );
});

test('[ST15] an entry larger than the bound is not kept, and what it replaced is gone', () => {
  const store = new LruTextStore(1000);
  store.put('a', prompt(10));
  store.put('a', { attributes: { list: Array.from({ length: 100 }, () => ['y'.repeat(10)]) } });
  assert.equal(store.get('a'), undefined);
  assert.equal(store.bytes, 0);
});
