import type { NodeStatus, NodeType } from '../model/node.ts';

/** All given fields must match; within a field any of its values. An empty list is no filter. */
export interface Filters {
  /** `CriticAgent` and `critic-agent` are the same. */
  readonly agentNames?: readonly string[];
  readonly nodeTypes?: readonly NodeType[];
  readonly status?: readonly NodeStatus[];
  /** US dollars; a node without a known cost never matches. */
  readonly minCostUsd?: number;
  /** ISO 8601, both ends included; compared with the start of a node. */
  readonly timeRange?: { readonly start: string; readonly end: string };
  readonly taskIds?: readonly string[];
  readonly traceIds?: readonly string[];
  /** Found in names, agents, models, prompt summaries and details; case doesn't matter. */
  readonly text?: string;
}

/** Which part of the graph to see, and how. */
export interface ViewRequest {
  readonly filters?: Filters;
  /** `auto` (the default) folds routine steps into SUMMARY nodes; `none` shows every node. */
  readonly collapse?: 'auto' | 'none';
  /**
   * `ui` adds rendering hints to every node; `archived` shows what left the memory of the service as if it had not
   * (`collapse: 'none'` always does).
   */
  readonly include?: readonly ('ui' | 'archived')[];
}

/** gRPC can't tell an empty list from none, so the other transports don't either. */
export function withoutEmptyLists(filters: Filters): Filters {
  return Object.fromEntries(
    Object.entries(filters).filter(
      ([, value]) => value !== undefined && !(Array.isArray(value) && value.length === 0),
    ),
  );
}

/** The query of `GET /api/graph`. */
export function graphQuery({ filters = {}, collapse, include }: ViewRequest): URLSearchParams {
  const { timeRange, minCostUsd, text, ...lists } = withoutEmptyLists(filters);
  const query = new URLSearchParams();
  for (const [name, values] of Object.entries(lists)) {
    for (const value of values as readonly string[]) query.append(name, value);
  }
  if (timeRange !== undefined) {
    query.set('timeStart', timeRange.start);
    query.set('timeEnd', timeRange.end);
  }
  if (minCostUsd !== undefined) query.set('minCostUsd', String(minCostUsd));
  if (text !== undefined) query.set('text', text);
  if (collapse !== undefined) query.set('collapse', collapse);
  for (const extra of include ?? []) query.append('include', extra);
  return query;
}
