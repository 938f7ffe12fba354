import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { BoundaryError } from '../../base/boundary-error.ts';
import { hasCode } from '../../base/file-system.ts';

/**
 * The snapshot file: one JSON object for other programs to read,
 * `{ "format": 2, "nodes": […], "edges": […], "lastUpdated": "…" }`, laid out with one item a line.
 */
export const SNAPSHOT_FILE = 'explain_graph.json';
/** In format 1 it was the store itself. */
const SNAPSHOT_FORMAT = 2;

export const HEAD = `{"format":${SNAPSHOT_FORMAT},\n`;
const FORMAT = /^\{\s*"format"\s*:\s*(\d+)/;
const HEAD_BYTES = 64;

export function listHead(name: string): string {
  return `"${name}":[\n`;
}

export const LIST_END = '\n],\n';

/**
 * Sees that nothing is written over a file of another version.
 * @throws BoundaryError FAILED_PRECONDITION when there is one; Error of the file system
 */
export async function assertOwnFormat(dataDir: string): Promise<void> {
  const format = FORMAT.exec(await headOf(join(dataDir, SNAPSHOT_FILE)))?.[1];
  if (format === undefined || Number(format) === SNAPSHOT_FORMAT) return;
  throw new BoundaryError(
    'FAILED_PRECONDITION',
    `${SNAPSHOT_FILE} has format ${format}, and this version writes ${SNAPSHOT_FORMAT}: use the version that wrote it, move the file away, or set another dataDir`,
  );
}

/** Empty when there is no such file. */
async function headOf(path: string): Promise<string> {
  const stream = createReadStream(path, { end: HEAD_BYTES });
  try {
    return Buffer.concat(await stream.toArray()).toString();
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return '';
    throw error;
  }
}
