import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeEngine } from '../../test/support/make-engine.ts';
import { cot, event, id, nodeId, span, TRACE } from '../../test/support/records.ts';
import { batchOf, makeSpan, safe } from '../../test/support/world.ts';
import type { SafeRecord } from '../model/pipeline.ts';
import { epochMs } from '../model/time.ts';
import { graphOf as seenGraph, inAnyOrder as seenInAnyOrder, type Seen } from './graph-for-test.ts';

const graphOf = (...records: readonly SafeRecord[]): Promise<Seen> => seenGraph(records);
const inAnyOrder = (...records: readonly SafeRecord[]): Promise<Seen> => seenInAnyOrder(records);

test('[CO4] a requestId is one LLM_CALL node, whichever of span and thought comes first', async () => {
  const { nodes } = await inAnyOrder(
    span(1, { attrs: { requestId: 'r', component: 'coder-agent', 'tokens.in': 7, 'model.name': 'm' } }),
    cot('r', { text: 'first I look', agent: 'ModelAdapter' }),
  );
  assert.deepEqual(Object.keys(nodes), ['req:r']);
  const node = nodes['req:r'];
  assert.equal(node?.type, 'LLM_CALL');
  assert.equal(node.agent, 'CoderAgent');
  assert.equal(node.promptSummary, 'first I look');
  assert.equal(node.tokensIn, 7);
  assert.equal(node.details?.['promptSummaryOf'], 'thought');
  assert.equal(node.details['correlation'], 'matched');
  assert.equal(node.details['spanId'], id(1));
});

test('[CO4] a thought alone is an LLM_CALL of ModelAdapter; parts stand in the order in which they were opened', async () => {
  const { nodes } = await inAnyOrder(
    cot('r', { part: 2, text: 'then', final: false }),
    cot('r', { part: 1, text: 'first', final: false }),
  );
  const node = nodes['req:r'];
  assert.equal(node?.agent, 'ModelAdapter');
  assert.equal(node.type, 'LLM_CALL');
  assert.equal(node.state, 'RUNNING');
  assert.equal(node.promptSummary, 'first');
  assert.equal(node.details?.['thoughtChars'], 9);
  assert.equal(node.details['correlation'], 'pending');
});

test('[GV12] a thought that names its span says that it does no more than name it as long as the span is not there', async () => {
  const thought = cot('r', { traceId: TRACE, spanId: id(1) });
  const alone = (await inAnyOrder(thought)).nodes['req:r'];
  assert.deepEqual([alone?.details?.['namedSpanId'], alone?.details?.['spanId']], [id(1), id(1)]);
  const { nodes } = await inAnyOrder(thought, span(1, { attrs: { requestId: 'r' } }));
  const both = nodes['req:r'];
  assert.deepEqual([both?.details?.['namedSpanId'], both?.details?.['spanId']], [undefined, id(1)]);
});

test('[CO5] a span that names a request and says not what it is, is OTHER with a notice until the log comes, and changes in one update', async () => {
  const { engine } = makeEngine({ maxCoTDepth: 0 });
  await engine.correlator.consume(batchOf([span(1, { attrs: { requestId: 'r' } })]));
  const updates: object[] = [];
  engine.reader.subscribe(
    { collapse: 'none' },
    { writable: true, write: (frame) => frame.type === 'update' && updates.push(frame.update), close() {} },
  );
  const { node: before } = engine.reader.getNode('req:r');
  assert.equal(before.type, 'OTHER');
  assert.match(String(before.details?.['notice']), /no chain-of-thought log/);
  assert.equal(before.details?.['correlation'], 'pending');
  await engine.correlator.consume(batchOf([cot('r')]));
  engine.flush();
  const { node } = engine.reader.getNode('req:r');
  assert.equal(node.type, 'LLM_CALL');
  assert.equal(node.details?.['notice'], undefined);
  assert.equal(updates.length, 1);
  const [update] = updates;
  assert.deepEqual(
    { ...update, timestamp: '' },
    { addedNodes: [node], removedNodeIds: [], addedEdges: [], removedEdgeIds: [], timestamp: '' },
  );
});

test('[CO6] a thought that names trace and span joins that span when no span names its request', async () => {
  const { nodes } = await inAnyOrder(span(1, { name: 'call' }), cot('r', { traceId: TRACE, spanId: id(1) }));
  assert.deepEqual(Object.keys(nodes), ['req:r']);
  assert.equal(nodes['req:r']?.name, 'call');
  assert.equal(nodes['req:r'].type, 'LLM_CALL');
});

test('[CO6] a span that names the request goes before the span that the thought points at', async () => {
  const { nodes, lines } = await inAnyOrder(
    span(1),
    span(2, { parent: 1, attrs: { requestId: 'r' } }),
    cot('r', { traceId: TRACE, spanId: id(1) }),
  );
  assert.deepEqual(Object.keys(nodes).sort(), [nodeId(1), 'req:r'].sort());
  assert.deepEqual(lines, [`${nodeId(1)} NEXT_STEP req:r (parentSpanId)`]);
});

test('[CO7] two requests that point at one span stay apart', async () => {
  const at = { traceId: TRACE, spanId: id(1) };
  const { nodes, lines } = await inAnyOrder(span(1), cot('r', at), cot('q', at));
  assert.deepEqual(Object.keys(nodes).sort(), [nodeId(1), 'req:q', 'req:r'].sort());
  assert.deepEqual(lines, [
    `${nodeId(1)} NEXT_STEP req:q (parentSpanId)`,
    `${nodeId(1)} NEXT_STEP req:r (parentSpanId)`,
  ]);
});

test('[CO7] a thought that points elsewhere now leaves the span it pointed at to the others', async () => {
  const { nodes } = await inAnyOrder(
    span(1),
    cot('q', { traceId: TRACE, spanId: id(1) }),
    cot('r', { traceId: TRACE, spanId: id(1), revision: 1 }),
    cot('r', { traceId: TRACE, spanId: id(2), revision: 2 }),
  );
  assert.deepEqual(Object.keys(nodes).sort(), ['req:q', 'req:r']);
  assert.equal(nodes['req:q']?.details?.['spanId'], id(1));
});

test('[CO7] a span that names its request at last goes there from the thought that pointed at it', async () => {
  const { nodes, lines } = await inAnyOrder(
    span(1, { attrs: { 'gen_ai.operation.name': 'chat' } }),
    // Of two records of one span the greater counts; it names a request.
    span(1, { attrs: { requestId: 'q', 'model.name': 'm' } }),
    cot('r', { traceId: TRACE, spanId: id(1), revision: 1 }),
    cot('r', { revision: 2 }),
    cot('r', { traceId: TRACE, spanId: id(1), revision: 3 }),
  );
  assert.deepEqual(Object.keys(nodes).sort(), ['req:q', 'req:r']);
  assert.deepEqual(lines, ['req:q NEXT_STEP req:r (parentSpanId)']);
});

test('[CO8] a span that says it is something else keeps its node; a thought inside it is its next step', async () => {
  const { nodes, lines } = await inAnyOrder(
    span(1, { attrs: { requestId: 'r', 'issues.count': 1 } }),
    cot('r', { traceId: TRACE, spanId: id(1) }),
  );
  assert.equal(nodes[nodeId(1)]?.type, 'STATIC_ANALYSIS');
  assert.equal(nodes['req:r']?.type, 'LLM_CALL');
  assert.deepEqual(lines, [`${nodeId(1)} NEXT_STEP req:r (parentSpanId)`]);
});

test('[CO8] an analysis that a call asked for is TRIGGERED by it', async () => {
  const { lines, nodes } = await inAnyOrder(
    cot('r'),
    span(1, { attrs: { requestId: 'r', 'model.name': 'm' } }),
    span(2, { attrs: { requestId: 'r', 'issues.count': 1 } }),
  );
  assert.deepEqual(Object.keys(nodes).sort(), [nodeId(2), 'req:r'].sort());
  assert.deepEqual(lines, [`req:r TRIGGERED ${nodeId(2)} (requestId)`]);
});

const EVENT_TYPES = [
  ['ModelSwitched', 'MODEL_SWITCH', 'REFLECTED', 'OK'],
  ['CodeFixApplied', 'REFLEXION_ACTION', 'TRIGGERED', 'OK'],
  ['PatchApplied', 'REFLEXION_ACTION', 'TRIGGERED', 'OK'],
  ['PlanUpdated', 'REFLEXION_ACTION', 'TRIGGERED', 'OK'],
  ['TaskRetryInitiated', 'REFLEXION_ACTION', 'TRIGGERED', 'OK'],
  ['TaskEscalated', 'REFLEXION_ACTION', 'ESCALATED', 'WARNING'],
  ['UserInterrupt', 'REFLEXION_ACTION', 'USER_ACTION', 'OK'],
  ['FeedbackReceived', 'REFLEXION_ACTION', 'USER_ACTION', 'OK'],
  ['toString', 'OTHER', 'OTHER', 'OK'],
] as const;

for (const [eventType, type, relation, status] of EVENT_TYPES) {
  test(`[CO9] ${eventType} is ${type}, with an edge ${relation} from what it refers to`, async () => {
    const { nodes, lines } = await inAnyOrder(
      span(1, { status: 'ERROR' }),
      event(eventType, { spanId: id(1), newModel: 'm2' }),
    );
    const node = nodes['event:e1'];
    assert.equal(node?.type, type);
    assert.equal(node.status, status);
    assert.equal(node.agent, 'ReflexionAdapter');
    assert.equal(node.details?.['newModel'], 'm2');
    assert.deepEqual(lines, [`${nodeId(1)} ${relation} event:e1 (event)`]);
  });
}

const POINTERS: readonly (readonly [string, SafeRecord])[] = [
  ['a span id alone', event('PlanUpdated', { spanId: id(1) })],
  ['trace and span id', event('PlanUpdated', { traceId: TRACE, spanId: id(1) })],
  ['a node id', event('PlanUpdated', { nodeId: nodeId(1) })],
  ['a span id as node id', event('PlanUpdated', { nodeId: id(1) })],
  ['other spellings', event('PlanUpdated', { trace_id: TRACE, span_id: id(1) })],
  ['the trace context of its record', event('PlanUpdated', {}, { traceId: TRACE, spanId: id(1) })],
];

for (const [how, pointing] of POINTERS) {
  test(`[CO10] an event finds its cause by ${how}, before or after it`, async () => {
    const { lines, nodes } = await inAnyOrder(span(1, { attrs: { taskID: 'T1' } }), pointing);
    assert.deepEqual(lines, [`${nodeId(1)} TRIGGERED event:e1 (event)`]);
    assert.equal(nodes['event:e1']?.taskId, 'T1');
  });
}

test('[CO10] an event finds its cause by requestId, as such or as node id', async () => {
  for (const payload of [{ requestId: 'r' }, { nodeId: 'r' }, { nodeId: 'req:r' }]) {
    const { lines } = await inAnyOrder(cot('r'), event('PlanUpdated', payload));
    assert.deepEqual(lines, ['req:r TRIGGERED event:e1 (event)']);
  }
});

test('[CO10] the span of its cause is not told as its own', async () => {
  const named = event('PlanUpdated', { spanId: id(1), parentSpanId: id(2) });
  const { nodes } = await graphOf(span(1), named);
  const shown = Object.values(nodes).find(({ name }) => name === 'PlanUpdated');
  const { spanId, parentSpanId, causeSpanId } = shown?.details ?? {};
  assert.deepEqual([spanId, parentSpanId, causeSpanId], [undefined, undefined, id(1)]);
});

test('[CO10] a span id alone that two traces have names neither', async () => {
  const { lines } = await inAnyOrder(
    span(1),
    span(1, { traceId: 'b'.repeat(32) }),
    event('PlanUpdated', { spanId: id(1) }),
  );
  assert.deepEqual(lines, []);
});

test('[CO11] of two contents of one event the same one counts, whatever came before', async () => {
  const { nodes } = await inAnyOrder(
    event('PlanUpdated', { note: 'a' }),
    event('PlanUpdated', { note: 'b' }),
    event('PlanUpdated', { note: 'a' }),
  );
  assert.deepEqual(Object.keys(nodes), ['event:e1']);
});

test('[CO11] events that name themselves or one another get no task out of the circle', async () => {
  await inAnyOrder(
    span(1),
    event('ModelSwitched', { traceId: TRACE }),
    event('ModelSwitched', { nodeId: 'event:e1' }),
  );
  const circle = await inAnyOrder(
    event('PlanUpdated', { nodeId: 'event:e2' }),
    event('PlanUpdated', { nodeId: 'event:e1' }, { eventId: 'e2' }),
    event('PlanUpdated', { nodeId: 'event:e1', traceId: TRACE }, { eventId: 'e2' }),
  );
  assert.equal(circle.edges.length, 1);
});

test('[CO12] the task of a late span holds for its whole trace; a task goes before a session', async () => {
  const { nodes } = await inAnyOrder(
    span(1),
    span(2, { parent: 1, attrs: { 'session.id': 's' } }),
    span(3, { parent: 2, traceId: 'b'.repeat(32) }),
  );
  assert.equal(nodes[nodeId(1)]?.taskId, 's');
  assert.equal(nodes[nodeId(2)]?.taskId, 's');
  assert.equal(nodes[nodeId(3, 'b'.repeat(32))]?.taskId, 'b'.repeat(32));
  const named = await inAnyOrder(
    span(1, { attrs: { 'session.id': 's' } }),
    span(2, { attrs: { taskID: 'T' } }),
    event('PlanUpdated', { spanId: id(1) }),
  );
  for (const node of Object.values(named.nodes)) assert.equal(node.taskId, 'T', node.id);
});

test('[CO13] a step that names no agent has that of its nearest ancestor, however late that comes', async () => {
  const { nodes } = await inAnyOrder(
    span(1, { attrs: { component: 'coder-agent' } }),
    span(2, { parent: 1 }),
    span(3, { parent: 2 }),
    span(4, { service: 'other' }),
  );
  assert.equal(nodes[nodeId(3)]?.agent, 'CoderAgent');
  assert.equal(nodes[nodeId(4)]?.agent, 'other');
});

test('[CO14] a missing parent costs nothing: the node is there at once and attached when the parent comes', async () => {
  const alone = await graphOf(span(2, { parent: 1 }));
  assert.deepEqual(Object.keys(alone.nodes), [nodeId(2)]);
  assert.deepEqual(alone.lines, []);
  const { lines } = await inAnyOrder(span(3, { parent: 2 }), span(2, { parent: 1 }), span(1));
  assert.deepEqual(lines, [
    `${nodeId(1)} NEXT_STEP ${nodeId(2)} (parentSpanId)`,
    `${nodeId(2)} NEXT_STEP ${nodeId(3)} (parentSpanId)`,
  ]);
});

test('[CO14] a span that is its own parent, or its own ancestor, is shown without a cycle', async () => {
  const self = await graphOf(span(1, { parent: 1 }));
  assert.deepEqual(self.lines, []);
  assert.equal(Object.keys(self.nodes).length, 1);
  const { edges } = await inAnyOrder(span(1, { parent: 3 }), span(2, { parent: 1 }), span(3, { parent: 2 }));
  assert.equal(edges.length, 2);
});

test('[CO15] a linked span has TRIGGERED the one that links to it', async () => {
  const { lines } = await inAnyOrder(span(1), span(2, { links: [1, 2, 9] }));
  assert.deepEqual(lines, [`${nodeId(1)} TRIGGERED ${nodeId(2)} (link)`]);
});

test('[CO21] depends_on names what a step waited for, by request, event or span, whichever comes first', async () => {
  const { lines } = await inAnyOrder(
    span(1, { attrs: { requestId: 'r', 'model.name': 'm' } }),
    event('TaskRetryInitiated', {}),
    span(2, { attrs: { depends_on: ['r', 'event:e1', nodeId(1).slice(-16), 'unknown', 'e1'] } }),
    span(3, { attrs: { depends_on: nodeId(2).slice(-16) } }),
  );
  assert.deepEqual([...lines].sort(), [
    `${nodeId(2)} NEXT_STEP ${nodeId(3)} (dependsOn)`,
    `event:e1 NEXT_STEP ${nodeId(2)} (dependsOn)`,
    `req:r NEXT_STEP ${nodeId(2)} (dependsOn)`,
  ]);
});

test('[CO16] a span delivered again is one node; what ended counts, and it is told once', async () => {
  const { nodes } = await inAnyOrder(span(1, { ms: 'running' }), span(1, { ms: 30 }), span(1, { ms: 30 }));
  assert.deepEqual(Object.keys(nodes), [nodeId(1)]);
  assert.equal(nodes[nodeId(1)]?.state, 'ENDED');
  assert.equal(nodes[nodeId(1)]?.latencyMs, 30);
  const { engine, clock } = makeEngine({ maxCoTDepth: 0 });
  await engine.correlator.consume(batchOf([span(1)]));
  engine.flush();
  engine.graph.takeChanges();
  const changedAt = engine.correlator.changedAt(nodeId(1));
  clock.advance(1000);
  await engine.correlator.consume(batchOf([span(1)]));
  assert.equal(engine.graph.takeChanges().tasks.size, 0);
  assert.equal(engine.correlator.changedAt(nodeId(1)), changedAt);
});

test('[CO17] several spans of one call are one node that names them all; the worst status counts', async () => {
  const call = { requestId: 'r', 'model.name': 'm' };
  const { nodes } = await inAnyOrder(
    span(1, { attrs: call, ms: 100 }),
    span(2, { parent: 1, at: 5, attrs: { ...call, 'tokens.in': 3 }, status: 'ERROR' }),
  );
  assert.deepEqual(Object.keys(nodes), ['req:r']);
  const node = nodes['req:r'];
  assert.deepEqual(node?.details?.['spanIds'], [id(1), id(2)]);
  assert.equal(node.status, 'ERROR');
  assert.equal(node.tokensIn, 3);
  assert.equal(node.latencyMs, 100);
});

test('[CO18] a summary is one line of at most 200 characters and never half a character', async () => {
  const { nodes } = await graphOf(cot('r', { text: `${'x'.repeat(198)}😀 and\n\n on`, last: epochMs(1) }));
  assert.equal(nodes['req:r']?.promptSummary, `${'x'.repeat(198)}…`);
  const own = await graphOf(cot('r', { summary: ' in \n short ' }));
  assert.equal(own.nodes['req:r']?.promptSummary, 'in short');
});

test('[CO1] a record that looks up the agent in the midst of a batch sees what the batch says of those above it', async () => {
  const traceId = 'a'.repeat(32);
  const spanId = (digit: string): string => digit.repeat(16);
  const named = { component: 'coder-agent' };
  const path = [spanId('5'), spanId('7')];
  const middle = safe(
    makeSpan({
      traceId,
      spanId: spanId('9'),
      parentSpanId: spanId('8'),
      attrs: { taskID: 't1', 'issues.count': 1, 'lmnr.span.ids_path': path },
    }),
  );
  const elsewhere = safe(
    makeSpan({
      traceId,
      spanId: spanId('2'),
      parentSpanId: spanId('3'),
      end: undefined,
      attrs: { ...named, 'mastra.span.type': 'model_step' },
    }),
  );
  const top = safe(makeSpan({ traceId, spanId: spanId('8'), parentSpanId: spanId('5'), attrs: named }));
  const below = safe({
    kind: 'log' as const,
    time: epochMs(1_750_000_000_001),
    severityNumber: 9,
    severityText: 'INFO',
    eventName: 'gen_ai.client.inference.operation.details',
    body: '',
    attributes: new Map(),
    traceId,
    spanId: spanId('9'),
    scope: { name: 'sdk', version: '', attributes: new Map() },
    resource: { attributes: new Map([['service.name', 'svc']]) },
  });
  const { engine } = makeEngine();
  for (const records of [[middle], [elsewhere], [below, top]])
    await engine.correlator.consume(batchOf(records));
  const { nodes } = engine.reader.getGraph({ collapse: 'none' });
  assert.equal(nodes.find(({ type }) => type === 'LLM_CALL')?.agent, 'CoderAgent');
});
