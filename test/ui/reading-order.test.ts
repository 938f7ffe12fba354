import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ExplanationEdge, ExplanationNode } from '../../src/model/node.ts';
import { epochMs, toFineIso } from '../../src/model/time.ts';
import { GraphStore } from '../../ui/state/graph-store.ts';
import { inReadingOrder } from '../../ui/views/talk/reading-order.ts';

const EPOCH_MS = Date.parse('2026-03-01T10:00:00Z');

interface Told extends Partial<ExplanationNode> {
  readonly id: string;
  readonly at: number;
}

function read(nodes: readonly Told[], edges: readonly Partial<ExplanationEdge>[]): readonly string[] {
  const store = new GraphStore();
  const none = { added: [], changed: [], removed: [] };
  const added = nodes.map(({ at, ...node }) => ({
    timestamp: toFineIso(epochMs(EPOCH_MS + at)),
    agent: 'planner',
    type: 'TOOL_CALL' as const,
    name: node.id,
    title: node.id,
    taskId: 't',
    state: 'ENDED' as const,
    status: 'OK' as const,
    latencyMs: 0.2,
    ...node,
  }));
  const led = edges.map(({ from = '', to = '', ...parts }) => ({
    id: `${from}>${to}`,
    from,
    to,
    relation: 'TRIGGERED' as const,
    evidence: 'toolCallId' as const,
    ...parts,
  }));
  store.apply([{ nodes: { ...none, added }, edges: { ...none, added: led } }], true);
  return inReadingOrder(store).map(({ id }) => id);
}

/** Ids such that what goes by them goes wrong. */
const RUN = [
  { id: 'a-root', at: 0, type: 'OTHER', status: 'ERROR', latencyMs: 2.66 },
  { id: 'z-call', at: 0.1, type: 'LLM_CALL', latencyMs: 0.45 },
  { id: 'm-tool', at: 0.56, latencyMs: 0.3 },
  { id: 'b-answer', at: 1.1, type: 'LLM_CALL', latencyMs: 1.55 },
] as const;
const EDGES: readonly Partial<ExplanationEdge>[] = [
  ...RUN.slice(1).map(
    ({ id }) => ({ from: 'a-root', to: id, relation: 'NEXT_STEP', evidence: 'parentSpanId' }) as const,
  ),
  { from: 'z-call', to: 'm-tool' },
  { from: 'm-tool', to: 'b-answer', evidence: 'content' },
];

test('[UI12] [AN26] a call is read before the tool that it asked for, a failed run after all that is inside it', () => {
  const inOrder = ['z-call', 'm-tool', 'b-answer', 'a-root'];
  assert.deepEqual(read(RUN, EDGES), inOrder);
  const cut = RUN.map((node) => ({ ...node, at: Math.floor(node.at) }));
  assert.deepEqual(read(cut, EDGES), inOrder, 'by a clock of whole milliseconds');
});
