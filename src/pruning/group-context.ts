import type { ExplanationEdge, ExplanationNode } from '../model/node.ts';
import { byStart, type Branch, type Entry } from './entry.ts';
import type { Contents, Group } from './fold.ts';
import type { Piece } from './siblings.ts';
import type { Chunk } from './sorted-chunks.ts';
import { stepsOf, type Reason } from './summary-node.ts';
import type { Totals } from './totals.ts';

/** What the groups of one fold have in common. */
export interface GroupContext {
  readonly taskId: string;
  readonly entries: ReadonlyMap<string, Entry>;
  /** The steps that hold the tree up: what hangs below one of them and is none is folded. */
  readonly kept: ReadonlySet<Entry>;
  /** Those of them that hang directly below a branch. */
  keptBelow(branch: Branch): readonly Entry[];
  readonly openAtOnce: number;
  /** The edges beside the tree from kept steps, or other tasks, into what hangs below these branches. */
  inletsBelow(branches: ReadonlySet<Branch>): readonly ExplanationEdge[];
  /** Do counters know how many match? Otherwise there are so few that each is looked at. */
  readonly isFollowed: boolean;
  /** The summary of before, if it is still the same. */
  asBefore(summary: ExplanationNode): ExplanationNode;
}

/** A group of one is no gain. Against the limit every node counts, otherwise every step. */
export function isTooSmall(totals: Totals, reason: Reason['reason']): boolean {
  return (reason === 'limit' ? totals.members : stepsOf(totals)) < 2;
}

export interface RunOfSiblings extends Group {
  readonly totals: Totals;
  pieces(): readonly Piece[];
}

/** What is seen in place of runs of siblings: a summary for each, but for what is too small the nodes themselves. */
export function contentsOfRuns(
  runs: readonly RunOfSiblings[],
  reason: Reason['reason'],
  kidAbove: (id: string) => Entry | undefined,
): Contents {
  const nodes = new Set<string>();
  const parts = new Map<string, Group>();
  const byChunk = new Map<Chunk<Entry>, { readonly first: Entry; readonly run: Group }[]>();
  for (const run of runs) {
    if (isTooSmall(run.totals, reason)) {
      for (const id of run.members(0, Infinity)) nodes.add(id);
      continue;
    }
    parts.set(run.id, run);
    for (const { chunk, kids } of run.pieces()) {
      const [first] = kids;
      if (!first) continue;
      const places = byChunk.get(chunk);
      if (places) places.push({ first, run });
      else byChunk.set(chunk, [{ first, run }]);
    }
  }
  const partWith = (id: string): Group | undefined => {
    const kid = nodes.has(id) ? undefined : kidAbove(id);
    const places = kid?.chunk && byChunk.get(kid.chunk);
    return kid && places?.findLast(({ first }) => byStart(first, kid) <= 0)?.run;
  };
  return { nodes, parts, partWith };
}
