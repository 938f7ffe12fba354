import { seldom, type IsOver, type Work } from '../base/in-turns.ts';
import type { Step } from './run.ts';
import type { Said } from './said.ts';

/** So much of what two steps say together is said by both. */
const MIN_SHARED = 0.8;
/** Of long texts so many words are compared, the same ones of each. */
const MAX_WORDS = 64;
/** Of so many the smallest are kept, now and then. */
const MAX_HELD = 512;

/** Steps of one agent that say and get nearly the same: how many later ones there are, and whether one is a copy itself. */
export class Copies {
  private readonly copies: ReadonlySet<Step>;
  private readonly later: ReadonlyMap<Step, number>;

  /** @param later how many later copies there are of a step */
  constructor(copies: ReadonlySet<Step>, later: ReadonlyMap<Step, number>) {
    this.copies = copies;
    this.later = later;
  }

  isCopy(step: Step): boolean {
    return this.copies.has(step);
  }

  laterOf(step: Step): number {
    return this.later.get(step) ?? 0;
  }
}

export function* copiesIn(steps: readonly Step[], said: Said, isOver: IsOver): Work<Copies> {
  const copies = new Set<Step>();
  const later = new Map<Step, number>();
  const byAgent = new Map<string, { readonly step: Step; readonly words: Words }[]>();
  for (const step of steps) {
    const words = yield* wordsOf(step, said, isOver);
    let earlier = byAgent.get(step.node.agent);
    if (!earlier) byAgent.set(step.node.agent, (earlier = []));
    for (const other of earlier) {
      if (!isCopy(words, other.words)) continue;
      copies.add(step);
      later.set(other.step, (later.get(other.step) ?? 0) + 1);
    }
    if (words.count > 0) earlier.push({ step, words });
    if (isOver()) yield;
  }
  return new Copies(copies, later);
}

/** How many different words there are, and the hashes of those with the smallest, which stand for all of them. */
interface Words {
  readonly count: number;
  readonly hashes: readonly number[];
}

function* wordsOf({ own, results }: Step, said: Said, isOver: IsOver): Work<Words> {
  const isRest = seldom(isOver);
  const words = new Set<string>();
  let hashes: number[] = [];
  for (const piece of [...own, ...results]) {
    for (const word of said.wordsOf(piece).keys()) {
      if (isRest()) yield;
      if (words.has(word)) continue;
      words.add(word);
      hashes.push(hashOf(word));
      if (hashes.length >= MAX_HELD) hashes = smallestOf(hashes);
    }
  }
  return { count: words.size, hashes: smallestOf(hashes) };
}

function smallestOf(hashes: readonly number[]): number[] {
  return [...hashes].sort((a, b) => a - b).slice(0, MAX_WORDS);
}

/** Of the words with the smallest hashes that either says, how many do both? */
function isCopy(a: Words, b: Words): boolean {
  if (Math.min(a.count, b.count) <= MIN_SHARED * Math.max(a.count, b.count)) return false;
  let shared = 0;
  let all = 0;
  for (let i = 0, j = 0; all < MAX_WORDS && (i < a.hashes.length || j < b.hashes.length); all++) {
    const [one = Infinity, other = Infinity] = [a.hashes[i], b.hashes[j]];
    if (one === other) shared++;
    if (one <= other) i++;
    if (other <= one) j++;
    if (all - shared > (1 - MIN_SHARED) * MAX_WORDS) return false;
  }
  return shared > MIN_SHARED * all;
}

/** FNV-1a. */
function hashOf(word: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < word.length; i++) hash = Math.imul(hash ^ word.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}
