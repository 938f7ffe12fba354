import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** A labelled text, as the sets have them: one JSON object a line. Offsets are UTF-16 units. */
export interface Sample {
  readonly id: string;
  readonly text: string;
  readonly spans: readonly Label[];
  /** `positive` without spans: it holds something, but nobody says where. */
  readonly kind?: string;
  /** What the text was made from, or the rule that it is a case of, or its file: those of one are much alike. */
  readonly template?: string;
  readonly template_id?: number;
  readonly rule?: string;
  readonly path?: string;
}

export interface Label {
  readonly start: number;
  readonly end: number;
  readonly type: string;
  readonly subtype?: string;
}

/** Authors of rules look at half A; half B is only scored, so that it tells how rules do on what nobody looked at. */
export type Half = 'A' | 'B';

/**
 * Sets of few texts: an even draw left 7 labels of 65 in half A of one of them, too few to write rules from. Of these
 * sets B is a quarter.
 */
const SMALL_SETS: ReadonlySet<string> = new Set(['secretlint', 'credsweeper']);

/** What is much alike lies in one half. */
export function halfOf(set: string, { template, template_id: templateId, rule, path, id }: Sample): Half {
  const origin = String(template ?? templateId ?? rule ?? path ?? id);
  const [first = 0, second = 0] = createHash('sha256').update(origin).digest();
  const isInB = first % 2 === 1 && (second % 2 === 1 || !SMALL_SETS.has(set));
  return isInB ? 'B' : 'A';
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
