import type { ExplanationNode, NodeStatus, NodeSummary } from '../model/node.ts';
import { noticeId } from '../model/ids.ts';

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

/** The node that stands for a group: a function of its members alone. `members` is not empty. */
export function summaryNode(
  id: string,
  taskId: string,
  members: readonly ExplanationNode[],
  reason: NodeSummary['reason'],
): ExplanationNode {
  const types: { [type: string]: number } = {};
  for (const member of members) types[member.type] = (types[member.type] ?? 0) + 1;
  const latency = sum(members, (member) => member.latencyMs);
  const cost = sum(members, (member) => member.costUsd);
  const tokensIn = sum(members, (member) => (member.type === 'LLM_CALL' ? member.tokensIn : undefined));
  const tokensOut = sum(members, (member) => (member.type === 'LLM_CALL' ? member.tokensOut : undefined));
  const average = latency && round(latency.total / latency.count, 1000);
  const [agent] = members.map((member) => member.agent);
  return {
    id,
    timestamp: members.reduce((least, m) => (m.timestamp < least ? m.timestamp : least), '\uffff'),
    agent: agent !== undefined && members.every((member) => member.agent === agent) ? agent : SELF,
    type: 'SUMMARY',
    name: label(types, members.length, average, reason),
    taskId,
    state: members.some((member) => member.state === 'RUNNING') ? 'RUNNING' : 'ENDED',
    status: WORST_FIRST.find((status) => members.some((member) => member.status === status)) ?? 'OK',
    summary: {
      count: members.length,
      ...(average !== undefined && { avgLatencyMs: average }),
      ...(cost && { totalCostUsd: round(cost.total, 1e9) }),
      ...(tokensIn && { tokensIn: tokensIn.total }),
      ...(tokensOut && { tokensOut: tokensOut.total }),
      types: Object.fromEntries(Object.entries(types).sort(([a], [b]) => (a < b ? -1 : 1))),
      reason,
    },
  };
}

/** As in the founding spec: "Routine LLM calls (n=5, avg latency 30 ms)". */
function label(
  types: { readonly [type: string]: number },
  count: number,
  average: number | undefined,
  reason: NodeSummary['reason'],
): string {
  const [first, ...others] = Object.keys(types);
  const kind = (first !== undefined && others.length === 0 && KINDS[first]) || 'steps';
  const what = reason === 'routine' ? `Routine ${kind}` : `More ${kind}`;
  const latency = average === undefined ? '' : `, avg latency ${Math.round(average)} ms`;
  return `${what} (n=${count}${latency})`;
}

export function noticeNode(taskId: string, timestamp: string, total: number, limit: number): ExplanationNode {
  return {
    id: noticeId(taskId),
    timestamp,
    agent: SELF,
    type: 'OTHER',
    name: `Graph truncated: over ${limit} nodes; summarizing the less important steps`,
    taskId,
    state: 'ENDED',
    status: 'WARNING',
    details: { notice: 'truncated', nodes: total, maxNodesPerTask: limit },
  };
}

function sum(
  members: readonly ExplanationNode[],
  pick: (member: ExplanationNode) => number | undefined,
): { readonly total: number; readonly count: number } | undefined {
  // Sorted, so that rounding does not depend on the order of the members.
  const values = members.map(pick).filter((value) => value !== undefined);
  if (values.length === 0) return undefined;
  return { total: values.sort((a, b) => a - b).reduce((a, b) => a + b, 0), count: values.length };
}

function round(value: number, steps: number): number {
  return Math.round(value * steps) / steps;
}
