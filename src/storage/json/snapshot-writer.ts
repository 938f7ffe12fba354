import type { FileHandle } from 'node:fs/promises';
import type { ExplanationGraph } from '../../model/node.ts';
import { SliceWriter } from './slice-writer.ts';
import { HEAD, LIST_END, listHead } from './snapshot-format.ts';

export interface WrittenSnapshot {
  readonly bytes: number;
  /** It did not fit: the lists are empty. */
  readonly isLeftOut: boolean;
}

/** Room for the lines of the layout itself. */
const LAYOUT_BYTES = 256;

/** Writes a snapshot of at most `maxBytes` into an empty file, in slices between which the event loop runs. */
export async function writeSnapshot(
  file: FileHandle,
  { nodes, edges, lastUpdated }: ExplanationGraph,
  maxBytes: number,
): Promise<WrittenSnapshot> {
  const writer = new SliceWriter(file);
  await writer.write(HEAD);
  const start = writer.bytes;
  const limit = maxBytes - LAYOUT_BYTES;
  const fits =
    (await writeList(writer, 'nodes', nodes, limit)) && (await writeList(writer, 'edges', edges, limit));
  if (!fits) {
    await writer.rewind(start);
    await writer.write(listHead('nodes') + LIST_END + listHead('edges') + LIST_END);
  }
  await writer.write(`"lastUpdated":${JSON.stringify(lastUpdated)}}\n`);
  await writer.flush();
  return { bytes: writer.bytes, isLeftOut: !fits };
}

/** One item a line. @returns whether all fitted */
async function writeList(
  writer: SliceWriter,
  name: string,
  items: readonly unknown[],
  limit: number,
): Promise<boolean> {
  await writer.write(listHead(name));
  for (const [index, item] of items.entries()) {
    const line = (index === 0 ? '' : ',\n') + JSON.stringify(item);
    if (writer.bytes + Buffer.byteLength(line) > limit) return false;
    await writer.write(line);
  }
  await writer.write(LIST_END);
  return true;
}
