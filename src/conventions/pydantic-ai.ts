import { isObject, type JsonObject } from '../base/json.ts';
import type { Attributes } from '../model/attributes.ts';
import type { NodeStatus, NodeType } from '../model/node.ts';
import type { Convention, PartialStep, SafeSpan } from './convention.ts';
import { readConversation } from './conversation.ts';
import { objectOf, structure } from './json.ts';
import { readHeard, readSaid, type Heard, type Said } from './messages.ts';
import { asText, costOf, firstId, firstPresent, numberOf, text, textOf } from './read.ts';
import { readUsage, type UsageKeys } from './usage-keys.ts';

/** Pydantic AI and Logfire, beside gen_ai. https://ai.pydantic.dev/logfire/ */
export const pydanticAi: Convention = {
  name: 'pydantic-ai',
  signs: { keyPrefixes: ['logfire.', 'pydantic_ai.'], scopePrefixes: ['pydantic-ai', 'logfire.'] },
  interpret,
};

/** One tool, whose name may stand in the message alone; parallel ones are in a span around them. */
const TOOL = /^running tool(?:$|: | )|^execute_tool /;
const TOOLS = /^running (?:\d+ )?tools$/;

function interpret(span: SafeSpan): PartialStep {
  const a = span.attributes;
  const { type, container, wrapper } = kindOf(span);
  const common: PartialStep = {
    name: messageOf(span),
    type,
    container,
    wrapper,
    agent: text(a, 'agent_name'),
    requestModel: text(a, 'model_name') ?? textOf(objectOf(a.get('request_data'))?.['model']),
    usage: readUsage(a, AGGREGATED_USAGE),
    costUsd: costOf(a.get('operation.cost')),
    status: statusOf(a),
  };
  if (wrapper === true) return common;
  if (type === 'TOOL_CALL') return { ...common, ...toolOf(a, span.name) };
  const { heard, said } = container === true ? runOf(a) : callOf(a);
  return {
    ...common,
    heard,
    asked: said.calls,
    details: { requestedToolCallIds: said.toolCallIds, finishReasons: said.finishReasons },
    texts: { completion: asText(a.get('final_result')) ?? said.completion, reasoning: said.reasoning },
  };
}

/** Logfire names a span by the template of its message; a reader wants the message. */
function messageOf({ name, attributes }: SafeSpan): string | undefined {
  return name.includes('{') ? text(attributes, 'logfire.msg') : undefined;
}

/** A call instrumented by Logfire itself is known by the request that it keeps. */
function kindOf(span: SafeSpan): {
  readonly type?: NodeType;
  readonly container?: true;
  readonly wrapper?: true;
} {
  const a = span.attributes;
  if (TOOL.test(span.name)) return { type: 'TOOL_CALL' };
  if (TOOLS.test(span.name)) return { type: 'OTHER', wrapper: true };
  if (a.has('agent_name') || a.has('pydantic_ai.all_messages') || a.has('all_messages_events'))
    return { type: 'OTHER', container: true };
  if (a.has('request_data') && (a.has('response_data') || a.has('gen_ai.request.model')))
    return { type: 'LLM_CALL' };
  return {};
}

const AGGREGATED = 'gen_ai.aggregated_usage.';
const CACHE_READ = [`${AGGREGATED}cache_read.input_tokens`, `${AGGREGATED}details.cache_read_tokens`];
const CACHE_WRITE = [
  `${AGGREGATED}cache_write.input_tokens`,
  `${AGGREGATED}cache_creation.input_tokens`,
  `${AGGREGATED}details.cache_write_tokens`,
];
const REASONING = [`${AGGREGATED}reasoning.output_tokens`, `${AGGREGATED}details.reasoning_tokens`];

/** What the calls of an agent run used together, under names of its own so that nobody adds it up twice. */
const AGGREGATED_USAGE: UsageKeys = {
  tokensIn: [`${AGGREGATED}input_tokens`],
  tokensOut: [`${AGGREGATED}output_tokens`],
  cacheReadTokens: CACHE_READ,
  cacheWriteTokens: CACHE_WRITE,
  reasoningTokens: REASONING,
};

/** Logfire gives every span a level, in the numbers of OpenTelemetry's severities. */
function statusOf(a: Attributes): NodeStatus | undefined {
  const level = numberOf(a.get('logfire.level_num'));
  if (level === undefined || level < WARN) return undefined;
  return level < ERROR ? 'WARNING' : 'ERROR';
}

const WARN = 13;
const ERROR = 17;

function toolOf(a: Attributes, spanName: string): PartialStep {
  return {
    details: {
      toolName:
        text(a, 'gen_ai.tool.name') ??
        textOf(spanName.replace(TOOL, '')) ??
        textOf(text(a, 'logfire.msg')?.replace(TOOL, '')),
      toolCallId: firstId(a, ['gen_ai.tool.call.id', 'tool_call_id']),
    },
    texts: {
      toolArguments: asText(firstPresent(a, ['gen_ai.tool.call.arguments', 'tool_arguments'])),
      toolResult: asText(firstPresent(a, ['gen_ai.tool.call.result', 'tool_response'])),
    },
  };
}

interface Exchange {
  readonly heard: Heard | undefined;
  readonly said: Said;
}

/** The whole history: only what the user asked is new in it. */
function runOf(a: Attributes): Exchange {
  const history = a.get('pydantic_ai.all_messages');
  if (history !== undefined) return { heard: readConversation(history), said: {} };
  return { heard: readEvents(a.get('all_messages_events')).heard, said: {} };
}

function callOf(a: Attributes): Exchange {
  const old = readEvents(a.get('events'));
  const request = a.get('request_data');
  const response = objectOf(a.get('response_data'));
  return {
    heard: old.heard ?? (request === undefined ? undefined : readConversation(request)),
    said: response === undefined ? old.said : readResponse(response),
  };
}

function readResponse(response: JsonObject): Said {
  const streamed = textOf(response['combined_chunk_content']);
  return streamed === undefined ? readSaid(response) : readSaid([{ role: 'assistant', content: streamed }]);
}

/** Before there were messages there was a list of events: one of each message, the answer as a `gen_ai.choice`. */
function readEvents(value: unknown): Exchange {
  const events = value === undefined ? undefined : structure(value);
  if (!Array.isArray(events)) return { heard: undefined, said: {} };
  const objects: readonly JsonObject[] = events.filter(isObject);
  const choices = objects.filter(isChoice).map((event) => event['message']);
  return {
    heard: readHeard(objects.filter((event) => !isChoice(event))),
    said: choices.length === 0 ? {} : readSaid(choices),
  };
}

function isChoice(event: JsonObject): boolean {
  return event['event.name'] === 'gen_ai.choice';
}
