import { isDeepStrictEqual } from 'node:util';
import { madeOf } from '../model/ids.ts';
import type { ExplanationEdge } from '../model/node.ts';
import { derivedNodes, type DerivedOptions } from './derived-nodes.ts';
import { BYTES_PER_DERIVED } from './estimate-bytes.ts';
import type { GraphSink } from './graph-sink.ts';
import type { NodeEntry, StepEntry } from './node-entry.ts';
import type { EventFacts } from '../model/facts.ts';
import type { Overrides } from './overrides.ts';
import { withAnnotations } from './said-of-nodes.ts';

export interface DerivedGraphOptions extends DerivedOptions {
  /** Is there a node of its own with this id, of which another service tells? */
  readonly isTold: (id: string) => boolean;
  /** What people said of a node, and of those that are made from it. */
  readonly saidOf: (entry: NodeEntry) => readonly EventFacts[];
}

/** Keeps the nodes in the graph that are made from the records of others (`derived-nodes.ts`). */
export class DerivedGraph {
  private readonly graph: GraphSink;
  private readonly overrides: Overrides;
  private readonly options: DerivedGraphOptions;
  /** The root that each query was made from, and the record with what was asked, in memory or not, by the query's id. */
  private readonly queries = new Map<string, { readonly owner: NodeEntry; readonly asked: StepEntry }>();

  constructor(graph: GraphSink, overrides: Overrides, options: DerivedGraphOptions) {
    this.graph = graph;
    this.overrides = overrides;
    this.options = options;
  }

  /**
   * Makes anew what a node gives; its own node and those that it refers to are up to date.
   * @returns the edges that lead from there into the node itself, and by how much the estimate of memory changed
   */
  put(entry: NodeEntry): { readonly edges: readonly ExplanationEdge[]; readonly bytes: number } {
    const owner = this.graph.node(entry.id);
    const all = owner ? derivedNodes(entry, owner, this.options) : [];
    const made = all.length === 0 ? all : all.filter(({ node }) => !this.options.isTold(node.id));
    if (all.length === 0 && entry.derived.length === 0) return NOTHING;
    const ids = made.map(({ node }) => node.id);
    for (const id of entry.derived) if (!ids.includes(id)) this.dropOne(id, entry);
    for (const { node, asked } of made) {
      const shown = this.overrides.apply(
        withAnnotations(node, this.options.saidOf(entry), node.id),
        entry.id,
      );
      if (!isDeepStrictEqual(shown, this.graph.node(node.id))) this.graph.putNode(shown);
      if (asked) this.queries.set(node.id, { owner: entry, asked });
    }
    for (const { node, edges } of made) this.graph.putInEdges(node.id, edges);
    const bytes = BYTES_PER_DERIVED * (ids.length - entry.derived.length);
    entry.derived = ids;
    return { edges: all.flatMap(({ leadsToOwner }) => leadsToOwner ?? []), bytes };
  }

  /** Takes out what a node gave. */
  drop(entry: NodeEntry): void {
    for (const id of entry.derived) this.dropOne(id, entry);
    entry.derived = [];
  }

  /** The id of the node that a derived one was made from; undefined for other ids. */
  ownerOf(id: string): string | undefined {
    return madeOf(id) ?? this.queries.get(id)?.owner.id;
  }

  /** The record with what the user asked in a query. */
  askedIn(queryId: string): StepEntry | undefined {
    return this.queries.get(queryId)?.asked;
  }

  /** The query of a trace may by now be made from another root. */
  private dropOne(id: string, entry: NodeEntry): void {
    const owner = this.queries.get(id)?.owner;
    if (owner && owner !== entry) return;
    this.queries.delete(id);
    // One that was told of itself for a while went with that.
    if (!this.options.isTold(id) && this.graph.node(id)) this.graph.dropNode(id);
  }
}

const NOTHING = { edges: [] as readonly ExplanationEdge[], bytes: 0 };
