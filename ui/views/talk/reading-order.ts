import type { ExplanationNode } from '../../../src/client/browser.ts';
import { isContainer } from '../../layout/graph-reading.ts';
import type { Records } from '../../layout/graph-reading.ts';
import { endOf, startOf } from '../../state/node-times.ts';

/**
 * What was said and done, in the order in which a person reads it: an answer where it was complete, so after the thought
 * that led to it; everything else where it began. Containers say nothing of their own.
 */
export function inReadingOrder(records: Records): readonly ExplanationNode[] {
  return [...records.nodes.values()]
    .filter((node) => !isContainer(node, records) || node.status === 'ERROR')
    .map((node) => ({ node, at: saidAt(node) }))
    .sort((a, b) => a.at - b.at || rank(a.node) - rank(b.node) || (a.node.id < b.node.id ? -1 : 1))
    .map(({ node }) => node);
}

function saidAt(node: ExplanationNode): number {
  const isAtItsEnd = node.type === 'LLM_CALL' || node.type === 'OTHER';
  return (isAtItsEnd ? endOf(node) : undefined) ?? startOf(node);
}

/** Of what happened at one time. */
function rank({ type }: ExplanationNode): number {
  return ['USER_QUERY', 'REASONING', 'LLM_CALL', 'TOOL_CALL'].indexOf(type) + 1 || 9;
}
