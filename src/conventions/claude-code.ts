import type { Attributes } from '../model/attributes.ts';
import type { NodeType } from '../model/node.ts';
import type { Convention, PartialStep, SafeSpan, Texts, Usage } from './convention.ts';
import { asText, costOf, count, durationOf, firstId, firstPresent, firstText, flag, text } from './read.ts';
import { conversation } from './task.ts';

/** Claude Code's spans (`claude_code.*`). https://code.claude.com/docs/en/monitoring-usage */
export const claudeCode: Convention = {
  name: 'claude-code',
  signs: { namePrefixes: ['claude_code.'], scopePrefixes: ['com.anthropic.claude_code'] },
  interpret,
};

const TYPES: ReadonlyMap<string, NodeType> = new Map([
  ['claude_code.interaction', 'USER_QUERY'],
  ['claude_code.llm_request', 'LLM_CALL'],
  ['claude_code.tool', 'TOOL_CALL'],
]);

const TOOL_ARGUMENTS = ['full_command', 'tool_input', 'tool_parameters'];

function interpret(span: SafeSpan): PartialStep {
  const a = span.attributes;
  const type = TYPES.get(span.name) ?? 'OTHER';
  const isTool = type === 'TOOL_CALL';
  const isCall = type === 'LLM_CALL';
  return {
    type,
    container: type === 'OTHER' || type === 'USER_QUERY' ? true : undefined,
    agent: firstText(a, ['agent.name', 'agent_id']),
    requestModel: isCall ? text(a, 'model') : undefined,
    task: conversation(firstId(a, ['session.id'])),
    usage: isCall ? usageOf(a) : undefined,
    costUsd: costOf(a.get('cost_usd')),
    status: flag(a.get('success')) === false ? 'ERROR' : undefined,
    details: {
      provider: isCall ? text(a, 'gen_ai.system') : undefined,
      responseId: firstId(a, ['request_id', 'client_request_id']),
      toolName: isTool ? text(a, 'tool_name') : undefined,
      toolCallId: isTool ? firstId(a, ['tool_use_id']) : undefined,
      errorType: firstText(a, ['error_type', 'error.type']),
      errorMessage: text(a, 'error'),
      timeToFirstTokenMs: durationOf(a.get('ttft_ms')),
    },
    texts: isTool ? toolTexts(span) : { prompt: firstText(a, ['user_prompt', 'prompt']) },
  };
}

/** `input_tokens` here is what was not cached; the total is asked for. */
function usageOf(a: Attributes): Usage | undefined {
  const uncached = count(a, 'input_tokens');
  const tokensOut = count(a, 'output_tokens');
  if (uncached === undefined && tokensOut === undefined) return undefined;
  const cacheReadTokens = count(a, 'cache_read_tokens');
  const cacheWriteTokens = count(a, 'cache_creation_tokens');
  const tokensIn =
    uncached === undefined ? undefined : uncached + (cacheReadTokens ?? 0) + (cacheWriteTokens ?? 0);
  return { tokensIn, tokensOut, cacheReadTokens, cacheWriteTokens };
}

/** The output comes as a span event, when content is switched on. */
function toolTexts(span: SafeSpan): Texts {
  const output = span.events.find((event) => event.name === 'tool.output');
  return {
    toolArguments: asText(firstPresent(span.attributes, TOOL_ARGUMENTS)),
    toolResult:
      output === undefined ? undefined : asText(firstPresent(output.attributes, ['output', 'content'])),
  };
}
