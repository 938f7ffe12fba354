import assert from 'node:assert/strict';
import { test } from 'node:test';
import { event, log, nodeId, span, TRACE } from '../../test/support/records.ts';
import { graphOf, inAnyOrder, type Seen } from './graph-for-test.ts';

type Attrs = { readonly [key: string]: string | number };

const chat = (more: Attrs = {}): Attrs => ({
  'gen_ai.operation.name': 'chat',
  'gen_ai.request.model': 'gpt-4o',
  ...more,
});
const said = (...parts: readonly object[]): Attrs => ({
  'gen_ai.output.messages': JSON.stringify([{ role: 'assistant', parts }]),
});
const asks = (id: string, city: string): object => ({
  type: 'tool_call',
  id,
  name: 'get_weather',
  arguments: { city },
});
const reads = (id: string, response: string): Attrs => ({
  'gen_ai.input.messages': JSON.stringify([
    { role: 'tool', parts: [{ type: 'tool_call_response', id, response }] },
  ]),
});
const other = 'b'.repeat(32);

test('[CO22] one id of a response on several calls of a run is one call only where time, model and usage allow it', async () => {
  const id = { 'gen_ai.response.id': 'run_1' };
  const seen = await inAnyOrder([
    span(1, { at: 0, ms: 10, attrs: chat({ ...id, 'gen_ai.usage.input_tokens': 5 }) }),
    span(2, { at: 20, ms: 10, attrs: chat({ ...id, 'gen_ai.usage.input_tokens': 7 }) }),
    span(3, { at: 21, ms: 5, scope: 'sdk', attrs: chat({ ...id, 'gen_ai.usage.input_tokens': 7 }) }),
    span(4, { at: 22, ms: 5, scope: 'sdk', attrs: chat({ ...id, 'gen_ai.request.model': 'o3' }) }),
  ]);
  assert.deepEqual(seen.ids, [nodeId(1), nodeId(2), nodeId(4)]);
  assert.equal(seen.nodes[nodeId(2)]?.tokensIn, 7);
});

test('[CO22] twins in two traces are one call where two instrumentations tell of one response', async () => {
  const attrs = chat({ 'gen_ai.response.id': 'msg_1', 'gen_ai.usage.input_tokens': 7 });
  const seen = await inAnyOrder([
    span(9, { at: 0, ms: 40, attrs: { 'gen_ai.operation.name': 'invoke_agent', 'session.id': 's1' } }),
    span(1, { at: 0, ms: 20, parent: 9, scope: 'framework', attrs }),
    span(2, { at: 5, ms: 10, scope: 'sdk', traceId: other, attrs }),
  ]);
  assert.deepEqual(seen.nodes[nodeId(1)]?.details?.['spanIds'], ['1'.repeat(16), '2'.repeat(16)]);
  assert.deepEqual(seen.nodes[nodeId(1)]?.details?.['traceIds'], [
    seen.nodes[nodeId(9)]?.details?.['traceId'],
    other,
  ]);
  assert.deepEqual(new Set(Object.values(seen.nodes).map(({ taskId }) => taskId)), new Set(['s1']));
});

test('[CO24] a call of the same instrumentation that passes another one on is the same call', async () => {
  const attrs = chat({ 'gen_ai.usage.input_tokens': 7, 'gen_ai.usage.output_tokens': 3 });
  const seen = await inAnyOrder([
    span(1, { at: 0, ms: 20, attrs }),
    span(2, { at: 1, ms: 10, parent: 1, attrs }),
    span(3, { at: 1, ms: 5, parent: 2, attrs: chat({ 'gen_ai.usage.input_tokens': 2 }) }),
  ]);
  assert.deepEqual(seen.ids, [nodeId(1), nodeId(3)]);
  assert.equal(seen.nodes[nodeId(1)]?.tokensIn, 7);
});

test('[CO20] a short result of a tool without an id leads to the call that reads the id that was asked for', async () => {
  const tool = { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': 'get_weather' };
  const seen = await inAnyOrder([
    span(1, { at: 0, ms: 5, attrs: chat(said(asks('c1', 'Oslo'), asks('c2', 'Rome'))) }),
    span(2, { at: 6, ms: 2, attrs: { ...tool, 'gen_ai.tool.call.arguments': '{"kwargs":{"city":"Oslo"}}' } }),
    span(3, { at: 6, ms: 2, attrs: { ...tool, 'gen_ai.tool.call.arguments': "{'city': 'Rome'}" } }),
    span(4, { at: 9, ms: 5, attrs: chat(reads('c1', 'sunny')) }),
  ]);
  assert.deepEqual(
    seen.lines.filter((line) => line.includes('TRIGGERED')),
    [
      `${nodeId(1)} TRIGGERED ${nodeId(2)} (content)`,
      `${nodeId(1)} TRIGGERED ${nodeId(3)} (content)`,
      `${nodeId(2)} TRIGGERED ${nodeId(4)} (content)`,
    ],
  );
});

test('[CO20] a tool with an id of its framework is found by its words, one whose id was asked for by that alone', async () => {
  const run = '01a208b8-b1aa-760c-9fd7-1a1ba2fa11b7';
  const tool = {
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': 'get_weather',
    'gen_ai.tool.call.arguments': '{"city":"Oslo"}',
  };
  const seen = await inAnyOrder([
    span(1, { at: 0, ms: 5, attrs: chat(said(asks(run, 'Oslo'))) }),
    span(2, { at: 6, ms: 5, attrs: chat(said(asks('c2', 'Oslo'))) }),
    span(3, { at: 12, ms: 2, attrs: { ...tool, 'gen_ai.tool.call.id': run } }),
    span(4, { at: 12, ms: 2, attrs: { ...tool, 'gen_ai.tool.call.id': run.replace('0', '9') } }),
  ]);
  assert.deepEqual(
    seen.lines.filter((line) => line.includes('TRIGGERED')),
    [`${nodeId(1)} TRIGGERED ${nodeId(3)} (toolCallId)`, `${nodeId(2)} TRIGGERED ${nodeId(4)} (content)`],
  );
});

test('[CO32] what a tool gave leads by its id where its id was asked for and results are read by ids, not by equal text', async () => {
  const tool = (id: string): Attrs => ({
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': 'get_weather',
    'gen_ai.tool.call.id': id,
    'gen_ai.tool.call.result': 'no weather was found',
  });
  const steps = (askedInside: string): Promise<Seen> =>
    inAnyOrder([
      span(1, { at: 0, ms: 5, attrs: chat(said(asks('c1', 'Oslo'))) }),
      span(2, { at: 6, ms: 30, attrs: tool('c1') }),
      span(3, { at: 8, ms: 5, parent: 2, attrs: chat(said(asks(askedInside, 'Rome'))) }),
      span(4, { at: 14, ms: 5, parent: 2, attrs: tool('c2') }),
      span(5, { at: 40, ms: 5, attrs: chat(reads('c1', 'no weather was found')) }),
    ]);
  const causes = ({ lines }: Seen): string[] =>
    lines.filter((line) => line.includes(`TRIGGERED ${nodeId(5)}`));
  assert.deepEqual(causes(await steps('c2')), [`${nodeId(2)} TRIGGERED ${nodeId(5)} (toolCallId)`]);
  assert.equal(causes(await steps('other')).length, 2, 'nobody asked for that id');
});

test('[CO20] nothing leads to a step that had ended before its cause began', async () => {
  const seen = await inAnyOrder([
    span(1, { at: 20, ms: 5, attrs: chat(said(asks('c1', 'Oslo'))) }),
    span(2, { at: 0, ms: 5, attrs: chat(reads('c1', 'sunny')) }),
  ]);
  assert.deepEqual(seen.lines, []);
  const inOneMillisecond = await inAnyOrder([
    span(1, { at: 20.6, ms: 0.1, attrs: chat(said(asks('c1', 'Oslo'))) }),
    span(2, { at: 20, ms: 0.2, attrs: chat(reads('c1', 'sunny')) }),
  ]);
  assert.equal(inOneMillisecond.lines.length, 1, 'where its clock was cut it had not');
});

test('[CO37] messages that are sent again with every call are new to the first call that reads them alone', async () => {
  const result = { body: '', 'gen_ai.event.content': '{"id":"c1","content":"sunny, 18 C and no wind"}' };
  const seen = await graphOf([
    span(1, { at: 0, ms: 5, attrs: chat(said(asks('c1', 'Oslo'))) }),
    span(2, {
      at: 6,
      ms: 2,
      attrs: {
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.name': 'get_weather',
        'gen_ai.tool.call.id': 'c1',
        'gen_ai.tool.call.result': 'sunny, 18 C and no wind',
      },
    }),
    span(3, { at: 9, ms: 5, attrs: chat() }),
    log('gen_ai.tool.message', { at: 9, in: 3, attrs: result }),
    span(4, { at: 19, ms: 5, attrs: chat() }),
    log('gen_ai.tool.message', { at: 19, in: 4, attrs: result }),
  ]);
  assert.deepEqual(
    seen.lines.filter((line) => line.includes('TRIGGERED')),
    [`${nodeId(1)} TRIGGERED ${nodeId(2)} (toolCallId)`, `${nodeId(2)} TRIGGERED ${nodeId(3)} (toolCallId)`],
  );
});

test('[CO31] a user’s words that a call has as a record of their own are the query, once', async () => {
  const asked = { body: '', 'gen_ai.event.content': '{"content":"Will it rain in Oslo?"}' };
  const seen = await inAnyOrder([
    span(9, { at: 0, ms: 40, attrs: { 'gen_ai.operation.name': 'invoke_agent' } }),
    span(1, { at: 2, ms: 5, parent: 9, attrs: chat() }),
    log('gen_ai.user.message', { at: 3, in: 1, attrs: asked }),
    span(2, { at: 12, ms: 5, parent: 9, attrs: chat() }),
    log('gen_ai.user.message', { at: 13, in: 2, attrs: asked }),
  ]);
  const queries = Object.values(seen.nodes).filter(({ type }) => type === 'USER_QUERY');
  assert.deepEqual(
    queries.map(({ title }) => title),
    ['Will it rain in Oslo?'],
  );
  assert.ok(seen.lines.includes(`${queries[0]?.id} USER_ACTION ${nodeId(9)} (content)`));
});

test('[CO32] steps of one task that share neither session nor trace are no conversation', async () => {
  const task = { taskID: 'T1' };
  const answer = { type: 'text', content: 'The build passed on all platforms.' };
  const prompt = JSON.stringify([
    { role: 'user', parts: [{ type: 'text', content: 'The build passed on all platforms.' }] },
  ]);
  const seen = await inAnyOrder([
    span(1, { at: 0, ms: 5, attrs: chat({ ...task, ...said(answer) }) }),
    span(2, { at: 9, ms: 5, traceId: other, attrs: chat({ ...task, 'gen_ai.input.messages': prompt }) }),
  ]);
  assert.deepEqual(seen.lines, []);
});

test('[CO32] code that a model wrote leads to what ran it', async () => {
  const code = 'print(sum(range(100)))';
  const seen = await inAnyOrder([
    span(1, {
      at: 0,
      ms: 5,
      attrs: chat(said({ type: 'text', content: `Sure.\n\`\`\`python\n${code}\n\`\`\`` })),
    }),
    span(2, {
      at: 6,
      ms: 2,
      attrs: {
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.name': 'python_interpreter',
        'gen_ai.tool.call.arguments': JSON.stringify({ code }),
      },
    }),
  ]);
  assert.deepEqual(seen.lines, [`${nodeId(1)} TRIGGERED ${nodeId(2)} (content)`]);
});

test('[CO12] a trace is one task, the one that its root names before others', async () => {
  const agent = { 'gen_ai.operation.name': 'invoke_agent' };
  const seen = await inAnyOrder([
    span(1, { at: 1, ms: 20, attrs: { ...agent, 'gen_ai.conversation.id': 'outer' } }),
    span(2, { at: 0, ms: 9, parent: 1, attrs: { ...agent, 'gen_ai.conversation.id': 'inner' } }),
    span(3, { at: 3, ms: 5, parent: 2, attrs: chat({ 'gen_ai.conversation.id': 'inner' }) }),
  ]);
  assert.deepEqual(new Set(Object.values(seen.nodes).map(({ taskId }) => taskId)), new Set(['outer']));
});

test('[CO12] a step that names its own task by `taskID` is of that task, whatever its trace; by `task_id` it is not', async () => {
  const seen = await inAnyOrder([
    span(1, { attrs: { taskID: 'T-1' } }),
    span(2, { parent: 1 }),
    span(3, { at: 5, attrs: { taskID: 'T-3' } }),
    span(4, { parent: 1, attrs: { task_id: 'step-4' } }),
  ]);
  const tasks = [1, 2, 3, 4].map((n) => seen.nodes[nodeId(n)]?.taskId);
  assert.deepEqual(tasks, ['T-1', 'T-1', 'T-3', 'T-1']);
});

test('[CO12] an event that names the id of a trace as its task is of the task of that trace, also when that is told later', async () => {
  const seen = await inAnyOrder([
    span(1, { attrs: { 'session.id': 's' } }),
    span(2, { at: 1, parent: 1 }),
    event('CodeFixApplied', { taskId: TRACE }, { eventId: 'e1' }),
    event('CodeFixApplied', { taskId: other }, { eventId: 'e2' }),
  ]);
  assert.equal(seen.nodes['event:e1']?.taskId, 's');
  assert.equal(seen.nodes['event:e2']?.taskId, other);
});

test('[CO12] a trace that names more than 64 sessions is none: each step is of its own, in any order', async () => {
  const spans = Array.from({ length: 65 }, (_, i) =>
    span(i + 1, { at: -i, attrs: { 'session.id': `s${i}` } }),
  );
  const tasksIn = async (records: typeof spans): Promise<number> => {
    const { nodes } = await graphOf(records);
    return new Set(Object.values(nodes).map(({ taskId }) => taskId)).size;
  };
  assert.equal(await tasksIn(spans.slice(1)), 1);
  assert.equal(await tasksIn(spans), 65);
  assert.equal(await tasksIn(spans.toReversed()), 65);
});
