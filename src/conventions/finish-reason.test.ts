import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AttributeValue } from '../model/attributes.ts';
import type { StepFacts } from '../model/facts.ts';
import { interpretSpan } from './interpret-span.ts';
import { spanOf, type SpanSketch } from './span-for-test.ts';

function stepOf(attributes: Record<string, AttributeValue>, sketch?: SpanSketch): StepFacts {
  return interpretSpan(spanOf(attributes, sketch)).facts.step;
}

const CALL = { 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': 'gpt-4o' };

for (const [finish, status] of [
  ['error', 'ERROR'],
  ['ERROR', 'ERROR'],
  ['failed', 'ERROR'],
  ['stop', 'OK'],
  ['length', 'OK'],
  ['content_filter', 'OK'],
] as const) {
  test(`[CV52] a call that ended by ${finish} is ${status}, though its span set OK`, () => {
    const ended = { ...CALL, 'gen_ai.response.finish_reasons': [finish] };
    assert.equal(stepOf(ended, { status: 'OK' }).status, status);
    assert.equal(stepOf(ended).status, status);
    assert.equal(stepOf({ ...ended, 'gen_ai.operation.name': 'invoke_agent' }).status, 'OK');
  });
}
