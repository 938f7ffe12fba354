import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testSpans } from './cases-for-test.ts';
import { graphAgent } from './langgraph.ts';

const METADATA =
  '{"user_id": "u-7", "thread_id": "t-1", "langgraph_node": "forecaster", "langgraph_checkpoint_ns": "forecaster:4b1a"}';
const PROPERTY = 'traceloop.association.properties.';

testSpans('CV63', [
  {
    title: "a call has its node's agent, session and user from OpenInference's metadata",
    attributes: { 'openinference.span.kind': 'LLM', 'llm.model_name': 'gpt-4o', metadata: METADATA },
    step: { type: 'LLM_CALL', agent: 'forecaster', task: { id: 't-1', rank: 1 } },
    details: { sessionId: 't-1', userId: 'u-7' },
  },
  {
    title: 'a tool is of the agent that asked for it, not of the node of tools',
    attributes: {
      'openinference.span.kind': 'TOOL',
      'tool.name': 'get_weather',
      'input.value': 'Paris',
      metadata: METADATA.replaceAll('forecaster', 'tools'),
    },
    step: { type: 'TOOL_CALL', agent: undefined },
    details: { userId: 'u-7' },
  },
  {
    title: 'the same from association properties',
    attributes: {
      'gen_ai.operation.name': 'chat',
      'gen_ai.request.model': 'gpt-4o',
      'traceloop.workflow.name': 'weather_graph',
      [`${PROPERTY}user_id`]: 'u-7',
      [`${PROPERTY}thread_id`]: 't-1',
      [`${PROPERTY}langgraph_node`]: 'forecaster',
    },
    step: { type: 'LLM_CALL', agent: 'forecaster', task: { id: 't-1', rank: 1 } },
    details: { sessionId: 't-1', userId: 'u-7' },
  },
  {
    title: 'a task of a graph that failed says so in an attribute',
    attributes: { 'traceloop.span.kind': 'task', 'gen_ai.task.status': 'failure' },
    step: { type: 'OTHER', container: true, status: 'ERROR' },
  },
]);

test('[CV63] the nodes of every agent graph name no agent: the graph around them does', () => {
  assert.equal(graphAgent({ langgraph_node: 'writer' }), 'writer');
  assert.equal(graphAgent({ langgraph_node: 'model', lc_agent_name: 'writer' }), 'writer');
  assert.equal(graphAgent({ langgraph_node: 'agent', checkpoint_ns: 'writer:1f|agent:2e' }), 'writer');
  assert.equal(graphAgent({ langgraph_node: 'tools', langgraph_checkpoint_ns: 'tools:1f' }), undefined);
  assert.equal(graphAgent({ langgraph_node: '__start__' }), undefined);
  assert.equal(graphAgent({ langgraph_node: 7, checkpoint_ns: [] }), undefined);
});
