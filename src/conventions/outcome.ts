import { isObject } from '../base/json.ts';
import { structure } from './json.ts';
import { isFromModel, isFromTool, isMessage, lastAnswer, readHeard, type Said } from './messages.ts';

/** Where frameworks put the messages of a step's output, one in another at most so deep. */
const WRAPPINGS = ['messages', 'output', 'outputs'] as const;
const MAX_WRAPPINGS = 3;
/** What messages have in them: any other JSON need not be parsed. */
const SIGN = /"(?:content|parts)"/;

/**
 * What a step that is made of others gave at last, where its output is a message, or the conversation that it went
 * through: the newest answer of a model or a tool, without a completion where there is none. Undefined for any other
 * output.
 */
export function outcomeOf(output: unknown): Pick<Said, 'completion'> | undefined {
  if (typeof output === 'string' && !SIGN.test(output)) return undefined;
  const messages = messagesIn(structure(output), MAX_WRAPPINGS);
  if (messages === undefined) return undefined;
  // What a user said is no outcome: graphs hand on the whole conversation.
  const end = messages.findLastIndex((message) => isFromModel(message) || isFromTool(message));
  const last = messages[end];
  return { completion: isFromModel(last) ? lastAnswer(messages, end) : readHeard([last]).prompt };
}

function messagesIn(value: unknown, wrappings: number): readonly unknown[] | undefined {
  if (Array.isArray(value)) return value.length > 0 && value.every(isMessage) ? value : undefined;
  if (!isObject(value)) return undefined;
  if (isMessage(value)) return [value];
  if (wrappings === 0) return undefined;
  for (const key of WRAPPINGS) {
    const messages = messagesIn(value[key], wrappings - 1);
    if (messages !== undefined) return messages;
  }
  return undefined;
}
