import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AttributeValue } from '../model/attributes.ts';
import { interpretSpan } from './interpret-span.ts';
import { spanOf } from './span-for-test.ts';

const PLANS: readonly [Record<string, AttributeValue>, unknown][] = [
  [
    { 'plan.candidates': ['a', 'b'], 'plan.votes': [3, 1] },
    [
      { text: 'a', votes: 3 },
      { text: 'b', votes: 1 },
    ],
  ],
  [{ 'plan.candidates': '["a","b"]', 'plan.votes': '{"b":2}' }, [{ text: 'a' }, { text: 'b', votes: 2 }]],
  [
    { 'reasoning.candidates': '[{"plan":"a","score":0.4},{"text":"b","votes":"2"}]' },
    [
      { text: 'a', score: 0.4 },
      { text: 'b', votes: 2 },
    ],
  ],
  [
    { 'reasoning.votes': '{"a":2,"b":1}' },
    [
      { text: 'a', votes: 2 },
      { text: 'b', votes: 1 },
    ],
  ],
  [{ 'plan.candidates': '["a' }, [{ text: 'a' }]],
  [{ 'plan.candidates': 7 }, undefined],
  [{ 'plan.candidates': [], 'plan.votes': [] }, undefined],
];

for (const [attributes, alternatives] of PLANS) {
  test(`[CV21] candidate plans of ${JSON.stringify(attributes)}`, () => {
    assert.deepEqual(interpretSpan(spanOf(attributes)).facts.step.details['alternatives'], alternatives);
  });
}
