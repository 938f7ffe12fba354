import type { ExplanationNode } from '../model/node.ts';

/**
 * Which cell owns a node that several have, so that it is shown as that one has it: the first by name, but a cell that has
 * nothing of a request but its thought comes after those that have its span. The edges into a node are those of its owner,
 * and of these only such as begin at a node whose owner is the same cell or one before it by name. So there is no cycle:
 * along a path owners come ever later, and around a cycle they would be one, whose own graph has none.
 */

const REQUEST = 'req:';

/** May cells differ in what they have of it, span or thought? Asked first: of other nodes nothing is decoded. */
export function isRequest(nodeId: string): boolean {
  return nodeId.startsWith(REQUEST);
}

/** Has the cell that shows the node so nothing of the request but its thought? */
export function isThoughtAlone({ id, details }: ExplanationNode): boolean {
  return isRequest(id) && (details?.['spanId'] === undefined || details['namedSpanId'] !== undefined);
}

/** Has that cell the thought of the request, or the beginning of it? */
export function hasThought(node: ExplanationNode): boolean {
  return isThoughtAlone(node) || node.details?.['correlation'] === 'matched';
}
