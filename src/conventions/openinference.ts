import type { Attributes } from '../model/attributes.ts';
import type { NodeType } from '../model/node.ts';
import type { Convention, Details, PartialStep, SafeSpan, Texts, Usage } from './convention.ts';
import { readConversation } from './conversation.ts';
import { heardIndexed, saidIndexed } from './indexed.ts';
import { objectOf } from './json.ts';
import { readSaid, type Heard, type Said } from './messages.ts';
import {
  asText,
  costOf,
  count,
  firstCount,
  firstId,
  firstPresent,
  firstText,
  idOf,
  sumOfCosts,
  text,
} from './read.ts';
import { conversation } from './task.ts';

/** OpenInference: the Phoenix / Arize instrumentations. https://github.com/Arize-ai/openinference */
export const openinference: Convention = {
  name: 'openinference',
  signs: {
    keys: ['openinference.span.kind', 'llm.model_name', 'llm.token_count.prompt'],
    scopePrefixes: ['openinference.', '@arizeai/openinference-'],
  },
  interpret,
};

const KINDS: ReadonlyMap<string, NodeType> = new Map([
  ['LLM', 'LLM_CALL'],
  ['TOOL', 'TOOL_CALL'],
  ['AGENT', 'OTHER'],
  ['CHAIN', 'OTHER'],
  ['PROMPT', 'OTHER'],
  ['EMBEDDING', 'OTHER'],
  ['RERANKER', 'OTHER'],
  ['RETRIEVER', 'OTHER'],
  ['GUARDRAIL', 'OTHER'],
  ['EVALUATOR', 'REFLEXION_ACTION'],
  ['UNKNOWN', 'OTHER'],
]);

const CONTAINERS = new Set(['AGENT', 'CHAIN']);
const RESPONSE_MODEL = ['llm.response.model_name', 'llm.model_name'];
const REQUEST_MODEL = ['llm.request.model_name', 'embedding.model_name', 'reranker.model_name'];
const CACHE_READ = [
  'llm.token_count.prompt_details.cache_read',
  'llm.token_count.prompt_details.cache_input',
];

function interpret(span: SafeSpan): PartialStep {
  const a = span.attributes;
  const kind = text(a, 'openinference.span.kind')?.toUpperCase();
  const type = kind === undefined ? undefined : (KINDS.get(kind) ?? 'OTHER');
  const isCall = type === 'LLM_CALL';
  const isTool = type === 'TOOL_CALL';
  const heard = isTool ? {} : heardOf(a);
  const said = isCall ? saidOf(a) : {};
  return {
    type,
    container: kind !== undefined && CONTAINERS.has(kind) ? true : undefined,
    agent: agentOf(a, kind, span.name),
    requestModel: firstText(a, REQUEST_MODEL),
    responseModel: firstText(a, RESPONSE_MODEL),
    task: conversation(firstId(a, ['session.id']) ?? sessionOfMetadata(a)),
    usage: usageOf(a),
    costUsd:
      costOf(a.get('llm.cost.total')) ??
      sumOfCosts(costOf(a.get('llm.cost.prompt')), costOf(a.get('llm.cost.completion'))),
    details: detailsOf(a, isTool, heard, said),
    texts: isTool ? toolTexts(a) : stepTexts(a, isCall, heard, said),
  };
}

/** `graph.node.id` names the agent of an AGENT span in graph frameworks; else the span may be called after it. */
function agentOf(a: Attributes, kind: string | undefined, spanName: string): string | undefined {
  const named = firstText(a, ['agent.name', 'graph.node.name', 'graph.node.id']);
  if (named !== undefined || kind === undefined || !CONTAINERS.has(kind)) return named;
  const bracketed = /^(?:agent_run|invoke_agent) \[(.+)\]$/.exec(spanName)?.[1];
  if (bracketed !== undefined) return bracketed;
  if (kind === 'CHAIN') return CALLED_AGENT.test(spanName) ? spanName : undefined;
  return NOT_AN_AGENT.test(spanName) ? undefined : spanName;
}

/** A chain that someone called `ReviewerAgent`. */
const CALLED_AGENT = /^[A-Z][A-Za-z0-9]*Agent$/;

/** LangChain marks its plumbing (RunnableAssign<…>, output parsers) as AGENT too, when its name has "agent" in it. */
const NOT_AN_AGENT = /^Runnable|Parser$|\.(?:run|arun|invoke|stream)$|^invocation \[/;

function usageOf(a: Attributes): Usage | undefined {
  const tokensIn = count(a, 'llm.token_count.prompt');
  const tokensOut = count(a, 'llm.token_count.completion');
  if (tokensIn === undefined && tokensOut === undefined) return undefined;
  return {
    tokensIn,
    tokensOut,
    cacheReadTokens: firstCount(a, CACHE_READ),
    cacheWriteTokens: count(a, 'llm.token_count.prompt_details.cache_write'),
    reasoningTokens: count(a, 'llm.token_count.completion_details.reasoning'),
  };
}

function sessionOfMetadata(a: Attributes): string | undefined {
  const raw = a.get('metadata');
  if (typeof raw !== 'string' || !(raw.includes('session_id') || raw.includes('thread_id'))) return undefined;
  const metadata = objectOf(raw);
  return idOf(metadata?.['session_id']) ?? idOf(metadata?.['thread_id']);
}

function detailsOf(a: Attributes, isTool: boolean, heard: Heard, said: Said): Details {
  const finish = text(a, 'llm.finish_reason');
  return {
    provider: firstText(a, ['llm.provider', 'llm.system']),
    finishReasons: finish === undefined ? said.finishReasons : [finish],
    toolName: isTool ? text(a, 'tool.name') : undefined,
    toolCallId: isTool ? firstId(a, ['tool.id', 'tool_call.id']) : undefined,
    requestedToolCallIds: said.toolCallIds,
    answeredToolCallIds: heard.toolResultIds,
  };
}

/** `tool.parameters` is the tool's definition by the standard, but some frameworks put the arguments there. */
function toolTexts(a: Attributes): Texts {
  return {
    toolArguments: asText(firstPresent(a, ['input.value', 'tool.parameters'])),
    toolResult: asText(firstPresent(a, ['output.value'])),
  };
}

function stepTexts(a: Attributes, isCall: boolean, heard: Heard, said: Said): Texts {
  return {
    prompt: heard.prompt,
    completion: said.completion ?? (isCall ? undefined : asText(a.get('output.value'))),
    reasoning: said.reasoning,
  };
}

function heardOf(a: Attributes): Heard {
  const heard = heardIndexed(a, 'llm.input_messages.');
  if (heard.prompt !== undefined) return heard;
  const input = a.get('input.value');
  return input === undefined ? heard : readConversation(input);
}

/** Chat completions keep reasoning only in the raw body, so that is read when the messages have none. */
function saidOf(a: Attributes): Said {
  const said = saidIndexed(a, 'llm.output_messages.');
  const body = a.get('output.value');
  if (said.completion !== undefined && (said.reasoning !== undefined || !hasReasoning(body))) return said;
  if (body === undefined) return said;
  const fromBody = readSaid(body);
  return {
    completion: said.completion ?? fromBody.completion,
    reasoning: said.reasoning ?? fromBody.reasoning,
    toolCallIds: said.toolCallIds ?? fromBody.toolCallIds,
    finishReasons: said.finishReasons ?? fromBody.finishReasons,
  };
}

function hasReasoning(body: unknown): boolean {
  return typeof body === 'string' && (body.includes('"reasoning') || body.includes('"thinking"'));
}
