import { canonicalAgent } from '../model/agent.ts';
import type { ExplanationNode } from '../model/node.ts';

/** What a reader asked to see, checked and normalised. Two readers with equal specs share one view. */
export interface ViewSpec {
  readonly filters: Filters;
  /** `auto` folds what is dull, `none` shows every node. */
  readonly collapse: 'auto' | 'none';
  readonly ui: boolean;
  /** Nodes that left memory are shown as if they had not. */
  readonly archived: boolean;
  /** Summaries, and whole tasks, that this reader opened. */
  readonly expandedSummaries: ReadonlySet<string>;
  readonly expandedTasks: ReadonlySet<string>;
}

/** All given fields must match; within a field any value. */
export interface Filters {
  /** In the form of `canonicalAgent`. */
  readonly agentNames?: ReadonlySet<string>;
  readonly nodeTypes?: ReadonlySet<string>;
  readonly status?: ReadonlySet<string>;
  /** US dollars. A node without a cost never matches. */
  readonly minCostUsd?: number;
  /** Epoch milliseconds, both ends included; compared with the start of a node. */
  readonly timeRange?: { readonly start: number; readonly end: number };
  readonly taskIds?: ReadonlySet<string>;
  readonly traceIds?: ReadonlySet<string>;
  /** Lower case; found in name, agent, model, prompt summary or a text of the details. */
  readonly text?: string;
}

export function matches(filters: Filters, node: ExplanationNode): boolean {
  const { agentNames, nodeTypes, status, minCostUsd, timeRange, taskIds, traceIds, text } = filters;
  if (taskIds && !taskIds.has(node.taskId)) return false;
  if (nodeTypes && !nodeTypes.has(node.type)) return false;
  if (status && !status.has(node.status)) return false;
  if (minCostUsd !== undefined && !(node.costUsd !== undefined && node.costUsd >= minCostUsd)) return false;
  if (agentNames && !agentNames.has(canonicalAgent(node.agent))) return false;
  if (traceIds && !hasTrace(node, traceIds)) return false;
  if (timeRange) {
    const start = Date.parse(node.timestamp);
    if (start < timeRange.start || start > timeRange.end) return false;
  }
  return text === undefined || containsText(node, text);
}

function hasTrace(node: ExplanationNode, traceIds: ReadonlySet<string>): boolean {
  const traceId = node.details?.['traceId'];
  return typeof traceId === 'string' && traceIds.has(traceId);
}

function containsText(node: ExplanationNode, text: string): boolean {
  const fields = [
    node.name,
    node.agent,
    node.model,
    node.promptSummary,
    ...Object.values(node.details ?? {}),
  ];
  return fields.some((field) => typeof field === 'string' && field.toLowerCase().includes(text));
}

/** Can a node of a task that is shown at all fail to match? */
export function hidesNodes(filters: Filters): boolean {
  return Object.keys(filters).some((field) => field !== 'taskIds');
}

/** Equal for equal specs, or filters. */
export function specKey(spec: ViewSpec | Filters): string {
  return JSON.stringify(spec, (_key, value: unknown) =>
    value instanceof Set ? [...(value as Set<string>)].sort((a, b) => (a < b ? -1 : 1)) : value,
  );
}
