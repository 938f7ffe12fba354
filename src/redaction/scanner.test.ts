import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Rule } from './rule.ts';
import { Scanner } from './scanner.ts';

const HINTS = ['abcda', 'abcdbk', 'abcdbm', 'abcdk', 'abc', 'abcd', 'kab', 'kaboom', 'a-b', ' key ', 'k=a'];
/** So many characters are looked through, and copied, at once. */
const CHUNKS = [4096, 65_536];

const rules = HINTS.map((hint): Rule => ({
  id: hint,
  kind: 'SECRET',
  hints: [hint],
  find: (_text, at) => ({ start: at, end: at + hint.length }),
  examples: { hits: [], misses: [] },
}));
const scanner = new Scanner(rules);

function found(text: string): string[] {
  return scanner.scan(text).map(({ rule, start }) => `${start} ${rule.id}`);
}

/** The same by a search for each hint. */
function expected(text: string): string[] {
  const lower = text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
  return HINTS.flatMap((hint) => {
    const places: string[] = [];
    for (let at = lower.indexOf(hint); at >= 0; at = lower.indexOf(hint, at + 1))
      places.push(`${at} ${hint}`);
    return places;
  });
}

test('[RD4] a hint is found wherever it stands, in short texts and long ones, and nothing else is', () => {
  // `ŋ`, `ţ` and `୫` have the lower bytes of `K`, `c` and `k`.
  const sign = fc.constantFrom(...Array.from('abcdkeomABCDK -=.ŋţ୫é😀'));
  const text = fc.string({ unit: sign, maxLength: 120 });
  fc.assert(
    fc.property(text, (value) => assert.deepEqual(found(value).sort(), expected(value).sort())),
    { numRuns: 1000 },
  );
});

test('[RD4] a hint is found where a long text is looked through in two parts', () => {
  for (const chunk of CHUNKS)
    for (const hint of HINTS) {
      for (let at = chunk - hint.length - 1; at <= chunk + 1; at++) {
        const text = `${'.'.repeat(at)}${hint}${'.'.repeat(40)}`;
        assert.deepEqual(found(text).sort(), expected(text).sort(), `${hint} at ${at}`);
      }
      const atEnd = '.'.repeat(chunk - hint.length) + hint;
      assert.deepEqual(found(atEnd).sort(), expected(atEnd).sort(), `${hint} at the end`);
    }
});

test('[RD4] a number is looked at behind any character beyond Latin-1, whatever its lower byte', () => {
  const find: Rule['find'] = (text, at) => ({ start: at, end: text.length });
  const numbers = new Scanner([
    { id: 'n', kind: 'PHONE', trigger: 'number', find, examples: { hits: [], misses: [] } },
  ]);
  const missed: string[] = [];
  for (let unit = 0x100; unit <= 0xffff; unit++) {
    const text = `:${String.fromCharCode(unit)}4111111111`;
    if (numbers.scan(text)[0]?.start !== 2) missed.push(unit.toString(16));
  }
  assert.deepEqual(missed, []);
  for (const before of [0, 4094, 4095, 4096, 8191]) {
    const found = numbers.scan(`${':'.repeat(before)}\u04344111111111`)[0]?.start;
    assert.equal(found, before + 1, `behind the only one, at ${before}`);
  }
});
