import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ExplanationEdge, ExplanationGraph, ExplanationNode } from '../../model/node.ts';
import { joined, jsonPieces, madeWhenWritten } from './json-pieces.ts';
import { EXPORT_FORMATS, exportDetailed, exportGraph } from '../../exporters/export-graph.ts';

const COUNT = 20_000;
/** Looked at between two pieces: what is sent together, and no more. */
const MOST = 4_000;

/** A large graph that counts which of its nodes were looked at. */
function watched(): { readonly graph: ExplanationGraph; readonly seen: Set<number> } {
  const seen = new Set<number>();
  const nodes = Array.from({ length: COUNT }, (_, i): ExplanationNode => {
    const node: ExplanationNode = {
      id: `${'a'.repeat(32)}:${i.toString(16).padStart(16, '0')}`,
      taskId: `t${i % 3}`,
      type: 'LLM_CALL',
      agent: 'A',
      name: 'n',
      title: 'a title',
      status: 'OK',
      state: 'ENDED',
      timestamp: '2025-06-20T14:00:00.000Z',
    };
    return new Proxy(node, {
      get: (of, field) => {
        seen.add(i);
        return Reflect.get(of, field) as unknown;
      },
    });
  });
  const idOf = (i: number): string => `${'a'.repeat(32)}:${i.toString(16).padStart(16, '0')}`;
  const edges = Array.from({ length: COUNT - 1 }, (_, i): ExplanationEdge => ({
    id: `e${i}`,
    from: idOf(i),
    to: idOf(i + 1),
    relation: 'NEXT_STEP',
    evidence: 'inferred',
  }));
  return { graph: { nodes, edges, lastUpdated: '2025-06-20T14:00:00.000Z' }, seen };
}

for (const format of EXPORT_FORMATS)
  test(`[EL8] a large graph is exported in steps: ${format}`, () => {
    const { graph, seen } = watched();
    const exported = exportGraph(graph, format, madeWhenWritten);
    // Cytoscape.js needs all ids first, and nothing else of the nodes.
    if (format === 'cytoscape') seen.clear();
    const pieces = 'lines' in exported ? joined(exported.lines) : jsonPieces(exported.json);
    let text = '';
    let most = seen.size;
    for (const piece of pieces) {
      most = Math.max(most, seen.size);
      seen.clear();
      text += piece;
    }
    assert.ok(most <= MOST, `${most} nodes between two pieces`);
    const whole = exportGraph(graph, format);
    assert.ok(text === ('lines' in whole ? [...whole.lines].join('') : JSON.stringify(whole.json)));
  });

test('[EL8] a large graph is exported in steps: otlp', async () => {
  const { graph, seen } = watched();
  const pieces = exportDetailed(graph, 'otlp', {
    details: async function* (nodes) {
      for (const node of nodes) yield await Promise.resolve({ node });
    },
    detail: () => Promise.resolve(undefined),
  });
  let most = 0;
  let text = '';
  for await (const piece of pieces) {
    most = Math.max(most, seen.size);
    seen.clear();
    text += piece;
  }
  assert.ok(most <= MOST, `${most} nodes between two pieces`);
  assert.equal(text.split('"spanId"').length - 1, 2 * COUNT - 1);
});
