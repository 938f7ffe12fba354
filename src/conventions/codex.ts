import type { NodeType } from '../model/node.ts';
import type { Convention, PartialStep, SafeSpan } from './convention.ts';
import { count, firstId, text } from './read.ts';
import { conversation } from './task.ts';

/** OpenAI's Codex CLI. https://developers.openai.com/codex/ */
export const codex: Convention = {
  name: 'codex',
  signs: { scopePrefixes: ['codex_cli_rs', 'codex_exec'], keyPrefixes: ['codex.'] },
  interpret,
};

const TYPES: ReadonlyMap<string, NodeType> = new Map([
  ['session_task.turn', 'OTHER'],
  ['handle_responses', 'LLM_CALL'],
]);

const TURN_USAGE = 'codex.turn.token_usage.';

function interpret(span: SafeSpan): PartialStep {
  const a = span.attributes;
  const type = TYPES.get(span.name);
  const tokensIn = count(a, `${TURN_USAGE}input_tokens`);
  const tokensOut = count(a, `${TURN_USAGE}output_tokens`);
  const usage =
    tokensIn === undefined && tokensOut === undefined
      ? undefined
      : {
          tokensIn,
          tokensOut,
          cacheReadTokens: count(a, `${TURN_USAGE}cached_input_tokens`),
          cacheWriteTokens: count(a, `${TURN_USAGE}cache_write_input_tokens`),
          reasoningTokens: count(a, `${TURN_USAGE}reasoning_output_tokens`),
        };
  return {
    type,
    container: type === 'OTHER' ? true : undefined,
    requestModel: text(a, 'model') ?? text(a, 'slug'),
    task: conversation(firstId(a, ['conversation.id', 'thread.id'])),
    usage,
    details: { responseId: firstId(a, ['turn.id']), errorMessage: text(a, 'error.message') },
  };
}
