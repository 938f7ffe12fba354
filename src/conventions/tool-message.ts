import { isObject, type JsonObject } from '../base/json.ts';
import { objectOf } from './json.ts';
import { idOf, textOf } from './read.ts';

/** What a LangChain tool gave back: a message for the model. */
export interface ToolOutput {
  readonly name: string | undefined;
  readonly callId: string | undefined;
  readonly content: string | undefined;
}

/**
 * A tool's output where it is a message: `{content, tool_call_id}`, as it is, or in `data`, `kwargs`, `output`;
 * else undefined.
 */
export function toolOutput(value: unknown): ToolOutput | undefined {
  if (typeof value === 'string' && !value.includes('tool_call_id')) return undefined;
  const message = messageIn(objectOf(value));
  if (message === undefined) return undefined;
  const { content } = message;
  return {
    name: textOf(message['name']),
    callId: idOf(message['tool_call_id']),
    content: textOf(content) ?? (content === undefined ? undefined : JSON.stringify(content)),
  };
}

/** The message begins with its text, or with what LangChain wraps it in; a state of a graph holds many of them. */
const BEGINS = /^\s{0,8}\{\s{0,8}"(?:content|lc|type|data|kwargs|output)"/;

/** The output of a step that does not say that it is a tool, if it is a message of one. */
export function toolMessage(value: unknown): ToolOutput | undefined {
  if (typeof value === 'string' && !BEGINS.test(value)) return undefined;
  const output = toolOutput(value);
  return output?.callId === undefined ? undefined : output;
}

/** A serialised message in the output of a tool: `output`, then `kwargs`. */
const MAX_WRAPPINGS = 3;

function messageIn(body: unknown, wrappings = MAX_WRAPPINGS): JsonObject | undefined {
  if (!isObject(body) || 'tool_call_id' in body) return isObject(body) ? body : undefined;
  return wrappings === 0
    ? undefined
    : messageIn(body['data'] ?? body['kwargs'] ?? body['output'], wrappings - 1);
}

/** The id in the input of a tool that is called with a whole tool call: `{name, args, id, type: 'tool_call'}`. */
export function calledWith(input: unknown): string | undefined {
  if (typeof input === 'string' && !input.includes('tool_call')) return undefined;
  const call = objectOf(input);
  const inner = isObject(call?.['tool_call']) ? call['tool_call'] : call;
  return inner?.['type'] === 'tool_call' || inner !== call ? idOf(inner?.['id']) : undefined;
}
