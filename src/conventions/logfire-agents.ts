import { isObject } from '../base/json.ts';
import type { Attributes } from '../model/attributes.ts';
import type { Convention, PartialStep, SafeSpan } from './convention.ts';
import { readConversation } from './conversation.ts';
import { objectOf, structure } from './json.ts';
import { readSaid } from './messages.ts';
import { asText, firstId, firstPresent, text, textOf } from './read.ts';
import { conversation } from './task.ts';

/**
 * OpenAI's Agents SDK as Logfire tells of it: what a span is stands in the template of its message.
 * https://logfire.pydantic.dev/docs/integrations/llms/openai/#openai-agents
 */
export const logfireAgents: Convention = {
  name: 'logfire-agents',
  signs: { scopePrefixes: ['logfire.openai_agents'] },
  interpret,
};

function interpret(span: SafeSpan): PartialStep {
  const a = span.attributes;
  const template = text(a, 'logfire.msg_template') ?? span.name;
  if (template.startsWith('Function:') || template.startsWith('MCP tools')) return tool(a, text(a, 'name'));
  if (template.startsWith('Handoff:')) return handoff(a);
  if (template.startsWith('Guardrail')) return { type: 'OTHER', texts: { error: errorOf(a) } };
  if (/^(?:Responses API|Chat completion|Generation)/i.test(template)) return call(a);
  const isRun = template.startsWith('Agent run:');
  const agent = isRun ? text(a, 'name') : text(a, 'agent_name');
  return {
    type: 'OTHER',
    container: true,
    agent,
    task: conversation(groupOf(a)),
    texts: { error: errorOf(a) },
  };
}

function tool(a: Attributes, toolName: string | undefined): PartialStep {
  return {
    type: 'TOOL_CALL',
    details: { toolName },
    texts: {
      toolArguments: asText(a.get('input')),
      toolResult: asText(a.get('output')),
      error: errorOf(a),
    },
  };
}

/** The SDK runs it as a tool, which it names so unless it is told another name. */
function handoff(a: Attributes): PartialStep {
  const to = text(a, 'to_agent');
  return {
    type: 'TOOL_CALL',
    agent: text(a, 'from_agent'),
    details: {
      toolName: to === undefined ? 'handoff' : `transfer_to_${to.toLowerCase().replace(/\W+/g, '_')}`,
    },
    texts: { toolResult: to, error: errorOf(a) },
  };
}

/** Messages of a call stand in `raw_input` and the body of the response, or in `input` and `output`. */
function call(a: Attributes): PartialStep {
  const request = firstPresent(a, ['raw_input', 'input', 'request_data']);
  const response = objectOf(a.get('response')) ?? structure(a.get('output'));
  const said = response === undefined ? {} : readSaid(response);
  return {
    type: 'LLM_CALL',
    requestModel: text(a, 'gen_ai.request.model') ?? text(a, 'model'),
    responseModel: isObject(response) ? textOf(response['model']) : undefined,
    heard: request === undefined ? undefined : readConversation(request),
    asked: said.calls,
    details: {
      responseId: firstId(a, ['response_id']),
      requestedToolCallIds: said.toolCallIds,
      finishReasons: said.finishReasons,
    },
    texts: { completion: said.completion, reasoning: said.reasoning, error: errorOf(a) },
  };
}

/** Logfire writes what is missing as the JSON text `null`. */
function groupOf(a: Attributes): string | undefined {
  const group = firstId(a, ['group_id']);
  return group === 'null' ? undefined : group;
}

function errorOf(a: Attributes): string | undefined {
  const error = a.get('error');
  const told = objectOf(error);
  if (told === undefined) return typeof error === 'string' ? textOf(error) : undefined;
  const details = objectOf(told['data'])?.['error'];
  const message = textOf(told['message']);
  return typeof details === 'string' && message !== undefined ? `${message}: ${details}` : message;
}
