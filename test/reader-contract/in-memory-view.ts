import { nodeUi } from '../../src/exporters/ui-hints.ts';
import { bridgeId, summaryId } from '../../src/model/ids.ts';
import type { ExplanationEdge, ExplanationGraph, ExplanationNode } from '../../src/model/node.ts';
import type { Filters } from './check-request.ts';

export interface Whole {
  readonly nodes: ReadonlyMap<string, ExplanationNode>;
  readonly edges: ReadonlyMap<string, ExplanationEdge>;
}

export interface ViewState {
  readonly filters: Filters;
  readonly collapse: 'auto' | 'none';
  readonly ui: boolean;
  readonly expanded: ReadonlySet<string>;
  readonly expandedTasks: ReadonlySet<string>;
}

export interface Fold {
  readonly summary: ExplanationNode;
  readonly members: readonly ExplanationNode[];
}

/** What a reader with these settings sees, computed from scratch each time. */
export function viewOf(whole: Whole, state: ViewState): ExplanationGraph {
  const nodes = new Map([...whole.nodes].filter(([, node]) => matches(node, state.filters)));
  const edges = bridged(whole, nodes);
  if (state.collapse === 'auto') {
    for (const fold of folds(nodes, edges)) {
      if (state.expanded.has(fold.summary.id) || state.expandedTasks.has(fold.summary.taskId)) continue;
      applyFold(fold, nodes, edges);
    }
  }
  const shown = [...nodes.values()];
  return {
    nodes: state.ui ? shown.map((node) => ({ ...node, ui: nodeUi(node) })) : shown,
    edges: [...edges.values()],
    lastUpdated: new Date(0).toISOString(),
  };
}

/** Routine subtrees below a node that stays, each as one summary. */
export function folds(
  nodes: ReadonlyMap<string, ExplanationNode>,
  edges: ReadonlyMap<string, ExplanationEdge>,
): readonly Fold[] {
  const below = Map.groupBy(edges.values(), (edge) => edge.from);
  const subtree = (id: string): string[] => [
    id,
    ...(below.get(id) ?? []).flatMap((edge) => subtree(edge.to)),
  ];
  const routine = (id: string) => subtree(id).every((member) => isRoutine(nodes.get(member)));
  return [...nodes.values()].flatMap((anchor) => {
    if (routine(anchor.id)) return [];
    const tops = (below.get(anchor.id) ?? []).map((edge) => edge.to).filter(routine);
    const members = [...new Set(tops.flatMap(subtree))].map((id) => nodes.get(id)!);
    return members.length < 2 ? [] : [{ summary: summaryOf(anchor, members), members }];
  });
}

function applyFold(
  { summary, members }: Fold,
  nodes: Map<string, ExplanationNode>,
  edges: Map<string, ExplanationEdge>,
): void {
  const anchor = summary.id.slice(summaryId('').length);
  for (const { id } of members) nodes.delete(id);
  for (const [id, edge] of edges) if (!nodes.has(edge.from) || !nodes.has(edge.to)) edges.delete(id);
  nodes.set(summary.id, summary);
  const bridge = bridgeId(anchor, summary.id);
  edges.set(bridge, {
    id: bridge,
    from: anchor,
    to: summary.id,
    relation: 'NEXT_STEP',
    evidence: 'inferred',
  });
}

function summaryOf(anchor: ExplanationNode, members: readonly ExplanationNode[]): ExplanationNode {
  const average = members.reduce((sum, node) => sum + (node.latencyMs ?? 0), 0) / members.length;
  return {
    ...anchor,
    id: summaryId(anchor.id),
    type: 'SUMMARY',
    status: 'OK',
    name: `Routine LLM calls (n=${members.length}, avg latency ${Math.round(average)} ms)`,
    summary: {
      count: members.length,
      avgLatencyMs: average,
      types: { LLM_CALL: members.length },
      reason: 'routine',
    },
  };
}

function isRoutine(node: ExplanationNode | undefined): boolean {
  return (
    node !== undefined && node.status === 'OK' && (node.latencyMs ?? 50) < 50 && (node.costUsd ?? 0) < 0.0001
  );
}

/** Edges between shown nodes, and one for each way through hidden ones. */
function bridged(whole: Whole, nodes: ReadonlyMap<string, ExplanationNode>): Map<string, ExplanationEdge> {
  const below = Map.groupBy(whole.edges.values(), (edge) => edge.from);
  const edges = new Map<string, ExplanationEdge>();
  for (const from of nodes.keys()) {
    const hidden = new Set<string>();
    for (const edge of below.get(from) ?? []) {
      if (nodes.has(edge.to)) edges.set(edge.id, edge);
      else hidden.add(edge.to);
    }
    for (const through of hidden) {
      for (const { to } of below.get(through) ?? []) {
        if (!nodes.has(to)) hidden.add(to);
        else {
          const id = bridgeId(from, to);
          edges.set(id, { id, from, to, relation: 'NEXT_STEP', evidence: 'inferred', bridged: true });
        }
      }
    }
  }
  return edges;
}

function matches(node: ExplanationNode, filters: Filters): boolean {
  const within = (list: readonly string[] | undefined, value: string) =>
    list === undefined || list.includes(value);
  const { minCostUsd, text, timeRange } = filters;
  return (
    within(filters.agentNames, node.agent) &&
    within(filters.nodeTypes, node.type) &&
    within(filters.status, node.status) &&
    within(filters.taskIds, node.taskId) &&
    within(filters.traceIds, String(node.details?.['traceId'])) &&
    (minCostUsd === undefined || (node.costUsd ?? -1) >= minCostUsd) &&
    (text === undefined || node.name.includes(text)) &&
    (timeRange === undefined || (node.timestamp >= timeRange.start && node.timestamp <= timeRange.end))
  );
}
