import type { Work } from '../base/in-turns.ts';
import { TopologicalOrder } from './topological-order.ts';

/** Looks at edges before others may have their turn: well under a millisecond. */
const STEP_LOOKS = 5000;

/** What an edge is before the pass: in the graph, left out of it by an earlier pass, or not decided yet. */
export type Standing = 'accepted' | 'leftOut' | 'undecided';

/**
 * One pass over edges in their order: each is accepted that closes no cycle with those accepted before it.
 * @param from where each edge begins, and `to` where it ends: numbers below `nodes`
 * @param isTorn edges went since the earlier pass: what it left out may be accepted now. Otherwise it stays left out as
 * long as all that were accepted before it still are
 * @returns for each edge whether it is accepted
 */
export function* orderedPass(
  nodes: number,
  from: Int32Array,
  to: Int32Array,
  standing: readonly Standing[],
  isTorn: boolean,
): Work<boolean[]> {
  const order = new TopologicalOrder(nodes, from, to, (edge) => standing[edge] === 'accepted');
  const accepted: boolean[] = [];
  let [isLost, rested] = [isTorn, 0];
  for (let edge = 0; edge < from.length; edge++) {
    if (order.looks + edge - rested > STEP_LOOKS) {
      rested = order.looks + edge;
      yield;
    }
    const isKept = standing[edge] === 'leftOut' && !isLost;
    const isAccepted = !isKept && order.add(edge);
    accepted.push(isAccepted);
    if (!isAccepted && standing[edge] === 'accepted') isLost = true;
  }
  return accepted;
}
