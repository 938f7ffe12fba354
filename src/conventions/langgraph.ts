import type { JsonObject } from '../base/json.ts';
import { textOf } from './read.ts';

/** Nodes that every graph of an agent has: the agent is what stands around them. */
const GENERIC = new Set([
  'agent',
  'model',
  'model_request',
  'tools',
  'tool_node',
  'call_model',
  'llm',
  'chatbot',
]);

/**
 * The agent of a step in a graph, by what LangGraph adds to the metadata of everything that runs in it: the name that
 * `create_agent` gave, else the node's. In a graph within a graph the node is one of the inner graph, and the path in the
 * checkpoint's namespace (`writer:…|model:…`) has the outer ones before it.
 */
export function graphAgent(metadata: JsonObject): string | undefined {
  const named = textOf(metadata['lc_agent_name']);
  if (named !== undefined) return named;
  const node = textOf(metadata['langgraph_node']);
  if (node === undefined || node.startsWith('__')) return undefined;
  if (!GENERIC.has(node)) return node;
  const path = textOf(metadata['langgraph_checkpoint_ns'] ?? metadata['checkpoint_ns']);
  const outer = path?.split('|').map((part) => part.split(':', 1)[0] ?? '') ?? [];
  return textOf(outer.findLast((part) => part !== '' && !part.startsWith('__') && !GENERIC.has(part)));
}
