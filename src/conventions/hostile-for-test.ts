import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { AttributeValue } from '../model/attributes.ts';
import type { StepFacts } from '../model/facts.ts';
import { NODE_STATUSES, NODE_TYPES } from '../model/node.ts';

/** Values that no sender means, for every key that a convention reads. */

/** Keys whose values a convention reads, and what makes it read them. */
export interface Target {
  readonly name: string;
  readonly fixed: Record<string, AttributeValue>;
  readonly keys: readonly string[];
}

export const MODEL_KEYS = [
  'gen_ai.request.model',
  'gen_ai.usage.input_tokens',
  'gen_ai.input.messages',
  'gen_ai.output.messages',
];

const JSON_TEXTS = [
  '{"message":{"role":"model","content":[{"text":"hel',
  '[{"role":"user","content":',
  '{"contents":[{"role":"user","parts":[{"text":"a"}]}],"usage_metadata":7}',
  '{"usage":{"inputTokens":"3","outputTokens":-1,"thoughtsTokens":1e99}}',
  '[[[[',
  '{"__proto__":{"x":1},"content":null}',
  '"',
  '[{"function":{"name":"f","arguments":3},"id":"c"}]',
  '[{"function":7,"id":"c"}]',
  '{"content":[{"a":1},null],"type":"tool","name":3,"tool_call_id":"c"}',
  '{"model":"m","usage":{"prompt_tokens":"4","completion_tokens_details":[]},"finish_reason":""}',
  'user: a\nassistant: b\ntool: ',
];

export const value: fc.Arbitrary<AttributeValue> = fc.oneof(
  fc.constantFrom<AttributeValue>(
    '',
    ' ',
    '12',
    '-3',
    'NaN',
    '1e400',
    'true',
    '<REDACTED>',
    '\u0000',
    ...JSON_TEXTS,
  ),
  fc.constantFrom<AttributeValue>(null, true, -1, 0.5, 2 ** 60, Number.NaN, Number.POSITIVE_INFINITY),
  fc.string({ maxLength: 40 }),
  fc.jsonValue({ maxDepth: 4 }) as fc.Arbitrary<AttributeValue>,
  fc.jsonValue({ maxDepth: 4 }).map((inner) => JSON.stringify(inner).slice(0, -1)),
);

export function valuesOf({ keys, fixed }: Target): fc.Arbitrary<Record<string, AttributeValue>> {
  const any = fc.dictionary(fc.constantFrom(...keys), value, { maxKeys: keys.length, noNullPrototype: true });
  return any.map((some) => ({ ...some, ...fixed }));
}

/** A name, after the trace that an id of a step may begin with. */
const MAX_ID_CHARS = 300;

/** What holds of a step whatever it was made of. */
export function isSound(step: StepFacts): void {
  if (step.type !== undefined) assert.ok(NODE_TYPES.includes(step.type));
  assert.ok(NODE_STATUSES.includes(step.status));
  for (const field of ['tokensIn', 'tokensOut', 'latencyMs', 'costUsd', 'estimatedCostUsd'] as const) {
    const number = step[field];
    assert.ok(number === undefined || (Number.isFinite(number) && number >= 0), field);
  }
  for (const field of ['agent', 'model', 'requestId', 'stepId'] as const) {
    const text = step[field];
    assert.ok(
      text === undefined || (typeof text === 'string' && text !== '' && text.length <= MAX_ID_CHARS),
      field,
    );
  }
  assert.ok((step.promptSummary ?? '').length <= 200);
  assert.ok(JSON.stringify(step.details).length < 64 * 1024);
  assert.doesNotThrow(() => structuredClone(step));
}

export const BIG = 1024 * 1024;
/** Quadratic work on such a value takes minutes, linear work some milliseconds. */
export const MAX_MS = 1500;
