import type { JsonObject } from '../base/json.ts';
import type { AttributeValue, Attributes } from '../model/attributes.ts';
import { callsInText, newestUntangled } from './calls-as-text.ts';
import { MAX_DEPTH } from './limits.ts';
import { isFromOutside, readHeard, readSaid, type Heard, type Said } from './messages.ts';

/**
 * Messages flattened into attributes: `llm.input_messages.3.message.role`, `gen_ai.prompt.0.content`. Indexes
 * come in any order and with gaps.
 */

/** @param prefix with its last dot, e.g. `llm.input_messages.` */
export function heardIndexed(a: Attributes, prefix: string): Heard {
  const items = itemsUnder(a, prefix);
  if (items.size === 0) return {};
  // The history before the last turn is known already, so it isn't put together.
  const newest: JsonObject[] = [];
  let isTangled = false;
  let isFound = false;
  for (const index of sortedIndexes(items).reverse()) {
    const message = messageOf(items.get(index) ?? []);
    const isOutside = isFromOutside(message);
    if (isOutside) {
      newest.push(message);
      isFound = true;
      isTangled ||= callsInText(message['content']) !== undefined;
    } else {
      if (isFound || newest.length === 0) newest.push(message);
      if (isFound) break;
    }
  }
  return readHeard((isTangled ? newestUntangled(newest) : undefined) ?? newest.reverse());
}

/** @param prefix with its last dot, e.g. `llm.output_messages.` */
export function saidIndexed(a: Attributes, prefix: string): Said {
  const items = itemsUnder(a, prefix);
  if (items.size === 0) return {};
  return readSaid(sortedIndexes(items).map((index) => answerOf(messageOf(items.get(index) ?? []))));
}

/** All of them, in their order, each with its own number. @param prefix with its last dot */
export function messagesIndexed(
  a: Attributes,
  prefix: string,
): readonly { readonly index: number; readonly message: JsonObject }[] {
  const items = itemsUnder(a, prefix);
  return sortedIndexes(items).map((index) => ({ index, message: messageOf(items.get(index) ?? []) }));
}

function answerOf(message: JsonObject): JsonObject {
  const calls = callsInText(message['content']);
  return calls === undefined ? message : { ...message, content: '', tool_calls: calls };
}

/** What stands under one index: the rest of each key, and its value. */
type Item = [path: string, value: AttributeValue][];

function itemsUnder(a: Attributes, prefix: string): Map<number, Item> {
  const items = new Map<number, Item>();
  for (const [key, value] of a) {
    if (!key.startsWith(prefix)) continue;
    const dot = key.indexOf('.', prefix.length);
    const index = dot < 0 ? -1 : indexOf(key, prefix.length, dot);
    if (index < 0) continue;
    const path = key.slice(dot + 1);
    const item = items.get(index);
    if (item === undefined) items.set(index, [[path, value]]);
    else item.push([path, value]);
  }
  return items;
}

/** What has more is no index. */
const MAX_INDEX_DIGITS = 9;

/** The number that the key's characters from `start` to `end` write; -1 when they write none. */
function indexOf(key: string, start: number, end: number): number {
  if (end === start || end - start > MAX_INDEX_DIGITS) return -1;
  let index = 0;
  for (let i = start; i < end; i++) {
    const digit = key.charCodeAt(i) - 0x30;
    if (digit < 0 || digit > 9) return -1;
    index = index * 10 + digit;
  }
  return index;
}

function sortedIndexes(items: ReadonlyMap<number, Item>): number[] {
  return [...items.keys()].sort((a, b) => a - b);
}

/** OpenInference wraps each message in `message`. */
const WRAPPER = 'message.';

/** The structure behind the flattened keys of one message. */
function messageOf(item: Item): JsonObject {
  return flatMessage(item) ?? nestedMessage(item);
}

/** Most messages are a role and a text. */
function flatMessage(item: Item): JsonObject | undefined {
  const message: Record<string, AttributeValue> = {};
  for (const [path, value] of item) {
    const key = path.startsWith(WRAPPER) ? path.slice(WRAPPER.length) : path;
    if (key.includes('.') || key === '__proto__') return undefined;
    message[key] = value;
  }
  return message;
}

type Branch = Map<string, Branch | AttributeValue>;

function nestedMessage(item: Item): JsonObject {
  const root: Branch = new Map();
  for (const [path, value] of item) {
    const steps = (path.startsWith(WRAPPER) ? path.slice(WRAPPER.length) : path).split('.');
    if (steps.length <= MAX_DEPTH) insert(root, steps, value);
  }
  return objectOf(root);
}

function insert(root: Branch, path: readonly string[], value: AttributeValue): void {
  let branch = root;
  for (let i = 0; i < path.length - 1; i++) {
    const step = path[i] ?? '';
    const next = branch.get(step);
    if (next instanceof Map) branch = next;
    else {
      const made: Branch = new Map();
      branch.set(step, made);
      branch = made;
    }
  }
  branch.set(path.at(-1) ?? '', value);
}

const INDEX = /^\d{1,6}$/;

function build(node: Branch | AttributeValue): unknown {
  if (!(node instanceof Map)) return node;
  for (const key of node.keys()) if (!INDEX.test(key)) return objectOf(node);
  return [...node].sort(([a], [b]) => Number(a) - Number(b)).map(([, inner]) => build(inner));
}

function objectOf(branch: Branch): JsonObject {
  return Object.fromEntries([...branch].map(([key, node]) => [key, build(node)]));
}
