import type { ExplanationEdge, ExplanationGraph, ExplanationNode } from '../../model/node.ts';
import { byStart } from '../../model/node-order.ts';

/** Which nodes of a graph become which part of ThoughtFlow. */
export interface FlowPlan {
  /** Those that came as ThoughtFlow, by start. */
  readonly sessions: readonly ExplanationNode[];
  readonly conversations: readonly PlannedConversation[];
  /** What leads into each node, in the order of the graph. */
  readonly into: ReadonlyMap<string, readonly ExplanationEdge[]>;
  readonly nodes: ReadonlyMap<string, ExplanationNode>;
  /** The first conversation of each session, by their nodes: a session has no place of its own in a diagram. */
  readonly firstOf: ReadonlyMap<string, string>;
}

export interface PlannedConversation {
  /** What it is made of: a node that is no step of its own; or the root that is its first step. */
  readonly head: ExplanationNode;
  /** It came as ThoughtFlow. */
  readonly isOwn: boolean;
  readonly steps: readonly ExplanationNode[];
}

/** Sessions that came as ThoughtFlow as they came; of all else each root with what is below it is a conversation. */
export function planFlow({ nodes, edges }: Pick<ExplanationGraph, 'nodes' | 'edges'>): FlowPlan {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const known = edges.filter(({ from, to }) => byId.has(from) && byId.has(to));
  const into = Map.groupBy(known, ({ to }) => to);
  const parentOf = new Map(
    known.filter(({ evidence }) => evidence === 'parentSpanId').map(({ from, to }) => [to, byId.get(from)]),
  );
  const conversationOf = new Map<string, string>();
  const own: ExplanationNode[] = [];
  const others: ExplanationNode[] = [];
  const ordered = nodes.toSorted(byStart);
  for (const node of ordered) {
    const kind = flowKind(node);
    const parent = parentOf.get(node.id);
    if (kind === 'conversation') own.push(node);
    else if (kind === 'step' && parent && flowKind(parent) === 'conversation')
      conversationOf.set(node.id, parent.id);
    else if (kind !== 'session' && !isMadeOfStep(node, byId)) others.push(node);
  }
  const steps = Map.groupBy(
    ordered.filter(({ id }) => conversationOf.has(id)),
    ({ id }) => conversationOf.get(id) ?? '',
  );
  const firstOf = new Map<string, string>();
  for (const { id } of own.toSorted(byIndex)) {
    const session = parentOf.get(id)?.id;
    if (session !== undefined && !firstOf.has(session)) firstOf.set(session, id);
  }
  return {
    firstOf,
    sessions: ordered.filter((node) => flowKind(node) === 'session'),
    conversations: [
      ...own.toSorted(byIndex).map((head) => ({
        head,
        isOwn: true,
        steps: (steps.get(head.id) ?? []).toSorted(byIndex),
      })),
      ...conversationsOf(others, into),
    ],
    into,
    nodes: byId,
  };
}

export function flowKind({ details }: ExplanationNode): 'session' | 'conversation' | 'step' | undefined {
  const kind = details?.['flowKind'];
  return kind === 'session' || kind === 'conversation' || kind === 'step' ? kind : undefined;
}

/** The id that its sender gave it. */
export function flowId({ id, details }: ExplanationNode): string {
  const own = details?.['flowId'];
  return typeof own === 'string' ? own : id;
}

/** By which one conversation is asked for. */
export function conversationId({ head, isOwn }: PlannedConversation): string {
  return isOwn ? flowId(head) : head.id;
}

/** A thought or a switch of model that the service read out of a step of ThoughtFlow is part of that step. */
function isMadeOfStep({ details }: ExplanationNode, byId: ReadonlyMap<string, ExplanationNode>): boolean {
  const owner = byId.get(String(details?.['partOf']));
  return owner !== undefined && flowKind(owner) !== undefined;
}

function byIndex(a: ExplanationNode, b: ExplanationNode): number {
  const [left, right] = [a, b].map(({ details }) => Number(details?.['flowIndex'] ?? 0));
  return (left ?? 0) - (right ?? 0) || byStart(a, b);
}

/** @param nodes by start */
function conversationsOf(
  nodes: readonly ExplanationNode[],
  into: ReadonlyMap<string, readonly ExplanationEdge[]>,
): readonly PlannedConversation[] {
  const groups = new Groups(nodes);
  const edges = nodes
    .flatMap(({ id }) => into.get(id) ?? [])
    .filter(({ from, to }) => groups.has(from) && groups.has(to))
    // What only says that two roots are of one task joins no conversations.
    .filter(({ relation, evidence }) => relation !== 'OTHER' || evidence !== 'inferred');
  for (const { from, to, evidence } of edges) if (evidence === 'parentSpanId') groups.join(from, to);
  // What stands alone belongs to what led to it, else to what it led to.
  const alone = new Set(nodes.map(({ id }) => id).filter((id) => groups.sizeOf(id) === 1));
  const attached = new Set<string>();
  for (const [one, other] of [
    ...edges.map(({ from, to }) => [to, from] as const),
    ...edges.map(({ from, to }) => [from, to] as const),
  ]) {
    if (!alone.has(one) || attached.has(one)) continue;
    attached.add(one);
    groups.join(one, other);
  }
  return [...Map.groupBy(nodes, ({ id }) => groups.of(id)).values()]
    .map((members) => inOrder(members, into))
    .flatMap((steps) => {
      const head = rootOf(steps, into);
      return head ? [{ head, isOwn: false, steps }] : [];
    });
}

/** The first step that others are below, and that is below none; else the first. */
function rootOf(
  steps: readonly ExplanationNode[],
  into: ReadonlyMap<string, readonly ExplanationEdge[]>,
): ExplanationNode | undefined {
  const above = new Set<string>();
  const below = new Set<string>();
  for (const { id } of steps)
    for (const { from, evidence } of into.get(id) ?? []) {
      if (evidence !== 'parentSpanId') continue;
      above.add(from);
      below.add(id);
    }
  return steps.find(({ id }) => above.has(id) && !below.has(id)) ?? steps[0];
}

/** Each after all that lead to it; else by start. */
function inOrder(
  nodes: readonly ExplanationNode[],
  into: ReadonlyMap<string, readonly ExplanationEdge[]>,
): readonly ExplanationNode[] {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const waiting = new Set(byId.keys());
  const ordered: ExplanationNode[] = [];
  for (const { id } of nodes) {
    const stack = waiting.has(id) ? [{ id, looked: 0 }] : [];
    for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
      const at = top.id;
      // On from the edge that was looked at last: a node may have thousands.
      const before = into.get(at)?.[top.looked++];
      if (before) {
        if (waiting.has(before.from) && before.from !== at) stack.push({ id: before.from, looked: 0 });
        continue;
      }
      stack.pop();
      const node = byId.get(at);
      if (node && waiting.delete(at)) ordered.push(node);
    }
  }
  return ordered;
}

/** Which ids belong together. */
class Groups {
  private readonly parents: Map<string, string>;
  private readonly sizes = new Map<string, number>();

  constructor(nodes: readonly { readonly id: string }[]) {
    this.parents = new Map(nodes.map(({ id }) => [id, id]));
  }

  has(id: string): boolean {
    return this.parents.has(id);
  }

  of(id: string): string {
    let at = id;
    for (let up = this.parents.get(at) ?? at; up !== at; up = this.parents.get(at) ?? at) {
      // Each look halves the way for the next.
      this.parents.set(at, this.parents.get(up) ?? up);
      at = up;
    }
    return at;
  }

  sizeOf(id: string): number {
    return this.sizes.get(this.of(id)) ?? 1;
  }

  join(one: string, other: string): void {
    const [a, b] = [this.of(one), this.of(other)];
    if (a === b) return;
    const size = this.sizeOf(a) + this.sizeOf(b);
    const [small, large] = this.sizeOf(a) < this.sizeOf(b) ? [a, b] : [b, a];
    this.parents.set(small, large);
    this.sizes.set(large, size);
  }
}
