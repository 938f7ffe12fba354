import type { ExplanationEdge, ExplanationNode } from '../../../src/client/browser.ts';
import { causesFirstAtOnce } from '../../../src/model/cause-order.ts';
import { resolutionOf } from '../../../src/model/in-time.ts';
import { isContainer, isContainment } from '../../layout/graph-reading.ts';
import type { Records } from '../../layout/graph-reading.ts';
import { endOf, startOf } from '../../state/node-times.ts';

interface Said {
  readonly node: ExplanationNode;
  /** Epoch ms. */
  readonly at: number;
}

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
    .map(({ node, isFrame }) => ({ node, at: isFrame ? frameSaidAt(node, isAsked(node)) : saidAt(node) }))
    .sort((a, b) => a.at - b.at || rank(a.node) - rank(b.node) || (a.node.id < b.node.id ? -1 : 1));
  const isBefore = (edge: ExplanationEdge): boolean => !isContainment(edge) && !isThoughtOf(edge, records);
  return causesFirstAtOnce(inTime, isOneTime, (id) =>
    records
      .causesOf(id)
      .filter(isBefore)
      .map(({ from }) => from),
  ).map(({ node }) => node);
}

/** One that failed after all that is inside it, so at the last moment that its clock allows. */
function frameSaidAt(node: ExplanationNode, isAsked: boolean): number {
  const start = startOf(node);
  return isAsked ? start : saidAt(node) + resolutionOf(start);
}

/** Is the order of these not known by their clocks? */
function isOneTime(a: Said, b: Said): boolean {
  const resolution = Math.max(resolutionOf(startOf(a.node)), resolutionOf(startOf(b.node)));
  return Math.abs(a.at - b.at) < resolution;
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
