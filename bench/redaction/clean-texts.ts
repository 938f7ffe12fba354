import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Sample } from './sample.ts';

/**
 * Texts of agents in which nothing is private: strings of recorded telemetry and of trajectories, and code, which
 * agents read and write all day. Labelled as clean by their origin, not by reading each.
 */

/** Shorter strings are names and ids, which other sets have plenty of. */
const MIN_LENGTH = 40;
/** What a few long prompts say over and over is not to outweigh the rest. */
const MAX_LENGTH = 20_000;
/** Of a file that is no JSON. */
const PIECE = 2000;

/** Code of these folders is about what is private, and has examples of it. */
const PRIVATE_CODE = /(?:^|\/)(?:redaction|config|cli|otel)\/|\.test\.ts$/;

/** Of the repository itself. */
export function ownCleanTexts(): readonly Sample[] {
  const root = join(import.meta.dirname, '../..');
  return [
    ...textsBelow(join(root, 'test/fixtures/telemetry')),
    ...textsBelow(join(root, 'src'), (path) => path.endsWith('.ts') && !PRIVATE_CODE.test(path)),
  ];
}

/** Of recordings of others, where they are at hand. @param folder with `telemetry`, `trajectories` and `reasoning` */
export function recordedCleanTexts(folder: string): readonly Sample[] {
  return ['telemetry', 'trajectories', 'reasoning']
    .map((name) => join(folder, name))
    .filter((path) => existsSync(path))
    .flatMap((path) => textsBelow(path));
}

function textsBelow(folder: string, isMeant = isRecording): readonly Sample[] {
  const samples: Sample[] = [];
  const seen = new Set<string>();
  for (const path of readdirSync(folder, { recursive: true, encoding: 'utf8' }).toSorted()) {
    if (!isMeant(path)) continue;
    for (const [i, text] of textsOf(readFileSync(join(folder, path), 'utf8')).entries()) {
      if (text.length < MIN_LENGTH || seen.has(text)) continue;
      seen.add(text);
      samples.push({ id: `${path}#${i}`, text: text.slice(0, MAX_LENGTH), spans: [], path });
    }
  }
  return samples;
}

function isRecording(path: string): boolean {
  return /\.(?:json|traj|yaml)$/.test(path);
}

function textsOf(content: string): readonly string[] {
  try {
    return stringsIn(JSON.parse(content));
  } catch {
    return pieces(content);
  }
}

function stringsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsIn) : [];
}

/** Whole lines, as long as they are not too long. */
function pieces(content: string): readonly string[] {
  const found: string[] = [];
  for (let at = 0; at < content.length; at += (found.at(-1) as string).length) {
    const lineEnd = content.lastIndexOf('\n', at + PIECE) + 1;
    found.push(content.slice(at, lineEnd > at ? lineEnd : at + PIECE));
  }
  return found;
}
