import { isObject, type JsonObject } from '../base/json.ts';
import { canonicalAgent } from '../model/agent.ts';
import { textHash } from '../model/text-hash.ts';
import { MAX_DEPTH } from './limits.ts';
import { parsePython } from './python-literal.ts';
import { idOf, textOf } from './read.ts';

/** The arguments of a tool call, out of whatever its sender put around them. */
export interface ToolArguments {
  /** As they were sent, where nothing was around them. */
  readonly text: string;
  /** The call's id, where what was around them has it. */
  readonly callId: string | undefined;
}

/** Longer arguments are compared as they are. */
const MAX_CHARS = 16 * 1024;

/** What gives away that arguments are wrapped, or are Python: a look that nearly all arguments pass. */
const WRAPPED =
  /"(?:args|kwargs|options|input_str|inputs|tool_call|arguments|tool_kwargs)"|^\s{0,8}\{\s{0,8}'|^\w+\(/;

/** Takes the arguments out of `{"args":[],"kwargs":{…}}`, `{"input_str":…,"inputs":{…}}` and their like. */
export function unwrapArguments(text: string): ToolArguments {
  if (text.length > MAX_CHARS || !WRAPPED.test(text)) return { text, callId: undefined };
  const parsed = parse(text);
  const { inner, callId } = unwrap(parsed);
  return { text: inner === parsed || inner === undefined ? text : plain(inner), callId };
}

function plain(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return parsePython(text) ?? text;
  }
}

interface Unwrapped {
  readonly inner: unknown;
  readonly callId: string | undefined;
}

/** A wrapper in a wrapper: a tool call as the argument of the method that runs it. */
const MAX_WRAPPERS = 4;

function unwrap(value: unknown, left = MAX_WRAPPERS): Unwrapped {
  if (!isObject(value) || left === 0) return { inner: value, callId: undefined };
  const around = wrappedIn(value);
  if (around === undefined) return { inner: value, callId: undefined };
  const inside = typeof around.inner === 'string' ? parse(around.inner) : around.inner;
  const { inner, callId } = unwrap(inside, left - 1);
  return { inner, callId: around.callId ?? callId };
}

function wrappedIn(value: JsonObject): Unwrapped | undefined {
  const { args, kwargs, inputs, input_str: text } = value;
  const keys = Object.keys(value);
  // Python: positional and named arguments of the function that was called, and switches of what calls it.
  if (isObject(kwargs) && keys.every((key) => isArgument(key, value)))
    return { inner: named(args, kwargs), callId: undefined };
  // BeeAI: what the tool was given, and how it was to run.
  if (keys.length === 2 && isObject(value['input']) && value['options'] !== undefined)
    return { inner: value['input'], callId: undefined };
  // LangChain's callbacks: the input as text and as a structure, and what was passed on.
  if ((typeof text === 'string' || isObject(inputs)) && keys.every((key) => CALLBACK_KEYS.has(key)))
    return {
      inner: isObject(inputs) ? inputs : text,
      callId: isObject(kwargs) ? idOf(kwargs['tool_call_id']) : undefined,
    };
  // A whole tool call as the argument of what runs it.
  const call = isObject(value['tool_call']) ? value['tool_call'] : value;
  const inner = call['args'] ?? call['arguments'] ?? call['tool_kwargs'];
  const isCall = call['name'] !== undefined || call['tool_name'] !== undefined;
  if (!isCall || inner === undefined || !Object.keys(call).every((key) => CALL_KEYS.has(key)))
    return undefined;
  return { inner, callId: idOf(call['id'] ?? call['tool_id'] ?? call['call_id']) };
}

function isArgument(key: string, { args, [key]: value }: JsonObject): boolean {
  return key === 'args' || key === 'kwargs' || (Array.isArray(args) && typeof value === 'boolean');
}

const CALLBACK_KEYS = new Set([
  'input_str',
  'inputs',
  'tags',
  'metadata',
  'kwargs',
  'run_id',
  'parent_run_id',
]);
const CALL_KEYS = new Set([
  'name',
  'tool_name',
  'args',
  'arguments',
  'tool_kwargs',
  'id',
  'tool_id',
  'call_id',
  'type',
]);

function named(args: unknown, kwargs: JsonObject): unknown {
  if (!Array.isArray(args) || args.length === 0) return kwargs;
  const isEmpty = Object.keys(kwargs).length === 0;
  if (isEmpty) return args.length === 1 ? (args[0] as unknown) : args;
  return { args: args as unknown[], ...kwargs };
}

/**
 * A name for a tool call by which the one that a model asked for is found again as the one that ran: the same however
 * its arguments are wrapped, spaced, ordered or quoted, and whether a single one is named or not. Handing over to an
 * agent is the same by whatever tool.
 */
export function callHash(name: string, args: string | undefined): string | undefined {
  const inner = args === undefined || args.length > MAX_CHARS ? args : unwrap(parse(args)).inner;
  const agent = handoffIn(name, inner);
  if (agent !== undefined) return textHash(`hand over to ${canonicalAgent(agent)}`, 1);
  return textHash(`${name}(${valuesOf(inner)})`, 1);
}

/** The same of a call as it stands in an answer: `name(arguments)`. */
export function askedHash(call: string): string | undefined {
  const open = call.indexOf('(');
  return open < 0 ? undefined : callHash(call.slice(0, open), call.slice(open + 1, -1));
}

/** The values in the order of their names: a positional argument has none. */
function valuesOf(args: unknown): string {
  if (args === undefined || args === null || args === '') return '[]';
  if (Array.isArray(args)) return JSON.stringify(args.map((item) => sorted(item, 0)));
  if (!isObject(args)) return JSON.stringify([args]);
  const keys = Object.keys(args).sort();
  return JSON.stringify(keys.filter((key) => args[key] !== null).map((key) => sorted(args[key], 0)));
}

function sorted(value: unknown, depth: number): unknown {
  if (depth > MAX_DEPTH) return null;
  if (Array.isArray(value)) return value.map((item) => sorted(item, depth + 1));
  if (!isObject(value)) return value;
  const keys = Object.keys(value).sort();
  return Object.fromEntries(keys.map((key) => [key, sorted(value[key], depth + 1)]));
}

/** How frameworks name the tool, or the span, by which an agent hands over to another one. */
const HANDOFF = /^(?:transfer|hand[_ -]?off|delegate)(?:[_ -]?back)?[_ -]to[_ -](.{1,256})$/i;
/** A tool that hands over to whichever agent its arguments name. */
const HANDOFF_TOOL =
  /^(?:transfer|hand[_ -]?off|delegate)(?:[_ -](?:work|task))?(?:[_ -]to)?(?:[_ -](?:agent|co-?worker))?$/i;
const AGENT_KEYS = ['agent_name', 'agentName', 'agent', 'assistant', 'coworker', 'to_agent', 'target', 'to'];
/** What such tools answer. */
const HANDED =
  /^(?:successfully )?(?:transferred|handed (?:off|over)) to ['"`]?([\w .-]{1,128}?)['"`]?(?:[.,!]|$)/i;

/** The agent that a tool call hands over to: by its name, its arguments or what it gave. */
export function handoffTo(
  name: string | undefined,
  args: string | undefined,
  result: string | undefined,
): string | undefined {
  if (name === undefined) return undefined;
  const isNamed = HANDOFF.test(name) || HANDOFF_TOOL.test(name);
  const inner =
    isNamed && args !== undefined && args.length <= MAX_CHARS ? unwrap(parse(args)).inner : undefined;
  return handoffIn(name, inner) ?? handedIn(result);
}

function handoffIn(name: string, args: unknown): string | undefined {
  if (HANDOFF_TOOL.test(name) || /[_ -]to[_ -]agent$/i.test(name)) {
    if (typeof args === 'string') return textOf(args);
    const agent = isObject(args) ? AGENT_KEYS.map((key) => textOf(args[key])).find(Boolean) : undefined;
    if (agent !== undefined) return agent;
  }
  return textOf(HANDOFF.exec(name)?.[1]?.trim());
}

function handedIn(result: string | undefined): string | undefined {
  if (result === undefined || result.length > 512) return undefined;
  const parsed = result.startsWith('{') ? parse(result) : undefined;
  // OpenAI's Agents SDK, and Swarm before it.
  if (isObject(parsed) && Object.keys(parsed).length === 1) return textOf(parsed['assistant']);
  return textOf(HANDED.exec(result)?.[1]?.trim());
}

/** Does a tool hand over without saying to whom? */
export function handsToAnybody(name: string, args: string | undefined): boolean {
  return args === undefined && HANDOFF_TOOL.test(name);
}

/** Among the names of what a call asks for: that it hands over, to whomever. No hash is equal to it. */
export const HANDOFF_HASH = 'handoff';

/** Does a call, as it stands in an answer, hand over to an agent? */
export function isHandoff(call: string): boolean {
  const open = call.indexOf('(');
  return open > 0 && handoffTo(call.slice(0, open), call.slice(open + 1, -1), undefined) !== undefined;
}

/** Names under which tools that run code take it. */
const CODE_KEYS = ['code', 'source', 'script', 'python_code', 'command', 'cmd', 'query'];

/** A name for the code that a tool was given to run; undefined where it was given none. */
export function codeHash(args: string | undefined): string | undefined {
  if (args === undefined || args.length > MAX_CODE_CHARS) return undefined;
  const inner = unwrap(parse(args)).inner;
  const code = isObject(inner) ? CODE_KEYS.map((key) => textOf(inner[key])).find(Boolean) : textOf(inner);
  return code === undefined ? undefined : textHash(fenced(code)[0] ?? code);
}

const MAX_CODE_CHARS = 256 * 1024;
/** Blocks of code in one answer; more are a document. */
const MAX_BLOCKS = 8;
/** To the end where one is not closed: else each beginning would look for its end anew. */
const FENCE = /```[^\n`]{0,64}\n([\s\S]*?)(?:```|$)|<code>([\s\S]*?)(?:<\/code>|$)/g;

/** Names for the blocks of code in an answer. */
export function codeHashes(answer: string): readonly string[] {
  return fenced(answer)
    .map((block) => textHash(block))
    .filter((hash) => hash !== undefined);
}

function fenced(text: string): readonly string[] {
  if (!text.includes('```') && !text.includes('<code>')) return [];
  const blocks: string[] = [];
  for (const match of text.slice(0, MAX_CODE_CHARS).matchAll(FENCE)) {
    blocks.push(match[1] ?? match[2] ?? '');
    if (blocks.length === MAX_BLOCKS) break;
  }
  return blocks;
}
