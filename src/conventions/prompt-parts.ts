import { isObject, type JsonObject } from '../base/json.ts';
import type { AttributeValue, Attributes } from '../model/attributes.ts';
import { cutBefore } from '../model/marker.ts';
import type { PromptSource } from '../model/prompt-provenance.ts';
import { flowPrompt } from './flow-prompt.ts';
import type { FoundPart, FoundPrompt } from './found-prompt.ts';
import { messagesIndexed } from './indexed.ts';
import { structure } from './json.ts';
import { collect, joined } from './message-walk.ts';
import { asText, textOf } from './read.ts';
import { toldByEvents } from './span-events.ts';

/** More are no conversation that somebody reads; the newest count. */
const MAX_PARTS = 200;
/** Of one part, in characters: a long file in a prompt is shown by its beginning; the texts of the node have it whole. */
const MAX_PART_CHARS = 64 * 1024;
/** Of all parts together: an answer stays small. */
const MAX_CHARS = 512 * 1024;

/** What the redacted attributes of a span say of the prompt of its call; undefined where they say nothing. */
export function promptOf(attributes: { readonly [key: string]: unknown }): FoundPrompt | undefined {
  const flow = flowPrompt(attributes);
  const a: Attributes = new Map(Object.entries(attributes) as [string, AttributeValue][]);
  const found = flow ?? { parts: [...system(a), ...tools(a), ...conversation(a, attributes)] };
  return found.parts.length === 0 ? undefined : bounded(found);
}

const SYSTEM = [
  'gen_ai.system_instructions',
  'gen_ai.system.instructions',
  'llm.system_prompt',
  'ai.prompt.system',
];
const TOOLS = ['gen_ai.tool.definitions', 'gen_ai.request.tools', 'ai.prompt.tools', 'llm.request.functions'];

function system(a: Attributes): readonly FoundPart[] {
  for (const attribute of SYSTEM) {
    const value = a.get(attribute);
    const told =
      value === undefined ? undefined : (joined(collect(structure(value) ?? value).text) ?? asText(value));
    if (told !== undefined) return [{ type: 'system', source: { attribute }, value: told }];
  }
  return [];
}

function tools(a: Attributes): readonly FoundPart[] {
  for (const attribute of TOOLS) {
    const value = asText(a.get(attribute));
    if (value !== undefined) return [{ type: 'tools', source: { attribute }, value }];
  }
  const listed = [...a.keys()].filter((key) => TOOL_SCHEMA.test(key)).sort(byNumber);
  return listed.flatMap((attribute) => {
    const value = asText(a.get(attribute));
    return value === undefined ? [] : [{ type: 'tools', source: { attribute }, value }];
  });
}

const TOOL_SCHEMA = /^llm\.tools\.\d{1,9}\.tool\.json_schema$/;

function byNumber(a: string, b: string): number {
  return Number(/\d+/.exec(a)?.[0] ?? 0) - Number(/\d+/.exec(b)?.[0] ?? 0);
}

const MESSAGES = [
  'gen_ai.input.messages',
  'ai.prompt.messages',
  'gen_ai.prompt',
  'ai.prompt',
  'pydantic_ai.all_messages',
  'all_messages_events',
  'gen_ai.content.prompt',
];
const INDEXED = ['llm.input_messages.', 'gen_ai.prompt.'];

/** The first place that tells of the messages of the call. */
function conversation(a: Attributes, plain: { readonly [key: string]: unknown }): readonly FoundPart[] {
  for (const attribute of MESSAGES) {
    const value = a.get(attribute);
    const parts = value === undefined ? [] : inValue(value, { attribute });
    if (parts.length > 0) return parts;
  }
  for (const prefix of INDEXED) {
    const messages = messagesIndexed(a, prefix);
    const parts = inMessages(
      messages.map(({ message }) => message),
      (place) => ({ attribute: `${prefix}${messages[place]?.index ?? place}` }),
    );
    if (parts.length > 0) return parts;
  }
  const events = inEvents(plain['events']);
  if (events.length > 0) return events;
  return ['llm.prompt_template.template', 'llm.prompts'].flatMap((attribute) => {
    const value = asText(a.get(attribute));
    return value === undefined ? [] : [{ type: 'template', source: { attribute }, value }];
  });
}

/** Messages, a request with messages in it, or a text. */
function inValue(value: unknown, source: PromptSource): readonly FoundPart[] {
  const parsed = structure(value) ?? value;
  if (Array.isArray(parsed)) return inMessages(parsed, (index) => ({ ...source, index }));
  if (isObject(parsed)) {
    const { system: told, messages, prompt, tools: defined } = parsed;
    return [
      ...textPart('system', told, source),
      ...textPart('tools', defined, source),
      ...(Array.isArray(messages) ? inMessages(messages, (index) => ({ ...source, index })) : []),
      ...textPart('user', prompt, source),
    ];
  }
  return textPart('user', parsed, source);
}

function textPart(type: string, told: unknown, source: PromptSource): readonly FoundPart[] {
  const value = asText(told);
  return value === undefined ? [] : [{ type, source, value }];
}

const KINDS: ReadonlyMap<string, string> = new Map([
  ['system', 'system'],
  ['developer', 'system'],
  ['tool', 'tool_result'],
  ['function', 'tool_result'],
  ['user', 'user'],
  ['human', 'user'],
]);

/** What was said until the model last spoke is the history. */
function inMessages(
  messages: readonly unknown[],
  sourceOf: (index: number) => PromptSource,
): readonly FoundPart[] {
  const read = messages.map((message, index) => readMessage(message, sourceOf(index)));
  const last = read.findLastIndex((part) => part?.isModel === true);
  return read.flatMap((part, index) => {
    if (part === undefined || part.value === undefined) return [];
    const { isModel, value, type, ...rest } = part;
    const isHistory = isModel || (index < last && type !== 'system');
    return [{ ...rest, value, type: isHistory ? 'history' : type }];
  });
}

interface ReadMessage extends Omit<FoundPart, 'value'> {
  readonly value: string | undefined;
  readonly isModel: boolean;
}

function readMessage(message: unknown, source: PromptSource): ReadMessage | undefined {
  if (typeof message === 'string') return { type: 'user', source, value: textOf(message), isModel: false };
  if (!isObject(message)) return undefined;
  const role = roleOf(message);
  const { text, results, resultIds, calls } = collect(message);
  const kind = results.length > 0 ? 'tool_result' : (KINDS.get(role?.toLowerCase() ?? '') ?? 'history');
  const [firstId = textOf(message['tool_call_id'])] = resultIds;
  return {
    type: kind,
    source: role === undefined ? source : { ...source, role },
    value: joined([...text, ...results]) ?? joined(calls) ?? asText(message['content']),
    isModel: kind === 'history',
    // Results of several calls in one message are of no one step.
    toolCallId: new Set(resultIds).size > 1 ? undefined : firstId,
  };
}

function roleOf({ role, type, kind }: JsonObject): string | undefined {
  return textOf(role) ?? textOf(type) ?? textOf(kind);
}

function inEvents(events: unknown): readonly FoundPart[] {
  if (!Array.isArray(events)) return [];
  const read = (events as readonly unknown[]).flatMap((event) => {
    if (!isObject(event) || typeof event['name'] !== 'string') return [];
    const plain = isObject(event['attributes']) ? event['attributes'] : {};
    return [{ name: event['name'], attributes: new Map(Object.entries(plain)) as Attributes }];
  });
  const told = toldByEvents({ events: read });
  if (!told) return [];
  const names = read.filter(({ name }) => /^gen_ai\.(?:system|user|assistant|tool)\.message$/.test(name));
  const parts = inMessages(told.messages, (index) => ({ event: names[index]?.name ?? 'gen_ai', index }));
  if (parts.length > 0 || !told.details) return parts;
  const whole = Object.fromEntries(told.details);
  return (promptOf(whole)?.parts ?? []).map(({ source: { attribute, ...source }, ...part }) => ({
    ...part,
    source: { event: 'gen_ai.client.inference.operation.details', attribute: attribute ?? '', ...source },
  }));
}

/** The newest parts, and those that are no history, within the bounds. */
function bounded(found: FoundPrompt): FoundPrompt {
  const kept = newest(found.parts);
  let chars = 0;
  const parts = kept.map((part) => {
    const room = Math.max(0, Math.min(MAX_PART_CHARS, MAX_CHARS - chars));
    const value = part.value.length <= room ? part.value : cut(part.value, room);
    chars += value.length;
    return { ...part, value };
  });
  const { assembly: _, ...whole } = found;
  const dropped = found.parts.length - parts.length;
  // Places count the parts that are shown.
  return dropped === 0 ? { ...found, parts } : { ...whole, parts, omitted: dropped };
}

/** Of the history the oldest go first, then of the rest; last what holds for all of it. */
function newest(parts: readonly FoundPart[]): readonly FoundPart[] {
  let excess = parts.length - MAX_PARTS;
  let kept = parts;
  const rounds: readonly ((type: string) => boolean)[] = [
    (type) => type === 'history',
    (type) => type !== 'system' && type !== 'tools',
    () => true,
  ];
  for (const mayGo of rounds)
    kept = excess <= 0 ? kept : kept.filter(({ type }) => !mayGo(type) || excess-- <= 0);
  return kept;
}

function cut(text: string, max: number): string {
  const end = cutBefore(text, max);
  return `${text.slice(0, end)}…[cut ${text.length - end} chars]`;
}
