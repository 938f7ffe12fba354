import type { JsonObject } from '../base/json.ts';
import type { AttributeValue, Attributes } from '../model/attributes.ts';
import type { NodeStatus, NodeType } from '../model/node.ts';
import { parseTime } from '../model/time.ts';
import type { Convention, PartialStep, SafeSpan, Usage } from './convention.ts';
import { readConversation } from './conversation.ts';
import { objectOf, structure } from './json.ts';
import { readSaid, type Said } from './messages.ts';
import { outcomeOf } from './outcome.ts';
import { isPlumbing } from './plumbing.ts';
import { graphAgent } from './langgraph.ts';
import { asText, costOf, countOf, firstId, idOf, text } from './read.ts';
import { responseIdOf } from './response-id.ts';
import { conversation } from './task.ts';
import { toolMessage, type ToolOutput } from './tool-message.ts';

/** The Langfuse SDKs, OpenTelemetry-based since version 3. https://langfuse.com/integrations/native/opentelemetry */
export const langfuse: Convention = {
  name: 'langfuse',
  signs: { keyPrefixes: ['langfuse.'], scopePrefixes: ['langfuse-sdk'] },
  interpret,
};

const TYPES: ReadonlyMap<string, NodeType> = new Map([
  ['generation', 'LLM_CALL'],
  ['tool', 'TOOL_CALL'],
  ['agent', 'OTHER'],
  ['chain', 'OTHER'],
  ['span', 'OTHER'],
  ['event', 'OTHER'],
  ['retriever', 'OTHER'],
  ['embedding', 'OTHER'],
  ['guardrail', 'OTHER'],
  ['evaluator', 'REFLEXION_ACTION'],
]);

const CONTAINERS = new Set(['agent', 'chain', 'span']);
const LEVELS: ReadonlyMap<string, NodeStatus> = new Map([
  ['ERROR', 'ERROR'],
  ['WARNING', 'WARNING'],
]);

function interpret(span: SafeSpan): PartialStep {
  const a = span.attributes;
  const kind = text(a, 'langfuse.observation.type')?.toLowerCase();
  const output = outputOf(a);
  const message = kind === 'tool' || kind === 'span' ? toolMessage(output) : undefined;
  // LangGraph's tools are plain spans that give back a message for the model.
  const type = kind === undefined ? undefined : message === undefined ? TYPES.get(kind) : 'TOOL_CALL';
  const isCall = type === 'LLM_CALL';
  const isTool = type === 'TOOL_CALL';
  const isPlain = kind === 'span' && !isTool;
  const isWrapper = type === 'OTHER' && isPlumbing(span.name);
  const input = a.get('langfuse.observation.input');
  const heard = isTool || input === undefined ? undefined : readConversation(input);
  const said = !isCall || output === undefined ? NOTHING_SAID : readSaid(output);
  return {
    // A plain span says nothing about what it is: another convention may know better.
    type: isPlain && !isWrapper ? undefined : type,
    container: kind !== undefined && CONTAINERS.has(kind) && !isTool ? true : undefined,
    wrapper: isWrapper ? true : undefined,
    agent: agentOf(a, kind, span.name),
    requestModel: metadata(a, 'ls_model_name'),
    responseModel: text(a, 'langfuse.observation.model.name'),
    task: conversation(firstId(a, ['langfuse.session.id', 'session.id']) ?? metadata(a, 'thread_id')),
    usage: usageOf(objectOf(a.get('langfuse.observation.usage_details'))),
    costUsd: costOf(objectOf(a.get('langfuse.observation.cost_details'))?.['total']),
    status: LEVELS.get(text(a, 'langfuse.observation.level') ?? ''),
    details: {
      responseId: isCall ? responseIdOf(output) : undefined,
      finishReasons: said.finishReasons,
      toolName: isTool ? (message?.name ?? span.name) : undefined,
      toolCallId: message?.callId,
      errorMessage: text(a, 'langfuse.observation.status_message'),
      requestedToolCallIds: said.toolCallIds,
      timeToFirstTokenMs: firstTokenMs(span),
    },
    texts: isTool
      ? { toolArguments: argumentsOf(a, input, message), toolResult: message?.content ?? asText(output) }
      : {
          completion: isCall ? said.completion : shownOutput(output),
          reasoning: said.reasoning,
          error: text(a, 'langfuse.observation.status_message'),
        },
    heard,
    asked: said.calls,
  };
}

const NOTHING_SAID: Said = {};

function shownOutput(output: AttributeValue | undefined): string | undefined {
  const outcome = outcomeOf(output);
  return outcome === undefined ? asText(output) : outcome.completion;
}

/** Python's word for an answer without text, which a call of tools is. */
function outputOf(a: Attributes): AttributeValue | undefined {
  const output = a.get('langfuse.observation.output');
  return output === 'None' ? undefined : output;
}

/** LangChain writes the input of a tool as Python, and beside it as it was. */
function argumentsOf(
  a: Attributes,
  input: AttributeValue | undefined,
  message: ToolOutput | undefined,
): string | undefined {
  const inputs = message === undefined ? undefined : a.get('langfuse.observation.metadata.inputs');
  return asText(inputs) ?? asText(input);
}

/** What LangChain adds to everything that runs, or a user: newer SDKs write each as JSON, texts in quotes. */
function metadata(a: Attributes, name: string): string | undefined {
  const value = a.get(`langfuse.observation.metadata.${name}`);
  const isQuoted = typeof value === 'string' && value.startsWith('"');
  return idOf(isQuoted ? structure(value) : value);
}

const GRAPH = ['lc_agent_name', 'langgraph_node', 'langgraph_checkpoint_ns', 'checkpoint_ns'];

/** LangGraph says it of its steps; the steps of Koog's strategies are no agents. */
function agentOf(a: Attributes, kind: string | undefined, spanName: string): string | undefined {
  if (a.has('koog.node.name')) return undefined;
  const isInGraph = GRAPH.some((name) => a.has(`langfuse.observation.metadata.${name}`));
  if (isInGraph) {
    const graph = Object.fromEntries(GRAPH.map((name) => [name, metadata(a, name)]));
    const node = graph['langgraph_node'];
    // Where no graph is around it, a node that every agent has is all that there is.
    return graphAgent(graph) ?? (node?.startsWith('__') === true ? undefined : node);
  }
  return kind === 'agent' ? spanName : undefined;
}

/** Langfuse's buckets exclude one another: cached input is not part of `input`, reasoning not of `output`. */
function usageOf(buckets: JsonObject | undefined): Usage | undefined {
  if (buckets === undefined) return undefined;
  let tokensIn: number | undefined;
  let tokensOut: number | undefined;
  let cacheReadTokens: number | undefined;
  let cacheWriteTokens: number | undefined;
  let reasoningTokens: number | undefined;
  for (const [name, value] of Object.entries(buckets)) {
    const tokens = countOf(value);
    if (tokens === undefined || name === 'total') continue;
    if (name.startsWith('output') || name.startsWith('completion')) {
      tokensOut = (tokensOut ?? 0) + tokens;
      if (name.includes('reasoning')) reasoningTokens = (reasoningTokens ?? 0) + tokens;
    } else if (name.includes('input') || name.startsWith('prompt')) {
      tokensIn = (tokensIn ?? 0) + tokens;
      if (!name.includes('cache')) continue;
      if (name.includes('creation') || name.includes('write'))
        cacheWriteTokens = (cacheWriteTokens ?? 0) + tokens;
      else cacheReadTokens = (cacheReadTokens ?? 0) + tokens;
    }
  }
  return tokensIn === undefined && tokensOut === undefined
    ? undefined
    : { tokensIn, tokensOut, cacheReadTokens, cacheWriteTokens, reasoningTokens };
}

/** The time arrives as a JSON string in a string: quoted twice. */
function firstTokenMs(span: SafeSpan): number | undefined {
  const raw = span.attributes.get('langfuse.observation.completion_start_time');
  if (raw === undefined) return undefined;
  const time = parseTime(structure(raw) ?? raw);
  return time === undefined || time < span.start ? undefined : time - span.start;
}
