import { isObject } from '../base/json.ts';
import { cutMark, objectOf, parseJson, parseTruncated } from './json.ts';
import { isFromOutside, readHeard, type Heard } from './messages.ts';
import { textOf } from './read.ts';
import { readTranscript } from './transcript.ts';

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
  return parsed === undefined ? (readTranscript(value) ?? plain(value)) : readMessages(parsed);
}

/** Where request bodies keep their messages or their one prompt. */
const MESSAGE_KEYS = ['messages', 'contents', 'input', 'prompt', 'inputs', 'query', 'question'] as const;

function readMessages(value: unknown): Heard {
  if (typeof value === 'string') return plain(value);
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

function plain(text: string): Heard {
  const prompt = textOf(text);
  return prompt === undefined ? {} : { prompt, isPlain: true };
}

const ROLE = '"role"';
const OUTSIDE = new Set(['user', 'tool', 'human', 'function']);
const MODEL = new Set(['assistant', 'model', 'ai']);
/** Longest run of messages at the end that is looked at: more parallel tool results are not seen in practice. */
const MAX_TAIL_MESSAGES = 64;
/** Longest role, and longest way to it. */
const ROLE_WINDOW = 32;
/** The model's last message is read too where it is not longer than this. */
const MAX_ANSWER_CHARS = 16 * 1024;

/**
 * The run of user and tool messages that ends a JSON array of messages, after the model's last own one if that is
 * needed to know what came before; undefined
 * when it can't be told without parsing the whole. `{"role":` cannot stand inside a JSON string (its quotes would
 * be escaped), and a tail that begins inside a nested object does not parse, so what parses is a run of whole
 * messages.
 */
function newestMessages(json: string): readonly unknown[] | undefined {
  let start = -1;
  let from = json.length;
  let answer: number | undefined;
  for (let seen = 0; seen < MAX_TAIL_MESSAGES && from > 0; seen++) {
    const at = lastRole(json, from);
    if (at < 0) break;
    from = at;
    const role = roleAfter(json, at + ROLE.length);
    const isOutside = OUTSIDE.has(role);
    if (!isOutside && start < 0) continue;
    if (isOutside && answer !== undefined) break;
    const open = openingBrace(json, at);
    if (isOutside) {
      if (open === undefined) return undefined;
      start = open;
    } else {
      if (open === undefined || !MODEL.has(role) || start - at > MAX_ANSWER_CHARS) break;
      if (namesCalls(json, start)) break;
      answer = open;
    }
  }
  if (start < 0) return undefined;
  return (answer === undefined ? undefined : parseTail(json, answer)) ?? parseTail(json, start);
}

/** Do ids of tool calls stand there? Then they say what came before, and the model's own words need not be read. */
function namesCalls(json: string, start: number): boolean {
  // In a text that somebody wrote the quote would be escaped.
  return json.includes('id"', start) || json.includes('Id"', start);
}

/** Looked through first for the last role; four times as much each time that there is none in it. */
const FIRST_WINDOW = 512;

/** The last `"role"` before `end`, where another one stands or the text ends; -1 when there is none. */
function lastRole(json: string, end: number): number {
  // Searching forwards is many times faster than `lastIndexOf`.
  for (let size = FIRST_WINDOW; ; size *= 4) {
    const start = Math.max(0, end - size);
    let last = -1;
    for (let at = json.indexOf(ROLE, start); at >= 0 && at < end; at = json.indexOf(ROLE, at + 1)) last = at;
    if (last >= 0 || start === 0) return last;
  }
}

/** The word between the next quotes, after a colon; empty for anything else. */
function roleAfter(json: string, from: number): string {
  const colon = afterBlanks(json, from);
  if (json.charCodeAt(colon) !== 0x3a) return '';
  const open = afterBlanks(json, colon + 1);
  if (json.charCodeAt(open) !== 0x22) return '';
  const close = json.indexOf('"', open + 1);
  return close < 0 || close - open > ROLE_WINDOW ? '' : json.slice(open + 1, close);
}

function afterBlanks(json: string, from: number): number {
  let at = from;
  while (at - from < ROLE_WINDOW && json.charCodeAt(at) <= 0x20) at++;
  return at;
}

function parseTail(json: string, start: number): readonly unknown[] | undefined {
  const tail = `[${json.slice(start)}`;
  try {
    const parsed: unknown = JSON.parse(tail);
    return Array.isArray(parsed) ? parsed : undefined;
  } catch {
    return json.trimEnd().endsWith(']') && cutMark(json) === '' ? undefined : truncatedTail(tail);
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
