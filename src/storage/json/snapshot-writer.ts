import type { FileHandle } from 'node:fs/promises';
import type { SnapshotSource } from '../graph-store.ts';
import { collect, SliceWriter } from './slice-writer.ts';
import { HEAD, LAST_LIST_END, LIST_END, listHead } from './snapshot-format.ts';

export interface WrittenSnapshot {
  readonly bytes: number;
  /** Entries that did not fit, the oldest ones. */
  readonly textsLeftOut: number;
  readonly factsLeftOut: number;
  /** Nodes and edges did not fit; they can be made from the facts. */
  readonly graphLeftOut: boolean;
}

/**
 * The readable graph may take this share of the file: it can be made again from the facts, which cannot be made
 * again from anything.
 */
const GRAPH_SHARE = 0.5;
/** Room for the lines of the layout itself. */
const LAYOUT_BYTES = 256;

/** Writes a snapshot of at most `maxBytes` into an empty file. */
export async function writeSnapshot(
  file: FileHandle,
  source: SnapshotSource,
  maxBytes: number,
): Promise<WrittenSnapshot> {
  const writer = new SliceWriter(file);
  const limit = maxBytes - LAYOUT_BYTES;
  await writer.write(HEAD);

  const graphLeftOut = !(await writeGraph(writer, source, limit * GRAPH_SHARE));

  const facts = (await collect(source.facts())).reverse();
  await writer.write(listHead('facts'));
  const factsLeftOut = facts.length - (await writeItems(writer, facts, limit));
  await writer.write(LIST_END);

  const texts = (await collect(source.texts())).reverse();
  await writer.write(listHead('texts'));
  const textsLeftOut = texts.length - (await writeItems(writer, texts, limit));
  await writer.write(LAST_LIST_END);

  await writer.flush();
  return { bytes: writer.bytes, textsLeftOut, factsLeftOut, graphLeftOut };
}

/** @returns whether it fitted; if not, the lists are empty */
async function writeGraph(writer: SliceWriter, source: SnapshotSource, limit: number): Promise<boolean> {
  const { nodes, edges, lastUpdated } = source.graph();
  const start = writer.bytes;
  const fits =
    (await writeList(writer, 'nodes', nodes, limit)) && (await writeList(writer, 'edges', edges, limit));
  if (!fits) {
    await writer.rewind(start);
    await writer.write(listHead('nodes') + LIST_END + listHead('edges') + LIST_END);
  }
  await writer.write(`"lastUpdated":${JSON.stringify(lastUpdated)},\n`);
  return fits;
}

async function writeList(
  writer: SliceWriter,
  name: string,
  items: readonly unknown[],
  limit: number,
): Promise<boolean> {
  await writer.write(listHead(name));
  if ((await writeItems(writer, items, limit)) < items.length) return false;
  await writer.write(LIST_END);
  return true;
}

/** Items from the first on, one a line, as long as the file stays within the limit. @returns how many */
async function writeItems(writer: SliceWriter, items: readonly unknown[], limit: number): Promise<number> {
  let count = 0;
  for (const item of items) {
    const line = (count === 0 ? '' : ',\n') + JSON.stringify(item);
    if (writer.bytes + Buffer.byteLength(line) > limit) break;
    await writer.write(line);
    count++;
  }
  return count;
}
