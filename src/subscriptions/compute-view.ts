import { matches } from '../model/filters.ts';
import type { ExplanationEdge, ExplanationNode } from '../model/node.ts';
import type { Fold, Group } from '../pruning/fold.ts';
import type { RunOfNodes } from '../pruning/task-folds.ts';
import type { NodeCounter } from '../pruning/match-counter.ts';
import { NEVER_OVER, type IsOver } from '../base/in-turns.ts';
import { addStronger, bridge, redirect } from './view-edges.ts';
import type { ViewSource } from './view-source.ts';
import type { ViewSpec } from './view-spec.ts';

/** What a reader sees of one task, in parts: what is in no summary, and by summary what is seen in its place. */
export type TaskView = ReadonlyMap<string, ViewPart>;

/** Visible nodes, and the edges that lead into them, each once. */
export interface ViewPart {
  readonly nodes: readonly ExplanationNode[];
  readonly edges: readonly ExplanationEdge[];
  /** The state of the summary; undefined when the part has to be made anew each time. */
  readonly state: string | undefined;
  /** Summaries that are seen in it; and those that are open in it, which have parts of their own. */
  readonly closed: readonly string[];
  readonly inner: readonly string[];
}

/** What is in no summary. Shorter than the id of any. */
const UNFOLDED = '';
const NO_VIEW: TaskView = new Map();

/** Adds what a reader asked to have included; the same object for the same node, so that nodes compare by identity. */
export type Decorate = (node: ExplanationNode) => ExplanationNode;

/** What was made of a task in earlier turns of the event loop, and is gone on with. */
export interface BegunTask {
  readonly parts: Map<string, ViewPart>;
  /** What is yet to come. */
  runs?: Iterator<RunOfNodes>;
}

/**
 * Computes views under one spec, while the graph stands still. The rules:
 *
 * - A node is shown when every summary around it was opened (or its task was) and it matches the filters; a
 *   SUMMARY when every summary around it was opened, itself not, and one of its members matches; a notice when a
 *   folded node matches.
 * - An edge between two shown nodes is shown as it is.
 * - A bridged edge a→b is shown exactly when there is no edge a→b and a path from a to b all of whose inner
 *   nodes are hidden.
 * - Edges into folded nodes lead into their summary. A summary has no edges out: what a folded node led to is
 *   bridged from the shown nodes before it.
 *
 * With folding a task costs as much as is shown of it, and of what is hidden as much as leads to the shown.
 */
export class ViewComputer {
  private readonly source: ViewSource;
  private readonly spec: ViewSpec;
  /** Counts the nodes that match; undefined when all do. */
  private readonly counter: NodeCounter | undefined;
  private readonly decorate: Decorate;
  /** Per hidden node: the shown nodes from which it is reached through hidden ones only. */
  private readonly shownBefore = new Map<string, ReadonlySet<string>>();
  private readonly folds = new Map<string, Fold | undefined>();

  constructor(source: ViewSource, spec: ViewSpec, counter: NodeCounter | undefined, decorate: Decorate) {
    this.source = source;
    this.spec = spec;
    this.counter = counter;
    this.decorate = decorate;
  }

  /**
   * @param before of the same task under a spec with the same filters; what is still right is taken from it
   * @param begun is added to; for as long as the task, and what is hidden before it, does not change
   * @returns undefined when the turn was over before everything was in `begun`
   */
  taskView(
    taskId: string,
    before: TaskView = NO_VIEW,
    begun: BegunTask = { parts: new Map() },
    isOver: IsOver = NEVER_OVER,
  ): TaskView | undefined {
    const { taskIds } = this.spec.filters;
    if (taskIds && !taskIds.has(taskId)) return NO_VIEW;
    const fold = this.foldOf(taskId);
    if (!fold) return this.everyNode(taskId, before, begun, isOver);
    const view = new Map<string, ViewPart>();
    let hasFolded = false;
    for (const group of fold.groups.values()) {
      if (!this.isGroupShown(group)) continue;
      hasFolded = true;
      this.addGroup(group, view, before);
    }
    const unfolded = this.unfoldedPart(fold, hasFolded, before.get(UNFOLDED));
    if (unfolded.nodes.length > 0) view.set(UNFOLDED, unfolded);
    return view;
  }

  /** Then nothing is hidden before a node, and a part goes by its own nodes and edges alone. */
  private showsEverything(): boolean {
    return this.spec.collapse === 'none' && Object.keys(this.spec.filters).length === 0;
  }

  /** Nothing is folded: a part for each run of nodes. */
  private everyNode(
    taskId: string,
    before: TaskView,
    begun: BegunTask,
    isOver: IsOver,
  ): TaskView | undefined {
    const held = this.showsEverything() ? before : NO_VIEW;
    begun.runs ??= this.source.folds.runsOf(taskId)[Symbol.iterator]();
    for (let next = begun.runs.next(); next.done !== true; next = begun.runs.next()) {
      const { name, ids } = next.value;
      const state = String(next.value.state);
      let part = held.get(name);
      if (part?.state !== state) {
        const made = openPart(state);
        this.addNodes(ids(), made);
        part = fitted(made);
      }
      if (part.nodes.length > 0) begun.parts.set(name, part);
      if (isOver()) return undefined;
    }
    return begun.parts;
  }

  private unfoldedPart(fold: Fold, hasFolded: boolean, before: ViewPart | undefined): ViewPart {
    const state = this.counter ? undefined : fold.state;
    if (state !== undefined && before?.state === state) return before;
    const part = openPart(state);
    this.addNodes(fold.shown, part);
    if (fold.notice && hasFolded) part.nodes.push(this.decorate(fold.notice));
    return fitted(part);
  }

  /** Adds what is seen of a summary, and of those open inside of it: a part for each. */
  private addGroup(group: Group, view: Map<string, ViewPart>, before: TaskView): void {
    // Under a filter it goes by more than what is inside whether what leads to it is seen.
    const state = this.counter ? undefined : group.state;
    const isSame = state !== undefined && before.get(group.id)?.state === state;
    if (isSame && this.carryOver(group.id, view, before)) return;
    const part = openPart(state);
    view.set(group.id, part);
    if (!this.spec.expandedSummaries.has(group.id)) {
      this.addSummary(group, part);
      return;
    }
    const { nodes, parts } = group.contents();
    this.addNodes(nodes, part);
    for (const inner of parts.values()) {
      if (!this.isGroupShown(inner)) continue;
      if (!this.spec.expandedSummaries.has(inner.id)) this.addSummary(inner, part);
      else {
        part.inner.push(inner.id);
        this.addGroup(inner, view, before);
      }
    }
  }

  /** Takes what was seen of a summary, if the same are open; everything inside is as it was. */
  private carryOver(id: string, view: Map<string, ViewPart>, before: TaskView): boolean {
    const { expandedSummaries } = this.spec;
    const part = before.get(id);
    const isOpen = expandedSummaries.has(id);
    const isStillRight =
      part !== undefined &&
      part.closed.includes(id) !== isOpen &&
      !part.closed.some((closed) => expandedSummaries.has(closed)) &&
      part.inner.every((inner) => expandedSummaries.has(inner) && this.carryOver(inner, view, before));
    if (isStillRight) view.set(id, part);
    return isStillRight;
  }

  private addNodes(ids: Iterable<string>, { nodes, edges }: OpenPart): void {
    for (const id of ids) {
      const node = this.source.graph.node(id);
      if (!node || !matches(this.spec.filters, node)) continue;
      nodes.push(this.decorate(node));
      this.addEdges(id, this.source.graph.inEdges(id), edges);
    }
  }

  private addSummary(group: Group, part: OpenPart): void {
    part.closed.push(group.id);
    part.nodes.push(this.decorate(group.summary));
    const inlets = group.inlets().filter((edge) => group.has(edge.to) && !group.has(edge.from));
    this.addEdges(group.id, inlets, part.edges);
  }

  private isGroupShown(group: Group): boolean {
    return this.counter === undefined || group.matches(this.counter);
  }

  /** Adds the edges into a shown node: into itself, or into what it stands for. */
  private addEdges(target: string, into: readonly ExplanationEdge[], edges: ExplanationEdge[]): void {
    // Nearly always; it takes no set and no map.
    if (into.every(({ from, to }) => to === target && this.isShown(from))) {
      for (const edge of into) edges.push(edge);
      return;
    }
    const own = new Map<string, ExplanationEdge>();
    const direct = new Set<string>();
    const through = new Map<string, ExplanationEdge>();
    for (const edge of into) {
      if (this.isShown(edge.from)) {
        direct.add(edge.from);
        addStronger(own, target === edge.to ? edge : redirect(edge, target));
      } else {
        for (const from of this.shownBeforeOf(edge.from))
          addStronger(through, bridge(from, target, edge), from);
      }
    }
    for (const [from, edge] of through) if (!direct.has(from)) own.set(edge.id, edge);
    for (const edge of own.values()) edges.push(edge);
  }

  private shownBeforeOf(hidden: string): ReadonlySet<string> {
    // Iterative post-order, as hidden chains may be tens of thousands of nodes long.
    const stack = [hidden];
    for (let id = stack.at(-1); id !== undefined; id = stack.at(-1)) {
      if (this.shownBefore.has(id)) {
        stack.pop();
        continue;
      }
      const before = this.source.graph.inEdges(id).map((edge) => edge.from);
      const open = before.filter((from) => !this.isShown(from) && !this.shownBefore.has(from));
      if (open.length > 0) {
        for (const from of open) stack.push(from);
        continue;
      }
      stack.pop();
      this.shownBefore.set(id, this.unionBefore(before));
    }
    return this.shownBefore.get(hidden) ?? new Set();
  }

  private unionBefore(before: readonly string[]): ReadonlySet<string> {
    const [only, second] = before;
    // The usual case, a tree: the set of the one node before is shared instead of copied.
    if (only !== undefined && second === undefined && !this.isShown(only)) {
      return this.shownBefore.get(only) ?? new Set();
    }
    const shown = new Set<string>();
    for (const from of before) {
      if (this.isShown(from)) shown.add(from);
      else for (const id of this.shownBefore.get(from) ?? []) shown.add(id);
    }
    return shown;
  }

  private isShown(id: string): boolean {
    const node = this.source.graph.node(id);
    return node !== undefined && matches(this.spec.filters, node) && !this.isInSummary(node);
  }

  private isInSummary({ id, taskId }: ExplanationNode): boolean {
    const fold = this.foldOf(taskId);
    if (!fold || fold.shown.has(id)) return false;
    const { expandedSummaries } = this.spec;
    let group = expandedSummaries.size === 0 ? undefined : fold.groupWith(id);
    if (!group) return true;
    while (group && expandedSummaries.has(group.id)) group = group.contents().partWith(id);
    return group !== undefined;
  }

  /** Undefined when every node of the task is shown. */
  private foldOf(taskId: string): Fold | undefined {
    if (this.spec.collapse === 'none' || this.spec.expandedTasks.has(taskId)) return undefined;
    let fold = this.folds.get(taskId);
    if (!fold) {
      fold = this.source.folds.foldOf(taskId);
      this.folds.set(taskId, fold);
    }
    return fold;
  }
}

interface OpenPart extends ViewPart {
  readonly nodes: ExplanationNode[];
  readonly edges: ExplanationEdge[];
  readonly closed: string[];
  readonly inner: string[];
}

function openPart(state: string | undefined): OpenPart {
  return { nodes: [], edges: [], state, closed: [], inner: [] };
}

/** Without the room for more that lists keep to which something is added. */
function fitted({ nodes, edges, ...rest }: ViewPart): ViewPart {
  return { nodes: nodes.slice(), edges: edges.slice(), ...rest };
}
