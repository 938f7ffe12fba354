import { objectOf, parseJson, parseTruncated } from './json.ts';
import { isFromOutside, readHeard, type Heard } from './messages.ts';
import { isObject, textOf } from './read.ts';

/**
 * The new part of a conversation that was sent to a model. Every call sends the whole history again, often
 * 100 KB of it, and only its end is new: so the end is found by searching backwards, and only that is parsed.
 *
 * @param value messages, or a request body that holds them, as a structure or as JSON text; or plain text
 */
export function readConversation(value: unknown): Heard {
  if (typeof value !== 'string') return readMessages(value);
  const tail = newestMessages(value);
  if (tail !== undefined) {
    const heard = readHeard(tail);
    if (heard.prompt !== undefined) return heard;
  }
  const parsed = parseJson(value);
  return parsed === undefined ? { prompt: textOf(value) } : readMessages(parsed);
}

/** Where request bodies keep their messages or their one prompt. */
const MESSAGE_KEYS = ['messages', 'contents', 'input', 'prompt', 'inputs', 'query', 'question'] as const;

function readMessages(value: unknown): Heard {
  if (typeof value === 'string') return { prompt: textOf(value) };
  if (Array.isArray(value)) {
    const messages: readonly unknown[] = value.some(Array.isArray) ? value.flat() : value;
    return readHeard(messages);
  }
  if (!isObject(value)) return {};
  for (const key of MESSAGE_KEYS) {
    const inner = objectOf(value[key]) ?? value[key];
    if (inner === undefined || inner === null) continue;
    const heard = readMessages(inner);
    if (heard.prompt !== undefined) return heard;
  }
  return isFromOutside(value) ? readHeard([value]) : {};
}

const ROLE = '"role"';
const OUTSIDE = /^\s*:\s*"(?:user|tool|human|function)"/;
/** Longest run of messages at the end that is looked at: more parallel tool results are not seen in practice. */
const MAX_TAIL_MESSAGES = 64;
/** A role and the quotes around it. */
const ROLE_WINDOW = 32;

/**
 * The run of user and tool messages that ends a JSON array of messages; undefined when it can't be told without
 * parsing the whole. `{"role":` cannot stand inside a JSON string (its quotes would be escaped), and a tail that
 * begins inside a nested object does not parse, so what parses is a run of whole messages.
 */
function newestMessages(json: string): readonly unknown[] | undefined {
  let start = -1;
  let from = json.length;
  for (let seen = 0; seen < MAX_TAIL_MESSAGES && from > 0; seen++) {
    const at = json.lastIndexOf(ROLE, from - 1);
    if (at < 0) break;
    from = at;
    const isOutside = OUTSIDE.test(json.slice(at + ROLE.length, at + ROLE.length + ROLE_WINDOW));
    if (!isOutside && start >= 0) break;
    if (!isOutside) continue;
    const open = openingBrace(json, at);
    if (open === undefined) return undefined;
    start = open;
  }
  if (start < 0) return undefined;
  const tail = `[${json.slice(start)}`;
  try {
    const parsed: unknown = JSON.parse(tail);
    return Array.isArray(parsed) ? parsed : undefined;
  } catch {
    return json.trimEnd().endsWith(']') ? undefined : truncatedTail(tail);
  }
}

function truncatedTail(tail: string): readonly unknown[] | undefined {
  const parsed = parseTruncated(tail);
  return Array.isArray(parsed) ? parsed : undefined;
}

/** The `{` right before the key at `at`; undefined when the role is not the message's first key. */
function openingBrace(json: string, at: number): number | undefined {
  let i = at - 1;
  while (i >= 0 && (json[i] === ' ' || json[i] === '\n' || json[i] === '\t' || json[i] === '\r')) i--;
  return json[i] === '{' ? i : undefined;
}
