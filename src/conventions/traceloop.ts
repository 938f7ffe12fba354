import type { Attributes } from '../model/attributes.ts';
import type { NodeType } from '../model/node.ts';
import type { Convention, PartialStep, SafeSpan } from './convention.ts';
import { isPlumbing } from './plumbing.ts';
import { asText, firstCount, firstId, text } from './read.ts';
import { graphAgent } from './langgraph.ts';
import { conversation, task } from './task.ts';

/**
 * Traceloop / OpenLLMetry: `traceloop.*` on workflows, agents and tools, and the `llm.*` names that its model
 * spans had before gen_ai. https://www.traceloop.com/docs/openllmetry/contributing/semantic-conventions
 */
export const traceloop: Convention = {
  name: 'traceloop',
  signs: {
    keyPrefixes: ['traceloop.'],
    keys: ['llm.request.type', 'llm.usage.prompt_tokens'],
    scopePrefixes: ['@traceloop/'],
  },
  interpret,
};

const KINDS: ReadonlyMap<string, NodeType> = new Map([
  ['workflow', 'OTHER'],
  ['task', 'OTHER'],
  ['agent', 'OTHER'],
  ['tool', 'TOOL_CALL'],
  ['handoff', 'TOOL_CALL'],
]);

const REQUEST_TYPES: ReadonlyMap<string, NodeType> = new Map([
  ['chat', 'LLM_CALL'],
  ['completion', 'LLM_CALL'],
  ['embedding', 'OTHER'],
  ['rerank', 'OTHER'],
]);

const ASSOCIATION = 'traceloop.association.properties.';
const TASK_ID = [`${ASSOCIATION}taskID`, `${ASSOCIATION}task_id`];
const SESSION_ID = [`${ASSOCIATION}session_id`, `${ASSOCIATION}thread_id`];

/** How OpenLLMetry's LangGraph spans say that a task failed. */
const FAILED = new Set(['failure', 'error', 'failed']);
const GRAPH_KEYS = ['lc_agent_name', 'langgraph_node', 'langgraph_checkpoint_ns', 'checkpoint_ns'];

/** LangGraph's metadata come as association properties. */
function graphAgentOf(a: Attributes): string | undefined {
  const isInGraph = a.has(`${ASSOCIATION}langgraph_node`) || a.has(`${ASSOCIATION}lc_agent_name`);
  if (!isInGraph) return undefined;
  return graphAgent(Object.fromEntries(GRAPH_KEYS.map((key) => [key, a.get(`${ASSOCIATION}${key}`)])));
}

function interpret(span: SafeSpan): PartialStep {
  const a = span.attributes;
  const kind = text(a, 'traceloop.span.kind')?.toLowerCase();
  const type = kind === undefined ? REQUEST_TYPES.get(text(a, 'llm.request.type') ?? '') : KINDS.get(kind);
  const input = asText(a.get('traceloop.entity.input'));
  const output = asText(a.get('traceloop.entity.output'));
  const isTool = type === 'TOOL_CALL';
  const tokensIn = firstCount(a, ['llm.usage.prompt_tokens']);
  const tokensOut = firstCount(a, ['llm.usage.completion_tokens']);
  return {
    type,
    container: kind !== undefined && type === 'OTHER' ? true : undefined,
    wrapper: type === 'OTHER' && isPlumbing(span.name) ? true : undefined,
    agent: kind === 'agent' ? text(a, 'traceloop.entity.name') : isTool ? undefined : graphAgentOf(a),
    status: FAILED.has(text(a, 'gen_ai.task.status') ?? '') ? 'ERROR' : undefined,
    task: task(firstId(a, TASK_ID)) ?? conversation(firstId(a, SESSION_ID)),
    usage: tokensIn === undefined && tokensOut === undefined ? undefined : { tokensIn, tokensOut },
    details: {
      sessionId: firstId(a, SESSION_ID),
      toolName: isTool ? text(a, 'traceloop.entity.name') : undefined,
    },
    texts: isTool ? { toolArguments: input, toolResult: output } : { prompt: input, completion: output },
  };
}
