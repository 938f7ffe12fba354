import type { Step } from './run.ts';
import { wordsIn } from './words.ts';

/** So much of what two steps say together is said by both. */
const MIN_SHARED = 0.8;

/** Steps of one agent that say and get nearly the same: how many later ones there are, and whether one is a copy itself. */
export class Copies {
  private readonly copies = new Set<Step>();
  private readonly later = new Map<Step, number>();

  constructor(steps: readonly Step[]) {
    const byAgent = new Map<string, { readonly step: Step; readonly words: ReadonlySet<string> }[]>();
    for (const step of steps) {
      const words = wordsOf(step);
      const earlier = byAgent.get(step.node.agent) ?? [];
      for (const other of earlier) {
        if (!isCopy(words, other.words)) continue;
        this.copies.add(step);
        this.later.set(other.step, this.laterOf(other.step) + 1);
      }
      if (words.size > 0) byAgent.set(step.node.agent, [...earlier, { step, words }]);
    }
  }

  isCopy(step: Step): boolean {
    return this.copies.has(step);
  }

  laterOf(step: Step): number {
    return this.later.get(step) ?? 0;
  }
}

function wordsOf({ own, results }: Step): ReadonlySet<string> {
  const words = new Set<string>();
  for (const { text } of [...own, ...results]) for (const { token } of wordsIn(text)) words.add(token);
  return words;
}

function isCopy(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  const [small, large] = a.size < b.size ? [a, b] : [b, a];
  if (small.size <= MIN_SHARED * large.size) return false;
  // Each word that is missing takes one from what is shared, and there is no need to look at the rest.
  let missing = small.size - Math.floor((MIN_SHARED * (small.size + large.size)) / (1 + MIN_SHARED)) - 1;
  for (const word of small) if (!large.has(word) && --missing < 0) return false;
  return true;
}
