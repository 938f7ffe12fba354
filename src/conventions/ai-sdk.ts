import type { Attributes } from '../model/attributes.ts';
import type { NodeType } from '../model/node.ts';
import type { Convention, Details, PartialStep, SafeSpan, Texts } from './convention.ts';
import { readConversation } from './conversation.ts';
import { structure } from './json.ts';
import { readSaid, type Heard } from './messages.ts';
import { asText, firstDuration, firstId, firstPresent, firstText, text } from './read.ts';
import { conversation, task } from './task.ts';
import { splitThinking } from './thinking.ts';
import { readUsage, type UsageKeys } from './usage-keys.ts';

/**
 * Vercel AI SDK 5 and 6 (and 7's legacy mode): `ai.*`. https://ai-sdk.dev/docs/ai-sdk-core/telemetry
 * Version 7 speaks gen_ai.
 */
export const aiSdk: Convention = {
  name: 'ai-sdk',
  signs: { keys: ['ai.operationId', 'ai.model.id', 'ai.toolCall.name'] },
  interpret,
};

const INNER_CALL = /^ai\.(?:generate|stream)(?:Text|Object)\.do(?:Generate|Stream)\b/;
const OUTER_LOOP = /^ai\.(?:generate|stream)(?:Text|Object)\b/;

const SESSION_ID = ['ai.telemetry.metadata.sessionId', 'ai.telemetry.metadata.threadId'];
const TOKENS_IN = ['ai.usage.inputTokens', 'ai.usage.promptTokens'];
const TOKENS_OUT = ['ai.usage.outputTokens', 'ai.usage.completionTokens'];
const CACHE_READ = ['ai.usage.inputTokenDetails.cacheReadTokens', 'ai.usage.cachedInputTokens'];
const REASONING_TOKENS = ['ai.usage.outputTokenDetails.reasoningTokens', 'ai.usage.reasoningTokens'];
const FIRST_CHUNK_MS = ['ai.response.msToFirstChunk', 'ai.stream.msToFirstChunk'];
const TEXT = ['ai.response.text', 'ai.result.text'];
const OBJECT = ['ai.response.object', 'ai.result.object'];
const CALLS = ['ai.response.toolCalls', 'ai.result.toolCalls'];

const USAGE: UsageKeys = {
  tokensIn: TOKENS_IN,
  tokensOut: TOKENS_OUT,
  cacheReadTokens: CACHE_READ,
  cacheWriteTokens: ['ai.usage.inputTokenDetails.cacheWriteTokens'],
  reasoningTokens: REASONING_TOKENS,
};

function interpret(span: SafeSpan): PartialStep {
  const a = span.attributes;
  const operation = firstText(a, ['ai.operationId', 'operation.name']) ?? span.name;
  const type = typeOf(operation);
  const isTool = type === 'TOOL_CALL';
  const heard = isTool ? undefined : heardOf(a);
  const answer = isTool ? undefined : answerOf(a);
  return {
    type,
    container: type === 'OTHER' && OUTER_LOOP.test(operation) ? true : undefined,
    agent: firstText(a, ['ai.telemetry.functionId', 'resource.name']),
    requestModel: text(a, 'ai.model.id'),
    responseModel: text(a, 'ai.response.model'),
    task:
      task(firstId(a, ['ai.telemetry.metadata.taskID', 'ai.telemetry.metadata.taskId'])) ??
      conversation(firstId(a, SESSION_ID)),
    usage: readUsage(a, USAGE),
    details: detailsOf(a, operation, isTool, answer?.toolCallIds),
    texts: isTool
      ? { toolArguments: asText(a.get('ai.toolCall.args')), toolResult: asText(a.get('ai.toolCall.result')) }
      : answer?.texts,
    heard,
    asked: answer?.calls,
  };
}

function typeOf(operation: string): NodeType | undefined {
  if (INNER_CALL.test(operation)) return 'LLM_CALL';
  if (operation.startsWith('ai.toolCall')) return 'TOOL_CALL';
  return operation.startsWith('ai.') ? 'OTHER' : undefined;
}

function detailsOf(
  a: Attributes,
  operation: string,
  isTool: boolean,
  requestedToolCallIds: readonly string[] | undefined,
): Details {
  const finish = firstText(a, ['ai.response.finishReason', 'ai.finishReason']);
  return {
    sessionId: firstId(a, SESSION_ID),
    provider: text(a, 'ai.model.provider'),
    operation: operation.split(' ', 1)[0],
    responseId: text(a, 'ai.response.id'),
    finishReasons: finish === undefined ? undefined : [finish],
    toolName: isTool ? text(a, 'ai.toolCall.name') : undefined,
    toolCallId: isTool ? text(a, 'ai.toolCall.id') : undefined,
    requestedToolCallIds,
    timeToFirstTokenMs: isTool ? undefined : firstDuration(a, FIRST_CHUNK_MS),
  };
}

function heardOf(a: Attributes): Heard | undefined {
  const messages = firstPresent(a, ['ai.prompt.messages']);
  if (messages !== undefined) return readConversation(messages);
  const prompt = firstPresent(a, ['ai.prompt', 'ai.value']);
  if (prompt === undefined) return undefined;
  const heard = readConversation(prompt);
  // A prompt without messages is what the caller's user asked.
  return heard.byUser === undefined && heard.toolResultIds === undefined ? { ...heard, byUser: true } : heard;
}

function answerOf(a: Attributes): {
  readonly texts: Texts;
  readonly toolCallIds?: readonly string[] | undefined;
  readonly calls?: readonly string[] | undefined;
} {
  const answer = firstText(a, TEXT) ?? asText(firstPresent(a, OBJECT));
  const callsValue = firstPresent(a, CALLS);
  const asked = callsValue === undefined ? undefined : toolCalls(callsValue);
  const both = [answer, asked?.completion].filter((part) => part !== undefined).join('\n');
  const completion = both === '' ? undefined : both;
  return {
    texts: splitThinking(completion, text(a, 'ai.response.reasoning')),
    toolCallIds: asked?.toolCallIds,
    calls: asked?.calls,
  };
}

function toolCalls(value: unknown): ReturnType<typeof readSaid> {
  const list = structure(value);
  return Array.isArray(list) ? readSaid([{ tool_calls: list }]) : {};
}
