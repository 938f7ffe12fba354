import { syncFolder } from '../../base/file-system.ts';
import { open, rename, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { ExplanationGraph } from '../../model/node.ts';
import { TEMPORARY_FILE } from './retention.ts';
import { SNAPSHOT_FILE } from './snapshot-format.ts';
import { writeSnapshot, type WrittenSnapshot } from './snapshot-writer.ts';

const OWNER_ONLY_FILE = 0o600;

/** Puts the finished file in its place; a test lets it fail. */
type Rename = (from: string, to: string) => Promise<void>;

/**
 * Writes the readable graph of spec 5.6, `explain_graph.json`, whole and atomically: a reader or a crash sees the old
 * one or the new one.
 * @throws Error when the disk refuses; the old one is still there
 */
export async function saveSnapshot(
  dataDir: string,
  graph: ExplanationGraph,
  maxBytes: number,
  move: Rename = rename,
): Promise<WrittenSnapshot> {
  const temporary = join(dataDir, TEMPORARY_FILE);
  try {
    const written = await writeDurably(temporary, graph, maxBytes);
    await move(temporary, join(dataDir, SNAPSHOT_FILE));
    await syncFolder(dataDir);
    return written;
  } catch (error) {
    await unlink(temporary).catch(() => {});
    throw error;
  }
}

async function writeDurably(
  path: string,
  graph: ExplanationGraph,
  maxBytes: number,
): Promise<WrittenSnapshot> {
  const file = await open(path, 'w', OWNER_ONLY_FILE);
  try {
    const written = await writeSnapshot(file, graph, maxBytes);
    await file.sync();
    return written;
  } finally {
    await file.close();
  }
}
