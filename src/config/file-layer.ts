import { readFileSync, statSync } from 'node:fs';
import {
  createScanner,
  findNodeAtLocation,
  getNodeValue,
  parseTree,
  printParseErrorCode,
  type Node,
  type ParseError,
} from 'jsonc-parser';
import type { ConfigProblem, Layer, LayerEntry } from './layers.ts';
import { didYouMean, FILE_KEY } from './names.ts';
import { CONFIG_KEYS, type ConfigKey } from './schema.ts';
import { namesOf } from './unknown-keys.ts';

/** A configuration is written by hand; what is larger is the wrong file. */
const MAX_FILE_BYTES = 1024 * 1024;
/** Our own keys need four levels; other programs share the file. The parser calls itself for each level. */
const MAX_DEPTH = 100;

/**
 * Reads a configuration file: JSON with comments and trailing commas. Only the key `explainabilityAgent` is read:
 * the file is shared with other programs.
 * @param required a missing file is a problem, not an empty layer
 */
export function fileLayer(path: string, required: boolean): Layer {
  const problems: ConfigProblem[] = [];
  const entries = new Map<ConfigKey, LayerEntry>();
  const warnings: string[] = [];
  const layer: Layer = { name: 'file', entries, problems, warnings };

  const text = readText(path, required, problems);
  if (text === undefined) return layer;
  const lineOf = (offset: number) => text.slice(0, offset).split('\n').length;

  if (isTooDeep(text)) {
    problems.push({
      path,
      message: `has more than ${MAX_DEPTH} levels of brackets: not a configuration file`,
    });
    return layer;
  }
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { allowTrailingComma: true });
  // What follows the first error is mostly its consequence.
  const [error] = errors;
  if (error) {
    const line = lineOf(error.offset);
    const column = error.offset - text.lastIndexOf('\n', error.offset - 1);
    problems.push({
      path,
      message: `line ${line}, column ${column}: not valid JSON (${explain(error)})`,
    });
    return layer;
  }
  if (root?.type !== 'object') {
    problems.push({ path, message: `must hold an object with the key "${FILE_KEY}"` });
    return layer;
  }

  const top = properties(root);
  const agent = top.findLast(([name]) => name === FILE_KEY)?.[1];
  if (!agent) {
    const names = top.map(([name]) => name).filter((name) => name !== '$schema');
    const message = `nothing in it is read: it has ${namesOf(names)}, and settings stand in {"${FILE_KEY}": {"port": 9001}}`;
    const isOurs = names.some(isLikeFileKey) || (required ? names.some(isSetting) : names.every(isSetting));
    if (names.length === 0) return layer;
    if (isOurs) problems.push({ path, message });
    else if (required || names.some(isSetting)) warnings.push(`${path}: ${message}`);
    return layer;
  }
  if (agent.type !== 'object') {
    problems.push({ path: FILE_KEY, message: `must be an object (line ${lineOf(agent.offset)})` });
    return layer;
  }
  for (const [name, node] of properties(agent)) {
    const path = `${FILE_KEY}.${name}`;
    const where = (below = '') => ` (line ${lineOf(nodeBelow(node, below).offset)})`;
    const key = CONFIG_KEYS.find((known) => known === name);
    if (!key) problems.push({ path, message: unknownName('key', name, CONFIG_KEYS) + where() });
    else if (entries.has(key)) problems.push({ path, message: `is given twice: leave one${where()}` });
    else entries.set(key, { path, where, value: getNodeValue(node) as unknown });
  }
  return layer;
}

/** What stands at such a place as `[1].limits.tokens`, or as near above it as there is anything. */
function nodeBelow(node: Node, place: string): Node {
  let at = node;
  for (const [, index, name = ''] of place.matchAll(/\[(\d+)\]|\.([^.[]+)/g)) {
    const next = findNodeAtLocation(at, [index === undefined ? name : Number(index)]);
    if (!next) break;
    at = next;
  }
  return at;
}

function isLikeFileKey(name: string): boolean {
  return /explainability/i.test(name) || didYouMean(name, [FILE_KEY]) !== undefined;
}

function isSetting(name: string): boolean {
  return CONFIG_KEYS.some((key) => key === name);
}

/** The message for a name that nobody knows. @param kind what it should be the name of */
export function unknownName(kind: string, written: string, known: Iterable<string>): string {
  const near = didYouMean(written, known);
  return near === undefined ? `is not a known ${kind}` : `is not a known ${kind}: did you mean ${near}?`;
}

function isTooDeep(text: string): boolean {
  const scanner = createScanner(text, true);
  let depth = 0;
  for (scanner.scan(); scanner.getTokenOffset() < text.length; scanner.scan()) {
    const sign = text[scanner.getTokenOffset()];
    if (sign === '[' || sign === '{') depth++;
    else if (sign === ']' || sign === '}') depth--;
    if (depth > MAX_DEPTH) return true;
  }
  return false;
}

function readText(path: string, required: boolean, problems: ConfigProblem[]): string | undefined {
  try {
    const stats = statSync(path);
    if (!stats.isFile()) {
      problems.push({ path, message: 'is not a file' });
    } else if (stats.size > MAX_FILE_BYTES) {
      problems.push({ path, message: `is larger than ${MAX_FILE_BYTES} bytes: not a configuration file` });
    } else {
      // A byte order mark is no part of JSON, but editors write it.
      return readFileSync(path, 'utf8').replace(/^\uFEFF/, '');
    }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
    const missing = code === 'ENOENT' || code === 'ENOTDIR';
    if (missing && !required) return undefined;
    problems.push({ path, message: missing ? 'does not exist' : `cannot be read (${code})` });
  }
  return undefined;
}

/** By the tree and not by value, so that a repeated key and `__proto__` are seen as written. */
function properties(object: Node): [name: string, value: Node][] {
  const found: [string, Node][] = [];
  for (const property of object.children ?? []) {
    const [name, value] = property.children ?? [];
    if (name && value) found.push([String(name.value), value]);
  }
  return found;
}

/** `CloseBraceExpected` → `close brace expected`. */
function explain(error: ParseError): string {
  return printParseErrorCode(error.error)
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase();
}
