import type { Step } from './run.ts';
import type { Said } from './said.ts';

/** So much of what two steps say together is said by both. */
const MIN_SHARED = 0.8;
/** Of long texts so many words are compared, the same ones of each. */
const MAX_WORDS = 64;

/** Steps of one agent that say and get nearly the same: how many later ones there are, and whether one is a copy itself. */
export class Copies {
  private readonly copies = new Set<Step>();
  private readonly later = new Map<Step, number>();

  constructor(steps: readonly Step[], said: Said) {
    const byAgent = new Map<string, { readonly step: Step; readonly words: Words }[]>();
    for (const step of steps) {
      const words = wordsOf(step, said);
      let earlier = byAgent.get(step.node.agent);
      if (!earlier) byAgent.set(step.node.agent, (earlier = []));
      for (const other of earlier) {
        if (!isCopy(words, other.words)) continue;
        this.copies.add(step);
        this.later.set(other.step, this.laterOf(other.step) + 1);
      }
      if (words.count > 0) earlier.push({ step, words });
    }
  }

  isCopy(step: Step): boolean {
    return this.copies.has(step);
  }

  laterOf(step: Step): number {
    return this.later.get(step) ?? 0;
  }
}

/** How many different words there are, and the hashes of those with the smallest, which stand for all of them. */
interface Words {
  readonly count: number;
  readonly hashes: Uint32Array;
}

function wordsOf({ own, results }: Step, said: Said): Words {
  const words = new Set<string>();
  for (const piece of [...own, ...results]) for (const word of said.wordsOf(piece).keys()) words.add(word);
  const hashes = Uint32Array.from(words, hashOf).sort().slice(0, MAX_WORDS);
  return { count: words.size, hashes };
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
