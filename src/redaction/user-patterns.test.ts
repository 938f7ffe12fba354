import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Span } from './rule.ts';
import { checkUserPattern, SPEC_PATTERNS, userRules } from './user-patterns.ts';
import { cpuTimer } from '../../test/support/cpu-time.ts';

test('[RD5] patterns that the linear-time engine runs are accepted', () => {
  for (const pattern of [
    ...SPEC_PATTERNS,
    'ACME-\\d+',
    '(?:a|b){2,5}c',
    '[(?=]x',
    'a\\(\\?=b',
    '\\bkey\\b',
    '(?<name>x)y',
  ])
    assert.equal(checkUserPattern(pattern), undefined, pattern);
});

test('[RD5] a bad pattern is refused with the reason', () => {
  const reasons: readonly (readonly [string, RegExp])[] = [
    ['a(', /not valid, unterminated group: patterns are those of JavaScript without lookaround/],
    ['secret: [z-a]', /^is not valid, range out of order in character class: patterns are [^z]*$/],
    ['a(?=b)', /lookahead/],
    ['(?<!a)b', /lookbehind/],
    ['(a)\\1', /backreference/],
    ['(?<x>a)\\k<x>', /backreference/],
    ['a*', /empty/],
    ['', /empty/],
    ['\\b', /empty/],
    ['x'.repeat(1001), /longer than 1000/],
    ['a{1,5000}', /1000/],
  ];
  for (const [pattern, reason] of reasons)
    assert.match(checkUserPattern(pattern) ?? 'accepted', reason, pattern);
});

test('[RD5] a pattern that needs exponential time elsewhere is done at once', () => {
  const [rule] = userRules(['(a+)+$']);
  assert.ok(rule);
  assert.equal(rule.findAll(`${'a'.repeat(20_000)}b`).length, 0);
});

const OPEN_TAIL = String.raw`EMP-\d+(?:.*END)?`;

/** @returns seconds of processor time: loose bounds on it tell a linear cost from one that grows with the square */
function cpuSeconds(work: () => void): number {
  const seconds = cpuTimer();
  work();
  return seconds();
}

test('[RD5] a pattern that looks on to the end from each match hides the rest of the text when that is too much', () => {
  const [rule] = userRules([OPEN_TAIL]);
  assert.ok(rule);
  const text = `so ${'EMP-1 '.repeat(5000)}`;
  let spans: readonly Span[] = [];
  assert.ok(cpuSeconds(() => (spans = rule.findAll(text))) < 2);
  assert.deepEqual(spans[0], { start: 3, end: 8 });
  assert.ok(spans.length > 1);
  for (const [i, { start, end }] of spans.entries()) {
    const isLast = i === spans.length - 1;
    assert.deepEqual([start, end], [3 + 6 * i, isLast ? text.length : 8 + 6 * i]);
  }
  assert.deepEqual(rule.findAll(text), spans);
});

test('[RD5] a text with many matches of an ordinary pattern is hidden match by match', () => {
  const alternatives = Array.from({ length: 40 }, (_, i) => `${i}name`).join('|');
  for (const pattern of [OPEN_TAIL, 'EMP-\\d', '\\bEMP-\\d+\\b', '[A-Z]+-\\d', `EMP-\\d|${alternatives}`]) {
    const [rule] = userRules([pattern]);
    for (const count of [1, 20, 5000]) {
      const spans = Array.from({ length: count }, (_, i) => ({ start: 6 * i, end: 6 * i + 5 }));
      assert.deepEqual(rule?.findAll('EMP-1\n'.repeat(count)), spans, pattern);
    }
  }
});

test('[RD5] a search for a word that the pattern needs is counted, too', () => {
  const [rule] = userRules([String.raw`zz\d+yy|A\d`]);
  const text = 'A1 '.repeat(10_000);
  const spans = rule?.findAll(text) ?? [];
  assert.ok(spans.length > 1000 && spans.length < 10_000, String(spans.length));
  assert.equal(spans.at(-1)?.end, text.length);
});
