import type { MarkerOriginals, OverrideFacts } from '../model/facts.ts';
import type { ExplanationNode } from '../model/node.ts';
import { titleLine } from '../model/title.ts';

/** How overrides are opened and shown. */
export interface OverrideWays {
  /** undefined when it cannot be opened any more. */
  readonly open: (facts: OverrideFacts) => MarkerOriginals | undefined;
  /** Puts originals in the places of their markers. */
  readonly restore: <T>(value: T, originals: MarkerOriginals) => T;
}

interface Override {
  readonly facts: OverrideFacts;
  readonly originals: MarkerOriginals | undefined;
}

/** What administrators have had shown of nodes, as no more than a false positive. */
export class Overrides {
  private readonly byNode = new Map<string, Override>();
  /** The nodes that were shown otherwise, as they were. */
  private readonly hiddenOf = new WeakMap<ExplanationNode, ExplanationNode>();
  private readonly ways: OverrideWays | undefined;

  /** @param ways without them overrides are kept and change nothing */
  constructor(ways: OverrideWays | undefined) {
    this.ways = ways;
  }

  /** The newest word about a node replaces the earlier one; an empty one takes it back. */
  keep(facts: OverrideFacts): void {
    if (facts.sealed === undefined) this.byNode.delete(facts.nodeId);
    else this.byNode.set(facts.nodeId, { facts, originals: this.ways?.open(facts) });
  }

  of(nodeId: string): MarkerOriginals | undefined {
    return this.byNode.get(nodeId)?.originals;
  }

  factsOf(nodeId: string): OverrideFacts | undefined {
    return this.byNode.get(nodeId)?.facts;
  }

  forget(nodeId: string): void {
    this.byNode.delete(nodeId);
  }

  *all(): Iterable<OverrideFacts> {
    for (const { facts } of this.byNode.values()) yield facts;
  }

  /** @param ofNode the node of which an administrator had it shown, when this one was made from it */
  apply(node: ExplanationNode, ofNode: string = node.id): ExplanationNode {
    const originals = this.of(ofNode);
    if (!originals || !this.ways) return node;
    const shown = overridden(node, originals, this.ways.restore);
    this.hiddenOf.set(shown, node);
    return shown;
  }

  /** A node as it was before an override was applied: for what is kept or read without keys. */
  hidden(node: ExplanationNode): ExplanationNode {
    return this.hiddenOf.get(node) ?? node;
  }
}

/** What other nodes share (task, agent, model) stays as it is. */
export function overridden(
  node: ExplanationNode,
  originals: MarkerOriginals,
  restore: OverrideWays['restore'],
): ExplanationNode {
  const { name, title, promptSummary, details } = restore(node, originals);
  return {
    ...node,
    name,
    title: titleLine(title) ?? title,
    ...(promptSummary !== undefined && { promptSummary }),
    details: { ...details, redactionOverridden: Object.keys(originals).length },
  };
}
