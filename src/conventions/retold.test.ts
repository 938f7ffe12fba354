import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AttributeValue } from '../model/attributes.ts';
import { makeSpan, safe } from '../../test/support/world.ts';
import { interpretSpan } from './interpret-span.ts';

const NODE = {
  'explain.node.id': 'req:r1',
  'explain.node.type': 'TOOL_CALL',
  'explain.node.task_id': 'T1',
  'gen_ai.operation.name': 'chat',
};

const retold = (attrs: { readonly [key: string]: AttributeValue }) => {
  const span = makeSpan({ attrs: { ...NODE, ...attrs } });
  return interpretSpan(safe(span));
};

test('[OX5] what a span of OTLP out says of its node goes before every convention', () => {
  const { facts, texts } = retold({
    'explain.node.title': 'a title',
    'explain.text.prompt': 'asked',
    own: 1,
  });
  assert.deepEqual(facts.step, {
    type: 'TOOL_CALL',
    status: 'OK',
    details: {},
    retold: { nodeId: 'req:r1', state: 'ENDED' },
    task: { id: 'T1', rank: 0, own: true },
    title: 'a title',
  });
  assert.deepEqual(texts, {
    texts: { prompt: 'asked' },
    attributes: { 'gen_ai.operation.name': 'chat', own: 1 },
  });
});

test('[OX5] a span that says no id or no type that there is, is read as any other', () => {
  for (const attrs of [
    { 'explain.node.id': '' },
    { 'explain.node.id': 7 },
    { 'explain.node.id': 'x'.repeat(1001) },
    { 'explain.node.type': 'SUMMARY' },
    { 'explain.node.type': 'NOTHING' },
  ])
    assert.equal(retold(attrs).facts.step.retold, undefined, JSON.stringify(attrs));
});

test('[OX5] values that cannot be are left out, and the node is shown with the rest', () => {
  const { facts } = retold({
    'explain.node.tokens_in': -1,
    'explain.node.cost_usd': 'much',
    'explain.node.latency_ms': 1e300,
    'explain.node.details': 'none',
    'explain.node.status': 'SO-SO',
    'explain.node.state': ['ENDED'],
    'explain.node.task_id': 'x'.repeat(1001),
    'explain.node.agent': '',
  });
  const { retold: node, ...step } = facts.step;
  assert.deepEqual(step, { type: 'TOOL_CALL', status: 'OK', details: {} });
  assert.equal(node?.state, 'ENDED');
});
