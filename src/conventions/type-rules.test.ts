import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BoundaryError } from '../base/boundary-error.ts';
import type { AttributeValue } from '../model/attributes.ts';
import { createInterpreter, interpretSpan } from './interpret-span.ts';
import { spanOf } from './span-for-test.ts';
import { compileTypeRules, MAX_TYPE_RULES, type TypeRuleSpec } from './type-rules.ts';
import { assertCpuTime } from '../../test/support/cpu-time.ts';

const interpret = createInterpreter({
  typeRules: compileTypeRules([
    { type: 'TEST_RUN', toolName: '^check_all$' },
    { type: 'STATIC_ANALYSIS', command: '^deno lint' },
    { type: 'TEST_RUN', spanName: '^ci: ' },
    { type: 'REFLEXION_ACTION', agent: 'Tutor' },
    { type: 'OTHER', toolName: 'eslint' },
  ]),
});

function typeOf(attributes: Record<string, AttributeValue>, name = 'step') {
  return interpret(spanOf(attributes, { name })).facts.step.type;
}

test("[CV30] users' rules go before the built-in ones", () => {
  const tool = { 'gen_ai.operation.name': 'execute_tool' };
  assert.equal(typeOf({ ...tool, 'gen_ai.tool.name': 'check_all' }), 'TEST_RUN');
  assert.equal(typeOf({ ...tool, 'gen_ai.tool.name': 'check_all_of_it' }), 'TOOL_CALL');
  assert.equal(typeOf({ ...tool, 'gen_ai.tool.name': 'eslint' }), 'OTHER');
  assert.equal(typeOf({ ...tool, 'gen_ai.tool.name': 'pytest' }), 'TEST_RUN');
  const shell = {
    ...tool,
    'gen_ai.tool.name': 'bash',
    'gen_ai.tool.call.arguments': '{"command":"cd a && deno lint"}',
  };
  assert.equal(typeOf(shell), 'STATIC_ANALYSIS');
  assert.equal(typeOf({}, 'ci: unit'), 'TEST_RUN');
  assert.equal(
    typeOf({ 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.agent.name': 'MathTutor' }),
    'REFLEXION_ACTION',
  );
});

test('[CV30] an LLM call stays one, and without rules nothing changes', () => {
  assert.equal(
    typeOf({ 'gen_ai.operation.name': 'chat', 'gen_ai.agent.name': 'MathTutor' }, 'ci: x'),
    'LLM_CALL',
  );
  assert.equal(interpretSpan(spanOf({}, { name: 'ci: unit' })).facts.step.type, undefined);
});

test('[CV5] a container that is called after reviewing itself is self-reflection, a tool or call in it is not', () => {
  const type = (attributes: Record<string, AttributeValue>, name = 'step') =>
    interpretSpan(spanOf({ 'gen_ai.agent.name': 'Critic Agent', ...attributes }, { name })).facts.step.type;
  assert.equal(type({ 'gen_ai.operation.name': 'invoke_agent' }), 'REFLEXION_ACTION');
  assert.equal(type({ 'gen_ai.operation.name': 'chat' }), 'LLM_CALL');
  assert.equal(type({ 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': 'search' }), 'TOOL_CALL');
  const named = spanOf({ 'openinference.span.kind': 'CHAIN' }, { name: 'selfCritique' });
  assert.equal(interpretSpan(named).facts.step.type, 'REFLEXION_ACTION');
});

const BAD: readonly [unknown, RegExp][] = [
  [[{ type: 'TEST_RUN' }], /typeRules\[0\] needs exactly one of/],
  [[{ type: 'TEST_RUN', toolName: 'a', agent: 'b' }], /typeRules\[0\] needs exactly one of/],
  [
    [
      { type: 'TEST_RUN', toolName: 'a' },
      { type: 'TEST_RUN', agent: '(' },
    ],
    /typeRules\[1\]\.agent/,
  ],
  [[{ type: 'TEST_RUN', toolName: '(a)\\1' }], /back-references/],
  [[{ type: 'TEST_RUN', toolName: '(?<=a)b' }], /look-around/],
  [[{ type: 'TEST_RUN', toolName: '' }], /1 to 1000 characters/],
  [Array.from({ length: MAX_TYPE_RULES + 1 }, () => ({ type: 'TEST_RUN', toolName: 'a' })), /at most 64/],
];

for (const [rules, message] of BAD) {
  test(`[CV30] rules that can't be used are refused: ${message.source}`, () => {
    assert.throws(
      () => compileTypeRules(rules as readonly TypeRuleSpec[]),
      (error) =>
        error instanceof BoundaryError && error.code === 'INVALID_ARGUMENT' && message.test(error.message),
    );
  });
}

test("[CV30] a user's pattern runs in linear time", () => {
  const slow = createInterpreter({
    typeRules: compileTypeRules([{ type: 'TEST_RUN', toolName: '^(a+)+$' }]),
  });
  const span = spanOf({
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': `${'a'.repeat(5000)}b`,
  });
  // An engine that tries one way after the other takes for ever.
  assertCpuTime(1000, () => slow(span));
});
