import assert from 'node:assert/strict';
import { test } from 'node:test';
import { thoughtTags } from './thought-tags.ts';
import { assertCpuTime } from '../../test/support/cpu-time.ts';

const TAGS: readonly [string, ReturnType<typeof thoughtTags>][] = [
  ['{why} the loop is short\n{how} by hand', { why: 'the loop is short', how: 'by hand' }],
  ['{why: it fails} and {how: rerun}', { why: 'it fails', how: 'rerun' }],
  ['<why>it\nfails</why> then <How>rerun</How> rest', { why: 'it fails', how: 'rerun' }],
  ['[why] it fails\nfor long\n\nrest', { why: 'it fails for long' }],
  ['{why}a{/why} rest\n{why}b', { why: 'a' }],
  [
    '{alternatives}\n- patch it (3 votes)\n- rewrite it, score: 0.4\n  from scratch\n\nrest',
    {
      alternatives: [
        { text: 'patch it (3 votes)', votes: 3 },
        { text: 'rewrite it, score: 0.4 from scratch', score: 0.4 },
      ],
    },
  ],
  ['{alternatives: patch; rewrite}', { alternatives: [{ text: 'patch' }, { text: 'rewrite' }] }],
  [
    '<alternative>patch</alternative><alternative>wait; see</alternative>',
    {
      alternatives: [{ text: 'patch' }, { text: 'wait; see' }],
    },
  ],
  ['confidence: 0.82', { confidence: 0.82 }],
  ['Confidence = 85%', { confidence: 0.85 }],
  ['so it is (confidence 7/10).', { confidence: 0.7 }],
  ['{"decision":"x","confidence":0.92}', { confidence: 0.92 }],
  ['**Confidence:** 4/5, later confidence level is 60 %', { confidence: 0.6 }],
  ['confidence: 7', undefined],
  ['I say this with confidence. 3 tests fail', undefined],
  ['{ why } {whyever} {why> <how: x', undefined],
  ['{why}', undefined],
  ['plain text, why and how', undefined],
  ['', undefined],
];

for (const [text, tags] of TAGS) {
  test(`[CV21] tags of ${JSON.stringify(text)}`, () => assert.deepEqual(thoughtTags(text), tags));
}

test('[CV21] a tag has at most 300 characters, and there are at most 16 alternatives', () => {
  assert.equal(thoughtTags(`{why} ${'x'.repeat(5000)}`)?.why?.length, 300);
  assert.equal(thoughtTags(`{alternatives}\n${'- a\n'.repeat(90)}`)?.alternatives?.length, 16);
});

/** Quadratic work on them takes minutes, linear work some milliseconds. */
const MAX_MS = 1000;

test('[CV21] hostile texts are read in time linear in their length', () => {
  for (const piece of [
    '{why',
    '{why}',
    '<why>\n',
    '{alternatives}- ',
    'confidence ',
    'confidence: 1',
    '{why:{how:',
    '[alternatives] a;',
  ])
    assertCpuTime(MAX_MS, () => thoughtTags(piece.repeat(100_000)), piece);
});

test('[CV21] a line that only says how sure the thought is, is no alternative', () => {
  const tags = thoughtTags('{alternatives}\nuse a map\nuse a set\nConfidence: 0.8');
  assert.deepEqual(
    tags?.alternatives?.map(({ text }) => text),
    ['use a map', 'use a set'],
  );
  assert.equal(tags?.confidence, 0.8);
});
