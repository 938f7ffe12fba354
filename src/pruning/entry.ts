import { endOf } from '../model/failure.ts';
import type { ExplanationEdge, ExplanationNode } from '../model/node.ts';
import { byStartAndId } from '../model/node-order.ts';
import type { Repetition } from './repetition.ts';
import { hashOf, SortedChunks, type Chunk } from './sorted-chunks.ts';
import { NO_BORDER, type Border } from './border.ts';
import { Totals } from './totals.ts';

/** What steps hang below: a step, or the task itself for those below none. */
export interface Branch {
  /** By start, then id. Undefined for a step below which nothing is. */
  kids: SortedChunks<Entry> | undefined;
  /** The one that ended last; undefined when that has to be looked for. */
  lastKid: Entry | undefined;
  /** Something here or below changed, and `totals`, `border` and `stamp` are those of before; so it is above, too. */
  isDirty: boolean;
  /** Of everything here and below. Undefined for a step below which nothing is: its own figures say it. */
  totals: Totals | undefined;
  /** Of everything here and below. */
  border: Border;
  /** When something here or below changed last, as the tree counts. */
  stamp: number;
  /** Kids that may be repeated, by kind. */
  repetitions: Map<string, Repetition<Entry>> | undefined;
}

/** What folding knows of one node: follows the graph, and is no more than what was told of it. */
export interface Entry extends Branch {
  node: ExplanationNode;
  /** When it ended, epoch milliseconds. */
  end: number;
  task: TaskTree;
  /** All edges into it. */
  readonly ins: ExplanationEdge[];
  /** The edge by which it hangs in the tree of its task. */
  treeEdge: ExplanationEdge | undefined;
  parent: Entry | undefined;
  /** Edges out of it that are not the tree's. */
  extra: Set<ExplanationEdge> | undefined;
  /** Of the edges at it that are not the tree's. */
  ownBorder: Border;
  /** Where it stands among its siblings. */
  chunk: Chunk<Entry> | undefined;
  repetition: Repetition<Entry> | undefined;
  /** Folded as one of many, and counted so. */
  countsAsRepeated: boolean;
  /** LLM calls that it is nested in, itself included; no more than matters. */
  depth: number;
  /** It, or a step above, is one of many alike. */
  repeated: boolean;
  /** A dull LLM call, or a step of its chain of thought: what it thinks next is dull as well. */
  dullThought: boolean;
  /** Said to be kept in sight. */
  inSight: boolean;
  foldable: boolean;
  /** Edges out of it to what is not foldable, or of another task. */
  blockers: number;
  /** By which it stands in its task's order of importance; -1 when it is not in it. */
  rank: number;
}

/** One task: the tree of its steps. */
export interface TaskTree extends Branch {
  readonly id: string;
  readonly kids: SortedChunks<Entry>;
  totals: Totals;
  /** Edges to and from other tasks. */
  readonly abroad: Set<ExplanationEdge>;
  /** Edges into its nodes. */
  edges: number;
  /** What is not foldable, which everything that leads to it is in as well. */
  readonly unfolded: Set<Entry>;
  /** `unfolded` in the order of importance; made when first asked for, and kept up from then on. */
  ranked: SortedChunks<Entry> | undefined;
  /** Counts up with every change. */
  version: number;
}

export function newTask(id: string): TaskTree {
  return {
    id,
    kids: kidsByStart(),
    lastKid: undefined,
    isDirty: true,
    totals: new Totals(),
    border: NO_BORDER,
    abroad: new Set(),
    stamp: 0,
    repetitions: undefined,
    edges: 0,
    unfolded: new Set(),
    ranked: undefined,
    version: 0,
  };
}

export function newEntry(node: ExplanationNode, task: TaskTree, ins: ExplanationEdge[] = []): Entry {
  return {
    node,
    end: endOf(node),
    task,
    ins,
    treeEdge: undefined,
    parent: undefined,
    extra: undefined,
    chunk: undefined,
    kids: undefined,
    lastKid: undefined,
    isDirty: true,
    totals: undefined,
    border: NO_BORDER,
    ownBorder: NO_BORDER,
    stamp: 0,
    repetitions: undefined,
    repetition: undefined,
    countsAsRepeated: false,
    depth: 0,
    repeated: false,
    dullThought: false,
    inSight: false,
    foldable: false,
    blockers: 0,
    rank: -1,
  };
}

/** Did the one end after the other? Of two that ended together the one with the smaller id. */
export function endedLater(entry: Entry, other: Entry): boolean {
  return entry.end !== other.end ? entry.end > other.end : entry.node.id < other.node.id;
}

export function branchOf(entry: Entry): Branch {
  return entry.parent ?? entry.task;
}

export function isEntry(branch: Branch): branch is Entry {
  return 'node' in branch;
}

/** How many nodes there are from here on down. */
export function membersFrom(entry: Entry): number {
  return entry.totals?.members ?? 1;
}

/** The figures from here on down. */
export function totalsFrom(entry: Entry): Totals {
  return entry.totals ?? Totals.of(entry.node);
}

/** Siblings come in runs of about so many: a third of what is opened at once, so that few runs are cut. */
const RUN = 64;

export function beginsRun(entry: Entry): boolean {
  return hashOf(entry.node.id) % RUN === 0;
}

/** Above it runs are joined by number alone, whatever the ids. */
const MAX_HASHED_LEVEL = 4;

/** Does a run of runs begin here? As often among runs as a run among siblings. */
export function beginsRunOfRuns(entry: Entry, level: number): boolean {
  return level <= MAX_HASHED_LEVEL && hashOf(entry.node.id) % RUN ** level === 0;
}

export function kidsByStart(): SortedChunks<Entry> {
  return new SortedChunks({
    compare: byStart,
    begins: beginsRun,
    onPlaced: (entry, chunk) => {
      entry.chunk = chunk;
    },
  });
}

export function byStart(a: Entry, b: Entry): number {
  return byStartAndId(a.node, b.node);
}
