import { isObject } from '../base/json.ts';
import type { NodeType } from '../model/node.ts';
import type { Convention, PartialStep, SafeSpan, Usage } from './convention.ts';
import { readConversation } from './conversation.ts';
import { objectOf } from './json.ts';
import { readSaid } from './messages.ts';
import { asText, countOf, firstId, text, textOf } from './read.ts';
import { conversation } from './task.ts';

/**
 * Google's Agent Development Kit: `gcp.vertex.agent.*`, often on spans that carry gen_ai and OpenInference as well.
 * https://google.github.io/adk-docs/
 */
export const googleAdk: Convention = {
  name: 'google-adk',
  signs: { keyPrefixes: ['gcp.vertex.agent.'], scopePrefixes: ['gcp.vertex.agent'] },
  interpret,
};

const AGENT_RUN = /^(?:agent_run|invoke_agent) \[?([^\]]+)\]?$/;
/** The results of parallel tools put together, and data handed to a live connection. */
const PLUMBING = new Set(['execute_tool (merged)', 'execute_tool [merged]', 'send_data']);

function interpret(span: SafeSpan): PartialStep {
  const a = span.attributes;
  const isPlumbing = PLUMBING.has(span.name);
  const type = isPlumbing ? 'OTHER' : typeOf(span.name);
  const isTool = type === 'TOOL_CALL';
  const isCall = !isTool && !isPlumbing;
  const request = isCall ? filled(a.get('gcp.vertex.agent.llm_request')) : undefined;
  const response = isCall ? filled(a.get('gcp.vertex.agent.llm_response')) : undefined;
  const said = response === undefined ? {} : readSaid(response);
  return {
    type,
    container: type === 'OTHER' && !isPlumbing ? true : undefined,
    wrapper: isPlumbing ? true : undefined,
    agent: textOf(AGENT_RUN.exec(span.name)?.[1]),
    task: conversation(firstId(a, ['gcp.vertex.agent.session_id'])),
    usage: response === undefined ? undefined : usageOf(objectOf(response)?.['usage_metadata']),
    heard: request === undefined ? undefined : readConversation(request),
    asked: said.calls,
    details: {
      responseId: isCall ? text(a, 'gcp.vertex.agent.event_id') : undefined,
      requestedToolCallIds: said.toolCallIds,
    },
    texts: isTool
      ? {
          toolArguments: asText(a.get('gcp.vertex.agent.tool_call_args')),
          toolResult: asText(a.get('gcp.vertex.agent.tool_response')),
        }
      : { completion: said.completion, reasoning: said.reasoning },
  };
}

/** Tools carry empty bodies, and content that was not to be recorded is empty too. */
function filled(body: unknown): unknown {
  return body === '' || body === '{}' || body === null ? undefined : body;
}

function typeOf(name: string): NodeType | undefined {
  if (name === 'call_llm') return 'LLM_CALL';
  if (name.startsWith('execute_tool')) return 'TOOL_CALL';
  return /^(?:invocation|agent_run|invoke_agent)\b/.test(name) ? 'OTHER' : undefined;
}

/** As the API counts: what was read from the cache is part of the prompt, thoughts are no part of the candidates. */
function usageOf(value: unknown): Usage | undefined {
  if (!isObject(value)) return undefined;
  const tokensIn = countOf(value['prompt_token_count']);
  const candidates = countOf(value['candidates_token_count']);
  const reasoningTokens = countOf(value['thoughts_token_count']);
  if (tokensIn === undefined && candidates === undefined && reasoningTokens === undefined) return undefined;
  return {
    tokensIn,
    tokensOut:
      candidates === undefined && reasoningTokens === undefined
        ? undefined
        : (candidates ?? 0) + (reasoningTokens ?? 0),
    cacheReadTokens: countOf(value['cached_content_token_count']),
    reasoningTokens,
  };
}
