import type { Tie } from '../../model/ties.ts';
import { recordKey } from '../record-key.ts';
import type { LeavingNode, SourceRecord } from '../record-store.ts';

/** One record on its way to the other thread; facts and texts are JSON, texts empty where there are none. */
export type RecordRow = readonly [source: string, part: number, rank: number, facts: string, texts: string];
/** A node that leaves memory with the records of its sources, as JSON. */
export type NodeRow = readonly [
  task: string,
  id: string,
  sources: readonly string[],
  json: string,
  ties?: readonly Tie[],
];
/** Nodes that left memory, by the ids of their rows, are in memory again with their records. */
export type BackRow = readonly [nodes: readonly number[]];
/** Cloned as they are: strings go to another thread at less cost than bytes do. */
export type Row = RecordRow | NodeRow | BackRow;

export function isRecordRow(row: Row): row is RecordRow {
  return row.length > 1 && typeof row[1] === 'number';
}

export function isBackRow(row: Row): row is BackRow {
  return row.length === 1;
}

export function recordRow({ facts, texts }: SourceRecord): RecordRow {
  const { source, part, rank } = recordKey(facts);
  const json = texts === undefined ? '' : JSON.stringify(texts);
  return [source, part, rank, JSON.stringify(facts), json === '{}' ? '' : json];
}

export function nodeRow(task: string, node: LeavingNode): NodeRow {
  const { ties = [], ...left } = node;
  return [task, node.node.id, node.sources, JSON.stringify(left), ties];
}

/** About what it takes while it waits, in bytes. */
export function sizeOf(row: Row): number {
  if (isBackRow(row)) return 8 * row[0].length;
  return isRecordRow(row) ? row[0].length + row[3].length + row[4].length : row[3].length;
}
