import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ExplanationEdge, ExplanationGraph, ExplanationNode } from '../../model/node.ts';
import type { NodeDetail } from '../../model/reader-messages.ts';
import type { SpanRecord } from '../../model/records.ts';
import { epochMs } from '../../model/time.ts';
import { spanMaker } from './graph-spans.ts';
import { resourceSpans } from './traces-json.ts';

const TRACE = 'a'.repeat(32);
const spanNode = (digit: string, fields: Partial<ExplanationNode> = {}): ExplanationNode => ({
  id: `${TRACE}:${digit.repeat(16)}`,
  timestamp: '2026-03-01T10:00:00.000Z',
  agent: 'CoderAgent',
  type: 'OTHER',
  name: 'step',
  title: 'a step',
  taskId: 'T1',
  state: 'ENDED',
  status: 'OK',
  ...fields,
  details: { traceId: TRACE, spanId: digit.repeat(16), ...fields.details },
});
const edge = (
  from: ExplanationNode,
  to: ExplanationNode,
  fields: Partial<ExplanationEdge> = {},
): ExplanationEdge => ({
  id: `${from.id}>${to.id}`,
  from: from.id,
  to: to.id,
  relation: 'NEXT_STEP',
  evidence: 'parentSpanId',
  ...fields,
});

function spansOf(
  nodes: readonly ExplanationNode[],
  edges: readonly ExplanationEdge[] = [],
  more: Partial<NodeDetail> = {},
): SpanRecord[] {
  const graph: ExplanationGraph = { nodes, edges, lastUpdated: '' };
  const spanOf = spanMaker(graph);
  return nodes.map((node) => spanOf({ node, ...more }));
}

const said = ({ attributes }: SpanRecord): object => Object.fromEntries(attributes);

test('[OX3] a call of a model speaks the GenAI conventions, and what they have no place for has keys of its own', () => {
  const call = spanNode('1', {
    type: 'LLM_CALL',
    status: 'WARNING',
    model: 'gpt-5',
    tokensIn: 100,
    tokensOut: 20,
    costUsd: 0.25,
    latencyMs: 1500,
    details: { sessionId: 's1', provider: 'openai', responseId: 'r1', finishReasons: ['stop'] },
  });
  const texts = { prompt: 'Which file?', completion: 'parser.ts', reasoning: 'The test names it.' };
  const [span] = spansOf([call], [], { texts });
  assert.ok(span);
  assert.deepEqual(said(span), {
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': 'openai',
    'gen_ai.agent.name': 'CoderAgent',
    'gen_ai.conversation.id': 's1',
    'gen_ai.request.model': 'gpt-5',
    'gen_ai.response.id': 'r1',
    'gen_ai.response.finish_reasons': ['stop'],
    'gen_ai.usage.input_tokens': 100,
    'gen_ai.usage.output_tokens': 20,
    'gen_ai.input.messages': '[{"role":"user","parts":[{"type":"text","content":"Which file?"}]}]',
    'gen_ai.output.messages':
      '[{"role":"assistant","parts":[{"type":"reasoning","content":"The test names it."},{"type":"text","content":"parser.ts"}]}]',
    'explain.node.id': call.id,
    'explain.node.type': 'LLM_CALL',
    'explain.node.agent': 'CoderAgent',
    'explain.node.title': 'a step',
    'explain.node.task_id': 'T1',
    'explain.node.state': 'ENDED',
    'explain.node.status': 'WARNING',
    'explain.node.model': 'gpt-5',
    'explain.node.tokens_in': 100,
    'explain.node.tokens_out': 20,
    'explain.node.latency_ms': 1500,
    'explain.node.cost_usd': 0.25,
    'explain.node.details': call.details,
    'explain.text.prompt': 'Which file?',
    'explain.text.completion': 'parser.ts',
    'explain.text.reasoning': 'The test names it.',
  });
  assert.equal(span.end === undefined ? 0 : span.end - span.start, 1500);
  assert.equal(span.status, 'UNSET');
});

test('[OX3] a tool call has its name, id, arguments and result, and a failure its message', () => {
  const tool = spanNode('1', {
    type: 'TOOL_CALL',
    status: 'ERROR',
    details: { toolName: 'search', toolCallId: 'c1', errorType: 'Timeout', errorMessage: 'too slow' },
  });
  const [span] = spansOf([tool], [], { texts: { toolArguments: '{"q":1}', toolResult: 'none' } });
  assert.ok(span);
  assert.partialDeepStrictEqual(said(span), {
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': 'search',
    'gen_ai.tool.call.id': 'c1',
    'gen_ai.tool.call.arguments': '{"q":1}',
    'gen_ai.tool.call.result': 'none',
    'error.type': 'Timeout',
  });
  assert.deepEqual([span.status, span.statusMessage], ['ERROR', 'too slow']);
});

test('[OX3] attributes and events that a span came with go on as they are', () => {
  const node = spanNode('1', { type: 'LLM_CALL', model: 'gpt-5' });
  const events = [{ name: 'retry', time: '2026-03-01T10:00:01.000Z', attributes: { attempt: 2 } }];
  const given = { 'gen_ai.request.model': 'models/gpt-5', 'my.own': { list: [1, null] }, events };
  const [span] = spansOf([node], [], { attributes: { ['1'.repeat(16)]: given } });
  assert.ok(span);
  assert.partialDeepStrictEqual(said(span), {
    'gen_ai.request.model': 'models/gpt-5',
    'my.own': { list: [1, null] },
  });
  assert.ok(!span.attributes.has('events'));
  assert.deepEqual(
    span.events.map(({ name, attributes }) => [name, Object.fromEntries(attributes)]),
    [['retry', { attempt: 2 }]],
  );
});

test('[OX4] a step keeps the ids of its span; what has none gets hashes, in the trace that it belongs to', () => {
  const call = spanNode('1');
  const thought = spanNode('1', {
    id: `thought:1:${call.id}`,
    type: 'REASONING',
    details: { traceId: TRACE },
  });
  const named = spanNode('2', { id: 'req:r1', details: { correlation: 'matched', thoughtChars: 5 } });
  const alone = spanNode('1', { id: 'req:r2', details: { correlation: 'pending', thoughtChars: 5 } });
  const event: ExplanationNode = { ...spanNode('1'), id: 'event:e1', details: { eventId: 'e1' } };
  const spans = spansOf([thought, alone, call, named, event]);
  assert.equal(new Set(spans.map(({ spanId }) => spanId)).size, 5);
  assert.deepEqual(spansOf([event, named, call, alone, thought]).reverse().map(idsOf), spans.map(idsOf));
  const [ofThought, ofAlone, ofCall, ofNamed, ofEvent] = spans.map(idsOf);
  assert.deepEqual(ofCall, [TRACE, '1'.repeat(16)]);
  assert.deepEqual(ofNamed, [TRACE, '2'.repeat(16)]);
  assert.deepEqual([ofThought?.[0], ofAlone?.[0]], [TRACE, TRACE]);
  assert.match(ofEvent?.[0] ?? '', /^[0-9a-f]{32}$/);
  assert.notEqual(ofEvent?.[0], TRACE);
});

test('[OX4] the edge of a parent is the parent, and every other a link that says relation and evidence', () => {
  const [root, child, tool] = [spanNode('1'), spanNode('2'), spanNode('3')];
  const edges = [
    edge(root, child),
    edge(root, tool),
    edge(child, tool, { relation: 'TRIGGERED', evidence: 'toolCallId' }),
    edge(root, tool, { id: 'b', relation: 'NEXT_STEP', evidence: 'dependsOn', bridged: true }),
  ];
  const [, , span] = spansOf([root, child, tool], edges);
  assert.equal(span?.parentSpanId, '1'.repeat(16));
  assert.deepEqual(
    span?.links.map(({ spanId, attributes }) => [spanId, Object.fromEntries(attributes)]),
    [
      ['2'.repeat(16), { 'explain.edge.relation': 'TRIGGERED', 'explain.edge.evidence': 'toolCallId' }],
      [
        '1'.repeat(16),
        {
          'explain.edge.relation': 'NEXT_STEP',
          'explain.edge.evidence': 'dependsOn',
          'explain.edge.bridged': true,
        },
      ],
    ],
  );
});

test('[OX4] a parent that is exported elsewhere is named, and one whose edge was left out is not', () => {
  const parentSpanId = '9'.repeat(16);
  const [child] = spansOf([spanNode('1', { details: { parentSpanId } })]);
  assert.equal(child?.parentSpanId, parentSpanId);
  const [inCycle] = spansOf([spanNode('1', { details: { parentSpanId } }), spanNode('9')]);
  assert.equal(inCycle?.parentSpanId, undefined);
});

function idsOf({ traceId, spanId }: SpanRecord): readonly [string, string] {
  return [traceId, spanId];
}

test('[IN32] a time that OTLP has no number for is told as the next that it has', () => {
  const [span] = spansOf([spanNode('1')]);
  assert.ok(span);
  const told = JSON.stringify(
    resourceSpans([{ ...span, start: epochMs(-1), end: epochMs(253_402_300_799_999) }]),
  );
  assert.match(told, /"startTimeUnixNano":"0"/);
  assert.match(told, /"endTimeUnixNano":"18446744073709551615"/);
});
