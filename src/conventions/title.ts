import { isObject } from '../base/json.ts';
import { titleLine } from '../model/title.ts';
import type { Draft } from './draft.ts';
import { parseJson } from './json.ts';
import { parsePython } from './python-literal.ts';

/** Arguments longer than this are shown as they are written: a title shows their beginning only. */
const MAX_PARSED_CHARS = 4096;
/** Values of one call in a title, and how deep they are looked for. */
const MAX_VALUES = 16;
const MAX_DEPTH = 4;

/**
 * What the texts of a step say for its title: a tool call with the values it was given, what a model answered or asked
 * for, else what the step gave. Undefined where other fields of the step say it.
 */
export function stepTitle({ type, texts, details, asked }: Draft): string | undefined {
  const { toolName } = details;
  if (toolName !== undefined && type !== 'LLM_CALL')
    return texts.toolArguments === undefined ? undefined : titleLine(callOf(toolName, texts.toolArguments));
  const { completion } = texts;
  // A record of one message of a call has no type.
  if (type !== 'LLM_CALL' && (type !== undefined || asked === undefined)) {
    if (texts.prompt === undefined) return given(completion);
    return looksLikeJson(texts.prompt) ? (given(texts.prompt) ?? given(completion)) : undefined;
  }
  const first = asked?.[0];
  if (asked !== undefined && first !== undefined && (completion?.trimStart().startsWith(first) ?? true))
    return titleLine(asked.slice(0, MAX_VALUES).map(askedCall).join(', '));
  return titleLine(completion ?? texts.reasoning);
}

/** Is that title how the step's thought begins? */
export function isOfThought({ type, texts, asked }: Draft): boolean {
  return (
    type === 'LLM_CALL' &&
    texts.completion === undefined &&
    asked?.[0] === undefined &&
    texts.reasoning !== undefined
  );
}

/** Of a text that is JSON the first sentence in it: the state of a program tells nobody anything. */
function given(text: string | undefined): string | undefined {
  if (text === undefined || !looksLikeJson(text)) return titleLine(text);
  return titleLine(valuesIn(text)?.find((value) => value.trim().includes(' ')));
}

function looksLikeJson(text: string): boolean {
  return /^\s{0,8}[[{]/.test(text);
}

/** `get_weather({"city":"Paris"})` as `get_weather(Paris)`. */
function askedCall(call: string): string {
  const open = call.indexOf('(');
  return open <= 0 || !call.endsWith(')') ? call : callOf(call.slice(0, open), call.slice(open + 1, -1));
}

function callOf(name: string, args: string): string {
  return `${name}(${valuesIn(args)?.join(', ') ?? args})`;
}

const PYTHON = /^\s{0,8}\{\s{0,8}'/;

/** Undefined for what is neither JSON nor what Python writes. */
function valuesIn(json: string): readonly string[] | undefined {
  const read = PYTHON.test(json) ? parsePython : parseJson;
  const parsed = json.length > MAX_PARSED_CHARS ? undefined : read(json);
  if (parsed === undefined) return undefined;
  const values: string[] = [];
  addValues(parsed, values, 0);
  return values;
}

function addValues(value: unknown, into: string[], depth: number): void {
  if (into.length >= MAX_VALUES || depth > MAX_DEPTH) return;
  if (Array.isArray(value)) for (const item of value) addValues(item, into, depth + 1);
  else if (isObject(value)) for (const key in value) addValues(value[key], into, depth + 1);
  else if (typeof value === 'string' ? value !== '' : typeof value === 'number' || typeof value === 'boolean')
    into.push(String(value));
}
