import type { ExplanationNode } from '../../../src/client/browser.ts';
import { isContainer } from '../../layout/graph-reading.ts';
import type { Records } from '../../layout/graph-reading.ts';
import { endOf, startOf } from '../../state/node-times.ts';

/**
 * What was said and done, in the order in which a person reads it: an answer where it was complete, so after the thought
 * that led to it; everything else where it began. Containers say nothing of their own, but for the outermost: where no
 * query of the user is known, what it was asked is what all began with.
 */
export function inReadingOrder(records: Records): readonly ExplanationNode[] {
  const nodes = [...records.nodes.values()];
  const hasQuery = nodes.some(({ type }) => type === 'USER_QUERY');
  const isAsked = (node: ExplanationNode): boolean =>
    !hasQuery && node.promptSummary !== undefined && records.causesOf(node.id).length === 0;
  return nodes
    .map((node) => ({ node, isFrame: isContainer(node, records) }))
    .filter(({ node, isFrame }) => !isFrame || node.status === 'ERROR' || isAsked(node))
    .map(({ node, isFrame }) => ({ node, at: isFrame && isAsked(node) ? startOf(node) : saidAt(node) }))
    .sort((a, b) => a.at - b.at || rank(a.node) - rank(b.node) || (a.node.id < b.node.id ? -1 : 1))
    .map(({ node }) => node);
}

function saidAt(node: ExplanationNode): number {
  const isAtItsEnd = node.type === 'LLM_CALL' || node.type === 'OTHER';
  return (isAtItsEnd ? endOf(node) : undefined) ?? startOf(node);
}

/** Of what happened at one time. */
function rank({ type }: ExplanationNode): number {
  return ['USER_QUERY', 'OTHER', 'REASONING', 'LLM_CALL', 'TOOL_CALL'].indexOf(type) + 1 || 9;
}
