import type { ExplanationNode, NodeStatus, NodeSummary } from '../model/node.ts';
import { noticeId } from '../model/ids.ts';
import { titleLine } from '../model/title.ts';
import type { Totals } from './totals.ts';

/** The agent in whose name the service adds nodes of its own. */
const SELF = 'ExplainabilityAgent';
const WORST_FIRST: readonly NodeStatus[] = ['ERROR', 'WARNING', 'OK', 'SKIPPED'];
const KINDS: Readonly<Record<string, string>> = {
  LLM_CALL: 'LLM calls',
  TOOL_CALL: 'tool calls',
  STATIC_ANALYSIS: 'static analyses',
  TEST_RUN: 'test runs',
  REASONING: 'reasoning steps',
};
/** Of a repeated step's name in a label. */
const MAX_NAME_CHARS = 40;
/** More kinds of steps in a loop are not named one by one. */
const MAX_NAMES = 4;

/** Why steps are in a summary. */
export interface Reason {
  readonly reason: NodeSummary['reason'];
  /** Of what is repeated: each step's name, in order, and how often the one that comes up most does. */
  readonly loop?: { readonly names: readonly string[]; readonly times: number };
}

/** How many steps a summary counts: one with only REASONING counts these. */
export function stepsOf({ steps, members }: Totals): number {
  return steps > 0 ? steps : members;
}

/**
 * The node that stands for a group: a function of its members alone.
 *
 * @param timestamp ISO 8601, the start of the first member that hangs where the summary does
 */
export function summaryNode(
  id: string,
  taskId: string,
  timestamp: string,
  totals: Totals,
  why: Reason,
): ExplanationNode {
  const { avgLatencyMs, costUsd, tokensIn, tokensOut, types, agents } = totals;
  const [agent] = agents.keys();
  const name = label(totals, why);
  return {
    id,
    timestamp,
    agent: agent !== undefined && agents.size === 1 ? agent : SELF,
    type: 'SUMMARY',
    name,
    title: titleLine(name) ?? name,
    taskId,
    state: totals.running > 0 ? 'RUNNING' : 'ENDED',
    status: WORST_FIRST.find((status) => totals.statuses[status] > 0) ?? 'OK',
    summary: {
      count: stepsOf(totals),
      ...(avgLatencyMs !== undefined && { avgLatencyMs }),
      ...(costUsd !== undefined && { totalCostUsd: costUsd }),
      ...(tokensIn !== undefined && { tokensIn }),
      ...(tokensOut !== undefined && { tokensOut }),
      types: Object.fromEntries([...types].sort(([a], [b]) => (a < b ? -1 : 1))),
      reason: why.reason,
    },
  };
}

/** As in the founding spec: "Routine LLM calls (n=5, avg latency 30 ms)". */
function label(totals: Totals, { reason, loop }: Reason): string {
  const { avgLatencyMs, types } = totals;
  const kinds = [...types.keys()].filter((type) => type !== 'REASONING' || totals.steps === 0);
  const [first] = kinds;
  const kind = (first !== undefined && kinds.length === 1 && KINDS[first]) || 'steps';
  const figures = [
    loop && `${loop.times}×`,
    `n=${stepsOf(totals)}`,
    avgLatencyMs === undefined ? undefined : `avg latency ${Math.round(avgLatencyMs)} ms`,
  ];
  return `${what(kind, reason, loop)} (${figures.filter((part) => part !== undefined).join(', ')})`;
}

function what(kind: string, reason: Reason['reason'], loop: Reason['loop']): string {
  if (loop) {
    const names = loop.names.length > MAX_NAMES ? kind : loop.names.map(shortName).join(' → ');
    return `Repeated ${names}`;
  }
  return reason === 'limit' ? `More ${kind}` : `Routine ${kind}`;
}

function shortName(name: string): string {
  return name.length <= MAX_NAME_CHARS ? name : `${name.slice(0, MAX_NAME_CHARS - 1).trimEnd()}…`;
}

/** Are they the same to a reader? */
export function isSameSummary(a: ExplanationNode, b: ExplanationNode): boolean {
  const [x, y] = [a.summary, b.summary];
  return (
    a.id === b.id &&
    a.name === b.name &&
    a.timestamp === b.timestamp &&
    a.agent === b.agent &&
    a.state === b.state &&
    a.status === b.status &&
    x !== undefined &&
    y !== undefined &&
    x.count === y.count &&
    x.avgLatencyMs === y.avgLatencyMs &&
    x.totalCostUsd === y.totalCostUsd &&
    x.tokensIn === y.tokensIn &&
    x.tokensOut === y.tokensOut &&
    x.reason === y.reason &&
    JSON.stringify(x.types) === JSON.stringify(y.types)
  );
}

export function noticeNode(taskId: string, timestamp: string, total: number, limit: number): ExplanationNode {
  const name = `Graph truncated: over ${limit} nodes; summarizing the less important steps`;
  return {
    id: noticeId(taskId),
    timestamp,
    agent: SELF,
    type: 'OTHER',
    name,
    title: name,
    taskId,
    state: 'ENDED',
    status: 'WARNING',
    details: { notice: 'truncated', nodes: total, maxNodesPerTask: limit },
  };
}
