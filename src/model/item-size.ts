import type { ExplanationEdge, ExplanationNode } from './node.ts';
import { ToldNode } from './told-node.ts';

/** What a node or an edge mostly takes where a graph of another service is kept, its place in the indexes included. */
export const ITEM_BYTES = 1_280;

/** As how many items a node counts where these are bounded: one that is large takes the place of several. */
export function sizeInItems(node: ExplanationNode): number {
  return node instanceof ToldNode ? itemsIn(node.bytes.length) : 1;
}

/** So it is with an edge: its ids are texts of its own. */
export function edgeSizeInItems({ id, from, to }: ExplanationEdge): number {
  return itemsIn(id.length + from.length + to.length);
}

function itemsIn(size: number): number {
  return Math.max(1, Math.floor(size / ITEM_BYTES));
}
