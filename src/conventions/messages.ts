import { isObject } from '../base/json.ts';
import { structure } from './json.ts';
import {
  collect,
  isEmptyAnswer,
  isParts,
  joined,
  RESULT_TYPES,
  resultText,
  type Collected,
} from './message-walk.ts';
import { parsePython } from './python-literal.ts';
import { textOf } from './read.ts';
import { joinThoughts, splitThinking } from './thinking.ts';

/** What a model said and was told, out of chat messages of any kind. */
export interface Said {
  /** The answer, tool calls as `name(arguments)`. */
  readonly completion?: string | undefined;
  readonly reasoning?: string | undefined;
  readonly toolCallIds?: readonly string[] | undefined;
  /** The tool calls that it asked for, as `name(arguments)`. */
  readonly calls?: readonly string[] | undefined;
  readonly finishReasons?: readonly string[] | undefined;
}

export interface Heard {
  /** The last message of the user or of a tool: the history before it was sent many times already. */
  readonly prompt?: string | undefined;
  /** A user wrote the prompt, not a tool. */
  readonly byUser?: true | undefined;
  /** The prompt is a text without a role. */
  readonly isPlain?: true | undefined;
  /** The tool calls answered since the model last spoke. */
  readonly toolResultIds?: readonly string[] | undefined;
  /**
   * What is new to the model, each message apart: what users and tools said since it spoke; and, where no id of a tool
   * call tells which answer of it that was, what it said itself.
   */
  readonly texts?: readonly string[] | undefined;
}

/** What a model answered. */
export function readSaid(value: unknown): Said {
  const parsed = structure(value) ?? value;
  const into = collect(parsed);
  const nothing = into.text.length + into.reasoning.length + into.callIds.length === 0;
  // JSON that is no message is the answer itself.
  const isText = nothing && typeof value === 'string' && !isEmptyAnswer(parsed);
  const answer = isText ? textOf(value) : joined(into.text);
  const { completion, reasoning } = splitThinking(answer, textOf(joinThoughts(into.reasoning)));
  return {
    completion,
    reasoning,
    toolCallIds: listed(into.callIds),
    calls: listed(into.calls),
    finishReasons: listed(into.finish),
  };
}

/** Messages kept apart in `Heard.texts`: parallel tool results beyond this are not seen in practice. */
const MAX_TEXTS = 16;

/** What a model was asked, from messages in the order of the conversation. */
export function readHeard(messages: readonly unknown[]): Heard {
  let prompt: string | undefined;
  let byUser: true | undefined;
  // From the last message back, as they are read.
  const answered: (readonly string[])[] = [];
  const texts: string[] = [];
  let i = messages.length - 1;
  for (; i >= 0; i--) {
    const message = messages[i];
    if (!isFromOutside(message)) {
      if (prompt === undefined) continue;
      break;
    }
    if (isDefinition(message)) continue;
    const into = heardIn(message);
    const heard = joined(into.results.length === 0 ? into.text : [...into.text, ...into.results]);
    if (prompt === undefined && heard !== undefined && into.text.length > 0 && isUser(message)) byUser = true;
    prompt ??= heard;
    if (into.resultIds.length > 0) answered.push(into.resultIds);
    if (texts.length >= MAX_TEXTS - 1) continue;
    if (into.results.length === 0) {
      if (heard !== undefined) texts.push(heard);
    } else texts.push(...into.results.slice(0, MAX_TEXTS - 1 - texts.length));
  }
  const resultIds = answered.length > 0 ? answered.reverse().flat() : callsBefore(messages, i);
  // The ids of tool calls say more surely what came before.
  const own = prompt === undefined || resultIds.length > 0 ? undefined : lastAnswer(messages, i);
  if (own !== undefined) texts.push(own);
  // What somebody has answered already is not new to this one: it comes with the whole conversation. Nor is the answer the
  // cause of this call: in a group each reads what the one before it said, and all of the run would lead to its end.
  if (endsWithAnswer(messages)) return { prompt, byUser };
  return { prompt, byUser, toolResultIds: listed(resultIds), texts: listed(texts) };
}

/** Shorter ones are the beginning of an answer that the model is to go on with. */
const MIN_ANSWER_CHARS = 12;

function endsWithAnswer(messages: readonly unknown[]): boolean {
  if (!isFromModel(messages.at(-1))) return false;
  const { completion, toolCallIds, calls } = readSaid(messages.at(-1));
  const isAnswer = toolCallIds === undefined && calls === undefined;
  return isAnswer && completion !== undefined && completion.length >= MIN_ANSWER_CHARS;
}

/**
 * The ids of the calls that the message before `at + 1` wrote down, where those after it answer all of them at once: in
 * smolagents both are texts (`Calling tools:\n[{'id': …}]`, `Observation:\n…`).
 */
function callsBefore(messages: readonly unknown[], at: number): string[] {
  if (roleOf(messages[at]) !== 'tool-call' || roleOf(messages[at + 1]) !== 'tool-response') return [];
  const said = joined(collect(messages[at]).text);
  const calls = said === undefined ? undefined : parsePython(said.slice(said.indexOf('[')));
  return Array.isArray(calls) ? collect({ tool_calls: calls }).callIds : [];
}

/** Items of one answer, as some senders list them: reasoning, text, each tool call. */
const MAX_ANSWER_ITEMS = 16;

/** What the model said up to the message at `end`, as `readSaid` gives it. */
export function lastAnswer(messages: readonly unknown[], end: number): string | undefined {
  let start = end + 1;
  while (start > 0 && end - start < MAX_ANSWER_ITEMS && isFromModel(messages[start - 1])) start--;
  return start > end ? undefined : readSaid(messages.slice(start, end + 1)).completion;
}

/** Langfuse lists the tools that a model may call as messages of the role `tool`. */
function isDefinition(message: unknown): boolean {
  const content = isObject(message) ? message['content'] : undefined;
  return isObject(content) && content['type'] === 'function' && isObject(content['function']);
}

/** What a tool answered is a result in whatever form it comes: a list of rows is no list of parts. */
function heardIn(message: unknown): Collected {
  const role = roleOf(message);
  if (!isObject(message) || role === undefined || !TOOL_ROLES.has(role)) return collect(message);
  const inner = isObject(message['kwargs']) ? message['kwargs'] : message;
  const { content, function: results } = inner;
  if (Array.isArray(results)) return collect(results.map(listedResult));
  if (typeof content !== 'object' || content === null || isParts(content)) return collect(message);
  const into = collect({ ...inner, content: '' });
  into.results.push(resultText(content));
  return into;
}

/** AutoGen's instrumentation lists results as JSON, each with its id, where others have the content of the message. */
function listedResult(item: unknown): unknown {
  const result = structure(item);
  return isObject(result) ? { ...result, type: 'tool_result' } : item;
}

const TOOL_ROLES = new Set(['tool', 'function', 'ToolMessage', 'tool-response']);

const OUTSIDE_ROLES = new Set([...TOOL_ROLES, 'user', 'human', 'HumanMessage']);

const USER_ROLES = new Set(['user', 'human', 'HumanMessage']);
const MODEL_ROLES = new Set([
  'assistant',
  'ai',
  'model',
  'AIMessage',
  'function_call',
  'tool-call',
  'reasoning',
]);

/** Said by a user or a tool, not by the model or the system prompt. */
export function isFromOutside(message: unknown): boolean {
  const role = roleOf(message);
  return role !== undefined && (OUTSIDE_ROLES.has(role) || RESULT_TYPES.has(role));
}

/** A message of a conversation that says who speaks, and not only data with a `type`. */
export function isMessage(value: unknown): boolean {
  if (!isObject(value) || !MESSAGE_KEYS.some((key) => key in value)) return false;
  return isFromOutside(value) || isFromModel(value) || SYSTEM_ROLES.has(roleOf(value) ?? '');
}

const MESSAGE_KEYS = ['role', 'content', 'kwargs', 'data', 'call_id', 'summary'] as const;
const SYSTEM_ROLES = new Set(['system', 'developer', 'SystemMessage']);

export function isFromTool(message: unknown): boolean {
  return isFromOutside(message) && !isUser(message);
}

function isUser(message: unknown): boolean {
  return USER_ROLES.has(roleOf(message) ?? '');
}

export function isFromModel(message: unknown): boolean {
  return MODEL_ROLES.has(roleOf(message) ?? '');
}

function roleOf(message: unknown): string | undefined {
  if (!isObject(message)) return undefined;
  const inner = isObject(message['kwargs']) ? message['kwargs'] : message;
  const role = inner['role'] ?? inner['type'];
  if (inner !== message && typeof role !== 'string') return classOf(message['id']);
  return typeof role === 'string' ? role : undefined;
}

/** LangChain's serialised messages name their class: `id: ['langchain_core', 'messages', 'AIMessageChunk']`. */
function classOf(path: unknown): string | undefined {
  const name: unknown = Array.isArray(path) ? path.at(-1) : undefined;
  return typeof name === 'string' ? name.replace(/Chunk$/, '') : undefined;
}

function listed(items: readonly string[]): readonly string[] | undefined {
  return items.length === 0 ? undefined : items;
}
