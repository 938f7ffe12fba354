import type { AttributeValue, Attributes } from '../model/attributes.ts';
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
  const newest: unknown[] = [];
  for (const index of sortedIndexes(items).reverse()) {
    const message = messageOf(items.get(index) ?? []);
    const isOutside = isFromOutside(message);
    if (isOutside) newest.push(message);
    else if (newest.length > 0) break;
  }
  return readHeard(newest.reverse());
}

/** @param prefix with its last dot, e.g. `llm.output_messages.` */
export function saidIndexed(a: Attributes, prefix: string): Said {
  const items = itemsUnder(a, prefix);
  if (items.size === 0) return {};
  return readSaid(sortedIndexes(items).map((index) => messageOf(items.get(index) ?? [])));
}

/** What stands under one index: the rest of each key, and its value. */
type Item = [path: string, value: AttributeValue][];

function itemsUnder(a: Attributes, prefix: string): Map<number, Item> {
  const items = new Map<number, Item>();
  for (const [key, value] of a) {
    if (!key.startsWith(prefix)) continue;
    const dot = key.indexOf('.', prefix.length);
    const index = dot < 0 ? Number.NaN : Number(key.slice(prefix.length, dot));
    if (!Number.isSafeInteger(index) || index < 0) continue;
    const path = key.slice(dot + 1);
    const item = items.get(index);
    if (item === undefined) items.set(index, [[path, value]]);
    else item.push([path, value]);
  }
  return items;
}

function sortedIndexes(items: ReadonlyMap<number, Item>): number[] {
  return [...items.keys()].sort((a, b) => a - b);
}

type Branch = Map<string, Branch | AttributeValue>;

/** The structure behind the flattened keys of one message. */
function messageOf(item: Item): unknown {
  const root: Branch = new Map();
  for (const [path, value] of item) {
    // OpenInference wraps each message in `message`.
    const steps = (path.startsWith('message.') ? path.slice('message.'.length) : path).split('.');
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

function objectOf(branch: Branch): object {
  return Object.fromEntries([...branch].map(([key, node]) => [key, build(node)]));
}
