import { isObject, type JsonObject } from '../../base/json.ts';
import type { ProjectItem, StoredItem, StoredRecord } from './stored-items.ts';

/** Raised with every change after which an earlier version would misread a file. */
export const FILE_VERSION = 1;
const FORMAT = 'explainability-agent store';

/** How many there were: a file without this line at its end is not whole. */
export interface EndItem {
  readonly kind: 'end';
  readonly records: number;
}

export type FileItem = ProjectItem | StoredItem | EndItem;

/** The kinds of facts that another store takes. What an administrator had shown is sealed by a key of its own, and stays. */
const KINDS: ReadonlySet<unknown> = new Set(['span', 'log', 'cot', 'event', 'metric']);

export const FIRST_LINE = JSON.stringify({ format: FORMAT, version: FILE_VERSION });

/** The version of the file that begins so; undefined when it is no such file. */
export function versionIn(firstLine: string): number | undefined {
  const value = parsed(firstLine);
  const version = value?.['format'] === FORMAT ? value['version'] : undefined;
  return typeof version === 'number' && Number.isSafeInteger(version) ? version : undefined;
}

export function lineOf(item: FileItem): string {
  switch (item.kind) {
    case 'project':
      return JSON.stringify({ project: item.name, key: item.key });
    case 'live':
      return JSON.stringify({ live: pairOf(item) });
    case 'left':
      return JSON.stringify({
        left: item.json,
        task: item.task,
        ties: item.ties,
        records: item.records.map(pairOf),
      });
    case 'end':
      return JSON.stringify({ end: item.records });
  }
}

/** undefined for a line that no service wrote. */
export function itemIn(line: string): FileItem | undefined {
  const value = parsed(line);
  if (!value) return undefined;
  const { project, key, live, end } = value;
  if (typeof project === 'string' && typeof key === 'string') return { kind: 'project', name: project, key };
  if (typeof end === 'number') return { kind: 'end', records: end };
  if ('left' in value) return leftIn(value);
  const record = recordIn(live);
  return record && { kind: 'live', ...record };
}

function leftIn({ left, task, ties, records }: JsonObject): FileItem | undefined {
  if (typeof left !== 'string' || typeof task !== 'string') return undefined;
  if (!Array.isArray(ties) || !ties.every((tie) => Number.isSafeInteger(tie))) return undefined;
  if (!Array.isArray(records)) return undefined;
  const read = records.map(recordIn);
  if (!read.every((record) => record !== undefined)) return undefined;
  const { node, sources } = parsed(left) ?? {};
  const isNode = isObject(node) && typeof node['id'] === 'string' && node['id'] !== '';
  if (!isNode || !Array.isArray(sources)) return undefined;
  if (!sources.every((source) => typeof source === 'string')) return undefined;
  return { kind: 'left', task, json: left, ties: ties as readonly number[], records: read };
}

function pairOf({ facts, texts }: StoredRecord): readonly [string, string] {
  return [facts, texts];
}

function recordIn(pair: unknown): StoredRecord | undefined {
  if (!Array.isArray(pair) || pair.length !== 2) return undefined;
  const [facts, texts] = pair as readonly unknown[];
  if (typeof facts !== 'string' || typeof texts !== 'string') return undefined;
  if (!KINDS.has(parsed(facts)?.['kind']) || (texts !== '' && !parsed(texts))) return undefined;
  return { facts, texts };
}

function parsed(json: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(json);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
