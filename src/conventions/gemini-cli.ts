import type { NodeType } from '../model/node.ts';
import type { Convention, PartialStep, SafeSpan } from './convention.ts';
import { asText, firstId, firstPresent, firstText, flag, text } from './read.ts';
import { conversation } from './task.ts';

/**
 * Google's Gemini CLI, beside gen_ai.
 * https://github.com/google-gemini/gemini-cli/blob/main/docs/cli/telemetry.md
 */
export const geminiCli: Convention = {
  name: 'gemini-cli',
  signs: { scopePrefixes: ['gemini-cli'], keyPrefixes: ['gemini_cli.'] },
  interpret,
};

const TYPES: ReadonlyMap<string, NodeType> = new Map([
  ['llm_call', 'LLM_CALL'],
  ['tool_call', 'TOOL_CALL'],
  ['user_prompt', 'USER_QUERY'],
  ['agent_call', 'OTHER'],
  ['schedule_tool_calls', 'OTHER'],
  ['system_prompt', 'OTHER'],
]);

function interpret(span: SafeSpan): PartialStep {
  const a = span.attributes;
  const type = TYPES.get(span.name);
  const isTool = type === 'TOOL_CALL';
  return {
    type,
    container: type === 'USER_QUERY' || span.name === 'agent_call' ? true : undefined,
    wrapper: type === 'OTHER' && span.name !== 'agent_call' ? true : undefined,
    requestModel: firstText(a, ['model', 'model_name']),
    task: conversation(firstId(a, ['session.id'])),
    status: flag(a.get('success')) === false ? 'ERROR' : undefined,
    details: {
      toolName: isTool ? text(a, 'function_name') : undefined,
      errorMessage: text(a, 'error'),
    },
    texts: isTool
      ? { toolArguments: asText(a.get('function_args')) }
      : { prompt: asText(firstPresent(a, ['prompt'])), completion: text(a, 'response_text') },
  };
}
