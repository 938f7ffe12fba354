import { isObject } from '../base/json.ts';
import type { AttributeValue } from '../model/attributes.ts';
import type { NodeType } from '../model/node.ts';
import type { Convention, PartialStep, SafeSpan, Usage } from './convention.ts';
import { readConversation } from './conversation.ts';
import { objectOf, structure } from './json.ts';
import { readSaid } from './messages.ts';
import { asText, countOf, firstId, text, textOf } from './read.ts';
import { conversation } from './task.ts';

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
  ['evaluator', 'REFLEXION_ACTION'],
]);
/** Helpers of the framework: the `generate` among them repeats what the model inside it said and used. */
const HELPER_TYPES = new Set(['util', 'helper']);
const AGENT_SUBTYPES = new Set(['flow', 'agent', 'executable-prompt', 'prompt']);

function interpret(span: SafeSpan): PartialStep {
  const a = span.attributes;
  const subtype = text(a, 'genkit:metadata:subtype') ?? '';
  const isHelper = HELPER_TYPES.has(text(a, 'genkit:type') ?? '') || subtype === 'util';
  const type = isHelper ? 'OTHER' : (SUBTYPES.get(subtype) ?? 'OTHER');
  const isCall = type === 'LLM_CALL';
  const isTool = type === 'TOOL_CALL';
  const input = a.get('genkit:input');
  const output = a.get('genkit:output');
  const said = isCall && output !== undefined ? readSaid(output) : {};
  return {
    type,
    container: type === 'OTHER' ? true : undefined,
    wrapper: isHelper ? true : undefined,
    agent: AGENT_SUBTYPES.has(subtype) ? text(a, 'genkit:name') : undefined,
    requestModel: isCall ? text(a, 'genkit:name') : undefined,
    task: conversation(firstId(a, ['genkit:sessionId', 'genkit:threadId', 'genkit:metadata:sessionId'])),
    usage: isCall ? usageOf(objectOf(output)?.['usage']) : undefined,
    status: text(a, 'genkit:state') === 'error' ? 'ERROR' : undefined,
    heard: isTool || input === undefined ? undefined : readConversation(input),
    asked: said.calls,
    details: {
      toolName: isTool ? text(a, 'genkit:name') : undefined,
      finishReasons: said.finishReasons,
      requestedToolCallIds: said.toolCallIds,
    },
    texts: isTool
      ? { toolArguments: asText(input), toolResult: asText(output) }
      : { completion: isCall ? said.completion : plainText(output), reasoning: said.reasoning },
  };
}

/** Outputs are JSON; one that is a text is shown without its quotes. */
function plainText(output: AttributeValue | undefined): string | undefined {
  return textOf(structure(output)) ?? asText(output);
}

/** The plugins of some providers count thoughts beside the output; the total tells. */
function usageOf(value: unknown): Usage | undefined {
  if (!isObject(value)) return undefined;
  const tokensIn = countOf(value['inputTokens']);
  const output = countOf(value['outputTokens']);
  if (tokensIn === undefined && output === undefined) return undefined;
  const reasoningTokens = countOf(value['thoughtsTokens']);
  const total = countOf(value['totalTokens']);
  const isApart =
    reasoningTokens !== undefined && total === (tokensIn ?? 0) + (output ?? 0) + reasoningTokens;
  return {
    tokensIn,
    tokensOut: isApart ? (output ?? 0) + reasoningTokens : output,
    cacheReadTokens: countOf(value['cachedContentTokens']),
    reasoningTokens,
  };
}
