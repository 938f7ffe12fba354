import type { Attributes } from '../model/attributes.ts';
import type { NodeType } from '../model/node.ts';
import type { Convention, PartialStep, SafeSpan } from './convention.ts';
import { readConversation } from './conversation.ts';
import { readSaid } from './messages.ts';
import { asText, costOf, firstCount, firstPresent, text, textOf } from './read.ts';

/** Pydantic AI and Logfire, beside gen_ai. https://ai.pydantic.dev/logfire/ */
export const pydanticAi: Convention = {
  name: 'pydantic-ai',
  signs: { keyPrefixes: ['logfire.', 'pydantic_ai.'], scopePrefixes: ['pydantic-ai'] },
  interpret,
};

const TOOL = /^running tool(?:: | )|^execute_tool /;
const TOOLS = /^running (?:\d+ )?tools/;

function interpret(span: SafeSpan): PartialStep {
  const a = span.attributes;
  const type = typeOf(span);
  const isTool = type === 'TOOL_CALL';
  const isAgent = type === 'OTHER';
  const history = isAgent ? a.get('pydantic_ai.all_messages') : a.get('request_data');
  const tokensIn = firstCount(a, ['gen_ai.aggregated_usage.input_tokens']);
  const tokensOut = firstCount(a, ['gen_ai.aggregated_usage.output_tokens']);
  const said = saidOf(a);
  return {
    type,
    container: isAgent ? true : undefined,
    agent: text(a, 'agent_name'),
    requestModel: text(a, 'model_name'),
    usage: tokensIn === undefined && tokensOut === undefined ? undefined : { tokensIn, tokensOut },
    costUsd: costOf(a.get('operation.cost')),
    details: { toolName: isTool ? toolName(a, span.name) : undefined },
    texts: isTool
      ? {
          toolArguments: asText(firstPresent(a, ['gen_ai.tool.call.arguments', 'tool_arguments'])),
          toolResult: asText(firstPresent(a, ['gen_ai.tool.call.result', 'tool_response'])),
        }
      : {
          prompt: history === undefined ? undefined : readConversation(history).prompt,
          completion: asText(a.get('final_result')) ?? said.completion,
          reasoning: said.reasoning,
        },
  };
}

function typeOf(span: SafeSpan): NodeType | undefined {
  if (TOOL.test(span.name)) return 'TOOL_CALL';
  if (TOOLS.test(span.name)) return 'OTHER';
  const a = span.attributes;
  return a.has('agent_name') || a.has('pydantic_ai.all_messages') ? 'OTHER' : undefined;
}

function toolName(a: Attributes, spanName: string): string | undefined {
  return text(a, 'gen_ai.tool.name') ?? textOf(spanName.replace(TOOL, ''));
}

function saidOf(a: Attributes): ReturnType<typeof readSaid> {
  const response = a.get('response_data');
  return response === undefined ? {} : readSaid(response);
}
