import type { JsonObject } from '../base/json.ts';
import type { AttributeValue, Attributes } from '../model/attributes.ts';
import type { NodeType } from '../model/node.ts';
import type { Convention, Details, PartialStep, SafeSpan, Texts } from './convention.ts';
import { readConversation } from './conversation.ts';
import { resultText } from './message-walk.ts';
import { readHeard, readSaid, type Heard, type Said } from './messages.ts';
import {
  asText,
  firstCost,
  firstCount,
  firstId,
  firstPresent,
  firstSeconds,
  firstText,
  idOf,
  text,
  textOf,
  wordsOf,
} from './read.ts';
import { structure } from './json.ts';
import { toldByEvents, type ToldByEvents } from './span-events.ts';
import { conversation } from './task.ts';
import { readUsage, type UsageKeys } from './usage-keys.ts';

/**
 * OpenTelemetry's GenAI semantic conventions, status Development: today's names and the ones they had before,
 * both still sent. Spoken by AI SDK 7, the contrib instrumentations, and many agent frameworks.
 * https://github.com/open-telemetry/semantic-conventions-genai
 */
export const genAi: Convention = {
  name: 'gen_ai',
  signs: { keyPrefixes: ['gen_ai.', 'anthropic.message.', 'anthropic.tool_result.'] },
  interpret,
};

interface Operation {
  readonly type: NodeType;
  readonly container?: true;
  readonly wrapper?: true;
}

const CALL: Operation = { type: 'LLM_CALL' };
const TOOL: Operation = { type: 'TOOL_CALL' };
const CONTAINER: Operation = { type: 'OTHER', container: true };
const STEP: Operation = { type: 'OTHER', container: true, wrapper: true };
const CHUNK: Operation = { type: 'OTHER', wrapper: true };
const OTHER: Operation = { type: 'OTHER' };

/** `gen_ai.operation.name`: the standard's values, and those that frameworks send besides. */
const OPERATIONS: ReadonlyMap<string, Operation> = new Map([
  ['chat', CALL],
  ['generate_content', CALL],
  ['text_completion', CALL],
  ['completion', CALL],
  ['generate', CALL],
  ['call_llm', CALL],
  ['llm_call', CALL],
  ['model_inference', CALL],
  ['execute_tool', TOOL],
  ['tool_call', TOOL],
  ['handoff', TOOL],
  ['invoke_agent', CONTAINER],
  ['create_agent', CONTAINER],
  ['invoke_workflow', CONTAINER],
  ['agent_call', CONTAINER],
  ['agent_step', STEP],
  ['model_generation', CONTAINER],
  ['schedule_tool_calls', CONTAINER],
  ['chain', CONTAINER],
  ['plan', { type: 'REFLEXION_ACTION', container: true }],
  ['user_prompt', { type: 'USER_QUERY', container: true }],
  ['embeddings', OTHER],
  ['retrieval', OTHER],
  ['rerank', OTHER],
  ['create_memory', OTHER],
  ['search_memory', OTHER],
  ['update_memory', OTHER],
  ['delete_memory', OTHER],
  ['system_prompt', OTHER],
  ['model_chunk', CHUNK],
  ['guardrail.run', OTHER],
  ['guard', OTHER],
]);

const TOKENS_IN = ['gen_ai.usage.input_tokens', 'gen_ai.usage.prompt_tokens'];
const TOKENS_OUT = ['gen_ai.usage.output_tokens', 'gen_ai.usage.completion_tokens'];
const CACHE_READ = [
  'gen_ai.usage.cache_read.input_tokens',
  'gen_ai.usage.cache_read_input_tokens',
  'gen_ai.usage.cached_input_tokens',
  'gen_ai.usage.details.cache_read_tokens',
  'gen_ai.usage.prompt_tokens_details.cache_read',
];
const CACHE_WRITE = [
  'gen_ai.usage.cache_write.input_tokens',
  'gen_ai.usage.cache_creation.input_tokens',
  'gen_ai.usage.cache_creation_input_tokens',
  'gen_ai.usage.cache_write_tokens',
  'gen_ai.usage.details.cache_write_tokens',
];
const REASONING_TOKENS = [
  'gen_ai.usage.reasoning.output_tokens',
  'gen_ai.usage.reasoning_tokens',
  'gen_ai.usage.details.reasoning_tokens',
  'gen_ai.usage.completion_tokens_details.reasoning',
];
const COST = [
  'gen_ai.usage.cost',
  'gen_ai.usage.cost_usd',
  'gen_ai.usage.cost.total',
  'gen_ai.usage.total_cost',
];
const FIRST_CHUNK_SECONDS = [
  'gen_ai.response.time_to_first_chunk',
  'gen_ai.client.operation.time_to_first_chunk',
  'gen_ai.server.time_to_first_token',
];
const TOOL_CALL_ID = ['gen_ai.tool.call.id', 'gen_ai.tool.call_id'];
const GIVEN_ARGUMENTS = ['gen_ai.tool.call.arguments', 'gen_ai.tool.args', 'gen_ai.tool.input'];
const TOOL_ARGUMENTS = [...GIVEN_ARGUMENTS, 'input.value', 'gen_ai.prompt'];
const TOOL_RESULT = [
  'gen_ai.tool.call.result',
  'gen_ai.tool.output',
  'gen_ai.output',
  'output.value',
  'gen_ai.completion',
  'anthropic.tool_result.content',
];
const INPUT = ['gen_ai.input.messages', 'gen_ai.prompt', 'gen_ai.content.prompt'];
const OUTPUT = ['gen_ai.output.messages', 'gen_ai.completion', 'gen_ai.content.completion', 'gen_ai.output'];
const THOUGHT = ['gen_ai.content.reasoning', 'gen_ai.agent.thinking', 'gen_ai.response.reasoning', 'thought'];
const FINISH = [
  'gen_ai.response.finish_reasons',
  'gen_ai.response.finish_reason',
  'anthropic.message.stop_reason',
];

const NOTHING_SAID: Said = {};

const USAGE: UsageKeys = {
  tokensIn: TOKENS_IN,
  tokensOut: TOKENS_OUT,
  cacheReadTokens: CACHE_READ,
  cacheWriteTokens: CACHE_WRITE,
  reasoningTokens: REASONING_TOKENS,
};

function interpret(span: SafeSpan): PartialStep {
  const step = readGenAi(span.attributes);
  const told = toldByEvents(span);
  return told === undefined ? step : withEvents(step, told);
}

/** Strands and the older contrib instrumentations tell of messages, arguments and results in events of the span. */
function withEvents(step: PartialStep, { messages, choices, details }: ToldByEvents): PartialStep {
  const whole = details === undefined ? undefined : readGenAi(details);
  if (step.type === 'TOOL_CALL') {
    const [given, answer] = [messages.at(-1), choices.at(-1)];
    return {
      ...step,
      details: {
        ...step.details,
        toolCallId: step.details?.toolCallId ?? idOf(given?.['id'] ?? answer?.['id']),
      },
      texts: {
        toolArguments:
          step.texts?.toolArguments ?? contentOf(given) ?? whole?.texts?.prompt ?? whole?.heard?.prompt,
        toolResult: step.texts?.toolResult ?? contentOf(answer) ?? whole?.texts?.completion,
      },
    };
  }
  const said = choices.length === 0 ? NOTHING_SAID : readSaid(choices);
  return {
    ...step,
    heard: step.heard ?? (messages.length === 0 ? whole?.heard : readHeard(messages)),
    asked: step.asked ?? said.calls ?? whole?.asked,
    details: {
      ...step.details,
      finishReasons: step.details?.finishReasons ?? said.finishReasons ?? whole?.details?.finishReasons,
      requestedToolCallIds:
        step.details?.requestedToolCallIds ?? said.toolCallIds ?? whole?.details?.requestedToolCallIds,
    },
    texts: {
      completion: step.texts?.completion ?? said.completion ?? whole?.texts?.completion,
      reasoning: step.texts?.reasoning ?? said.reasoning ?? whole?.texts?.reasoning,
    },
  };
}

function contentOf(message: JsonObject | undefined): string | undefined {
  const content = message?.['content'];
  return content === undefined || content === null ? undefined : textOf(resultText(content));
}

/** What the attributes of a span, or of a log record that tells the same, say. */
export function readGenAi(a: Attributes): PartialStep {
  const operation = operationOf(a);
  // A call that names the tool that it asks for is a call.
  const isTool =
    operation?.type === 'TOOL_CALL' || (operation?.type !== 'LLM_CALL' && a.has('gen_ai.tool.name'));
  const heard = isTool ? undefined : heardOf(a);
  const answer = isTool ? NOTHING_SAID : saidOf(a);
  const isBeside = !isTool && a.has('gen_ai.tool.call.id') && answer.toolCallIds === undefined;
  const said = isBeside ? askedBeside(a, answer) : answer;
  return {
    type: operation?.type ?? (isTool ? 'TOOL_CALL' : undefined),
    container: operation?.container,
    wrapper: operation?.wrapper,
    agent: text(a, 'gen_ai.agent.name') ?? readableId(text(a, 'gen_ai.agent.id')),
    requestModel: text(a, 'gen_ai.request.model'),
    responseModel: text(a, 'gen_ai.response.model'),
    task: conversation(text(a, 'gen_ai.conversation.id')),
    usage: readUsage(a, USAGE),
    status: isTool && FAILED.has(text(a, 'tool.status')?.toLowerCase() ?? '') ? 'ERROR' : undefined,
    costUsd: firstCost(a, COST),
    details: detailsOf(a, isTool, said),
    texts: isTool ? toolTexts(a) : callTexts(a, said),
    heard,
    asked: said.calls,
  };
}

/** How Strands says that a tool failed, on a span whose status is OK. */
const FAILED = new Set(['error', 'failure', 'failed']);

/** Some senders name the agent only by its id; a generated one tells a reader nothing. */
function readableId(id: string | undefined): string | undefined {
  return id === undefined || /^[0-9a-f]{8}-[0-9a-f-]{27}$/i.test(id) ? undefined : id;
}

function operationOf(a: Attributes): Operation | undefined {
  const name = text(a, 'gen_ai.operation.name');
  if (name === undefined && a.has('event_loop.cycle_id')) return STEP;
  const known = name === undefined ? undefined : OPERATIONS.get(name);
  if (known !== undefined) return known;
  // An older sender without operation: naming a model and what was said or used is a call to it.
  const isCall =
    a.has('gen_ai.request.model') &&
    !a.has('gen_ai.agent.name') &&
    (name !== undefined || a.has('gen_ai.response.model') || firstCount(a, TOKENS_IN) !== undefined);
  return isCall ? CALL : undefined;
}

function detailsOf(a: Attributes, isTool: boolean, said: Said): Details {
  return {
    provider: firstText(a, ['gen_ai.provider.name', 'gen_ai.system']),
    operation: text(a, 'gen_ai.operation.name'),
    responseId: text(a, 'gen_ai.response.id'),
    finishReasons: wordsOf(firstPresent(a, FINISH)) ?? said.finishReasons,
    toolName: isTool ? (text(a, 'gen_ai.tool.name') ?? handoffIn(a)) : undefined,
    toolCallId: isTool ? firstId(a, TOOL_CALL_ID) : undefined,
    toolType: isTool ? text(a, 'gen_ai.tool.type') : undefined,
    requestedToolCallIds: said.toolCallIds,
    timeToFirstTokenMs: isTool ? undefined : firstSeconds(a, FIRST_CHUNK_SECONDS),
  };
}

/** OpenLLMetry names the agent that is handed over to where its SDK already says it. */
function handoffIn(a: Attributes): string | undefined {
  if (text(a, 'gen_ai.operation.name') !== 'handoff') return undefined;
  const agent = text(a, 'gen_ai.handoff.to_agent');
  return agent === undefined || agent === 'unknown' ? 'handoff' : `handoff to ${agent}`;
}

function toolTexts(a: Attributes): Texts {
  return {
    toolArguments: asText(firstPresent(a, TOOL_ARGUMENTS)),
    toolResult: asText(firstPresent(a, TOOL_RESULT)),
  };
}

function callTexts(a: Attributes, said: Said): Texts {
  return {
    completion: said.completion,
    reasoning: said.reasoning ?? firstText(a, THOUGHT),
  };
}

/** OpenLIT names what a call asked for beside its answer: names, ids and arguments, each as a list in one text. */
function askedBeside(a: Attributes, said: Said): Said {
  const names = listOf(text(a, 'gen_ai.tool.name'));
  const inputs = structure(`[${asText(firstPresent(a, GIVEN_ARGUMENTS)) ?? ''}]`);
  const calls = names.map((name, place) => ({
    name,
    arguments: Array.isArray(inputs) ? (inputs[place] as unknown) : undefined,
  }));
  const asked = readSaid({ role: 'assistant', tool_calls: calls });
  const ids = wordsOf(firstPresent(a, TOOL_CALL_ID))?.flatMap(listOf);
  return {
    ...said,
    completion: said.completion ?? asked.completion,
    calls: said.calls ?? asked.calls,
    toolCallIds: ids,
  };
}

function listOf(listed: string | undefined): readonly string[] {
  return listed?.split(/, ?/).filter((item) => item !== '') ?? [];
}

function heardOf(a: Attributes): Heard | undefined {
  const messages = firstPresent(a, INPUT);
  return messages === undefined ? undefined : readConversation(messages);
}

function saidOf(a: Attributes): Said {
  const output: AttributeValue | undefined = firstPresent(a, OUTPUT);
  return output === undefined ? NOTHING_SAID : readSaid(output);
}
