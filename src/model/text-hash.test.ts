import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { textHash } from './text-hash.ts';

test('[CV23] a text has one hash whatever the blanks in it, and another text another', () => {
  assert.equal(textHash('{"path": "a.ts",\n\t"issues": 3}'), textHash('{"path":"a.ts","issues":3}'));
  const long = 'a '.repeat(6000);
  assert.equal(textHash(long), textHash(long.replaceAll(' ', '\n\n')));
  assert.equal(textHash('short'), undefined);
  const hashes = new Set(Array.from({ length: 50_000 }, (_, i) => textHash(`result number ${i} of the run`)));
  assert.equal(hashes.size, 50_000);
  fc.assert(
    fc.property(fc.string({ minLength: 20 }), fc.string({ minLength: 20 }), (x, y) => {
      const bare = (text: string) => text.split(/[^!-\uffff]+/).join('');
      if (bare(x) === bare(y) || bare(x).length < 12) return;
      assert.notEqual(textHash(x), textHash(y));
    }),
  );
});
