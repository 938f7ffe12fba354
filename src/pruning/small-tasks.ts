import type { GraphReader } from '../graph/graph-reader.ts';
import { MIN_REPEATED, type Fold, type FoldLimits, type InSight } from './fold.ts';
import { foldTask } from './fold-task.ts';
import { isQuiet, isRoutine } from './quiet.ts';
import { nextSerial } from './siblings.ts';
import { growTask } from './grow-task.ts';
import type { ExplanationNode } from '../model/node.ts';

/** What was worked out of one task since it changed last. */
interface Notes {
  fold: Fold | undefined;
  /** Nodes that its fold holds on to. */
  held: number;
  wasFolded: boolean;
  /** Another one for every change. */
  state: number | undefined;
}

/** Nodes of folded tasks whose trees are kept, at about 2 KB each; others are grown again when asked for. */
const MAX_HELD_NODES = 4096;

/** Tasks of few nodes. Nothing is kept of them but what was asked for since they changed. */
export class SmallTasks {
  private readonly graph: GraphReader;
  private readonly limits: FoldLimits;
  private readonly inSight: InSight;
  private readonly notes = new Map<string, Notes>();
  /** Tasks whose folds hold on to trees, the one that was folded last at the end. */
  private readonly grown = new Set<string>();
  private heldNodes = 0;

  constructor(graph: GraphReader, limits: FoldLimits, inSight: InSight) {
    this.graph = graph;
    this.limits = limits;
    this.inSight = inSight;
  }

  /** The task changed, is gone, or is none of these any more. */
  changed(taskId: string): void {
    this.letGo(taskId);
    this.notes.delete(taskId);
  }

  /** @param onFold told of how many nodes and edges were folded, once for each state of the task */
  foldOf(taskId: string, onFold: (nodes: number, edges: number) => void): Fold {
    const notes = this.notesOf(taskId);
    if (notes.fold) return notes.fold;
    const fold = this.hasFoldable(taskId) ? this.foldByTree(taskId, notes, onFold) : this.unfolded(taskId);
    notes.fold = fold;
    notes.wasFolded = true;
    return fold;
  }

  /** Another one whenever the task changed. */
  stateOf(taskId: string): number {
    const notes = this.notesOf(taskId);
    notes.state ??= nextSerial();
    return notes.state;
  }

  /** The first node below this one. */
  firstBelow(node: ExplanationNode): string | undefined {
    const { entries } = growTask(this.graph, node.taskId, this.limits, this.inSight);
    return entries.get(node.id)?.kids?.first?.node.id;
  }

  /**
   * Can anything be folded at all? Whatever is folded leads to something folded that leads nowhere. May say so
   * when it is not: how deep calls are nested, and what is alike, is only guessed.
   */
  private hasFoldable(taskId: string): boolean {
    const { graph, limits } = this;
    const ids = graph.nodesOfTask(taskId);
    if (ids.size > limits.maxNodesPerTask) return true;
    const mayRepeat = ids.size >= (limits.minRepeated ?? MIN_REPEATED);
    let calls = 0;
    let hasQuietEnd = false;
    for (const id of ids) {
      const node = graph.node(id);
      if (node?.type === 'LLM_CALL') calls++;
      if (!node || !isQuiet(node)) continue;
      const isDull = mayRepeat || node.type === 'REASONING' || isRoutine(node, limits);
      if ((hasQuietEnd && !isDull) || graph.outEdges(id).length > 0) continue;
      if (isDull) return true;
      hasQuietEnd = true;
    }
    // Then it may be what is nested too deep.
    return hasQuietEnd && calls > limits.maxCoTDepth;
  }

  private unfolded(taskId: string): Fold {
    const shown = this.graph.nodesOfTask(taskId);
    return { state: undefined, shown, groups: NO_GROUPS, notice: undefined, groupWith: inNone };
  }

  private foldByTree(taskId: string, notes: Notes, onFold: (nodes: number, edges: number) => void): Fold {
    const { graph, limits } = this;
    const { entries, task } = growTask(graph, taskId, limits, this.inSight);
    const asBefore = (summary: ExplanationNode): ExplanationNode => summary;
    const fold = foldTask({ task, entries, limits, isFollowed: false, serial: nextSerial(), asBefore });
    if (!notes.wasFolded) {
      let { edges } = task;
      for (const id of fold.shown) edges -= entries.get(id)?.ins.length ?? 0;
      onFold(entries.size - fold.shown.size, edges);
    }
    if (fold.groups.size === 0 && !fold.notice) return this.unfolded(taskId);
    this.hold(taskId, notes, entries.size);
    return fold;
  }

  private hold(taskId: string, notes: Notes, nodes: number): void {
    notes.held = nodes;
    this.heldNodes += nodes;
    this.grown.add(taskId);
    for (const oldest of this.grown) {
      if (this.heldNodes <= MAX_HELD_NODES || oldest === taskId) break;
      this.letGo(oldest);
    }
  }

  private letGo(taskId: string): void {
    if (!this.grown.delete(taskId)) return;
    const notes = this.notesOf(taskId);
    this.heldNodes -= notes.held;
    notes.held = 0;
    notes.fold = undefined;
  }

  private notesOf(taskId: string): Notes {
    let notes = this.notes.get(taskId);
    if (!notes) {
      notes = { fold: undefined, held: 0, wasFolded: false, state: undefined };
      this.notes.set(taskId, notes);
    }
    return notes;
  }
}

const NO_GROUPS: Fold['groups'] = new Map();
const inNone: Fold['groupWith'] = () => undefined;
