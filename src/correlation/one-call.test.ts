import assert from 'node:assert/strict';
import { test } from 'node:test';
import { log, nodeId, span } from '../../test/support/records.ts';
import { makeEngine } from '../../test/support/make-engine.ts';
import { batchOf } from '../../test/support/world.ts';
import { graphOf, inAnyOrder } from './graph-for-test.ts';

const answer = (content: string): string =>
  JSON.stringify([{ role: 'assistant', parts: [{ type: 'text', content }] }]);
const LONG = 'The parser drops the last token of each line.';
const chat = (more: object = {}): { readonly [key: string]: string | number } => ({
  'gen_ai.operation.name': 'chat',
  'gen_ai.request.model': 'gpt-4o',
  ...more,
});

test('[CO22] records that share the id of the response are one node, named after the outermost span', async () => {
  const seen = await inAnyOrder([
    span(1, {
      at: 2,
      ms: 5,
      scope: 'sdk',
      attrs: chat({ 'gen_ai.response.id': 'msg_1', 'gen_ai.usage.input_tokens': 7 }),
    }),
    span(2, {
      at: 0,
      ms: 9,
      scope: 'framework',
      attrs: chat({ 'gen_ai.response.id': 'msg_1', 'gen_ai.usage.input_tokens': 7 }),
    }),
    span(3, { at: 0, ms: 9, attrs: chat({ 'gen_ai.response.id': 'msg_2' }) }),
  ]);
  assert.deepEqual(seen.ids, [nodeId(2), nodeId(3)]);
  assert.deepEqual(seen.nodes[nodeId(2)]?.details?.['spanIds'], ['2'.repeat(16), '1'.repeat(16)]);
  assert.equal(seen.nodes[nodeId(2)]?.tokensIn, 7);
});

test('[CO22] the id of a response holds within its trace', async () => {
  const attrs = chat({ 'gen_ai.response.id': 'msg_1' });
  const seen = await graphOf([span(1, { attrs }), span(2, { attrs, traceId: 'b'.repeat(32) })]);
  assert.equal(seen.ids.length, 2);
});

test('[CO23] twins that are no parent and child are one call: same answer and model, one within the other, other scopes', async () => {
  const outer = span(2, {
    parent: 1,
    ms: 100,
    scope: 'langchain',
    attrs: chat({ 'gen_ai.output.messages': answer(LONG) }),
  });
  const inner = (more: object): ReturnType<typeof span> =>
    span(3, {
      parent: 1,
      at: 2,
      ms: 95,
      scope: 'openai',
      attrs: chat({ 'gen_ai.response.model': 'gpt-4o-2024-08-06', 'gen_ai.output.messages': answer(LONG) }),
      ...more,
    });
  const root = span(1, { ms: 200 });
  const seen = await inAnyOrder([root, outer, inner({})]);
  assert.deepEqual(seen.ids, [nodeId(1), nodeId(2)]);
  assert.equal(seen.nodes[nodeId(2)]?.model, 'gpt-4o-2024-08-06');
  assert.ok(!seen.lines.some((line) => line.includes('switch')));
  for (const apart of [
    { scope: 'langchain' },
    { at: 50, ms: 100 },
    { attrs: chat({ 'gen_ai.output.messages': answer('Something else was said here.') }) },
    { attrs: { ...chat({ 'gen_ai.output.messages': answer(LONG) }), 'gen_ai.request.model': 'o3' } },
  ]) {
    const { ids } = await inAnyOrder([root, outer, inner(apart)]);
    assert.ok(ids.includes(nodeId(3)), JSON.stringify(apart));
  }
});

test('[CO24] the only call below a call is the same call by another instrumentation; of several each is its own', async () => {
  const outer = span(1, { ms: 100, scope: 'langchain', attrs: chat({ 'gen_ai.usage.input_tokens': 30 }) });
  const inner = (digit: number): ReturnType<typeof span> =>
    span(digit, {
      parent: 1,
      at: digit,
      ms: 10,
      scope: 'openai',
      attrs: chat({ 'gen_ai.usage.input_tokens': 30 }),
    });
  const one = await inAnyOrder([outer, inner(2)]);
  assert.deepEqual(one.ids, [nodeId(1)]);
  assert.equal(one.nodes[nodeId(1)]?.tokensIn, 30);
  const two = await inAnyOrder([outer, inner(2), inner(3)]);
  assert.deepEqual(two.ids, [nodeId(1), nodeId(2), nodeId(3)]);
  assert.equal(two.nodes[nodeId(1)]?.tokensIn, undefined);
  assert.equal(two.nodes[nodeId(1)]?.details?.['totalTokensIn'], 30);
});

test('[CO24] a call below a call of the same instrumentation is the next step, and both count', async () => {
  const attrs = chat({ 'gen_ai.usage.input_tokens': 30 });
  const seen = await inAnyOrder([span(1, { ms: 100, attrs }), span(2, { parent: 1, ms: 10, attrs })]);
  assert.deepEqual([seen.nodes[nodeId(1)]?.tokensIn, seen.nodes[nodeId(2)]?.tokensIn], [30, 30]);
});

test('[CO24] a tool call below a tool call of the same tool is the same one', async () => {
  const tool = (name: string): object => ({
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': name,
  });
  const outer = span(1, { ms: 100, attrs: { ...tool('search') } });
  const same = await inAnyOrder([outer, span(2, { parent: 1, ms: 50, attrs: { ...tool('search') } })]);
  assert.deepEqual(same.ids, [nodeId(1)]);
  const other = await inAnyOrder([outer, span(2, { parent: 1, ms: 50, attrs: { ...tool('fetch') } })]);
  assert.deepEqual(other.ids, [nodeId(1), nodeId(2)]);
});

test('[CO25] plumbing is shown in the node it is part of, whatever comes first, and its children hang there', async () => {
  const chunk = { 'mastra.span.type': 'model_chunk' };
  const seen = await inAnyOrder([
    span(1, { ms: 100, attrs: { 'gen_ai.operation.name': 'invoke_agent' } }),
    span(2, { parent: 1, ms: 50, attrs: { 'mastra.span.type': 'model_step' } }),
    span(3, { parent: 2, ms: 20, attrs: chunk, status: 'ERROR' }),
    span(4, { parent: 3, ms: 10, attrs: chat() }),
  ]);
  assert.deepEqual(seen.ids, [nodeId(1), nodeId(4)]);
  assert.deepEqual(
    seen.nodes[nodeId(1)]?.details?.['spanIds'],
    ['1', '2', '3'].map((digit) => digit.repeat(16)),
  );
  assert.equal(seen.nodes[nodeId(1)]?.status, 'ERROR');
  assert.equal(seen.nodes[nodeId(1)]?.name, 'step');
  assert.deepEqual(seen.lines, [`${nodeId(1)} NEXT_STEP ${nodeId(4)} (parentSpanId)`]);
});

test('[CO25] plumbing that begins a trace is part of what it links to, and so is what hangs below', async () => {
  const agent = { 'gen_ai.operation.name': 'invoke_agent' };
  const message = { 'messaging.operation': 'publish' };
  const traceId = 'b'.repeat(32);
  const seen = await inAnyOrder([
    span(1, { ms: 100, attrs: agent }),
    span(2, { parent: 1, ms: 5, name: 'autogen create writer', attrs: message }),
    span(3, { ms: 5, traceId, name: 'autogen publish writer', attrs: message, linksTo: nodeId(2) }),
    span(4, { parent: 3, ms: 5, traceId, name: 'autogen process writer', attrs: message }),
    span(5, { parent: 4, ms: 50, traceId, attrs: agent }),
  ]);
  assert.deepEqual(seen.ids, [nodeId(1), nodeId(5, traceId)]);
  assert.deepEqual(seen.lines, [`${nodeId(1)} NEXT_STEP ${nodeId(5, traceId)} (parentSpanId)`]);
});

test('[CO25] plumbing whose parent never comes, or that goes in circles, is there by itself', async () => {
  const chunk = { 'mastra.span.type': 'model_chunk' };
  const seen = await inAnyOrder([
    span(1, { parent: 2, attrs: chunk }),
    span(2, { parent: 1, attrs: chunk }),
    span(3, { parent: 9, attrs: chunk }),
  ]);
  assert.deepEqual(seen.ids, [nodeId(1), nodeId(2), nodeId(3)]);
});

test('[CO25] plumbing leaves the node of other plumbing when a circle closes further up', async () => {
  const chunk = { 'mastra.span.type': 'model_chunk' };
  const seen = await inAnyOrder([
    span(1, { parent: 3, attrs: chunk }),
    span(2, { parent: 1, attrs: chunk }),
    span(3, { parent: 2, attrs: chunk }),
    span(4, { parent: 2, attrs: chunk }),
  ]);
  assert.deepEqual(seen.ids, [nodeId(1), nodeId(2), nodeId(3), nodeId(4)]);
});

test('[CO26] what an agent used counts only where nothing below it counts', async () => {
  const agent = {
    'gen_ai.operation.name': 'invoke_agent',
    'gen_ai.usage.input_tokens': 50,
    'gen_ai.usage.cost': 0.5,
  };
  const alone = await graphOf([span(1, { attrs: agent }), span(2, { parent: 1, attrs: chat() })]);
  assert.equal(alone.nodes[nodeId(1)]?.tokensIn, 50);
  assert.equal(alone.nodes[nodeId(1)]?.details?.['costSource'], 'reported');
  assert.equal(alone.nodes[nodeId(2)]?.details?.['costSource'], 'unknown');
  const seen = await inAnyOrder([
    span(1, { attrs: agent }),
    span(2, { parent: 1 }),
    span(3, { parent: 2, attrs: chat({ 'gen_ai.usage.input_tokens': 50, 'gen_ai.usage.cost': 0.25 }) }),
  ]);
  const { tokensIn, costUsd, details } = seen.nodes[nodeId(1)] ?? {};
  assert.deepEqual(
    [tokensIn, costUsd, details?.['totalTokensIn'], details?.['totalCostUsd']],
    [undefined, undefined, 50, 0.5],
  );
  assert.deepEqual([seen.nodes[nodeId(3)]?.tokensIn, seen.nodes[nodeId(3)]?.costUsd], [50, 0.25]);
});

test('[CO27] a cost that is reported goes before one by list prices, and that before none', async () => {
  const usage = { 'gen_ai.usage.input_tokens': 1000, 'gen_ai.usage.output_tokens': 100 };
  const seen = await graphOf([
    span(1, { attrs: chat(usage) }),
    span(2, { attrs: chat({ ...usage, 'gen_ai.usage.cost': 0.5 }) }),
    span(3, { attrs: { ...chat(usage), 'gen_ai.request.model': 'nobody-knows-this-model' } }),
  ]);
  const costs = [1, 2, 3]
    .map((digit) => seen.nodes[nodeId(digit)])
    .map((node) => [node?.costUsd, node?.details?.['costSource']]);
  assert.deepEqual(costs, [
    [0.0035, 'estimated'],
    [0.5, 'reported'],
    [undefined, 'unknown'],
  ]);
});

const CLAUDE = 'com.anthropic.claude_code.events';

test('[CO28] log records of one step are one node, with the span of that step when there is one', async () => {
  const attrs = {
    'session.id': 's',
    request_id: 'req_1',
    'event.name': 'api_request',
    model: 'claude-sonnet-4-5',
    cost_usd: 0.25,
    input_tokens: 10,
  };
  const records = [
    log('api_request', { scope: CLAUDE, attrs, at: 50 }),
    log('assistant_response', {
      scope: CLAUDE,
      at: 51,
      attrs: {
        'session.id': 's',
        request_id: 'req_1',
        'event.name': 'assistant_response',
        response: 'Done.',
      },
    }),
  ];
  const seen = await inAnyOrder(records);
  assert.deepEqual(seen.ids.length, 1);
  const [node] = Object.values(seen.nodes);
  assert.deepEqual(
    [node?.type, node?.costUsd, node?.tokensIn, node?.taskId, node?.state],
    ['LLM_CALL', 0.25, 10, 's', 'ENDED'],
  );
  const twice = await graphOf([...records, ...records]);
  assert.deepEqual(twice.ids, seen.ids);
});

test('[CO28] a record of a call joins the span in whose context it was written; one that only has texts shows nothing alone', async () => {
  const details = log('gen_ai.client.inference.operation.details', {
    in: 1,
    attrs: {
      'gen_ai.operation.name': 'chat',
      'gen_ai.output.messages': answer(LONG),
      'gen_ai.request.model': 'gpt-4o',
    },
  });
  const message = log('gen_ai.user.message', { in: 1, attrs: { content: 'hello' } });
  assert.deepEqual((await graphOf([message])).ids, []);
  const seen = await inAnyOrder([span(1, { attrs: chat() }), details, message]);
  assert.deepEqual(seen.ids, [nodeId(1)]);
  const apart = await inAnyOrder([span(1, { attrs: { 'gen_ai.operation.name': 'invoke_agent' } }), details]);
  assert.equal(apart.ids.length, 2);
  assert.match(apart.lines[0] ?? '', new RegExp(`^${nodeId(1)} NEXT_STEP .* \\(parentSpanId\\)$`));
});

test('[CO22] of a call of which one record left memory, what comes later joins the one that is there', async () => {
  const { engine } = makeEngine();
  const attrs = chat({ 'gen_ai.response.id': 'msg_1' });
  const records = [
    span(3, { attrs: { ...attrs, requestId: 'r3' } }),
    span(1, { at: 6, attrs: { ...attrs, requestId: 'r2' } }),
  ];
  await engine.correlator.consume(batchOf(records));
  assert.equal(engine.takeOut(['req:r2']), 1);
  const late = log('gen_ai.client.inference.operation.details', { in: 3, attrs: chat() });
  await engine.correlator.consume(batchOf([late]));
  assert.deepEqual(
    engine.reader.getGraph({ collapse: 'none' }).nodes.map(({ id }) => id),
    ['req:r3'],
  );
});
