import assert from 'node:assert/strict';
import type { ExplanationEdge, ExplanationNode } from '../model/node.ts';
import type { SafeRecord } from '../model/pipeline.ts';
import { makeEngine } from '../../test/support/make-engine.ts';
import { batchOf } from '../../test/support/world.ts';

type Options = Parameters<typeof makeEngine>[0];

/** A graph as tests look at it. */
export interface Seen {
  readonly nodes: { readonly [id: string]: ExplanationNode };
  readonly ids: readonly string[];
  readonly edges: readonly ExplanationEdge[];
  /** `from RELATION to (evidence)`, sorted. */
  readonly lines: readonly string[];
}

/** The graph after these records, one batch each. */
export async function graphOf(records: readonly SafeRecord[], options: Options = {}): Promise<Seen> {
  const { engine } = makeEngine({ maxCoTDepth: 0, ...options });
  for (const record of records) await engine.correlator.consume(batchOf([record]));
  const { nodes, edges } = engine.reader.getGraph({ collapse: 'none' });
  return {
    nodes: Object.fromEntries(nodes.map((node) => [node.id, node])),
    ids: nodes.map(({ id }) => id).sort(),
    edges,
    lines: edges.map((e) => `${e.from} ${e.relation} ${e.to} (${e.evidence})`).sort(),
  };
}

/** The same, which every order of the records must give. At most five records: there are 120 orders of them. */
export async function inAnyOrder(records: readonly SafeRecord[], options: Options = {}): Promise<Seen> {
  assert.ok(records.length <= 5);
  const first = await graphOf(records, options);
  for (const order of ordersOf(records)) {
    const other = await graphOf(order, options);
    assert.deepEqual({ nodes: other.nodes, lines: other.lines }, { nodes: first.nodes, lines: first.lines });
  }
  return first;
}

function ordersOf<T>(items: readonly T[]): T[][] {
  if (items.length < 2) return [[...items]];
  return items.flatMap((item, i) =>
    ordersOf([...items.slice(0, i), ...items.slice(i + 1)]).map((rest) => [item, ...rest]),
  );
}
