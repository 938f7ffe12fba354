import { isObject } from '../base/json.ts';
import type { NodeType } from '../model/node.ts';
import { parseTime } from '../model/time.ts';
import type { Convention, PartialStep, SafeSpan } from './convention.ts';
import { readConversation } from './conversation.ts';
import { objectOf } from './json.ts';
import { readSaid, type Said } from './messages.ts';
import { asText, firstId, text, textOf } from './read.ts';
import { conversation } from './task.ts';
import { joinThoughts } from './thinking.ts';

/** Mastra's OpenTelemetry exporter: `mastra.*` beside gen_ai. https://mastra.ai/docs/observability */
export const mastra: Convention = {
  name: 'mastra',
  signs: { keyPrefixes: ['mastra.'] },
  interpret,
};

const TOOL_KINDS = new Set(['tool_call', 'mcp_tool_call', 'provider_tool_call', 'client_tool_call']);
/** Phases of a generation: what they hold, the generation and its calls hold too. */
const WRAPPERS = new Set(['model_step', 'model_chunk']);

function interpret(span: SafeSpan): PartialStep {
  const a = span.attributes;
  const kind = text(a, 'mastra.span.type')?.toLowerCase();
  const type = typeOf(kind, text(a, 'gen_ai.operation.name'));
  const isTool = type === 'TOOL_CALL';
  const isWrapper = kind !== undefined && WRAPPERS.has(kind);
  const input = kind === undefined || isWrapper ? undefined : a.get(`mastra.${kind}.input`);
  const output = kind === undefined || isWrapper ? undefined : a.get(`mastra.${kind}.output`);
  const said =
    kind === 'model_chunk' ? chunkOf(span) : isTool || output === undefined ? {} : readSaid(output);
  return {
    type,
    container: type === 'OTHER' && kind !== 'model_chunk' ? true : undefined,
    wrapper: isWrapper ? true : undefined,
    task: conversation(firstId(a, SESSION_ID)),
    heard: isTool || input === undefined ? undefined : readConversation(input),
    details: {
      toolCallId: isTool ? firstId(a, ['mastra.metadata.toolCallId']) : undefined,
      timeToFirstTokenMs: firstTokenMs(span),
      errorMessage: text(a, 'error.message'),
      requestedToolCallIds: said.toolCallIds,
      userId: firstId(a, USER_ID),
    },
    texts: isTool
      ? { toolArguments: asText(input), toolResult: asText(output) }
      : { completion: said.completion, reasoning: reasoningOf(output) ?? said.reasoning },
  };
}

/** A resource owns the threads of a memory: it is the user, as a rule. */
const USER_ID = ['mastra.metadata.userId', 'mastra.metadata.resourceId'];
const SESSION_ID = ['mastra.metadata.sessionId', 'mastra.metadata.threadId'];

const NOTHING_SAID: Said = {};
/** A chunk is named after its kind only where no agent gives it its name. */
const REASONING_CHUNK = /^chunk:? '?reasoning'?$/;

/** What a call says nothing of by itself: the tool call that was streamed, the thoughts. */
function chunkOf({ name, attributes: a }: SafeSpan): Said {
  const output = objectOf(a.get('mastra.model_chunk.output'));
  // The chunk of a tool's result has the id of its call beside it.
  if (output === undefined || a.has('mastra.metadata.toolCallId')) return NOTHING_SAID;
  const { toolCallId, toolName, toolInput, args } = output;
  if (toolName !== undefined)
    return readSaid([{ tool_calls: [{ toolCallId, toolName, args: toolInput ?? args }] }]);
  return REASONING_CHUNK.test(name) ? { reasoning: textOf(output['text']) } : NOTHING_SAID;
}

/**
 * The exporter names the span that is the call to the model `chat`: `model_inference`, or in older versions, which
 * lack it, the `model_generation` that holds all steps of an answer.
 */
function typeOf(kind: string | undefined, operation: string | undefined): NodeType | undefined {
  if (kind === undefined) return undefined;
  if (TOOL_KINDS.has(kind)) return 'TOOL_CALL';
  if (kind === 'model_inference') return 'LLM_CALL';
  return kind === 'model_generation' && operation === 'chat' ? 'LLM_CALL' : 'OTHER';
}

/** Beside the text, as text or in the pieces that were streamed. */
function reasoningOf(output: unknown): string | undefined {
  const said = objectOf(output);
  const whole = textOf(said?.['reasoningText']);
  const pieces = said?.['reasoning'];
  if (whole !== undefined || !Array.isArray(pieces)) return whole;
  return textOf(joinThoughts(pieces.map(pieceOf)));
}

function pieceOf(piece: unknown): string {
  const payload = isObject(piece) ? piece['payload'] : undefined;
  return (isObject(payload) ? textOf(payload['text']) : undefined) ?? '';
}

function firstTokenMs(span: SafeSpan): number | undefined {
  const time = parseTime(span.attributes.get('mastra.completion_start_time'));
  return time === undefined || time < span.start ? undefined : time - span.start;
}
