import type { ExplanationEdge, ExplanationNode } from '../../../src/client/browser.ts';
import { causesFirstAtOnce } from '../../../src/model/cause-order.ts';
import { isContainer, isContainment } from '../../layout/graph-reading.ts';
import type { Records } from '../../layout/graph-reading.ts';
import { endOf, startOf } from '../../state/node-times.ts';

/**
 * What was said and done, in the order in which a person reads it: an answer where it was complete, so after the thought
 * that led to it; everything else where it began, and of one time what led to something before it. Containers say nothing of
 * their own, but for the outermost: where no query of the user is known, what it was asked is what all began with.
 */
export function inReadingOrder(records: Records): readonly ExplanationNode[] {
  const nodes = [...records.nodes.values()];
  const hasQuery = nodes.some(({ type }) => type === 'USER_QUERY');
  const isAsked = (node: ExplanationNode): boolean =>
    !hasQuery && node.promptSummary !== undefined && records.causesOf(node.id).length === 0;
  const inTime = nodes
    .map((node) => ({ node, isFrame: isContainer(node, records) }))
    .filter(({ node, isFrame }) => !isFrame || node.status === 'ERROR' || isAsked(node))
    .map(({ node, isFrame }) => ({ node, at: isFrame && isAsked(node) ? startOf(node) : saidAt(node) }))
    .sort((a, b) => a.at - b.at || rank(a.node) - rank(b.node) || (a.node.id < b.node.id ? -1 : 1));
  const isBefore = (edge: ExplanationEdge): boolean => !isContainment(edge) && !isThoughtOf(edge, records);
  return causesFirstAtOnce(
    inTime,
    (a, b) => a.at === b.at,
    (id) =>
      records
        .causesOf(id)
        .filter(isBefore)
        .map(({ from }) => from),
  ).map(({ node }) => node);
}

function saidAt(node: ExplanationNode): number {
  return (isSaidAtItsEnd(node) ? endOf(node) : undefined) ?? startOf(node);
}

function isSaidAtItsEnd({ type }: ExplanationNode): boolean {
  return type === 'LLM_CALL' || type === 'OTHER';
}

/** A call leads to its thought, which is read before its answer. */
function isThoughtOf({ from, to }: ExplanationEdge, { nodes }: Records): boolean {
  const [call, thought] = [nodes.get(from), nodes.get(to)];
  return call !== undefined && isSaidAtItsEnd(call) && thought?.type === 'REASONING';
}

/** Of what happened at one time. */
function rank({ type }: ExplanationNode): number {
  return ['USER_QUERY', 'OTHER', 'REASONING', 'LLM_CALL', 'TOOL_CALL'].indexOf(type) + 1 || 9;
}
