import type { ExplanationGraph } from '../model/node.ts';
import type { Verb } from './transport.ts';

/**
 * How many expansions are made again on a fresh subscription. The service cuts off who is refused a hundred
 * times within ten seconds, and after a restart every one of these may be.
 */
const MAX_REMEMBERED = 50;

/**
 * What the user opened and closed, in order: a fresh subscription starts with everything folded, and doing the
 * same again opens what still exists.
 */
export class Expansions {
  private done: readonly Verb[] = [];

  /** Done again later, the last of two equal verbs alone has the same effect. */
  remember(verb: Verb): void {
    if (verb.type === 'updateFilters') return;
    const key = JSON.stringify(verb);
    const others = this.done.filter((earlier) => JSON.stringify(earlier) !== key);
    this.done = [...others, verb].slice(-MAX_REMEMBERED);
  }

  /** What to do again on a fresh subscription that begins with this snapshot. */
  toRepeat(snapshot: ExplanationGraph): readonly Verb[] {
    return snapshot.nodes.length === 0 ? [] : this.done;
  }
}
