import type { AttributeValue, Attributes } from '../model/attributes.ts';
import type { NodeType } from '../model/node.ts';
import type { Convention, Details, PartialStep, SafeSpan, Texts } from './convention.ts';
import { readConversation } from './conversation.ts';
import { heardIndexed, saidIndexed } from './indexed.ts';
import { objectOf } from './json.ts';
import { graphAgent } from './langgraph.ts';
import { readSaid, type Heard, type Said } from './messages.ts';
import { outcomeOf } from './outcome.ts';
import { isPlumbing } from './plumbing.ts';
import { answeringModel, finishReasonsIn, modelIn, usageIn } from './response-body.ts';
import { asText, costOf, firstId, firstPresent, firstText, idOf, sumOfCosts, text } from './read.ts';
import { responseIdOf } from './response-id.ts';
import { conversation } from './task.ts';
import { handoffTo } from './tool-arguments.ts';
import { calledWith, toolOutput, type ToolOutput } from './tool-message.ts';
import { readUsage, type UsageKeys } from './usage-keys.ts';

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
/** LlamaIndex marks the methods that only put a request together as calls of the model. */
const PREPARES = /^\w{1,128}\._?(?:prepare|get|parse|validate|extend)_\w{1,128}$/;
const RESPONSE_MODEL = ['llm.response.model_name', 'llm.model_name'];
const REQUEST_MODEL = ['llm.request.model_name', 'embedding.model_name', 'reranker.model_name'];
const CACHE_READ = [
  'llm.token_count.prompt_details.cache_read',
  'llm.token_count.prompt_details.cache_input',
];

const USAGE: UsageKeys = {
  tokensIn: ['llm.token_count.prompt'],
  tokensOut: ['llm.token_count.completion'],
  cacheReadTokens: CACHE_READ,
  cacheWriteTokens: ['llm.token_count.prompt_details.cache_write'],
  reasoningTokens: ['llm.token_count.completion_details.reasoning'],
};

function interpret(span: SafeSpan): PartialStep {
  const a = span.attributes;
  const kind = text(a, 'openinference.span.kind')?.toUpperCase();
  // BeeAI tells of what befalls a step in spans below it that are marked as the step is.
  const isEvent = text(a, 'metadata.path')?.endsWith(`.${span.name}`) === true && !a.has('tool.name');
  const isPreparing = kind === 'LLM' && PREPARES.test(span.name) && !a.has('llm.token_count.total');
  const type =
    kind === undefined ? undefined : isPreparing || isEvent ? 'OTHER' : (KINDS.get(kind) ?? 'OTHER');
  const isCall = type === 'LLM_CALL';
  const isTool = type === 'TOOL_CALL';
  const heard = isTool ? undefined : heardOf(a, isCall);
  const result = isTool ? toolOutput(a.get('output.value')) : undefined;
  const said = isCall ? saidOf(a) : NOTHING_SAID;
  const models = isCall ? modelsOf(a) : { requestModel: firstText(a, REQUEST_MODEL) };
  return {
    type,
    container: kind !== undefined && CONTAINERS.has(kind) ? true : undefined,
    wrapper: isPreparing || isEvent || (type === 'OTHER' && isPlumbing(span.name)) ? true : undefined,
    agent: agentOf(a, kind, span.name),
    requestModel: models.requestModel,
    responseModel: models.responseModel,
    task: conversation(firstId(a, ['session.id']) ?? sessionOfMetadata(a)),
    usage: readUsage(a, USAGE) ?? (isCall ? usageIn(bodyUnless(a, 'gen_ai.usage.input_tokens')) : undefined),
    costUsd:
      costOf(a.get('llm.cost.total')) ??
      sumOfCosts(costOf(a.get('llm.cost.prompt')), costOf(a.get('llm.cost.completion'))),
    details: isTool ? toolDetails(span, result) : callDetails(a, isCall, said),
    texts: isTool ? toolTexts(a, result) : stepTexts(a, isCall, said),
    heard,
    asked: said.calls,
  };
}

/** `graph.node.id` names the agent of an AGENT span in graph frameworks; else the span may be called after it. */
function agentOf(a: Attributes, kind: string | undefined, spanName: string): string | undefined {
  const named = firstText(a, ['agent.name', 'graph.node.name', 'graph.node.id']) ?? nodeOfMetadata(a, kind);
  if (named !== undefined || kind === undefined || !CONTAINERS.has(kind)) return named;
  if (AGENT_STEP.test(spanName)) return CURRENT_AGENT.exec(text(a, 'input.value') ?? '')?.[1];
  const bracketed = /^(?:agent_run|invoke_agent) \[(.+)\]$/.exec(spanName)?.[1];
  if (bracketed !== undefined) return bracketed;
  const called = METHOD.exec(spanName)?.[1] ?? spanName;
  if (kind === 'CHAIN') return CALLED_AGENT.test(called) ? called : undefined;
  return NOT_AN_AGENT.test(called) ? undefined : called;
}

/** LlamaIndex's workflow of agents names the one whose turn it is in what Python writes of its events. */
const AGENT_STEP = /^\w{1,64}\.(?:setup_agent|run_agent_step|parse_agent_output)$/;
const CURRENT_AGENT = /\bcurrent_agent_name='([^'\\]{1,128})'/;

/** A node of tools is none of an agent: what runs in it belongs to the agent that asked. */
function nodeOfMetadata(a: Attributes, kind: string | undefined): string | undefined {
  const raw = a.get('metadata');
  if (kind === 'TOOL' || typeof raw !== 'string') return undefined;
  if (!raw.includes('"langgraph_node"') && !raw.includes('"lc_agent_name"')) return undefined;
  const metadata = objectOf(raw);
  return metadata === undefined ? undefined : graphAgent(metadata);
}

/** A chain that someone called `ReviewerAgent`. */
const CALLED_AGENT = /^[A-Z][A-Za-z0-9]*Agent$/;

/** LangChain marks its plumbing (RunnableAssign<…>, output parsers) as AGENT too, when its name has "agent" in it. */
const NOT_AN_AGENT = /^Runnable|Parser$|^invocation \[/;

/** Agno and smolagents call the span after the class and the method that was called. */
const METHOD = /^([A-Za-z_]\w{0,127})\.(?:run|arun|invoke|ainvoke|stream|astream)$/;

function sessionOfMetadata(a: Attributes): string | undefined {
  const raw = a.get('metadata');
  if (typeof raw !== 'string' || !(raw.includes('session_id') || raw.includes('thread_id'))) return undefined;
  const metadata = objectOf(raw);
  return idOf(metadata?.['session_id']) ?? idOf(metadata?.['thread_id']);
}

function callDetails(a: Attributes, isCall: boolean, said: Said): Details {
  const finish = text(a, 'llm.finish_reason');
  return {
    provider: firstText(a, ['llm.provider', 'llm.system']),
    responseId: isCall ? responseIdOf(a.get('output.value')) : undefined,
    finishReasons: finish === undefined ? finishReasonsOf(a, isCall, said) : [finish],
    requestedToolCallIds: said.toolCallIds,
  };
}

function finishReasonsOf(a: Attributes, isCall: boolean, said: Said): readonly string[] | undefined {
  if (!isCall || a.has('gen_ai.response.finish_reasons')) return undefined;
  return said.finishReasons ?? finishReasonsIn(a.get('output.value'));
}

/** The Agents SDK hands over in a span of kind TOOL that has only its name. */
function toolDetails({ attributes: a, name }: SafeSpan, result: ToolOutput | undefined): Details {
  return {
    toolName:
      text(a, 'tool.name') ?? (handoffTo(name, undefined, undefined) === undefined ? undefined : name),
    toolCallId: firstId(a, ['tool.id', 'tool_call.id']) ?? result?.callId ?? calledWith(a.get('input.value')),
  };
}

/** `tool.parameters` is the tool's definition by the standard, but some frameworks put the arguments there. */
function toolTexts(a: Attributes, result: ToolOutput | undefined): Texts {
  return {
    toolArguments: asText(firstPresent(a, ['input.value', 'tool.parameters'])),
    toolResult: result?.content ?? asText(firstPresent(a, ['output.value'])),
  };
}

function stepTexts(a: Attributes, isCall: boolean, said: Said): Texts {
  return {
    completion: isCall ? said.completion : shownOutput(a.get('output.value')),
    reasoning: said.reasoning ?? text(a, 'thought'),
  };
}

function shownOutput(output: AttributeValue | undefined): string | undefined {
  const outcome = outcomeOf(output);
  return outcome === undefined ? asText(output) : outcome.completion;
}

/** The answer's body: what its span says, be it in the words of another convention, goes before what the body says. */
function bodyUnless(a: Attributes, key: string): AttributeValue | undefined {
  return a.has(key) ? undefined : a.get('output.value');
}

interface Models {
  readonly requestModel?: string | undefined;
  readonly responseModel?: string | undefined;
}

/**
 * `llm.model_name` is the model that answered to some instrumentations, and to others the one that was asked for: then
 * the answer's body names its snapshot. Of a call that failed, or streamed, only what it was called with says it.
 */
function modelsOf(a: Attributes): Models {
  const named = firstText(a, RESPONSE_MODEL);
  const answering = answeringModel(a.get('output.value'), named);
  const parameter = parameterModel(a);
  const asked =
    firstText(a, REQUEST_MODEL) ??
    parameter ??
    (answering === undefined || answering === named ? undefined : named);
  return {
    requestModel: asked ?? (named === undefined ? modelIn(a.get('input.value')) : undefined),
    // Named as it was called, by its parameters alone, nobody has said that it answered.
    responseModel: answering ?? (named === parameter ? undefined : named),
  };
}

function parameterModel(a: Attributes): string | undefined {
  const parameters = a.get('llm.invocation_parameters');
  return typeof parameters === 'object' ? modelIn(JSON.stringify(parameters)) : modelIn(parameters);
}

/** LangChain's instrumentation leaves the ids of the calls that a tool's messages answer to the body as well. */
function heardOf(a: Attributes, isCall: boolean): Heard {
  const heard = heardIndexed(a, 'llm.input_messages.');
  const input = a.get('input.value');
  const isByTool = heard.byUser !== true && heard.toolResultIds === undefined;
  const lacksIds = isCall && isByTool && typeof input === 'string' && input.includes('"tool_call_id"');
  if (input === undefined || (heard.prompt !== undefined && !lacksIds)) return heard;
  const inBody = readConversation(input);
  if (heard.prompt === undefined) return inBody;
  return inBody.toolResultIds === undefined
    ? heard
    : { ...heard, toolResultIds: inBody.toolResultIds, texts: inBody.texts };
}

const NOTHING_SAID: Said = {};
/** LangChain's instrumentation leaves out the ids of the calls. */
const FIRST_CALL = 'llm.output_messages.0.message.tool_calls.0.tool_call.function.name';

/**
 * Chat completions keep reasoning, and ids of tool calls, only in the raw body, so that is read when the messages have
 * none.
 */
function saidOf(a: Attributes): Said {
  const said = saidIndexed(a, 'llm.output_messages.');
  const body = a.get('output.value');
  const isWhole =
    said.completion !== undefined &&
    (said.reasoning !== undefined || !hasReasoning(body)) &&
    (said.toolCallIds !== undefined || !a.has(FIRST_CALL));
  if (isWhole || body === undefined) return said;
  const fromBody = readSaid(body);
  return {
    completion: said.completion ?? fromBody.completion,
    reasoning: said.reasoning ?? fromBody.reasoning,
    toolCallIds: said.toolCallIds ?? fromBody.toolCallIds,
    calls: said.calls ?? fromBody.calls,
    finishReasons: said.finishReasons ?? fromBody.finishReasons,
  };
}

const REASONING = ['"reasoning', '"thinking"', '"thought"'];

function hasReasoning(body: unknown): boolean {
  return typeof body === 'string' && REASONING.some((key) => body.includes(key));
}
