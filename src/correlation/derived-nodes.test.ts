import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cot, log, nodeId, span, TRACE } from '../../test/support/records.ts';
import { graphOf, inAnyOrder, type Seen } from './graph-for-test.ts';

const message = (role: string, ...parts: object[]): string => JSON.stringify([{ role, parts }]);
const text = (content: string): object => ({ type: 'text', content });
const said = (content: string): object => ({ 'gen_ai.output.messages': message('assistant', text(content)) });
const asked = (content: string): object => ({ 'gen_ai.input.messages': message('user', text(content)) });
const call = (model: string, ...more: object[]): { readonly [key: string]: string } => ({
  'gen_ai.operation.name': 'chat',
  'gen_ai.request.model': model,
  'gen_ai.agent.name': 'coder',
  ...Object.assign({}, ...more),
});
const ofType = ({ nodes }: Seen, type: string): Seen['nodes'][string][] =>
  Object.values(nodes).filter((node) => node.type === type);

const THOUGHT = 'First I look at the test.\n\n1. Read the parser\n2. Change it\n\nThen I am done.';

test('[CO29] each step of a chain of thought is a node, one after the other below its call', async () => {
  const seen = await graphOf([cot('r', { text: THOUGHT })], { maxCoTDepth: 5 });
  assert.deepEqual(
    ofType(seen, 'REASONING').map(({ promptSummary, details }) => [details?.['step'], promptSummary]),
    [
      [1, 'First I look at the test.'],
      [2, '1. Read the parser'],
      [3, '2. Change it'],
      [4, 'Then I am done.'],
    ],
  );
  assert.deepEqual(seen.lines, [
    'req:r NEXT_STEP thought:1:req:r (parentSpanId)',
    'thought:1:req:r NEXT_STEP thought:2:req:r (parentSpanId)',
    'thought:2:req:r NEXT_STEP thought:3:req:r (parentSpanId)',
    'thought:3:req:r NEXT_STEP thought:4:req:r (parentSpanId)',
  ]);
});

test('[CO29] as many as maxCoTDepth and more are there, at most 64, and they leave when the thought changes', async () => {
  const two = await graphOf([cot('r', { text: THOUGHT })], { maxCoTDepth: 2 });
  assert.equal(ofType(two, 'REASONING').length, 4);
  assert.equal(two.nodes['thought:1:req:r']?.details?.['steps'], 4);
  const many = await graphOf([cot('r', { text: Array.from({ length: 40 }, () => THOUGHT).join('\n\n') })], {
    maxCoTDepth: 2,
  });
  assert.equal(ofType(many, 'REASONING').length, 64);
  const longer = cot('r', { text: 'One step only.', revision: 2 });
  const seen = await inAnyOrder([cot('r', { text: THOUGHT }), longer], { maxCoTDepth: 5 });
  assert.deepEqual(seen.ids, ['req:r', 'thought:1:req:r']);
});

test('[CO29] the reasoning of a call by its span is shown alike; an opaque part is no thought', async () => {
  const reasoning = { type: 'reasoning', content: 'It must be the lexer.\n\nI read it.' };
  const opaque = { type: 'redacted_thinking', data: 'AAAA' };
  const attrs = call('m', {
    'gen_ai.output.messages': message('assistant', reasoning, opaque, text('Done.')),
  });
  const seen = await graphOf([span(1, { attrs })], { maxCoTDepth: 5 });
  assert.deepEqual(
    ofType(seen, 'REASONING').map(({ promptSummary }) => promptSummary),
    ['It must be the lexer.', 'I read it.'],
  );
});

test('[CO29] a thought that was logged inside a step without a requestId is that step’s', async () => {
  const where = { traceId: TRACE, spanId: '1'.repeat(16) };
  const seen = await inAnyOrder(
    [
      span(1, { attrs: { 'gen_ai.operation.name': 'invoke_agent' }, name: 'run' }),
      span(2, { parent: 1, attrs: call('m') }),
      cot(nodeId(1), { ...where, text: 'I start.' }),
    ],
    { maxCoTDepth: 5 },
  );
  const holder = Object.values(seen.nodes).find(({ name }) => name === 'run');
  assert.equal(holder?.type, 'OTHER');
  assert.equal(ofType(seen, 'LLM_CALL').length, 1);
  assert.equal(ofType(seen, 'REASONING').length, 1);
});

test('[CO30] another base model answers than was asked for: a switch; a dated name of the same model is none', async () => {
  const seen = await graphOf([
    span(1, { attrs: call('gpt-4o', { 'gen_ai.response.model': 'gpt-4o-mini' }) }),
    span(2, { attrs: call('gpt-4o', { 'gen_ai.response.model': 'gpt-4o-2024-08-06' }) }),
  ]);
  const [change, ...others] = ofType(seen, 'MODEL_SWITCH');
  assert.deepEqual(others, []);
  assert.deepEqual([change?.details?.['oldModel'], change?.details?.['newModel']], ['gpt-4o', 'gpt-4o-mini']);
  assert.deepEqual(seen.lines, [`${nodeId(1)} REFLECTED switch:${nodeId(1)} (content)`]);
});

test('[CO30] an agent that goes on in the same conversation with another model has switched; another agent has not', async () => {
  const answer = 'The parser drops the last token of each line.';
  const history = (role: string): object => ({
    'gen_ai.input.messages': JSON.stringify([
      { role: 'assistant', parts: [text(answer)] },
      { role, parts: [text('Go on then.')] },
    ]),
  });
  const first = span(1, { ms: 10, attrs: call('gpt-4o', said(answer)) });
  const seen = await inAnyOrder([first, span(2, { at: 20, attrs: call('o3', history('user')) })]);
  assert.deepEqual(seen.lines, [
    `${nodeId(1)} NEXT_STEP ${nodeId(2)} (content)`,
    `${nodeId(1)} REFLECTED switch:${nodeId(2)} (content)`,
    `switch:${nodeId(2)} NEXT_STEP ${nodeId(2)} (content)`,
  ]);
  const other = { ...call('o3', history('user')), 'gen_ai.agent.name': 'critic' };
  assert.equal(
    ofType(await inAnyOrder([first, span(2, { at: 20, attrs: other })]), 'MODEL_SWITCH').length,
    0,
  );
  const same = call('gpt-4o-2024-08-06', history('user'));
  assert.equal(ofType(await inAnyOrder([first, span(2, { at: 20, attrs: same })]), 'MODEL_SWITCH').length, 0);
});

test('[CO30] the model that a conversation went on from may be told by a record that joins its call at last', async () => {
  const response = { 'gen_ai.operation.name': 'chat', 'gen_ai.response.id': 'm1' };
  const asks = message('assistant', { type: 'tool_call', id: 'c1', name: 'run', arguments: {} });
  const answers = message('tool', { type: 'tool_call_response', id: 'c1', response: 'ok' });
  const seen = await inAnyOrder([
    span(1, { attrs: { ...response, 'gen_ai.agent.name': 'coder', 'gen_ai.output.messages': asks } }),
    span(2, { at: 20, attrs: call('o3', { 'gen_ai.input.messages': answers }) }),
    log('gen_ai.client.inference.operation.details', {
      in: 1,
      attrs: { ...response, 'gen_ai.request.model': 'gpt-4o' },
    }),
  ]);
  assert.equal(ofType(seen, 'MODEL_SWITCH')[0]?.details?.['oldModel'], 'gpt-4o');
});

test('[CO31] what the user asked is one node before the root of its trace, from the first call, whatever comes first', async () => {
  const agent = { 'gen_ai.operation.name': 'invoke_agent' };
  const seen = await inAnyOrder([
    span(1, { ms: 90, attrs: agent }),
    span(2, { parent: 1, at: 5, attrs: call('m', asked('Repair the parser, please.')) }),
    span(3, { parent: 1, at: 50, attrs: call('m', asked('Repair the parser once more.')) }),
  ]);
  const [query, ...others] = ofType(seen, 'USER_QUERY');
  assert.deepEqual(others, []);
  assert.equal(query?.promptSummary, 'Repair the parser, please.');
  assert.ok(seen.lines.includes(`query:${TRACE} USER_ACTION ${nodeId(1)} (content)`));
});

test('[CO31] no query is made up: not for a call by itself, not beside one that is told, not from a tool’s result', async () => {
  const alone = await graphOf([span(1, { attrs: call('m', asked('Repair the parser, please.')) })]);
  assert.equal(ofType(alone, 'USER_QUERY').length, 0);
  const told = await inAnyOrder([
    span(1, { ms: 90, attrs: { 'gen_ai.operation.name': 'user_prompt' } }),
    span(2, { parent: 1, attrs: call('m', asked('Repair the parser, please.')) }),
  ]);
  assert.deepEqual(
    ofType(told, 'USER_QUERY').map(({ id }) => id),
    [nodeId(1)],
  );
  const byTool = {
    'gen_ai.input.messages': message('tool', {
      type: 'tool_call_response',
      id: 'c',
      response: 'twelve of them passed',
    }),
  };
  const seen = await graphOf([
    span(1, { ms: 90, attrs: { 'gen_ai.operation.name': 'invoke_agent' } }),
    span(2, { parent: 1, attrs: call('m', byTool) }),
  ]);
  assert.equal(ofType(seen, 'USER_QUERY').length, 0);
});

test('[CO32] a tool’s result without an id leads to the call that reads it, by its content', async () => {
  const result = 'Twelve of twelve tests have passed.';
  const seen = await inAnyOrder([
    span(1, {
      ms: 10,
      attrs: {
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.name': 'run',
        'gen_ai.tool.call.result': result,
      },
    }),
    span(2, {
      at: 20,
      attrs: call('m', { 'gen_ai.input.messages': JSON.stringify([{ role: 'tool', content: result }]) }),
    }),
    span(3, {
      at: 5,
      ms: 2,
      attrs: call('m', { 'gen_ai.input.messages': JSON.stringify([{ role: 'tool', content: result }]) }),
    }),
  ]);
  assert.deepEqual(seen.lines, [`${nodeId(1)} TRIGGERED ${nodeId(2)} (content)`]);
});

test('[CO33] a call that is made again with the same input after it failed follows from the failed one', async () => {
  const attrs = call('gpt-4o', asked('Repair the parser, please.'));
  const seen = await inAnyOrder([
    span(1, { ms: 10, attrs, status: 'ERROR' }),
    span(2, { at: 20, ms: 10, attrs, status: 'ERROR' }),
    span(3, { at: 40, ms: 10, attrs }),
    span(4, { at: 60, ms: 10, attrs }),
  ]);
  assert.deepEqual(seen.lines, [
    `${nodeId(1)} TRIGGERED ${nodeId(2)} (content)`,
    `${nodeId(2)} TRIGGERED ${nodeId(3)} (content)`,
  ]);
});

test('[CO33] [AN26] so does one that began in the same millisecond, where a clock was cut to it', async () => {
  const attrs = call('gpt-4o', asked('Repair the parser, please.'));
  const seen = await inAnyOrder([
    span(1, { at: 4, ms: 0.2, attrs, status: 'ERROR' }),
    span(2, { at: 5, ms: 0.2, attrs, status: 'ERROR' }),
    span(3, { at: 5, ms: 10, attrs }),
    span(4, { at: 60, ms: 10, attrs }),
  ]);
  assert.deepEqual(seen.lines, [
    `${nodeId(1)} TRIGGERED ${nodeId(2)} (content)`,
    `${nodeId(2)} TRIGGERED ${nodeId(3)} (content)`,
  ]);
});

test('[CO20] where nothing tells of a tool itself, the call that asked leads to the one that read the result', async () => {
  const ask = {
    'gen_ai.output.messages': message('assistant', {
      type: 'tool_call',
      id: 'c1',
      name: 'run',
      arguments: {},
    }),
  };
  const read = {
    'gen_ai.input.messages': message('tool', { type: 'tool_call_response', id: 'c1', response: 'ok' }),
  };
  const seen = await inAnyOrder([
    span(1, { attrs: call('m', ask) }),
    span(2, { at: 20, attrs: call('m', read) }),
  ]);
  assert.deepEqual(seen.lines, [`${nodeId(1)} TRIGGERED ${nodeId(2)} (toolCallId)`]);
});

test('[CO34] a tool call named after an agent leads to the next run of that agent', async () => {
  const run = (agent: string): object => ({
    'gen_ai.operation.name': 'invoke_agent',
    'gen_ai.agent.name': agent,
  });
  const seen = await inAnyOrder([
    span(1, { ms: 5, attrs: { ...run('FlightAgent') } }),
    span(2, {
      at: 10,
      ms: 2,
      attrs: { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': 'transfer_to_flight_agent' },
    }),
    span(3, { at: 20, ms: 5, attrs: { ...run('FlightAgent') } }),
    span(4, { at: 30, ms: 5, attrs: { ...run('FlightAgent') } }),
  ]);
  assert.deepEqual(seen.lines, [`${nodeId(2)} TRIGGERED ${nodeId(3)} (content)`]);
});

test('[CO34] a handoff that names nobody is what the call before asked for, and leads to the next run of another agent', async () => {
  const run = (agent: string): object => ({
    'gen_ai.operation.name': 'invoke_agent',
    'gen_ai.agent.name': agent,
  });
  const asks = { type: 'tool_call', id: 'c1', name: 'transfer_to_writer', arguments: {} };
  const seen = await inAnyOrder([
    span(1, { ms: 5, attrs: call('m', { 'gen_ai.output.messages': message('assistant', asks) }) }),
    span(2, {
      at: 10,
      ms: 2,
      attrs: { 'gen_ai.operation.name': 'handoff', 'gen_ai.agent.name': 'forecaster' },
    }),
    span(3, { at: 20, ms: 5, attrs: { ...run('forecaster') } }),
    span(4, { at: 30, ms: 5, attrs: { ...run('writer') } }),
    span(5, { at: 40, ms: 5, attrs: { ...run('writer') } }),
  ]);
  assert.deepEqual(seen.lines, [
    `${nodeId(1)} TRIGGERED ${nodeId(2)} (content)`,
    `${nodeId(2)} TRIGGERED ${nodeId(4)} (content)`,
  ]);
});

test('[CO35] edges that nothing but time speaks for are drawn only when they are asked for', async () => {
  const records = [
    span(1, { ms: 90 }),
    span(2, { parent: 1, at: 5, ms: 5 }),
    span(3, { parent: 1, at: 20, ms: 20 }),
    span(4, { parent: 1, at: 22, ms: 5 }),
  ];
  const inferred = ({ lines }: Seen): string[] => lines.filter((line) => line.endsWith('(inferred)'));
  assert.deepEqual(inferred(await inAnyOrder(records)), []);
  assert.deepEqual(inferred(await inAnyOrder(records, { inferEdges: true })), [
    `${nodeId(2)} NEXT_STEP ${nodeId(3)} (inferred)`,
    `${nodeId(2)} NEXT_STEP ${nodeId(4)} (inferred)`,
  ]);
});

test('[CO35] [AN26] of steps whose order is not known none follows another by time alone', async () => {
  const records = [
    span(1, { ms: 90 }),
    span(2, { parent: 1, at: 5, ms: 0.2 }),
    span(3, { parent: 1, at: 5, ms: 0.2 }),
    span(4, { parent: 1, at: 6, ms: 1.4 }),
    span(5, { parent: 1, at: 7, ms: 1 }),
  ];
  const { lines } = await inAnyOrder(records, { inferEdges: true });
  assert.deepEqual(
    lines.filter((line) => line.endsWith('(inferred)')),
    [`${nodeId(3)} NEXT_STEP ${nodeId(4)} (inferred)`, `${nodeId(4)} NEXT_STEP ${nodeId(5)} (inferred)`],
  );
});

test('[CO13] a step whose ancestors are not there is of the only agent that its trace names', async () => {
  const run = (agent: string): object => ({
    'gen_ai.operation.name': 'invoke_agent',
    'gen_ai.agent.name': agent,
  });
  const plain = { 'gen_ai.operation.name': 'chat' };
  const records = [
    span(1, { attrs: { ...run('coder') } }),
    span(2, { parent: 9, attrs: plain }),
    span(3, { attrs: plain }),
  ];
  const seen = await inAnyOrder(records);
  assert.deepEqual([seen.nodes[nodeId(2)]?.agent, seen.nodes[nodeId(3)]?.agent], ['coder', 'svc']);
  const two = await inAnyOrder([...records, span(4, { attrs: { ...run('critic') } })]);
  assert.equal(two.nodes[nodeId(2)]?.agent, 'svc');
});

test('[CV21] what agents tag in a thought is lifted into the details; the ways they weighed are branches', async () => {
  const text =
    '{why} the parser drops a token\n{alternatives}\n- rewrite the lexer\n- patch the parser\n\nconfidence: 0.8';
  const seen = await graphOf([cot('r', { text })], { maxCoTDepth: 1 });
  const details = seen.nodes['req:r']?.details;
  assert.equal(details?.['why'], 'the parser drops a token');
  assert.equal(details['confidence'], 0.8);
  assert.deepEqual(
    ofType(seen, 'REASONING')
      .filter(({ name }) => name.startsWith('alternative'))
      .map(({ promptSummary }) => promptSummary),
    ['rewrite the lexer', 'patch the parser'],
  );
});
