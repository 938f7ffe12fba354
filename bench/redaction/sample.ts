import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** A labelled text, as the sets have them: one JSON object a line. Offsets are UTF-16 units. */
export interface Sample {
  readonly id: string;
  readonly text: string;
  readonly spans: readonly Label[];
  /** `positive` without spans: it holds something, but nobody says where. */
  readonly kind?: string;
}

export interface Label {
  readonly start: number;
  readonly end: number;
  readonly type: string;
  readonly subtype?: string;
}

/** All `.jsonl` files below `folder`, each named by the folder it lies in. */
export function readSets(folder: string): ReadonlyMap<string, readonly Sample[]> {
  const sets = new Map<string, readonly Sample[]>();
  for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' }).toSorted()) {
    if (!file.endsWith('.jsonl')) continue;
    const lines = readFileSync(join(folder, file), 'utf8').split('\n');
    const samples = lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Sample);
    const inFolder = basename(dirname(join(folder, file)));
    sets.set(sets.has(inFolder) ? file : inFolder, samples);
  }
  return sets;
}
