import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkRecording, whatIsMalformed, whatIsMissing } from './integration/recordings/check-recording.ts';
import { startLiveService } from './integration/recordings/live-service.ts';
import { loadRecordings } from './integration/recordings/load-recordings.ts';
import type { ExplanationGraph, ExplanationNode } from '../src/model/node.ts';
import type { NodeDetail } from '../src/model/reader-messages.ts';

test('[CO3] [TL1] [TL3] every span of a recording sent through the real service is in the graph, joined with its parent', async () => {
  const recordings = await loadRecordings(new URL('fixtures/telemetry/', import.meta.url).pathname);
  assert.ok(recordings.length > 0);
  const types = new Set<string>();
  const service = await startLiveService();
  try {
    for (const recording of recordings) {
      const { problems, graph, name } = await checkRecording(recording, service);
      assert.deepEqual(problems, [], name);
      for (const node of graph.nodes) types.add(node.type);
      for (const node of graph.nodes) {
        const detail = await service.node(node.id);
        assert.deepEqual(titleProblems(node.title, detail), [], `${name} ${node.id}: ${node.title}`);
      }
    }
  } finally {
    await service.stop();
  }
  assert.ok(types.has('LLM_CALL') && types.has('STATIC_ANALYSIS') && types.has('TOOL_CALL'));
});

/** What of a title is too much, and which of its words stand nowhere else in what is shown of the node. */
function titleProblems(title: string, { node, texts, attributes }: NodeDetail): string[] {
  const problems =
    title.length === 0 || title.length > 120 || /[\n\r\t]/.test(title) ? ['not one short line'] : [];
  const shown = JSON.stringify([node.name, node.promptSummary, node.details, texts, attributes]).replaceAll(
    '\\',
    '',
  );
  const words = title.replace(/…$/, '').split(/[\s(),:"\\{}[\]]+/);
  return [...problems, ...words.filter((word) => !shown.includes(word))];
}

test('[CO3] the check of a recording sees what is missing, dangling or circular', () => {
  const traceId = 'a'.repeat(32);
  const [root, child] = ['1'.repeat(16), '2'.repeat(16)] as const;
  const spans = [
    { traceId, spanId: root },
    { traceId, spanId: child, parentSpanId: root },
  ];
  const node = (spanId: string): ExplanationNode => ({
    id: `${traceId}:${spanId}`,
    timestamp: '2026-01-01T00:00:00.000Z',
    agent: 'A',
    type: 'OTHER',
    name: 'step',
    title: 'step',
    taskId: 't',
    state: 'ENDED',
    status: 'OK',
  });
  const edge = (from: string, to: string): ExplanationGraph['edges'][number] => ({
    id: `${from}>${to}`,
    from: `${traceId}:${from}`,
    to: `${traceId}:${to}`,
    relation: 'NEXT_STEP',
    evidence: 'parentSpanId',
  });
  const graph = (nodes: ExplanationNode[], edges: ExplanationGraph['edges']): ExplanationGraph => ({
    nodes,
    edges,
    lastUpdated: '',
  });
  const whole = graph([node(root), node(child)], [edge(root, child)]);
  assert.deepEqual([...whatIsMissing(spans, whole), ...whatIsMalformed(whole)], []);
  const merged = graph([{ ...node(root), details: { spanIds: [root, child] } }], []);
  assert.deepEqual(whatIsMissing(spans, merged), []);
  const twin = { traceId, spanId: '3'.repeat(16), parentSpanId: root };
  const chain = { traceId, spanId: '4'.repeat(16), parentSpanId: root };
  const call = { traceId, spanId: child, parentSpanId: chain.spanId };
  const twins = [{ traceId, spanId: root }, chain, call, twin];
  const both = { ...node(child), details: { spanIds: [child, twin.spanId] } };
  const way = [edge(root, chain.spanId), edge(chain.spanId, child)];
  assert.deepEqual(whatIsMissing(twins, graph([node(root), node(chain.spanId), both], way)), []);
  assert.deepEqual(whatIsMissing(twins, graph([node(root), node(chain.spanId), both], way.slice(1))), [
    `span ${chain.spanId} is not joined with its parent`,
    `span ${twin.spanId} is not joined with its parent`,
  ]);
  assert.deepEqual(whatIsMissing(spans, graph([node(root), node(child)], [])), [
    `span ${child} is not joined with its parent`,
  ]);
  assert.deepEqual(whatIsMissing(spans, graph([node(root)], [])), [`span ${child} has no node`]);
  assert.deepEqual(whatIsMalformed(graph([node(root)], [edge(root, child)])), [
    `edge ${root}>${child} lacks a node`,
  ]);
  const loop = graph([node(root), node(child)], [edge(root, child), edge(child, root)]);
  assert.deepEqual(whatIsMalformed(loop), ['the graph has a cycle']);
});
