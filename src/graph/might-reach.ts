/** How a search goes from node to node. */
export interface Neighbours {
  after(id: string): readonly string[];
  before(id: string): readonly string[];
  countAfter(id: string): number;
  countBefore(id: string): number;
}

/** One side of a search. */
interface Side {
  readonly seen: Set<string>;
  readonly queue: string[];
  next: number;
  /** Edges looked at. */
  spent: number;
}

/**
 * Does a path lead from one node to the other? Searched from both ends, always on the side that has cost less so far.
 * @param budget edges to look at; when they are spent the answer is yes
 */
export function mightReach(from: string, to: string, graph: Neighbours, budget: number): boolean {
  if (from === to) return true;
  const forward = sideFrom(from);
  const backward = sideFrom(to);
  for (;;) {
    const [ahead, behind] = [forward.queue[forward.next], backward.queue[backward.next]];
    if (ahead === undefined || behind === undefined) return false;
    const [costAhead, costBehind] = [graph.countAfter(ahead), graph.countBefore(behind)];
    const isForward = forward.spent + costAhead <= backward.spent + costBehind;
    const [side, other] = isForward ? [forward, backward] : [backward, forward];
    side.next++;
    side.spent += isForward ? costAhead : costBehind;
    if (forward.spent + backward.spent > budget) return true;
    for (const id of isForward ? graph.after(ahead) : graph.before(behind)) {
      if (other.seen.has(id)) return true;
      if (side.seen.has(id)) continue;
      side.seen.add(id);
      side.queue.push(id);
    }
  }
}

function sideFrom(id: string): Side {
  return { seen: new Set([id]), queue: [id], next: 0, spent: 0 };
}
