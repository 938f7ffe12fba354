import { thoughtTags, type Alternative, type ThoughtTags } from '../model/thought-tags.ts';
import { sharedText } from '../model/shared-text.ts';
import type { Details } from './convention.ts';
import type { Draft } from './draft.ts';
import type { Failure } from './failure.ts';
import { MAX_ERROR_CHARS } from './limits.ts';
import { MAX_NAME_CHARS, clip } from '../model/one-line.ts';

export type NodeDetails = Record<string, unknown>;

/** Choices, finish reasons, tool calls: a handful in practice. */
const MAX_WORDS = 32;
/** Fields that hold a sentence, not a name. */
const SENTENCES = new Set<string>(['errorMessage', 'why', 'how']);
/** Fields of which there are few different values. */
const NAMES = new Set<string>(['provider', 'operation', 'toolName']);
/** A container repeats the calls of the model inside it; only the model's own turn, or a chunk of it, asks for tools. */
const TURN_FIELDS = new Set<string>(['requestedToolCallIds', 'answeredToolCallIds']);

/** What the conventions said, with every string and list bounded, for `details` and not yet with the rest. */
export function boundedDetails(draft: Draft, failure: Failure): NodeDetails {
  const said = draft.details;
  said.errorType = className(said.errorType ?? failure.errorType);
  said.errorMessage ??= failure.errorMessage;
  addTags(draft);
  const details: NodeDetails = {};
  const isTurn = draft.type === 'LLM_CALL' || isChunk(draft);
  for (const field in said) {
    const value = said[field as keyof Details];
    if (value === undefined || (!isTurn && TURN_FIELDS.has(field))) continue;
    if (typeof value !== 'string') details[field] = typeof value === 'object' ? boundedList(value) : value;
    else if (NAMES.has(field)) details[field] = sharedText(clip(value, MAX_NAME_CHARS));
    else details[field] = value.length <= MAX_NAME_CHARS ? value : clip(value, maxCharsOf(field));
  }
  if (draft.contradictions !== undefined) details['contradictions'] = draft.contradictions;
  return details;
}

/** A piece of the step that it is shown in; what is around other steps repeats these. */
export function isChunk({ wrapper, container, type }: Draft): boolean {
  return wrapper === true && container !== true && type === 'OTHER';
}

function maxCharsOf(field: string): number {
  return SENTENCES.has(field) ? MAX_ERROR_CHARS : MAX_NAME_CHARS;
}

/** Nearly all are short, and stay as they are. */
function boundedList(items: readonly string[] | readonly Alternative[]): readonly (string | Alternative)[] {
  const isShort =
    items.length <= MAX_WORDS &&
    items.every((item) => typeof item === 'string' && item.length <= MAX_NAME_CHARS);
  return isShort ? items : items.slice(0, MAX_WORDS).map(bounded);
}

function bounded(item: string | Alternative): string | Alternative {
  if (typeof item === 'string') return clip(item, MAX_NAME_CHARS);
  return item.text === undefined ? item : { ...item, text: clip(item.text, MAX_ERROR_CHARS) };
}

/** Python's `<class 'openai.RateLimitError'>` is `openai.RateLimitError`. */
function className(type: string | undefined): string | undefined {
  if (type === undefined || !type.startsWith('<class ')) return type;
  return /^<class '([^']{1,256})'>$/.exec(type)?.[1] ?? type;
}

/** What any tag or figure has in it: nearly no text has, and this is the cheapest way to see it. */
const SIGN = /[{<[]|onfiden|ONFIDEN/;

function tagsIn(text: string | undefined): ThoughtTags | undefined {
  return text === undefined || !SIGN.test(text) ? undefined : thoughtTags(text);
}

/** What a model wrote of its reasons, in its thoughts or else in its answer. */
function addTags({ type, texts, details }: Draft): void {
  const tags = tagsIn(texts.reasoning) ?? (type === 'LLM_CALL' ? tagsIn(texts.completion) : undefined);
  if (tags === undefined) return;
  details.why ??= tags.why;
  details.how ??= tags.how;
  details.alternatives ??= tags.alternatives;
  details.confidence ??= tags.confidence;
}
