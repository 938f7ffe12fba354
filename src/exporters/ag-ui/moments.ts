import { seldom, type IsOver, type Work } from '../../base/in-turns.ts';
import { sorted } from '../../base/sorted.ts';
import { endOf } from '../../model/failure.ts';
import type { ExplanationNode } from '../../model/node.ts';
import { causesFirst } from '../../model/cause-order.ts';
import { startOf } from '../../model/in-time.ts';
import { outermostFirst } from '../../model/node-order.ts';

/** When something is to be told of a node: that it began, or what is new of it; or that it ended. */
export interface Moment {
  readonly node: ExplanationNode;
  readonly what: 'begins' | 'ends';
  /** Epoch ms. */
  readonly at: number;
}

/**
 * What is to be told of nodes, in the order in which it happened: what contains a step begins before it and ends after
 * it, as far as their times say so. Of what begins at one time what led to something begins before it.
 * @param isToldToEnd whether the end of a node was told before
 * @param causesOf ids of the nodes that lead to a node
 */
export function* momentsOf(
  nodes: readonly ExplanationNode[],
  isToldToEnd: (node: ExplanationNode) => boolean,
  causesOf: (id: string) => Iterable<string>,
  isOver: IsOver,
): Work<readonly Moment[]> {
  const isRest = seldom(isOver);
  const moments: Moment[] = [];
  for (const node of nodes) {
    moments.push({ node, what: 'begins', at: startOf(node) });
    if (node.state !== 'RUNNING' && !isToldToEnd(node)) moments.push({ node, what: 'ends', at: endOf(node) });
    if (isRest()) yield;
  }
  const inTime = yield* sorted(moments, byMoment, isOver);
  return yield* causesFirst(inTime, isOneBeginning, causesOf, isOver);
}

function isOneBeginning(a: Moment, b: Moment): boolean {
  return a.at === b.at && a.what === 'begins' && b.what === 'begins' && isPart(a.node) === isPart(b.node);
}

function byMoment(a: Moment, b: Moment): number {
  const [placeA, placeB] = [placeOf(a), placeOf(b)];
  if (a.at !== b.at || placeA !== placeB) return a.at - b.at || placeA - placeB;
  const order = isPart(a.node) - isPart(b.node) || outermostFirst(a.node, b.node);
  return a.what === 'begins' ? order : -order;
}

/** At one time: first ends what began before, then begins what begins, and of that what takes no time ends. */
function placeOf({ node, what, at }: Moment): number {
  if (what === 'begins') return 1;
  return startOf(node) < at ? 0 : 2;
}

/** What was made of a step begins with it, and is told after it. */
function isPart({ details }: ExplanationNode): number {
  return details?.['partOf'] === undefined ? 0 : 1;
}
