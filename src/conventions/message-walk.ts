import { isJson, isObject, type JsonObject } from '../base/json.ts';
import { MAX_DEPTH, MAX_FINISH_REASONS, MAX_TOOL_CALL_IDS } from './limits.ts';
import { textOf } from './read.ts';

/**
 * One tolerant walk over chat messages as all the SDKs write them: OTel parts, OpenAI, Anthropic, Bedrock, Gemini
 * and LangChain bodies, AI SDK content. Opaque parts (signatures, encrypted or redacted thinking) are never read.
 */
export interface Collected {
  readonly text: string[];
  readonly reasoning: string[];
  /** What tools answered: heard by the model, never said by it. */
  readonly results: string[];
  readonly callIds: string[];
  /** Tool calls as `name(arguments)`; they stand in `text` too. */
  readonly calls: string[];
  readonly resultIds: string[];
  readonly finish: string[];
}

const REASONING_TYPES = new Set(['reasoning', 'thinking', 'thought', 'reasoning_text', 'summary_text']);
const OPAQUE_TYPES = new Set(['redacted_thinking', 'redacted-reasoning', 'encrypted', 'signature']);
const CALL_TYPES = new Set(['tool_call', 'tool-call', 'tool_use', 'function_call', 'server_tool_call']);
export const RESULT_TYPES = new Set([
  'tool_call_response',
  'tool-result',
  'tool_result',
  'function_call_output',
  'server_tool_call_response',
]);

function newCollected(): Collected {
  return { text: [], reasoning: [], results: [], callIds: [], calls: [], resultIds: [], finish: [] };
}

/** What the messages under a value hold. */
export function collect(value: unknown): Collected {
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
  'refusal',
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
  pushOnce(into.finish, MAX_FINISH_REASONS, reason);
}

/** Messages with nothing in them to show: an answer that is only calls of tools, or none at all, comes as an empty text. */
export function isEmptyAnswer(value: unknown, depth = 0): boolean {
  if (value === '' || value === null || value === undefined) return true;
  if (depth > MAX_DEPTH) return false;
  if (Array.isArray(value)) return value.every((item) => isEmptyAnswer(item, depth + 1));
  if (!isObject(value)) return false;
  if (typeof value['type'] === 'string' && OPAQUE_TYPES.has(value['type'])) return true;
  const keys = CONTENT_KEYS.filter((key) => key in value);
  return keys.length > 0 && keys.every((key) => isEmptyAnswer(value[key], depth + 1));
}

/** A message or body of any provider. */
function walkBody(part: JsonObject, into: Collected, depth: number): void {
  pushId(into.resultIds, part['tool_call_id']);
  pushFinish(
    into,
    part['finish_reason'] ?? part['finishReason'] ?? part['stop_reason'] ?? endOfResponse(part),
  );
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
  // LlamaIndex keeps the provider's body beside its own message, which has no reasoning in it.
  if (into.reasoning.length === 0 && isObject(part['raw'])) {
    const raw = newCollected();
    walk(part['raw'], raw, depth + 1);
    for (const text of raw.reasoning) into.reasoning.push(text);
  }
  const more = part['additional_kwargs'];
  const calls = part['tool_calls'] ?? part['toolCalls'] ?? (isObject(more) ? more['tool_calls'] : undefined);
  if (Array.isArray(calls)) for (const call of calls) if (isObject(call)) pushCall(call, into);
  const functionCall =
    part['functionCall'] ?? part['function_call'] ?? part['toolRequest'] ?? part['toolUse'];
  if (isObject(functionCall)) pushCall(functionCall, into);
  const functionResponse =
    part['functionResponse'] ?? part['function_response'] ?? part['toolResponse'] ?? part['toolResult'];
  if (isObject(functionResponse)) pushResult(functionResponse, into, depth);
}

/** How a body of OpenAI's Responses API says why it ended. */
function endOfResponse(part: JsonObject): unknown {
  if (part['object'] !== 'response') return undefined;
  const details = part['incomplete_details'];
  return (isObject(details) ? details['reason'] : undefined) ?? part['status'];
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
    for (const text of inner.text.concat(inner.reasoning)) into.reasoning.push(text);
    if (inner.text.length + inner.reasoning.length > 0) return;
  }
}

function pushCall(call: JsonObject, into: Collected): void {
  const wrapped = call['tool_call'];
  const inner = isObject(wrapped) ? wrapped : call;
  const details = isObject(inner['function']) ? inner['function'] : inner;
  pushId(
    into.callIds,
    inner['call_id'] ??
      inner['id'] ??
      inner['toolCallId'] ??
      inner['tool_use_id'] ??
      inner['toolUseId'] ??
      inner['ref'],
  );
  const name = textOf(details['name']) ?? textOf(details['toolName']) ?? textOf(inner['tool.name']);
  if (name === undefined) return;
  const input =
    details['arguments'] ?? details['args'] ?? details['input'] ?? inner['parameters'] ?? inner['tool.args'];
  const args = typeof input === 'string' ? input : (JSON.stringify(input) ?? '');
  for (const one of args.includes('}{') ? runTogether(args) : [args]) {
    const shown = `${name}(${one})`;
    into.text.push(shown);
    if (into.calls.length < MAX_TOOL_CALL_IDS) into.calls.push(shown);
  }
}

/** Instrumentations that put the pieces of a stream together may take parallel calls of one tool for a single one. */
function runTogether(args: string): readonly string[] {
  if (isJson(args)) return [args];
  const calls = args.split(/(?<=\})(?=\{)/, MAX_TOOL_CALL_IDS);
  return calls.every(isJson) ? calls : [args];
}

function pushResult(part: JsonObject, into: Collected, depth: number): void {
  pushId(
    into.resultIds,
    part['call_id'] ??
      part['tool_call_id'] ??
      part['toolCallId'] ??
      part['tool_use_id'] ??
      part['toolUseId'] ??
      part['id'] ??
      part['ref'],
  );
  const result = part['response'] ?? part['result'] ?? part['output'] ?? part['content'];
  const readable = isObject(result) && 'value' in result ? result['value'] : result;
  if (readable === undefined || readable === null) return;
  into.results.push(resultText(readable, depth));
}

/** What a tool gave: the texts of its parts, or, being data of its own, as it is. */
export function resultText(result: unknown, depth = 0): string {
  if (typeof result === 'string') return result;
  return (isParts(result) ? readText(result, depth + 1) : undefined) ?? JSON.stringify(result) ?? '';
}

export function isParts(content: unknown): boolean {
  return Array.isArray(content) && content.length > 0 && content.every(isPart);
}

/** A part of a message, not a row of data that happens to have a text. */
function isPart(item: unknown): boolean {
  if (!isObject(item)) return false;
  if (typeof item['type'] === 'string') return true;
  const keys = Object.keys(item);
  return keys.length > 0 && keys.every((key) => PART_KEYS.has(key));
}

/** Of which the parts consist that have no type: Bedrock's, Gemini's, Genkit's. */
const PART_KEYS = new Set([
  'text',
  'json',
  'toolResponse',
  'toolResult',
  'functionResponse',
  'inlineData',
  'media',
  'metadata',
]);

function readText(value: unknown, depth: number): string | undefined {
  const inner = newCollected();
  walk(value, inner, depth);
  return joined([...inner.text, ...inner.results]);
}

function pushId(ids: string[], id: unknown): void {
  pushOnce(ids, MAX_TOOL_CALL_IDS, id);
}

function pushOnce(texts: string[], max: number, text: unknown): void {
  if (typeof text === 'string' && text !== '' && texts.length < max && !texts.includes(text))
    texts.push(text);
}

export function joined(texts: readonly string[]): string | undefined {
  const filled = texts.length === 1 ? texts : texts.filter((text) => text !== '');
  return filled.length === 0 ? undefined : textOf(filled.join('\n'));
}
