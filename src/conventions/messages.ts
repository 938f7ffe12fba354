import { structure } from './json.ts';
import { MAX_DEPTH, MAX_TOOL_CALL_IDS } from './limits.ts';
import { isObject, textOf, type JsonObject } from './read.ts';

/**
 * Chat messages as all the SDKs write them: OTel parts, OpenAI, Anthropic, Bedrock, Gemini and LangChain bodies,
 * AI SDK content. One tolerant walk over whatever structure is there; opaque parts (signatures, encrypted or
 * redacted thinking) are never read.
 */
export interface Said {
  /** The answer, tool calls as `name(arguments)`. */
  readonly completion?: string | undefined;
  readonly reasoning?: string | undefined;
  readonly toolCallIds?: readonly string[] | undefined;
  readonly finishReasons?: readonly string[] | undefined;
}

export interface Heard {
  /** The last message of the user or of a tool: the history before it was sent many times already. */
  readonly prompt?: string | undefined;
  /** The tool calls answered since the model last spoke. */
  readonly toolResultIds?: readonly string[] | undefined;
}

interface Collected {
  readonly text: string[];
  readonly reasoning: string[];
  /** What tools answered: heard by the model, never said by it. */
  readonly results: string[];
  readonly callIds: string[];
  readonly resultIds: string[];
  readonly finish: string[];
}

const REASONING_TYPES = new Set(['reasoning', 'thinking', 'thought', 'reasoning_text', 'summary_text']);
const OPAQUE_TYPES = new Set(['redacted_thinking', 'redacted-reasoning', 'encrypted', 'signature']);
const CALL_TYPES = new Set(['tool_call', 'tool-call', 'tool_use', 'function_call', 'server_tool_call']);
const RESULT_TYPES = new Set([
  'tool_call_response',
  'tool-result',
  'tool_result',
  'function_call_output',
  'server_tool_call_response',
]);

/** What a model answered. */
export function readSaid(value: unknown): Said {
  const parsed = structure(value) ?? value;
  const into = collect(parsed);
  const nothing = into.text.length + into.reasoning.length + into.callIds.length === 0;
  const answer = nothing && typeof value === 'string' ? textOf(value) : joined(into.text);
  const { completion, reasoning } = splitThinking(answer, joined(into.reasoning));
  return {
    completion,
    reasoning,
    toolCallIds: listed(into.callIds),
    finishReasons: listed(into.finish),
  };
}

/** What a model was asked, from messages in the order of the conversation. */
export function readHeard(messages: readonly unknown[]): Heard {
  let prompt: string | undefined;
  const resultIds: string[] = [];
  for (let i = messages.length - 1; i >= 0; i--) {
    const message = messages[i];
    if (!isFromOutside(message)) {
      if (prompt === undefined) continue;
      break;
    }
    const into = collect(message);
    prompt ??= joined([...into.text, ...into.results]);
    resultIds.push(...into.resultIds);
  }
  return { prompt, toolResultIds: listed(resultIds.reverse()) };
}

const OUTSIDE_ROLES = new Set(['user', 'human', 'tool', 'function', 'HumanMessage', 'ToolMessage']);

/** Said by a user or a tool, not by the model or the system prompt. */
export function isFromOutside(message: unknown): boolean {
  if (!isObject(message)) return false;
  const inner = isObject(message['kwargs']) ? message['kwargs'] : message;
  const role = inner['role'] ?? inner['type'];
  if (typeof role !== 'string') return false;
  return OUTSIDE_ROLES.has(role) || RESULT_TYPES.has(role);
}

/**
 * `<think>…</think>` blocks, as some open models write them into their answer, belong to the reasoning.
 * A block that was never closed reaches to the end.
 */
export function splitThinking(
  completion: string | undefined,
  reasoning?: string,
): { readonly completion?: string | undefined; readonly reasoning?: string | undefined } {
  if (completion === undefined || !completion.includes('<think>')) return { completion, reasoning };
  const thoughts = reasoning === undefined ? [] : [reasoning];
  const rest: string[] = [];
  let from = 0;
  for (;;) {
    const open = completion.indexOf('<think>', from);
    rest.push(completion.slice(from, open < 0 ? completion.length : open));
    if (open < 0) break;
    const close = completion.indexOf('</think>', open);
    thoughts.push(completion.slice(open + '<think>'.length, close < 0 ? completion.length : close).trim());
    if (close < 0) break;
    from = close + '</think>'.length;
  }
  return { completion: joined([rest.join('').trim()]), reasoning: joined(thoughts) };
}

function newCollected(): Collected {
  return { text: [], reasoning: [], results: [], callIds: [], resultIds: [], finish: [] };
}

function collect(value: unknown): Collected {
  const into = newCollected();
  walk(value, into, 0);
  return into;
}

function walk(value: unknown, into: Collected, depth: number): void {
  if (depth > MAX_DEPTH) return;
  if (typeof value === 'string') {
    if (value !== '') into.text.push(value);
  } else if (Array.isArray(value)) {
    for (const item of value) walk(item, into, depth + 1);
  } else if (isObject(value)) walkObject(value, into, depth);
}

/** Where the providers' bodies put what matters, tried in this order; the first that is there is followed. */
const CONTENT_KEYS = [
  'parts',
  'content',
  'contents',
  'message_content',
  'message',
  'text',
  'output_text',
  'choices',
  'candidates',
  'output',
  'generations',
  'kwargs',
  'messages',
  'response',
] as const;

function walkObject(part: JsonObject, into: Collected, depth: number): void {
  const type = part['type'];
  const kind = typeof type === 'string' ? type : '';
  // The common shapes first: a look at every other key costs more than parsing the JSON did.
  if (kind === 'text' && readTextPart(part, into)) return;
  if (OPAQUE_TYPES.has(kind)) return;
  if (REASONING_TYPES.has(kind) || part['thought'] === true) {
    pushReasoning(part, into, depth);
    return;
  }
  if (CALL_TYPES.has(kind) || part['tool.name'] !== undefined) {
    pushCall(part, into);
    return;
  }
  if (RESULT_TYPES.has(kind)) {
    pushResult(part, into, depth);
    return;
  }
  const parts = part['parts'];
  if (Array.isArray(parts)) {
    pushFinish(into, part['finish_reason'] ?? part['finishReason']);
    for (const item of parts) walk(item, into, depth + 1);
    return;
  }
  walkBody(part, into, depth);
}

/** @returns false when the part has no text in the usual places */
function readTextPart(part: JsonObject, into: Collected): boolean {
  const content = part['content'] ?? part['text'];
  if (typeof content !== 'string') return false;
  if (content !== '') into.text.push(content);
  return true;
}

function pushFinish(into: Collected, reason: unknown): void {
  if (typeof reason === 'string' && reason !== '' && !into.finish.includes(reason)) into.finish.push(reason);
}

/** A message or body of any provider. */
function walkBody(part: JsonObject, into: Collected, depth: number): void {
  pushId(into.resultIds, part['tool_call_id']);
  pushFinish(into, part['finish_reason'] ?? part['finishReason'] ?? part['stop_reason']);
  for (const key of ['reasoning_content', 'reasoning', 'reasoningContent', 'thinking', 'thought']) {
    if (part[key] !== undefined && part[key] !== null) {
      pushReasoning(isObject(part[key]) ? part[key] : { content: part[key] }, into, depth);
      break;
    }
  }
  for (const key of CONTENT_KEYS) {
    const content = part[key];
    if (content === undefined || content === null || content === '') continue;
    walk(content, into, depth + 1);
    break;
  }
  const more = part['additional_kwargs'];
  const calls = part['tool_calls'] ?? part['toolCalls'] ?? (isObject(more) ? more['tool_calls'] : undefined);
  if (Array.isArray(calls)) for (const call of calls) if (isObject(call)) pushCall(call, into);
  const functionCall = part['functionCall'] ?? part['function_call'];
  if (isObject(functionCall)) pushCall(functionCall, into);
  const functionResponse = part['functionResponse'] ?? part['function_response'];
  if (isObject(functionResponse)) pushResult(functionResponse, into, depth);
}

function pushReasoning(part: JsonObject, into: Collected, depth: number): void {
  if (typeof part['content'] === 'string' && part['content'] !== '') {
    into.reasoning.push(part['content']);
    return;
  }
  for (const key of [
    'content',
    'text',
    'thinking',
    'reasoning',
    'summary',
    'reasoningText',
    'reasoning_text',
  ]) {
    const value = part[key];
    if (value === undefined || value === null || value === '') continue;
    const inner = newCollected();
    walk(value, inner, depth + 1);
    into.reasoning.push(...inner.text, ...inner.reasoning);
    if (inner.text.length + inner.reasoning.length > 0) return;
  }
}

function pushCall(call: JsonObject, into: Collected): void {
  const wrapped = call['tool_call'];
  const inner = isObject(wrapped) ? wrapped : call;
  const details = isObject(inner['function']) ? inner['function'] : inner;
  pushId(into.callIds, inner['call_id'] ?? inner['id'] ?? inner['toolCallId'] ?? inner['tool_use_id']);
  const name = textOf(details['name']) ?? textOf(details['toolName']) ?? textOf(inner['tool.name']);
  if (name === undefined) return;
  const input =
    details['arguments'] ?? details['args'] ?? details['input'] ?? inner['parameters'] ?? inner['tool.args'];
  into.text.push(`${name}(${typeof input === 'string' ? input : (JSON.stringify(input) ?? '')})`);
}

function pushResult(part: JsonObject, into: Collected, depth: number): void {
  pushId(
    into.resultIds,
    part['call_id'] ?? part['tool_call_id'] ?? part['toolCallId'] ?? part['tool_use_id'] ?? part['id'],
  );
  const result = part['response'] ?? part['result'] ?? part['output'] ?? part['content'];
  const readable = isObject(result) && 'value' in result ? result['value'] : result;
  if (readable === undefined || readable === null) return;
  const isParts = Array.isArray(readable) && readable.some(isObject);
  const asText = isParts ? readText(readable, depth + 1) : undefined;
  into.results.push(asText ?? (typeof readable === 'string' ? readable : JSON.stringify(readable)));
}

function readText(value: unknown, depth: number): string | undefined {
  const inner = newCollected();
  walk(value, inner, depth);
  return joined([...inner.text, ...inner.results]);
}

function pushId(ids: string[], id: unknown): void {
  if (typeof id !== 'string' || id === '' || ids.length >= MAX_TOOL_CALL_IDS || ids.includes(id)) return;
  ids.push(id);
}

function joined(texts: readonly string[]): string | undefined {
  const filled = texts.length === 1 ? texts : texts.filter((text) => text !== '');
  return filled.length === 0 ? undefined : textOf(filled.join('\n'));
}

function listed(items: readonly string[]): readonly string[] | undefined {
  return items.length === 0 ? undefined : items;
}
