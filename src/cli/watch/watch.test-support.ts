import type { ExplanationEdge, ExplanationNode } from '../../model/node.ts';
import { edgeId } from '../../model/ids.ts';

const START = Date.parse('2025-06-20T14:00:00Z');

/** @param second of its start */
export function node(id: string, second: number, more: Partial<ExplanationNode> = {}): ExplanationNode {
  return {
    id,
    timestamp: new Date(START + second * 1000).toISOString(),
    agent: 'CoderAgent',
    type: 'LLM_CALL',
    name: `step ${id}`,
    title: `step ${id}`,
    taskId: 'T1',
    state: 'ENDED',
    status: 'OK',
    ...more,
  };
}

export function edge(from: string, to: string, more: Partial<ExplanationEdge> = {}): ExplanationEdge {
  const relation = more.relation ?? 'NEXT_STEP';
  return { id: edgeId(from, relation, to), from, to, relation, evidence: 'parentSpanId', ...more };
}
