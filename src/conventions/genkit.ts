import type { NodeType } from '../model/node.ts';
import type { Convention, PartialStep, SafeSpan, Usage } from './convention.ts';
import { readConversation } from './conversation.ts';
import { objectOf } from './json.ts';
import { readSaid } from './messages.ts';
import { asText, countOf, isObject, text } from './read.ts';

/** Firebase Genkit: `genkit:*`. https://genkit.dev/docs/observability/overview/ */
export const genkit: Convention = {
  name: 'genkit',
  signs: { keyPrefixes: ['genkit:'], scopePrefixes: ['genkit-tracer'] },
  interpret,
};

const SUBTYPES: ReadonlyMap<string, NodeType> = new Map([
  ['model', 'LLM_CALL'],
  ['background-model', 'LLM_CALL'],
  ['tool', 'TOOL_CALL'],
  ['tool.v2', 'TOOL_CALL'],
]);

function interpret(span: SafeSpan): PartialStep {
  const a = span.attributes;
  const type = SUBTYPES.get(text(a, 'genkit:metadata:subtype') ?? '') ?? 'OTHER';
  const isCall = type === 'LLM_CALL';
  const isTool = type === 'TOOL_CALL';
  const input = a.get('genkit:input');
  const output = a.get('genkit:output');
  const said = isCall && output !== undefined ? readSaid(output) : {};
  return {
    type,
    container: type === 'OTHER' ? true : undefined,
    responseModel: isCall ? text(a, 'genkit:name') : undefined,
    usage: isCall ? usageOf(objectOf(output)?.['usage']) : undefined,
    status: text(a, 'genkit:state') === 'error' ? 'ERROR' : undefined,
    details: {
      toolName: isTool ? text(a, 'genkit:name') : undefined,
      finishReasons: said.finishReasons,
      requestedToolCallIds: said.toolCallIds,
    },
    texts: isTool
      ? { toolArguments: asText(input), toolResult: asText(output) }
      : {
          prompt: input === undefined ? undefined : readConversation(input).prompt,
          completion: isCall ? said.completion : asText(output),
          reasoning: said.reasoning,
        },
  };
}

function usageOf(value: unknown): Usage | undefined {
  if (!isObject(value)) return undefined;
  return {
    tokensIn: countOf(value['inputTokens']),
    tokensOut: countOf(value['outputTokens']),
    cacheReadTokens: countOf(value['cachedContentTokens']),
    reasoningTokens: countOf(value['thoughtsTokens']),
  };
}
