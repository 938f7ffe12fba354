import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkUserPattern, SPEC_PATTERNS, userRules } from './user-patterns.ts';

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
    ['a(', /not a valid regular expression/],
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
