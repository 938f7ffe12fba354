import type { MarkerOriginals, OverrideFacts } from '../model/facts.ts';
import type { ExplanationNode } from '../model/node.ts';
import type { OwnId } from './own-ids.ts';
import { titleLine } from '../model/title.ts';

/** How nodes are shown to readers. */
export interface OverrideWays {
  /** undefined when it cannot be opened any more. */
  readonly open: (facts: OverrideFacts) => MarkerOriginals | undefined;
  /** With the markers that readers of a task see. The same object where there are none. */
  readonly shown: <T>(taskId: string, value: T) => T;
  /** Puts originals in the places of what readers of a task see. */
  readonly restore: <T>(taskId: string, value: T, originals: MarkerOriginals) => T;
  readonly ownId: OwnId;
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

  /**
   * A node as readers see it: only here does what is kept become a node.
   * @param ofNode the node of which an administrator had it shown, when this one was made from it
   */
  apply(node: ExplanationNode, ofNode: string = node.id): ExplanationNode {
    if (!this.ways) return node;
    const hidden = shownNode(node, this.ways.shown);
    const originals = this.of(ofNode);
    if (!originals) return hidden;
    const shown = overridden(hidden, originals, this.ways.restore);
    this.hiddenOf.set(shown, hidden);
    return shown;
  }

  /** A node as it was before an override was applied: for what is kept or read without keys. */
  hidden(node: ExplanationNode): ExplanationNode {
    return this.hiddenOf.get(node) ?? node;
  }
}

/** The fields of a node that hold text; its ids have markers of ids. */
const TEXT_FIELDS = ['name', 'title', 'agent', 'model', 'promptSummary', 'details'] as const;

function shownNode(node: ExplanationNode, shown: OverrideWays['shown']): ExplanationNode {
  let made = node;
  for (const field of TEXT_FIELDS) {
    const value = shown(node.taskId, node[field]);
    if (value !== node[field]) made = { ...made, [field]: value };
  }
  return made;
}

/** What other nodes share (task, agent, model) stays as it is. */
export function overridden(
  node: ExplanationNode,
  originals: MarkerOriginals,
  restore: OverrideWays['restore'],
): ExplanationNode {
  const { name, title, promptSummary, details } = restore(node.taskId, node, originals);
  return {
    ...node,
    name,
    title: titleLine(title) ?? title,
    ...(promptSummary !== undefined && { promptSummary }),
    details: { ...details, redactionOverridden: Object.keys(originals).length },
  };
}
