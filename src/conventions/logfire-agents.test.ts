import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testSpans } from './cases-for-test.ts';
import { interpretSpan } from './interpret-span.ts';
import { spanOf } from './span-for-test.ts';

const scope = 'logfire.openai_agents';

testSpans('CV62', [
  {
    title: 'a tool of the Agents SDK',
    attributes: {
      'logfire.msg_template': 'Function: {name}',
      'logfire.msg': 'Function: get_weather',
      name: 'get_weather',
      input: '{"city": "Paris"}',
      output: 'sunny, 18 C',
      'gen_ai.system': 'openai',
    },
    span: { name: 'Function: {name}', scope },
    step: { type: 'TOOL_CALL', status: 'OK' },
    details: { toolName: 'get_weather' },
    texts: { toolArguments: '{"city": "Paris"}', toolResult: 'sunny, 18 C' },
  },
  {
    title: 'why a tool failed',
    attributes: {
      'logfire.msg_template': 'Function: {name}',
      'logfire.level_num': 17,
      name: 'get_weather',
      input: '{"city": "Atlantis"}',
      error:
        '{"message":"Error running tool (non-fatal)","data":{"tool_name":"get_weather","error":"redacted"}}',
    },
    span: { name: 'Function: {name}', scope },
    step: { type: 'TOOL_CALL', status: 'ERROR' },
    texts: { toolArguments: '{"city": "Atlantis"}', error: 'Error running tool (non-fatal): redacted' },
  },
  {
    title: 'a handoff is the tool call that hands over',
    attributes: {
      'logfire.msg_template': 'Handoff: {from_agent} → {to_agent}',
      from_agent: 'forecaster',
      to_agent: 'Writer 2',
    },
    span: { name: 'Handoff: {from_agent} → {to_agent}', scope },
    step: { type: 'TOOL_CALL', agent: 'forecaster', handsTo: 'writer_2' },
    details: { toolName: 'transfer_to_writer_2' },
  },
  {
    title: 'an answer of the Responses API, with its reasoning',
    attributes: {
      'logfire.msg_template': 'Responses API with {gen_ai.request.model!r}',
      'gen_ai.request.model': 'gpt-4o-mini',
      'gen_ai.operation.name': 'chat',
      raw_input: '[{"content":"hi","role":"user"}]',
      response:
        '{"id":"resp_1","model":"gpt-4o-mini-2024-07-18","object":"response","output":[{"id":"rs_1","summary":[{"text":"hm","type":"summary_text"}],"type":"reasoning"},{"id":"m1","content":[{"text":"hello","type":"output_text"}],"role":"assistant","type":"message"}],"status":"completed"}',
    },
    span: { name: 'Responses API with {gen_ai.request.model!r}', scope },
    step: { type: 'LLM_CALL', model: 'gpt-4o-mini-2024-07-18' },
    texts: { prompt: 'hi', completion: 'hello', reasoning: 'hm' },
  },
  {
    title: 'a run of an agent',
    attributes: { 'logfire.msg_template': 'Agent run: {name!r}', name: 'forecaster' },
    span: { name: 'Agent run: {name!r}', scope },
    step: { type: 'OTHER', container: true, agent: 'forecaster' },
  },
]);

test('[CV62] runs of one group are one task, and a group that is null is none', () => {
  const taskOf = (group: string): unknown => {
    const told = { 'logfire.msg_template': 'OpenAI Agents trace: {name}', group_id: group };
    return interpretSpan(spanOf(told, { name: 'OpenAI Agents trace: {name}', scope })).facts.step.task;
  };
  assert.deepEqual(taskOf('thread-1'), { id: 'thread-1', rank: 1 });
  assert.equal(taskOf('null'), undefined);
});

test('[CV62] a span is shown by its message, never by a template', () => {
  const told = { 'logfire.msg_template': 'Function: {name}', 'logfire.msg': 'Function: get_weather' };
  const { facts } = interpretSpan(spanOf(told, { name: 'Function: {name}', scope }));
  assert.equal(facts.name, 'Function: get_weather');
  const { facts: plain } = interpretSpan(spanOf({ 'logfire.msg': 'x' }, { name: 'run', scope }));
  assert.equal(plain.name, 'run');
});
