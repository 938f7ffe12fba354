import type { OverrideFacts } from '../model/facts.ts';
import type { ExplanationNode } from '../model/node.ts';
import { titleLine } from '../model/title.ts';

/** Puts originals in the places of their markers. */
export type Restore = <T>(value: T, originals: OverrideFacts['originals']) => T;

/** What administrators have had shown of nodes, as no more than a false positive. */
export class Overrides {
  private readonly byNode = new Map<string, OverrideFacts>();
  private readonly restore: Restore;

  constructor(restore: Restore) {
    this.restore = restore;
  }

  /** The newest word about a node replaces the earlier one; an empty one takes it back. */
  keep(facts: OverrideFacts): void {
    if (Object.keys(facts.originals).length === 0) this.byNode.delete(facts.nodeId);
    else this.byNode.set(facts.nodeId, facts);
  }

  of(nodeId: string): OverrideFacts['originals'] | undefined {
    return this.byNode.get(nodeId)?.originals;
  }

  forget(nodeId: string): void {
    this.byNode.delete(nodeId);
  }

  all(): Iterable<OverrideFacts> {
    return this.byNode.values();
  }

  /**
   * What other nodes share (task, agent, model) stays as it is.
   * @param ofNode the node of which an administrator had it shown, when this one was made from it
   */
  apply(node: ExplanationNode, ofNode: string = node.id): ExplanationNode {
    const originals = this.of(ofNode);
    if (!originals) return node;
    const { name, title, promptSummary, details } = this.restore(node, originals);
    return {
      ...node,
      name,
      title: titleLine(title) ?? title,
      ...(promptSummary !== undefined && { promptSummary }),
      details: { ...details, redactionOverridden: Object.keys(originals).length },
    };
  }
}
