import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AttributeValue } from '../model/attributes.ts';
import type { StepFacts } from '../model/facts.ts';
import { resourceKeyOf } from '../model/resource-key.ts';
import { textHash } from '../model/text-hash.ts';
import { interpretSpan } from './interpret-span.ts';
import { spanOf, type SpanSketch } from './span-for-test.ts';
import { assertCpuTime } from '../../test/support/cpu-time.ts';

function stepOf(attributes: Record<string, AttributeValue>, sketch?: SpanSketch): StepFacts {
  return interpretSpan(spanOf(attributes, sketch)).facts.step;
}

function stepIn(
  resource: Record<string, AttributeValue>,
  attributes: Record<string, AttributeValue>,
): StepFacts {
  const span = { ...spanOf(attributes), resource: { attributes: new Map(Object.entries(resource)) } };
  return interpretSpan(span).facts.step;
}

const CALL = { 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': 'gpt-4o' };

test('[CV25] task, session, user and agent of the process hold where its spans say nothing', () => {
  const resource = {
    'service.name': 'shop',
    'session.id': 's1',
    'gen_ai.agent.name': 'buyer',
    'user.id': 'u1',
  };
  const silent = stepIn(resource, CALL);
  assert.equal(silent.serviceName, 'buyer');
  assert.deepEqual(silent.task, { id: 's1', rank: 1 });
  assert.equal(silent.details['userId'], 'u1');
  const own = stepIn(resource, { ...CALL, 'gen_ai.conversation.id': 's2', 'enduser.id': 'u2' });
  assert.deepEqual(own.task, { id: 's2', rank: 1 });
  assert.equal(own.details['userId'], 'u2');
  assert.deepEqual(stepIn({ taskID: 'T1' }, { ...CALL, 'session.id': 's2' }).task, { id: 'T1', rank: 0 });
  assert.deepEqual(stepIn({ taskID: 'T1' }, { taskID: 'T2' }).task, { id: 'T2', rank: 0, own: true });
});

test('[CV60] arguments of a tool have a short name, the same whatever the blanks in them', () => {
  const given = (args?: string): unknown =>
    stepOf({
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'read_file',
      ...(args !== undefined && { 'gen_ai.tool.call.arguments': args }),
    }).details['argumentsHash'];
  const one = given('{"path": "a.txt"}');
  assert.ok(typeof one === 'number' && one >= 0 && one < 2 ** 31);
  assert.equal(given('{"path":"a.txt"}'), one);
  assert.notEqual(given('{"path":"b.txt"}'), one);
  assert.equal(given(), undefined);
});

for (const key of [
  'user.id',
  'enduser.id',
  'langfuse.user.id',
  'ai.telemetry.metadata.userId',
  'traceloop.association.properties.user_id',
  'gen_ai.user',
  'gen_ai.request.user',
  'user.account_uuid',
]) {
  test(`[CV25] ${key} is the user, on a span of any kind`, () => {
    assert.equal(stepOf({ [key]: 'u1' }).details['userId'], 'u1');
  });
}

test('[CV25] whatever else a sender calls the user is kept beside the first of the ids', () => {
  const ids = { 'user.account_uuid': 'u1', 'user.email': 'ann@example.org', 'user.id': 'u1' };
  const { details } = stepOf(ids);
  assert.deepEqual([details['userId'], details['otherUserIds']], ['u1', ['ann@example.org']]);
  const both = stepIn({ 'user.email': 'ann@example.org' }, { 'enduser.id': 'u2' }).details;
  assert.deepEqual([both['userId'], both['otherUserIds']], ['u2', ['ann@example.org']]);
  assert.equal('otherUserIds' in stepOf({ 'user.id': 'u1' }).details, false);
});

test('[CV25] an application stands in for an agent before the service does', () => {
  const named = { 'app.name': 'research-agent' };
  assert.equal(stepIn({ 'service.name': 'shop' }, named).serviceName, 'research-agent');
  assert.equal(stepIn({ 'service.name': 'shop', ...named }, CALL).serviceName, 'research-agent');
  assert.ok(!('agent' in stepIn({}, named)) && !('convention' in stepIn({}, named)));
});

test('[CV51] a step has the key of its resource, by which metrics find it', () => {
  const resource = { 'service.name': 'shop', 'service.instance.id': 'i-1', 'host.name': 'h' };
  const key = resourceKeyOf(new Map(Object.entries(resource)));
  assert.notEqual(key, '');
  assert.equal(stepIn(resource, CALL).resourceKey, key);
  assert.ok(!('resourceKey' in stepIn({ 'telemetry.sdk.language': 'nodejs' }, CALL)));
});

test('[CV25] a user or a session makes no convention of a span', () => {
  const step = stepOf({ 'user.id': 'u1', 'session.id': 's1' });
  assert.ok(!('convention' in step) && !('type' in step));
  assert.deepEqual(step.task, { id: 's1', rank: 1 });
});

test('[CV26] where two conventions contradict one another, the stronger wins and the field is named', () => {
  const { details, ...step } = stepOf({
    'openinference.span.kind': 'LLM',
    'llm.model_name': 'gpt-4o',
    'llm.token_count.prompt': 100,
    'llm.token_count.completion': 10,
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.response.model': 'claude-haiku-4-5',
    'gen_ai.usage.input_tokens': 70,
    'gen_ai.usage.output_tokens': 10,
  });
  assert.equal(step.type, 'LLM_CALL');
  assert.equal(step.model, 'gpt-4o');
  assert.equal(step.tokensIn, 100);
  assert.deepEqual(details['contradictions'], [
    'type: openinference≠gen_ai',
    'model: openinference≠gen_ai',
    'tokensIn: openinference≠gen_ai',
  ]);
});

test('[CV26] a call to one convention and a container to another is a contradiction', () => {
  const agent = { 'openinference.span.kind': 'AGENT', 'gen_ai.operation.name': 'chat' };
  assert.deepEqual(stepOf(agent).details['contradictions'], ['type: openinference≠gen_ai']);
  const plain = { 'openinference.span.kind': 'EMBEDDING', 'gen_ai.operation.name': 'chat' };
  assert.ok(!('contradictions' in stepOf(plain).details));
});

test('[CV26] other ways to say and to count the same are no contradictions', () => {
  const { details } = stepOf({
    'langfuse.observation.type': 'generation',
    'langfuse.observation.model.name': 'openai/gpt-4o',
    'langfuse.observation.usage_details':
      '{"input":20,"output":4,"output_reasoning":6,"input_cached_tokens":80}',
    'openinference.span.kind': 'LLM',
    'llm.model_name': 'gpt-4o-2024-08-06',
    'llm.token_count.prompt': 20,
    'llm.token_count.completion': 4,
    'gen_ai.operation.name': 'chat',
    'gen_ai.response.model': 'gpt-4o',
    'gen_ai.usage.input_tokens': 100,
    'gen_ai.usage.output_tokens': 10,
    'gen_ai.usage.cache_read.input_tokens': 80,
  });
  assert.ok(!('contradictions' in details));
});

test('[CV27] a call has the id of its response and the hashes of what it said and heard', () => {
  const step = stepOf(
    {
      ...CALL,
      'gen_ai.response.id': 'resp_1',
      'gen_ai.input.messages': JSON.stringify([
        { role: 'user', content: 'an old question of the user' },
        {
          role: 'assistant',
          tool_calls: [{ id: 'c', function: { name: 'lint', arguments: '{"path":"a.ts"}' } }],
        },
        { role: 'tool', content: '{"issues": 3, "of": "a.ts"}' },
        { role: 'user', content: 'and now, what next?' },
      ]),
      'gen_ai.output.messages': '[{"role":"assistant","content":"Fix the three issues."}]',
    },
    { scope: 'my-sdk' },
  );
  assert.equal(step.stepId, 'call:resp_1');
  assert.equal(step.scope, 'my-sdk');
  assert.equal(step.saidHash, textHash('Fix the three issues.'));
  assert.deepEqual(step.heardHashes, [
    textHash('and now, what next?'),
    textHash('{"issues":3,"of":"a.ts"}'),
    textHash('lint({"path":"a.ts"})'),
  ]);
  assert.equal(step.byUser, true);
});

test('[CV27] what a call said is found again in what the next one heard, flattened or not', () => {
  const answer = [
    {
      role: 'assistant',
      content: 'I will look.',
      tool_calls: [{ id: 'c', function: { name: 'ls', arguments: '{}' } }],
    },
  ];
  const first = stepOf({ ...CALL, 'gen_ai.output.messages': JSON.stringify(answer) });
  const history = [{ role: 'user', content: 'look' }, ...answer, { role: 'tool', content: 'a.ts' }];
  const flat: Record<string, AttributeValue> = {
    'llm.input_messages.1.message.role': 'assistant',
    'llm.input_messages.1.message.content': 'I will look.',
    'llm.input_messages.1.message.tool_calls.0.tool_call.id': 'c',
    'llm.input_messages.1.message.tool_calls.0.tool_call.function.name': 'ls',
    'llm.input_messages.1.message.tool_calls.0.tool_call.function.arguments': '{}',
    'llm.input_messages.2.message.role': 'tool',
    'llm.input_messages.2.message.content': 'a.ts',
  };
  for (const second of [
    { ...CALL, 'gen_ai.input.messages': JSON.stringify(history) },
    { ...CALL, 'gen_ai.input.messages': history },
    { 'openinference.span.kind': 'LLM', ...flat },
  ])
    assert.ok(stepOf(second).heardHashes?.includes(first.saidHash ?? 'none'), JSON.stringify(second));
});

test('[CV27] a tool without an id ran in the words in which a call asked for it', () => {
  const calls = [
    { id: 'c1', function: { name: 'lint', arguments: '{"path": "a.ts"}' } },
    { id: 'c2', function: { name: 'read_file', arguments: { path: 'b.ts' } } },
  ];
  const asking = stepOf({ ...CALL, 'gen_ai.output.messages': [{ role: 'assistant', tool_calls: calls }] });
  const tool = { 'openinference.span.kind': 'TOOL', 'input.value': '{"path":"a.ts"}' };
  const lint = stepOf({ ...tool, 'tool.name': 'lint' });
  const read = stepOf({ ...tool, 'tool.name': 'read_file', 'input.value': '{"path":"b.ts"}' });
  assert.equal(lint.type, 'STATIC_ANALYSIS');
  assert.deepEqual(asking.askedHashes, [lint.ranHash, read.ranHash]);
  assert.ok(lint.ranHash !== undefined && lint.ranHash !== read.ranHash);
  assert.ok(!('ranHash' in stepOf({ ...tool, 'tool.name': 'lint', 'tool.id': 'c1' })));
  assert.ok(!('askedHashes' in stepOf(CALL)));
});

test('[CV27] where ids of tool calls tell what came before, what the model said is not looked at', () => {
  const history = [
    { role: 'user', content: 'look at the folder' },
    { role: 'assistant', content: 'I will look, and then I tell.' },
    { role: 'tool', tool_call_id: 'c', content: 'a.ts, b.ts and c.ts' },
  ];
  for (const messages of [history, JSON.stringify(history)]) {
    const step = stepOf({ ...CALL, 'gen_ai.input.messages': messages });
    assert.deepEqual(step.heardHashes, [textHash('a.ts, b.ts and c.ts')]);
    assert.deepEqual(step.details['answeredToolCallIds'], ['c']);
  }
});

test("[CV27] a tool's result has the hash that it has in the message to the model, quoted or not", () => {
  const tool = { 'ai.operationId': 'ai.toolCall', 'ai.toolCall.name': 'run' };
  assert.equal(
    stepOf({ ...tool, 'ai.toolCall.result': '"twelve tests passed"' }).saidHash,
    textHash('twelve tests passed'),
  );
  assert.equal(
    stepOf({ ...tool, 'ai.toolCall.result': '{"passed": 12}' }).saidHash,
    textHash('{"passed":12}'),
  );
});

test("[CV27] a tool's result and a container have no prompt of a user", () => {
  const tool = '[{"role":"tool","tool_call_id":"c","content":"12 passed"}]';
  assert.ok(!('byUser' in stepOf({ ...CALL, 'gen_ai.input.messages': tool })));
  assert.ok(!('stepId' in stepOf({ 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.response.id': 'r1' })));
});

test('[CV28] what is withheld by its sender is no text', () => {
  const { facts, texts } = interpretSpan(
    spanOf({ component: 'x', prompt: '<REDACTED>', completion: '[REDACTED]', reasoning: 'because' }),
  );
  assert.deepEqual(texts.texts, { reasoning: 'because' });
  assert.equal(facts.step.promptSummary, 'because');
});

test('[CV20] a call and a container without a reported cost are estimated; others, and reported ones, are not', () => {
  const usage = { 'gen_ai.usage.input_tokens': 1000, 'gen_ai.usage.output_tokens': 100 };
  assert.equal(stepOf({ ...CALL, ...usage }).estimatedCostUsd, 0.0035);
  assert.equal(
    stepOf({ ...CALL, ...usage, 'gen_ai.operation.name': 'invoke_agent' }).estimatedCostUsd,
    0.0035,
  );
  assert.equal(
    stepOf({ ...CALL, ...usage, 'gen_ai.operation.name': 'embeddings' }).estimatedCostUsd,
    undefined,
  );
  assert.equal(stepOf({ ...CALL, ...usage, 'gen_ai.usage.cost': 0.5 }).estimatedCostUsd, undefined);
  assert.equal(stepOf(CALL).estimatedCostUsd, undefined);
  const snapshot = { ...CALL, ...usage, 'gen_ai.response.model': 'ft:unknown' };
  assert.equal(stepOf(snapshot).estimatedCostUsd, 0.0035);
});

test('[CV16] resource paths are taken off a model', () => {
  const model = (name: string) => stepOf({ ...CALL, 'gen_ai.request.model': name }).model;
  assert.equal(model('models/gemini-2.5-pro'), 'gemini-2.5-pro');
  assert.equal(model('publishers/google/models/gemini-2.5-pro'), 'gemini-2.5-pro');
  assert.equal(model('openai/gpt-4o'), 'openai/gpt-4o');
  assert.equal(model('models/'), 'models/');
});

test('[CV11] the class of an error is its name', () => {
  const details = stepOf({ ...CALL, 'error.type': "<class 'openai.RateLimitError'>" }).details;
  assert.equal(details['errorType'], 'openai.RateLimitError');
});

test('[CV21] tags and figures of a thought stand in the details', () => {
  const { details } = stepOf({
    component: 'reasoning-agent',
    'model.name': 'm',
    reasoning:
      '{why} the loop is short {how} one more {alternatives}\n- patch (2 votes)\n- rewrite\n\nconfidence: 80%',
  });
  assert.equal(details['why'], 'the loop is short');
  assert.equal(details['how'], 'one more');
  assert.deepEqual(details['alternatives'], [{ text: 'patch (2 votes)', votes: 2 }, { text: 'rewrite' }]);
  assert.equal(details['confidence'], 0.8);
});

test('[CV2] an attribute of a megabyte in any text costs no more than its length', () => {
  const long = 'why? {why} confidence: 1 Thought: <think> "id":"msg_ '.repeat(20_000);
  const body = JSON.stringify({ content: long });
  for (const attributes of [
    { ...CALL, 'gen_ai.input.messages': body, 'gen_ai.output.messages': body },
    { 'openinference.span.kind': 'LLM', 'input.value': body, 'output.value': body },
    {
      'openinference.span.kind': 'TOOL',
      'input.value': `tool_call${long}`,
      'output.value': `{"tool_call_id":${body}`,
    },
    { 'langsmith.span.kind': 'llm', 'gen_ai.prompt': body, 'gen_ai.completion': body },
    { 'plan.candidates': body, 'plan.votes': long, component: long, reasoning: long },
  ])
    assertCpuTime(1500, () => stepOf(attributes));
});

test('[CV20] tokens for which a sender reports a cost of 0 have no known price: they are estimated, or unknown', () => {
  const used = { 'gen_ai.operation.name': 'chat', 'gen_ai.usage.input_tokens': 1000, 'gen_ai.usage.cost': 0 };
  const known = interpretSpan(spanOf({ ...used, 'gen_ai.request.model': 'gpt-4o-mini' })).facts.step;
  assert.equal(known.costUsd, undefined);
  assert.ok((known.estimatedCostUsd ?? 0) > 0);
  const unknown = interpretSpan(spanOf({ ...used, 'gen_ai.request.model': 'my-own' })).facts.step;
  assert.deepEqual([unknown.costUsd, unknown.estimatedCostUsd], [undefined, undefined]);
});
