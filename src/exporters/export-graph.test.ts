import assert from 'node:assert/strict';
import { test } from 'node:test';
import Graph from 'graphology';
import type { ExplanationEdge, ExplanationGraph, ExplanationNode } from '../model/node.ts';
import { toCytoscape } from './cytoscape.ts';
import { toD3 } from './d3.ts';
import { EXPORT_FORMATS, exportGraph } from './export-graph.ts';
import { toGraphology } from './graphology.ts';

const NOW = '2025-06-20T14:00:00.000Z';

function node(id: string): ExplanationNode {
  const common = {
    timestamp: NOW,
    agent: 'A',
    type: 'LLM_CALL',
    taskId: 't',
    state: 'ENDED',
    status: 'ERROR',
  } as const;
  return { id, name: `name of ${id}`, title: `title of ${id}`, details: { spanId: id }, ...common };
}

function edge(id: string, from: string, to: string, bridged?: true): ExplanationEdge {
  const common = { id, from, to, relation: 'NEXT_STEP', evidence: 'parentSpanId' } as const;
  return bridged ? { ...common, bridged } : common;
}

const GRAPH: ExplanationGraph = {
  nodes: [node('a'), node('b'), node('e2')],
  edges: [edge('e1', 'a', 'b'), edge('e2', 'a', 'b', true), edge('e3', 'b', 'e2')],
  lastUpdated: NOW,
};

test('[SV80] conformance 31: graphology loads the export and exports the same again', () => {
  // The package's types describe its CommonJS face, where the class is `default`.
  const GraphClass = Graph as unknown as {
    from(data: object): { order: number; size: number; export(): object };
  };
  const exported = toGraphology(GRAPH);
  const loaded = GraphClass.from(exported);
  assert.deepEqual([loaded.order, loaded.size], [3, 3]);
  assert.deepEqual(loaded.export(), exported);
});

test('[SV81] conformance 31: Cytoscape elements: ends by id, classes for selectors, no id twice', () => {
  const { elements } = toCytoscape(GRAPH);
  const ids = [...elements.nodes, ...elements.edges].map(({ data }) => data.id);
  assert.equal(new Set(ids).size, ids.length);
  assert.equal(elements.nodes[0]?.classes, 'llm-call error ended');
  assert.deepEqual(elements.edges[1], {
    data: {
      id: 'edge:e2',
      source: 'a',
      target: 'b',
      relation: 'NEXT_STEP',
      evidence: 'parentSpanId',
      bridged: true,
    },
    classes: 'next-step bridged',
  });
});

test('[SV82] conformance 31: D3 gets copies, because it writes into them', () => {
  const { nodes, links } = toD3(GRAPH);
  assert.deepEqual(nodes, GRAPH.nodes);
  assert.notEqual(nodes[0], GRAPH.nodes[0]);
  assert.deepEqual(links[0], {
    id: 'e1',
    source: 'a',
    target: 'b',
    relation: 'NEXT_STEP',
    evidence: 'parentSpanId',
  });
});

test('[SV83] every format is plain JSON or lines of text, and the graph stays as it was', () => {
  const before = structuredClone(GRAPH);
  for (const format of EXPORT_FORMATS) {
    const exported = exportGraph(GRAPH, format);
    if ('json' in exported)
      assert.deepEqual(JSON.parse(JSON.stringify(exported.json)), exported.json, format);
    else for (const line of exported.lines) assert.match(line, /^[^\n]*\n$/, format);
  }
  assert.deepEqual(GRAPH, before);
});

test('[SV81] diagrams: a line for every node and edge, failures and guesses marked, tasks apart', () => {
  const inferred = { ...edge('e4', 'a', 'e2'), relation: 'TRIGGERED', evidence: 'inferred' } as const;
  const graph = {
    ...GRAPH,
    nodes: [...GRAPH.nodes, { ...node('o"1'), taskId: 'other', status: 'OK' } as const],
    edges: [...GRAPH.edges, inferred],
  };
  const linesOf = (format: 'mermaid' | 'dot' | 'd2'): readonly string[] => {
    const exported = exportGraph(graph, format);
    return 'lines' in exported ? [...exported.lines].map((line) => line.trim()) : [];
  };
  const [mermaid, dot, d2] = [linesOf('mermaid'), linesOf('dot'), linesOf('d2')];
  assert.ok(mermaid.includes('n0["A<br>title of a"]:::error'));
  assert.ok(mermaid.includes('n0 -.->|triggered| n2') && mermaid.includes('n0 --> n1'));
  assert.deepEqual(
    mermaid.filter((line) => line.startsWith('subgraph')),
    ['subgraph t0["t"]', 'subgraph t1["other"]'],
  );
  assert.ok(dot.includes('n0 -> n2 [id="e4", class="inferred", label="triggered", style=dashed]'));
  assert.match(dot.find((line) => line.startsWith('n3 [')) ?? '', /id="o\\"1".*color="green"/);
  assert.deepEqual(
    dot.filter((line) => line.startsWith('label=')),
    ['label="t"', 'label="other"'],
  );
  assert.ok(d2.includes('run_1.n0 -> run_1.n2: "triggered" {style.stroke-dash: 4}'));
  assert.ok(d2.includes('run_1.n0 -> run_1.n1'));
  assert.deepEqual(
    d2.filter((line) => line.startsWith('run_') && line.endsWith('{')),
    ['run_1: "t" {', 'run_2: "other" {'],
  );
});
