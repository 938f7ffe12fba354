import type { AttributeValue } from '../../model/attributes.ts';
import type { StepTexts } from '../../model/facts.ts';
import type { ExplanationNode, NodeType } from '../../model/node.ts';

const OPERATIONS: { readonly [type in NodeType]?: string } = { LLM_CALL: 'chat', TOOL_CALL: 'execute_tool' };

/** A node in the words of OpenTelemetry's GenAI semantic conventions, as far as they have any. */
export function genAiAttributes(
  node: ExplanationNode,
  texts: StepTexts = {},
): ReadonlyMap<string, AttributeValue> {
  const { details = {}, type } = node;
  const isCall = type === 'LLM_CALL';
  const said: { readonly [key: string]: unknown } = {
    'gen_ai.operation.name': details['operation'] ?? OPERATIONS[type],
    'gen_ai.provider.name': details['provider'],
    'gen_ai.agent.name': node.agent,
    'gen_ai.conversation.id': details['sessionId'],
    'gen_ai.request.model': details['requestModel'] ?? node.model,
    'gen_ai.response.model': details['responseModel'],
    'gen_ai.response.id': details['responseId'],
    'gen_ai.response.finish_reasons': details['finishReasons'],
    'gen_ai.usage.input_tokens': node.tokensIn,
    'gen_ai.usage.output_tokens': node.tokensOut,
    'gen_ai.usage.cache_read.input_tokens': details['cacheReadTokens'],
    'gen_ai.usage.cache_creation.input_tokens': details['cacheWriteTokens'],
    'gen_ai.usage.reasoning.output_tokens': details['reasoningTokens'],
    'gen_ai.tool.name': isCall ? undefined : details['toolName'],
    'gen_ai.tool.call.id': isCall ? undefined : details['toolCallId'],
    'gen_ai.tool.call.arguments': texts.toolArguments,
    'gen_ai.tool.call.result': texts.toolResult,
    'gen_ai.input.messages': isCall ? message('user', [textPart('text', texts.prompt)]) : undefined,
    'gen_ai.output.messages': isCall
      ? message('assistant', [textPart('reasoning', texts.reasoning), textPart('text', texts.completion)])
      : undefined,
    'error.type': node.status === 'ERROR' ? (details['errorType'] ?? '_OTHER') : undefined,
  };
  const attributes = Object.entries(said).filter(([, value]) => value !== undefined);
  return new Map(attributes as [string, AttributeValue][]);
}

type Part = { readonly type: string; readonly content: string } | undefined;

function textPart(type: string, content: string | undefined): Part {
  return content === undefined || content === '' ? undefined : { type, content };
}

/** JSON, as the conventions have it where structured attributes are not supported. */
function message(role: string, parts: readonly Part[]): string | undefined {
  const said = parts.filter((part) => part !== undefined);
  return said.length === 0 ? undefined : JSON.stringify([{ role, parts: said }]);
}
