import type { StepTexts } from './facts.ts';

/**
 * The attributes by which OTLP out says what the GenAI conventions have no place for. A service that takes such a span
 * shows the node as it is told, with the edges that its links name.
 */
export const NODE = {
  id: 'explain.node.id',
  type: 'explain.node.type',
  agent: 'explain.node.agent',
  title: 'explain.node.title',
  taskId: 'explain.node.task_id',
  state: 'explain.node.state',
  status: 'explain.node.status',
  model: 'explain.node.model',
  promptSummary: 'explain.node.prompt_summary',
  tokensIn: 'explain.node.tokens_in',
  tokensOut: 'explain.node.tokens_out',
  latencyMs: 'explain.node.latency_ms',
  costUsd: 'explain.node.cost_usd',
  /** A map: what else is known of the node. */
  details: 'explain.node.details',
} as const;

/** Before the name of a text (`prompt`, `completion`, …). */
export const TEXT_PREFIX = 'explain.text.';

/** Attributes of a link: it is an edge from what it names to the span that has it. */
export const EDGE = {
  relation: 'explain.edge.relation',
  evidence: 'explain.edge.evidence',
  /** Nodes that were not asked for lie between. */
  bridged: 'explain.edge.bridged',
} as const;

const NODE_PREFIX = 'explain.node.';

/** Is an attribute one of these, and none that the node had before? */
export function isRetoldKey(key: string): boolean {
  return key.startsWith(NODE_PREFIX) || key.startsWith(TEXT_PREFIX);
}

export const TEXT_NAMES = [
  'prompt',
  'completion',
  'reasoning',
  'toolArguments',
  'toolResult',
  'error',
] as const satisfies readonly (keyof StepTexts)[];
