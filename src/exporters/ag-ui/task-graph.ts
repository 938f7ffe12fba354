import type { ExplanationEdge, ExplanationNode, GraphUpdate } from '../../model/node.ts';
import { outermostFirst } from '../../model/node-order.ts';

/** A task's graph as it grows by updates, with what is asked of it while it is told as a run. */
export class TaskGraph {
  private readonly byId = new Map<string, ExplanationNode>();
  private readonly into = new Map<string, Map<string, ExplanationEdge>>();
  private readonly running = new Set<string>();
  /** The nodes that stand for spans. */
  private readonly spans = new Map<string, string>();
  /** The same, by the id of the span alone. */
  private readonly bySpanId = new Map<string, string>();
  /** Spans that are named as parents and have not come. */
  private readonly missing = new Set<string>();
  /** Nodes that contain steps. */
  private readonly containers = new Set<string>();

  apply({ removedNodeIds, removedEdgeIds, addedNodes, addedEdges }: GraphUpdate): void {
    for (const id of removedNodeIds) this.remove(id);
    for (const { id, to } of removedEdgeIds) this.into.get(to)?.delete(id);
    for (const node of addedNodes) this.put(node);
    for (const edge of addedEdges) this.join(edge);
  }

  get size(): number {
    return this.byId.size;
  }

  nodes(): Iterable<ExplanationNode> {
    return this.byId.values();
  }

  node(id: string): ExplanationNode | undefined {
    return this.byId.get(id);
  }

  /** Whose other end is there. */
  edgesInto(id: string): readonly ExplanationEdge[] {
    return [...(this.into.get(id)?.values() ?? [])].filter(({ from }) => this.byId.has(from));
  }

  /** The step that contains it: of several the innermost. */
  parentOf(id: string): ExplanationNode | undefined {
    const parents = this.edgesInto(id)
      .filter(({ evidence }) => evidence === 'parentSpanId')
      .map(({ from }) => this.byId.get(from))
      .filter((node) => node !== undefined);
    return parents.sort(outermostFirst).at(-1);
  }

  /** Are there other steps inside it? Its own thoughts are none. */
  isContainer(id: string): boolean {
    return this.containers.has(id);
  }

  /** The node whose own span it is: of a task by one sender, whose spans have ids of their own. */
  nodeOfSpan(spanId: string): ExplanationNode | undefined {
    return this.byId.get(this.bySpanId.get(spanId) ?? '');
  }

  /** Something of it is under way. */
  get isRunning(): boolean {
    return this.running.size > 0;
  }

  /** A step names one around it that has not come: such are sent when they end. */
  get isAwaited(): boolean {
    return this.missing.size > 0;
  }

  private put(node: ExplanationNode): void {
    this.byId.set(node.id, node);
    if (node.state === 'RUNNING') this.running.add(node.id);
    else this.running.delete(node.id);
    for (const key of spansOf(node)) {
      this.spans.set(key, node.id);
      this.missing.delete(key);
    }
    const { spanId } = node.details ?? {};
    if (typeof spanId === 'string') this.bySpanId.set(spanId, node.id);
    const parent = spanKey(node, node.details?.['parentSpanId']);
    if (parent !== undefined && !this.spans.has(parent)) this.missing.add(parent);
  }

  private remove(id: string): void {
    this.byId.delete(id);
    this.running.delete(id);
    this.into.delete(id);
  }

  private join(edge: ExplanationEdge): void {
    const edges = this.into.get(edge.to) ?? new Map<string, ExplanationEdge>();
    this.into.set(edge.to, edges.set(edge.id, edge));
    const isOwnThought = this.byId.get(edge.to)?.details?.['partOf'] === edge.from;
    if (edge.evidence === 'parentSpanId' && !isOwnThought) this.containers.add(edge.from);
  }
}

function spansOf(node: ExplanationNode): readonly string[] {
  const { spanId, spanIds } = node.details ?? {};
  const ids: readonly unknown[] = Array.isArray(spanIds) ? [spanId, ...(spanIds as unknown[])] : [spanId];
  return ids.map((id) => spanKey(node, id)).filter((key) => key !== undefined);
}

function spanKey({ details }: ExplanationNode, spanId: unknown): string | undefined {
  return typeof spanId === 'string' ? `${String(details?.['traceId'])}:${spanId}` : undefined;
}
