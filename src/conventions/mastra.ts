import type { NodeType } from '../model/node.ts';
import { parseTime } from '../model/time.ts';
import type { Convention, PartialStep, SafeSpan } from './convention.ts';
import { readConversation } from './conversation.ts';
import { objectOf } from './json.ts';
import { readSaid } from './messages.ts';
import { asText, firstId, text } from './read.ts';

/** Mastra's OpenTelemetry exporter: `mastra.*` beside gen_ai. https://mastra.ai/docs/observability */
export const mastra: Convention = {
  name: 'mastra',
  signs: { keyPrefixes: ['mastra.'] },
  interpret,
};

/**
 * `model_generation` holds the steps of one answer, and the `model_inference` below it is the call; older
 * versions had only the former, which then shows as a step with its usage in the details.
 */
const TYPES: ReadonlyMap<string, NodeType> = new Map([
  ['model_inference', 'LLM_CALL'],
  ['tool_call', 'TOOL_CALL'],
  ['mcp_tool_call', 'TOOL_CALL'],
  ['provider_tool_call', 'TOOL_CALL'],
]);

function interpret(span: SafeSpan): PartialStep {
  const a = span.attributes;
  const kind = text(a, 'mastra.span.type');
  const type = kind === undefined ? undefined : (TYPES.get(kind) ?? 'OTHER');
  const isTool = type === 'TOOL_CALL';
  const input = kind === undefined ? undefined : a.get(`mastra.${kind}.input`);
  const output = kind === undefined ? undefined : a.get(`mastra.${kind}.output`);
  const said = isTool || output === undefined ? {} : readSaid(output);
  return {
    type,
    container: type === 'OTHER' && kind !== 'model_chunk' ? true : undefined,
    details: {
      toolCallId: isTool ? firstId(a, ['mastra.metadata.toolCallId']) : undefined,
      timeToFirstTokenMs: firstTokenMs(span),
    },
    texts: isTool
      ? { toolArguments: asText(input), toolResult: asText(output) }
      : {
          prompt: input === undefined ? undefined : readConversation(input).prompt,
          completion: said.completion,
          reasoning: reasoningOf(output) ?? said.reasoning,
        },
  };
}

function reasoningOf(output: unknown): string | undefined {
  const text = objectOf(output)?.['reasoningText'];
  return typeof text === 'string' && text !== '' ? text : undefined;
}

function firstTokenMs(span: SafeSpan): number | undefined {
  const time = parseTime(span.attributes.get('mastra.completion_start_time'));
  return time === undefined || time < span.start ? undefined : time - span.start;
}
