import { compareText } from '../model/compare-text.ts';
import type { IsOver, Work } from '../base/in-turns.ts';
import { Multimap } from '../base/multimap.ts';
import { EVIDENCE, type ExplanationEdge } from '../model/node.ts';
import { mightReach, type Neighbours } from './might-reach.ts';
import { orderedPass, type Standing } from './ordered-pass.ts';
import { strongComponents } from './strong-components.ts';

/** A total order: never 0 for two edges with different ids. */
export type EdgeOrder = (a: ExplanationEdge, b: ExplanationEdge) => number;

/** Edges that are looked at to find out whether a new one may close a cycle; beyond it `untangle` decides. */
const SEARCH_BUDGET = 128;
/**
 * So many searches between two passes may find a way, or spend their budget. Then the pass is made of very many edges anyway,
 * and to search for each what it decides for all costs more than the pass.
 */
const MAX_VAIN_SEARCHES = 100;
/** Nodes or edges that `untangle` works through before others may have their turn: well under a millisecond. */
const STEP_EDGES = 500;
/** So often `untangle` begins anew because what it works on has changed; then it does the rest without a pause. */
const MAX_RESTARTS = 5;

/** Nodes that lie on common cycles of candidates, as far as is known: every edge left out lies within one. */
interface Knot {
  readonly nodes: Set<string>;
  /** Edges within it went: it may fall apart, and what was left out may be accepted. */
  isTorn: boolean;
  /** It may be part of a larger one. */
  isGrown: boolean;
}

/** Part of the graph in numbers: nodes, and the candidates between them. */
interface Region {
  readonly nodes: readonly string[];
  readonly edges: readonly ExplanationEdge[];
  readonly from: Int32Array;
  readonly to: Int32Array;
}

/**
 * Keeps the edges of the graph acyclic, independent of arrival order.
 *
 * The rule: of all edges that were asked for ("candidates"), the accepted ones are those that a single pass
 * in their order (`byEvidence`: rank of evidence, id) would add, leaving out each edge that closes a cycle with those already
 * added. An edge can only close a cycle inside a strongly connected component of the candidates, a "knot". What
 * certainly closes none is accepted at once. What may close one is left out until `untangle` repeats the pass, for all
 * knots that changed together. So the accepted edges are acyclic at any moment, and by the rule after `untangle`.
 */
export class AcyclicEdges {
  /** The accepted ones by their ends. */
  private readonly into = new Multimap<ExplanationEdge>();
  private readonly outOf = new Multimap<ExplanationEdge>();
  private accepted = 0;
  private readonly onChange: (edge: ExplanationEdge, added: boolean) => void;
  private readonly order: EdgeOrder;
  private readonly leftOut = new Map<string, ExplanationEdge>();
  private readonly leftOutFrom = new Multimap<ExplanationEdge>();
  private readonly leftOutTo = new Multimap<ExplanationEdge>();
  /** Of those left out the ones that no pass has seen yet. */
  private readonly undecided = new Set<ExplanationEdge>();
  private readonly knotOf = new Map<string, Knot>();
  /** Knots that changed since the last pass. */
  private readonly changed = new Set<Knot>();
  private readonly neighbours: Neighbours;
  private untangling: Work<void> | undefined;
  private restarts = 0;
  private vainSearches = 0;

  /**
   * @param onChange told of each accepted edge that comes or goes
   * @param order which of two edges goes first; of one edge it stays the same as long as the edge is there
   */
  constructor(onChange: (edge: ExplanationEdge, added: boolean) => void, order: EdgeOrder) {
    this.onChange = onChange;
    this.order = order;
    this.neighbours = {
      after: (id) => this.candidatesFrom(id).map((edge) => edge.to),
      before: (id) => this.candidatesInto(id).map((edge) => edge.from),
      countAfter: (id) => this.outOf.count(id) + this.leftOutFrom.count(id),
      countBefore: (id) => this.into.count(id) + this.leftOutTo.count(id),
    };
  }

  /** How many are accepted. */
  get size(): number {
    return this.accepted;
  }

  /** Those that are accepted. */
  all(): Iterable<ExplanationEdge> {
    return this.into.values();
  }

  /** How many candidates are left out because they would close a cycle. */
  get leftOutCount(): number {
    return this.leftOut.size - this.undecided.size;
  }

  /** All candidates into a node, accepted or not. */
  candidatesInto(id: string): readonly ExplanationEdge[] {
    const edges = this.acceptedInto(id);
    const others = this.leftOutTo.all(id);
    return others.length > 0 ? [...edges, ...others] : edges;
  }

  /** All candidates out of a node, accepted or not. */
  candidatesFrom(id: string): readonly ExplanationEdge[] {
    const edges = this.acceptedFrom(id);
    const others = this.leftOutFrom.all(id);
    return others.length > 0 ? [...edges, ...others] : edges;
  }

  acceptedInto(id: string): readonly ExplanationEdge[] {
    return this.into.all(id);
  }

  acceptedFrom(id: string): readonly ExplanationEdge[] {
    return this.outOf.all(id);
  }

  /** Adds a candidate whose two nodes exist and differ, and whose id is new. */
  add(edge: ExplanationEdge): void {
    const knot = this.knotOf.size > 0 ? this.knotOf.get(edge.from) : undefined;
    // Of a torn knot it is not known whether its nodes still lie on cycles: an edge between two of them may close one
    // that goes through others.
    const isWithin = knot !== undefined && !knot.isTorn && knot === this.knotOf.get(edge.to);
    if (!isWithin && !this.mayClose(edge)) {
      this.accept(edge);
      return;
    }
    this.leaveOut(edge);
    this.undecided.add(edge);
    this.hasChanged(isWithin ? knot : this.joinKnots(edge.from, edge.to));
  }

  remove(edge: ExplanationEdge): void {
    this.takeOut(edge);
    const knot = this.knotOf.size > 0 ? this.knotOf.get(edge.from) : undefined;
    if (knot && knot === this.knotOf.get(edge.to)) {
      knot.isTorn = true;
      this.hasChanged(knot);
    } else this.interrupt();
  }

  /** Forgets a node that has no candidates any more. */
  forget(id: string): void {
    this.knotOf.get(id)?.nodes.delete(id);
    this.knotOf.delete(id);
    this.interrupt();
  }

  /**
   * Makes the accepted edges those of the rule.
   * @param isLate asked after each step whether to leave the rest for the next call
   * @returns whether nothing is left
   */
  untangle(isLate: IsOver): boolean {
    while (this.changed.size > 0) {
      this.untangling ??= this.settle();
      if (this.untangling.next().done === true) {
        this.untangling = undefined;
        this.restarts = 0;
        this.vainSearches = 0;
      } else if (this.restarts < MAX_RESTARTS && isLate()) return false;
    }
    return true;
  }

  /** Nearly every edge is the first at one of its ends. */
  private mayClose({ from, to }: ExplanationEdge): boolean {
    const { neighbours } = this;
    if (neighbours.countAfter(to) === 0 || neighbours.countBefore(from) === 0) return false;
    if (this.vainSearches < MAX_VAIN_SEARCHES && !mightReach(to, from, neighbours, SEARCH_BUDGET))
      return false;
    this.vainSearches++;
    return true;
  }

  private accept(edge: ExplanationEdge): void {
    this.into.add(edge.to, edge);
    this.outOf.add(edge.from, edge);
    this.accepted++;
    this.onChange(edge, true);
  }

  private takeOut(edge: ExplanationEdge): void {
    if (this.leftOut.delete(edge.id)) {
      this.undecided.delete(edge);
      this.leftOutFrom.delete(edge.from, edge);
      this.leftOutTo.delete(edge.to, edge);
    } else {
      this.into.delete(edge.to, edge);
      this.outOf.delete(edge.from, edge);
      this.accepted--;
      this.onChange(edge, false);
    }
  }

  private leaveOut(edge: ExplanationEdge): void {
    this.leftOut.set(edge.id, edge);
    this.leftOutFrom.add(edge.from, edge);
    this.leftOutTo.add(edge.to, edge);
  }

  private hasChanged(knot: Knot): void {
    this.changed.add(knot);
    this.interrupt();
  }

  /** What is being worked on is no longer as it was. */
  private interrupt(): void {
    if (!this.untangling) return;
    this.untangling = undefined;
    this.restarts++;
  }

  /** Two nodes are, or may be, on one cycle: their knots become one. */
  private joinKnots(a: string, b: string): Knot {
    const [first, second] = [this.knotOf.get(a) ?? knotWith(a), this.knotOf.get(b) ?? knotWith(b)];
    const [large, small] = first.nodes.size < second.nodes.size ? [second, first] : [first, second];
    for (const id of [...small.nodes, a, b]) {
      large.nodes.add(id);
      this.knotOf.set(id, large);
    }
    large.isGrown = true;
    large.isTorn ||= small.isTorn;
    this.changed.delete(small);
    return large;
  }

  /** Repeats the ordered pass for the knots that changed; what they are by now is found out first. */
  private *settle(): Work<void> {
    const knots = [...this.changed];
    const inKnots = new Set(knots.flatMap(({ nodes }) => [...nodes]));
    const region = yield* this.regionOf(
      inKnots,
      knots.some(({ isGrown }) => isGrown),
    );
    const component = yield* strongComponents(region.nodes.length, region.from, region.to);
    const concerned = new Set(region.nodes.flatMap((id, i) => (inKnots.has(id) ? (component[i] ?? -1) : [])));
    const untied: ExplanationEdge[] = [];
    const tied: { readonly edge: ExplanationEdge; readonly at: number }[] = [];
    region.edges.forEach((edge, at) => {
      const [from, to] = [component[region.from[at] ?? 0] ?? -1, component[region.to[at] ?? 0] ?? -1];
      if (from === to && concerned.has(from)) tied.push({ edge, at });
      else if (from !== to && concerned.has(from) && this.leftOut.has(edge.id)) untied.push(edge);
    });
    tied.sort((a, b) => this.order(a.edge, b.edge));
    const isAccepted = yield* orderedPass(
      region.nodes.length,
      Int32Array.from(tied, ({ at }) => region.from[at] ?? 0),
      Int32Array.from(tied, ({ at }) => region.to[at] ?? 0),
      tied.map(({ edge }) => this.standingOf(edge)),
      knots.some(({ isTorn }) => isTorn),
    );
    yield* this.apply(
      tied.map(({ edge }) => edge),
      isAccepted,
      untied,
    );
    for (const id of inKnots) this.knotOf.delete(id);
    const found = new Map<number, Knot>();
    for (const { edge, at } of tied) {
      const number = component[region.from[at] ?? 0] ?? -1;
      const knot = found.get(number) ?? knotWith(edge.from);
      found.set(number, knot);
      knot.nodes.add(edge.from);
      this.knotOf.set(edge.from, knot);
    }
    this.changed.clear();
  }

  /** @param isOpen with everything that candidates lead to from these nodes */
  private *regionOf(ids: Iterable<string>, isOpen: boolean): Work<Region> {
    const numbers = new Map<string, number>();
    for (const id of ids) numbers.set(id, numbers.size);
    const edges: ExplanationEdge[] = [];
    let rested = 0;
    for (const id of numbers.keys()) {
      for (const edge of this.candidatesFrom(id)) {
        if (isOpen && !numbers.has(edge.to)) numbers.set(edge.to, numbers.size);
        if (numbers.has(edge.to)) edges.push(edge);
      }
      if (++rested % STEP_EDGES === 0) yield;
    }
    const from = Int32Array.from(edges, (edge) => numbers.get(edge.from) ?? 0);
    const to = Int32Array.from(edges, (edge) => numbers.get(edge.to) ?? 0);
    return { nodes: [...numbers.keys()], edges, from, to };
  }

  private standingOf(edge: ExplanationEdge): Standing {
    if (!this.leftOut.has(edge.id)) return 'accepted';
    return this.undecided.has(edge) ? 'undecided' : 'leftOut';
  }

  /** First what goes, then what comes: the accepted edges are acyclic at every step. */
  private *apply(
    edges: readonly ExplanationEdge[],
    isAccepted: readonly boolean[],
    untied: readonly ExplanationEdge[],
  ): Work<void> {
    // Interrupted from here on, nothing that was left out has a reason that can be relied on.
    for (const knot of this.changed) knot.isTorn = true;
    const toAccept = [...untied];
    for (const [i, edge] of edges.entries()) {
      if (isAccepted[i] === true) {
        if (this.leftOut.has(edge.id)) toAccept.push(edge);
      } else if (!this.leftOut.has(edge.id)) {
        this.takeOut(edge);
        this.leaveOut(edge);
      }
      if ((i + 1) % STEP_EDGES === 0) yield;
    }
    for (const [i, edge] of toAccept.entries()) {
      this.takeOut(edge);
      this.accept(edge);
      if ((i + 1) % STEP_EDGES === 0) yield;
    }
    for (const edge of edges) this.undecided.delete(edge);
  }
}

function knotWith(id: string): Knot {
  return { nodes: new Set([id]), isTorn: false, isGrown: false };
}

/** The order in which edges are added where some must be left out. */
export function byEvidence(a: ExplanationEdge, b: ExplanationEdge): number {
  const rank = EVIDENCE.indexOf(a.evidence) - EVIDENCE.indexOf(b.evidence);
  return rank !== 0 ? rank : compareText(a.id, b.id);
}
