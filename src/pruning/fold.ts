import type { ExplanationEdge, ExplanationNode } from '../model/node.ts';
import type { NodeCounter } from './match-counter.ts';

/** The settings that folding reads (founding spec, section 6). */
export interface FoldLimits {
  /** Milliseconds. A step at or above it is shown. */
  readonly pruneLatencyThresholdMs: number;
  /** US dollars. A step at or above it is shown. */
  readonly minCostUsdDetail: number;
  /** How many LLM calls may be nested in one another before the deeper ones are folded. */
  readonly maxCoTDepth: number;
  /** How many nodes of a task a reader sees, summaries and the notice included. */
  readonly maxNodesPerTask: number;
  /** Members that a summary shows at once when it is opened; of more it shows parts. `OPEN_AT_ONCE` if absent. */
  readonly openAtOnce?: number;
  /** So many quiet siblings of one kind are a repetition. `MIN_REPEATED` if absent. */
  readonly minRepeated?: number;
  /** A task of no more nodes is folded from scratch when it changed; a larger one is followed. `SMALL_TASK` if absent. */
  readonly smallTask?: number;
}

/** Nodes that are not to be folded, by their task. */
export type InSight = ReadonlyMap<string, ReadonlySet<string>>;

/** About what fits on a screen of a graph, and is laid out and sent without delay. */
export const OPEN_AT_ONCE = 200;
/** So many are folded in less than the time of a frame, and to follow them takes more memory than they do. */
export const SMALL_TASK = 64;
/** Fewer can be read one by one. */
export const MIN_REPEATED = 10;

/** The nodes that one SUMMARY stands for. Valid until the graph changes. */
export interface Group {
  readonly id: string;
  readonly summary: ExplanationNode;
  /**
   * Equal to that of an earlier fold's group with the same id when everything inside is as it was; undefined when
   * what is seen of it goes by more than what is inside.
   */
  readonly state: string | undefined;
  /** All nodes that it stands for, REASONING included; `summary.summary.count` counts steps. */
  readonly memberCount: number;
  /**
   * Edges that lead to the members from elsewhere; those from the step that they all hang on are one, whose
   * `to` is the first of them. An end may be a member after all: then the edge is none of the group's.
   */
  inlets(): readonly ExplanationEdge[];
  /** Does one of the members pass the test that this counts? */
  matches(counter: NodeCounter): boolean;
  /** Is this node one of the members? */
  has(id: string): boolean;
  /** What is seen when it is opened. */
  contents(): Contents;
  /** Members in order: siblings by start, each followed by what is below it. */
  members(offset: number, limit: number): string[];
}

/** What an opened summary shows: nodes, and in place of many of them summaries of parts. */
export interface Contents {
  readonly nodes: ReadonlySet<string>;
  readonly parts: ReadonlyMap<string, Group>;
  /** The part that a member is in; undefined when it is one of `nodes`. */
  partWith(id: string): Group | undefined;
}

/** How a task is shown with collapsing on: a view of the graph, never a loss. Valid until the graph changes. */
export interface Fold {
  /** Equal only to that of the same fold; undefined when what leads to the shown is not of its task alone. */
  readonly state: string | undefined;
  /** The nodes that are in no summary. */
  readonly shown: ReadonlySet<string>;
  /** The summaries, by id. */
  readonly groups: ReadonlyMap<string, Group>;
  /** Says that the task has more nodes than are shown. */
  readonly notice: ExplanationNode | undefined;
  /** The summary that a node is in; undefined when it is shown. */
  groupWith(id: string): Group | undefined;
}

/** The summaries that a node is in, outermost first: it is seen when all of them are open. */
export function summariesAround(fold: Fold, id: string): Group[] {
  const path: Group[] = [];
  for (let group = fold.groupWith(id); group; group = group.contents().partWith(id)) path.push(group);
  return path;
}
