import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { spanIdsOf } from './otlp-json.ts';
import { toOtlp } from './to-otlp.ts';

/** What stands beside recordings of spans: facts about them, and log records of the same run. */
const NO_SPANS = /^expected\.json$|\.logs\.otlp\.json$/;

export interface Recording {
  /** Path below the folder. */
  readonly name: string;
  /** OTLP/JSON ExportTraceServiceRequest documents, in the order of the file. */
  readonly requests: readonly object[];
  /** All span ids in it, in hex. */
  readonly spanIds: readonly string[];
}

/**
 * All recordings below a folder, sorted by name.
 * @throws Error naming the file when one is no recording; ENOENT when there is no such folder
 */
export async function loadRecordings(folder: string): Promise<readonly Recording[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter(
      (entry) => entry.isFile() && /\.(?:json|jsonl|ndjson)$/.test(entry.name) && !NO_SPANS.test(entry.name),
    )
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  return Promise.all(paths.map((path) => loadRecording(path, relative(folder, path))));
}

async function loadRecording(path: string, name: string): Promise<Recording> {
  const requests = toOtlp(await readFile(path, 'utf8'), name);
  return { name, requests, spanIds: requests.flatMap(spanIdsOf) };
}
