import type { NodeType } from '../model/node.ts';
import type { Convention, PartialStep, SafeSpan } from './convention.ts';
import { readConversation } from './conversation.ts';
import { readSaid } from './messages.ts';
import { asText, firstId, text, textOf } from './read.ts';
import { conversation } from './task.ts';

/** Google's Agent Development Kit: `gcp.vertex.agent.*` beside gen_ai. https://google.github.io/adk-docs/ */
export const googleAdk: Convention = {
  name: 'google-adk',
  signs: { keyPrefixes: ['gcp.vertex.agent.'], scopePrefixes: ['gcp.vertex.agent'] },
  interpret,
};

const AGENT_RUN = /^(?:agent_run|invoke_agent) \[?([^\]]+)\]?$/;

function interpret(span: SafeSpan): PartialStep {
  const a = span.attributes;
  const type = typeOf(span.name);
  const request = a.get('gcp.vertex.agent.llm_request');
  const response = a.get('gcp.vertex.agent.llm_response');
  const isTool = type === 'TOOL_CALL';
  const heard = isTool || request === undefined ? {} : readConversation(request);
  const said = isTool || response === undefined ? {} : readSaid(response);
  return {
    type,
    container: type === 'OTHER' ? true : undefined,
    agent: textOf(AGENT_RUN.exec(span.name)?.[1]),
    task: conversation(firstId(a, ['gcp.vertex.agent.session_id'])),
    details: { responseId: text(a, 'gcp.vertex.agent.event_id') },
    texts: isTool
      ? {
          toolArguments: asText(a.get('gcp.vertex.agent.tool_call_args')),
          toolResult: asText(a.get('gcp.vertex.agent.tool_response')),
        }
      : { prompt: heard.prompt, completion: said.completion, reasoning: said.reasoning },
  };
}

function typeOf(name: string): NodeType | undefined {
  if (name === 'call_llm') return 'LLM_CALL';
  if (name.startsWith('execute_tool')) return 'TOOL_CALL';
  return /^(?:invocation|agent_run|invoke_agent)\b/.test(name) ? 'OTHER' : undefined;
}
