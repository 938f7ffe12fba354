import type { ExplanationEdge } from '../../../src/model/node.ts';
import type { Expectation } from './expectation.ts';
import { compare, unwanted, type Findings } from './finding.ts';
import { spanIdsOf, type ShownRecording } from './shown-recording.ts';

/** Records of one step are one node, others are not; no switch of models is made up. */
export function checkMerges(expectation: Expectation, shown: ShownRecording): Findings {
  const { merges, mayMerge } = expectation;
  const groups = merges.map(({ spans }) => {
    const nodes = new Set(spans.map((id) => shown.nodeOf(id)?.id));
    return compare(
      'merges',
      spans[0] ?? '',
      'nodes',
      `1 for ${spans.length} spans`,
      `${nodes.size} for ${spans.length} spans`,
    );
  });
  const together = componentsOf([...merges, ...mayMerge].map(({ spans }) => spans));
  const wrong = shown.graph.nodes
    .map(spanIdsOf)
    .filter((spans) => spans.length > 1)
    .filter((spans) => new Set(spans.map((id) => together.get(id) ?? id)).size > 1)
    .map((spans) => unwanted('merges', spans[0] ?? '', 'steps in one node', spans.join(', ')));
  const switches = shown.graph.nodes.filter(({ type }) => type === 'MODEL_SWITCH').length;
  if (switches === expectation.modelSwitches) return [...groups, ...wrong];
  return [...groups, ...wrong, unwanted('details', 'all', 'model switches', String(switches))];
}

/** For each span of overlapping groups the one id that stands for them all. */
function componentsOf(groups: readonly (readonly string[])[]): ReadonlyMap<string, string> {
  const standsFor = new Map<string, string>();
  for (const spans of groups) {
    const known = new Set(spans.map((id) => standsFor.get(id)).filter((id) => id !== undefined));
    const name = spans[0] ?? '';
    for (const [id, other] of standsFor) if (known.has(other)) standsFor.set(id, name);
    for (const id of spans) standsFor.set(id, name);
  }
  return standsFor;
}

/** What parents and ids prove is an edge, and no edge joins two traces that nothing joins. */
export function checkEdges(expectation: Expectation, shown: ShownRecording): Findings {
  return [...checkParents(expectation, shown), ...checkIds(expectation, shown), ...acrossTraces(shown)];
}

function checkParents({ merges }: Expectation, shown: ShownRecording): Findings {
  const known = new Set(shown.spans.map(({ spanId }) => spanId));
  const together = componentsOf(merges.map(({ spans }) => spans));
  const outermost = new Set(merges.map(({ spans }) => spans[0]));
  return shown.spans.flatMap(({ spanId, parentSpanId }) => {
    if (parentSpanId === undefined || !known.has(parentSpanId)) return [];
    const group = together.get(spanId);
    if (group !== undefined && group === together.get(parentSpanId)) return [];
    const from = shown.nodeOf(parentSpanId)?.id;
    const to = shown.nodeOf(spanId)?.id;
    if (from !== undefined && from === to) return [];
    // A twin's own parent may be farther away than the parent of the step that it tells of.
    const steps = group === undefined || outermost.has(spanId) ? 1 : shown.graph.nodes.length;
    return [edgeFinding(shown, from, to, spanId, `edge from its parent ${parentSpanId}`, steps, () => true)];
  });
}

const PROVEN: ReadonlySet<string> = new Set(['toolCallId', 'parentSpanId', 'requestId']);

function checkIds({ edges }: Expectation, shown: ShownRecording): Findings {
  return edges.map(({ from, to, by, indirect }) =>
    edgeFinding(
      shown,
      shown.nodeOf(from)?.id,
      shown.nodeOf(to)?.id,
      to,
      `edge by ${by} from ${from}`,
      indirect ? 2 : 1,
      ({ evidence, relation }) =>
        indirect ? relation === 'TRIGGERED' && evidence !== 'inferred' : PROVEN.has(evidence),
    ),
  );
}

function edgeFinding(
  shown: ShownRecording,
  from: string | undefined,
  to: string | undefined,
  spanId: string,
  field: string,
  steps: number,
  counts: (edge: ExplanationEdge) => boolean,
) {
  const isThere = from !== undefined && to !== undefined && isReached(shown, from, to, steps, counts);
  return compare('edges', `${spanId} ${field}`, '', 'an edge', isThere ? 'an edge' : 'none');
}

function isReached(
  { graph }: ShownRecording,
  from: string,
  to: string,
  steps: number,
  counts: (edge: ExplanationEdge) => boolean,
): boolean {
  const edges = graph.edges.filter(counts);
  let reached = new Set([from]);
  for (let step = 0; step < steps; step++) {
    const next = new Set(reached);
    for (const edge of edges) if (reached.has(edge.from)) next.add(edge.to);
    if (next.has(to)) return true;
    if (next.size === reached.size) return false;
    reached = next;
  }
  return false;
}

function acrossTraces({ graph }: ShownRecording): Findings {
  const traceOf = new Map(graph.nodes.map((node) => [node.id, node.details?.['traceId']]));
  return graph.edges
    .filter(({ from, to }) => {
      const [a, b] = [traceOf.get(from), traceOf.get(to)];
      return a !== undefined && b !== undefined && a !== b;
    })
    .map(({ from, to, evidence }) =>
      unwanted('edges', to, `edge across traces by ${evidence}`, `from ${from}`),
    );
}
