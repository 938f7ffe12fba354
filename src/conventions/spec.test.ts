import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AttributeValue } from '../model/attributes.ts';
import type { NodeStatus, NodeType } from '../model/node.ts';
import { interpretSpan } from './interpret-span.ts';
import { spanOf } from './span-for-test.ts';

function stepOf(attributes: Record<string, AttributeValue>, name = 'step') {
  return interpretSpan(spanOf(attributes, { name })).facts.step;
}

const SPELLINGS: readonly Record<string, AttributeValue>[] = [
  { 'model.name': 'm', 'tokens.in': 120, 'tokens.out': 250, 'latency.ms': 310, 'cost.usd': 0.00012 },
  { component: 'x', model_name: 'm', tokens_in: 120, tokens_out: 250, latency_ms: 310, cost_usd: 0.00012 },
  { modelName: 'm', tokensIn: 120, tokensOut: 250, latencyMs: 310, costUsd: 0.00012 },
  { 'model.name': 'm', 'tokens.in': '120', 'tokens.out': '250', 'latency.ms': '310', 'cost.usd': '0.00012' },
];

for (const [index, attributes] of SPELLINGS.entries()) {
  test(`[CV3] the project's own attributes are read in every spelling (${index})`, () => {
    const step = stepOf(attributes);
    assert.equal(step.type, 'LLM_CALL');
    assert.equal(step.model, 'm');
    assert.equal(step.tokensIn, 120);
    assert.equal(step.tokensOut, 250);
    assert.equal(step.latencyMs, 310);
    assert.equal(step.costUsd, 0.00012);
    assert.equal(step.estimatedCostUsd, undefined);
  });
}

const TYPES: readonly [Record<string, AttributeValue>, string, NodeType | undefined][] = [
  [{ component: 'coder-agent', 'model.name': 'm' }, 'coder.generate', 'LLM_CALL'],
  [{ component: 'coder-agent', 'tokens.in': 3 }, 'coder.generate', 'LLM_CALL'],
  [{ component: 'critic-agent', 'model.name': 'm', 'issues.count': 0 }, 'review', 'STATIC_ANALYSIS'],
  [{ component: 'critic-agent', 'model.name': 'm' }, 'critic.analysis', 'STATIC_ANALYSIS'],
  [{ 'critic.rules': 4 }, 'step', 'STATIC_ANALYSIS'],
  [{ 'model.name': 'm', 'tokens.in': 3, 'issues.count': 2 }, 'coder.generate', 'LLM_CALL'],
  [{ 'issues.count': 2 }, 'coder.generate', 'STATIC_ANALYSIS'],
  [{ 'model.name': 'm' }, 'reasoning.plan', 'LLM_CALL'],
  [{ component: 'reasoning-agent' }, 'reasoning.vote', 'REFLEXION_ACTION'],
  [{}, 'reasoning.reflection', 'REFLEXION_ACTION'],
  [{ 'test.suite': 'unit', component: 'critic-agent' }, 'critic.tests', 'TEST_RUN'],
  [{ ruleId: 'javascript.injection', severity: 'LOW' }, 'step', 'STATIC_ANALYSIS'],
  [{ 'test.suite': 'unit' }, 'step', 'TEST_RUN'],
  [{ testSuite: 'unit' }, 'step', 'TEST_RUN'],
  [{ 'tests.failed': 0 }, 'step', 'TEST_RUN'],
  [{ coverage: 0.8 }, 'step', 'TEST_RUN'],
  [{ 'test.case.name': 'adds', 'test.case.result.status': 'pass' }, 'step', 'TEST_RUN'],
  [{ oldModel: 'a', newModel: 'b', reason: 'too slow' }, 'step', 'MODEL_SWITCH'],
  [{ component: 'model-adapter', requestId: 'r1' }, 'model.adapter.infer', undefined],
  [{ status: 'OK', file: 'a.ts', line: 3 }, 'step', undefined],
];

for (const [attributes, name, type] of TYPES) {
  test(`[CV4] ${name} ${JSON.stringify(attributes)} is ${type ?? 'not said'}`, () => {
    assert.equal(stepOf(attributes, name).type, type);
  });
}

const STATUSES: readonly [Record<string, AttributeValue>, NodeStatus, string | undefined][] = [
  [{ component: 'x', status: 'OK' }, 'OK', undefined],
  [{ component: 'x', status: 'error' }, 'ERROR', undefined],
  [{ component: 'x', status: 'SKIPPED' }, 'SKIPPED', undefined],
  [{ component: 'x', status: 'FAILED' }, 'ERROR', 'FAILED'],
  [{ component: 'x', status: 'FOUND_VULNERABILITY', severity: 'HIGH' }, 'ERROR', 'FOUND_VULNERABILITY'],
  [{ component: 'x', status: 'FOUND_VULNERABILITY', severity: 'critical' }, 'ERROR', 'FOUND_VULNERABILITY'],
  [{ component: 'x', status: 'FOUND_VULNERABILITY', severity: 'LOW' }, 'WARNING', 'FOUND_VULNERABILITY'],
  [{ component: 'x', status: 'FOUND_VULNERABILITY' }, 'WARNING', 'FOUND_VULNERABILITY'],
  [{ component: 'x', status: 'IN_PROGRESS' }, 'OK', 'IN_PROGRESS'],
  [{ 'tests.failed': 2, 'tests.passed': 10 }, 'ERROR', undefined],
  [{ 'tests.failed': 0, 'tests.passed': 10 }, 'OK', undefined],
  [{ 'test.name': 'adds', 'test.status': 'failed' }, 'ERROR', undefined],
];

for (const [attributes, status, original] of STATUSES) {
  test(`[CV11] ${JSON.stringify(attributes)} has status ${status}`, () => {
    const step = stepOf(attributes);
    assert.equal(step.status, status);
    assert.equal(step.details['originalStatus'], original);
  });
}

test('[CV6] a component in kebab or snake case is an agent in Pascal case, any other name stays', () => {
  const names = { 'critic-agent': 'CriticAgent', critic_agent: 'CriticAgent', CoderAgent: 'CoderAgent' };
  for (const [component, agent] of Object.entries(names)) assert.equal(stepOf({ component }).agent, agent);
});

test('[CV7] only an explicit request id is one, and a task id has rank 0', () => {
  for (const key of ['requestId', 'request_id', 'request.id'])
    assert.equal(stepOf({ [key]: 'r' }).requestId, 'r');
  const taskOf = (key: string): unknown => stepOf({ [key]: 'T012', 'session.id': 's' }).task;
  for (const key of ['taskID', 'taskId']) assert.deepEqual(taskOf(key), { id: 'T012', rank: 0, own: true });
  assert.deepEqual(taskOf('task_id'), { id: 'T012', rank: 0 });
  assert.equal(stepOf({ requestId: '' }).requestId, undefined);
});

test('[CV8] numbers that are absent, negative, absurd or no numbers stay absent', () => {
  for (const bad of [-1, Number.NaN, Infinity, 'many', '', null, true, [3], { n: 3 }, 1e300]) {
    const step = stepOf({ component: 'x', 'tokens.in': bad, 'cost.usd': bad, 'latency.ms': bad });
    assert.equal(step.tokensIn, undefined);
    assert.equal(step.costUsd, undefined);
    assert.equal(step.latencyMs, 100);
  }
});

test('[CV3] findings and test figures become details', () => {
  const { details } = stepOf({
    'issues.count': '3',
    ruleId: 'javascript.injection.detected',
    severity: 'HIGH',
    file: 'users.js',
    line: 42,
    'test.suite': 'unit',
    coverage: 81.5,
  });
  assert.deepEqual(details, {
    issuesCount: 3,
    ruleId: 'javascript.injection.detected',
    severity: 'HIGH',
    file: 'users.js',
    line: 42,
    testSuite: 'unit',
    coverage: 81.5,
  });
});

for (const key of ['reasoning', 'cot.text', 'cot', 'thought', 'chain_of_thought', 'chainOfThought']) {
  test(`[CV3] a chain of thought under ${key} is the reasoning`, () => {
    const { facts, texts } = interpretSpan(spanOf({ 'model.name': 'm', [key]: 'I look.\n\nI fix.' }));
    assert.deepEqual(facts.step.thoughts, ['I look.', 'I fix.']);
    assert.equal(texts.texts?.reasoning, 'I look.\n\nI fix.');
  });
}
