import type { Facts, OverrideFacts } from '../model/facts.ts';
import type { ExplanationEdge, ExplanationNode } from '../model/node.ts';
import type { SourceKey } from '../model/source-key.ts';
import type { TaskOverview } from '../model/task-overview.ts';
import type { Tie } from '../model/ties.ts';
import type { SourceTexts } from './text-store.ts';

/** One record as the correlator takes it. */
export interface SourceRecord {
  readonly facts: Facts;
  /** What it brought that is too large for the graph. */
  readonly texts?: SourceTexts | undefined;
}

/** A node that leaves memory. */
export interface LeavingNode {
  readonly node: ExplanationNode;
  /** Every edge that it had as it left, into it and out of it. */
  readonly edges: readonly ExplanationEdge[];
  /** The records behind it, by source key, its own id among them; the weakest texts first. */
  readonly sources: readonly string[];
  /** Where texts of it are that came with records behind other nodes. */
  readonly borrowed?: readonly SourceKey[];
  /** By which what comes later finds it. */
  readonly ties?: readonly Tie[];
  /** What an administrator had shown of it: the node is kept without that. */
  readonly override?: OverrideFacts;
}

/** Nodes that left memory, and that something that came belongs to. */
export interface TiedNodes {
  /** Of which of the sets of ties that were asked for this is all, in order: of the first at least. */
  readonly answered: readonly number[];
  readonly ids: readonly string[];
  readonly tasks: readonly string[];
  /** Of the records behind them. */
  readonly facts: readonly Facts[];
  /** They are in memory again, all at once. @throws BoundaryError when the disk refuses: they are not */
  takeBack(): Promise<void>;
}

/** How much there is room for in memory. */
export interface TiedRoom {
  readonly nodes: number;
  /** Of the facts of the records behind them, as they are stored. */
  readonly bytes: number;
}

/** Which nodes are wanted back. */
export interface TiedQuery {
  /** A set for each request: whose ties lead to more than there is room for beside those before it is left for later. */
  readonly ties: readonly (readonly Tie[])[];
  /** How much may come; of what is nearest some may come in any case. */
  readonly room: TiedRoom;
  /** Tasks of which none come. */
  readonly without: ReadonlySet<string>;
}

/** A node that left memory, with the records behind it. */
export interface ArchivedNode extends LeavingNode {
  readonly records: readonly SourceRecord[];
}

/** A page of the tasks that left memory. */
export interface ArchivedVersions {
  readonly tasks: readonly (readonly [name: string, version: number])[];
  readonly next: number | undefined;
}

/** What is to be erased: everything of these tasks that left memory, and these records of nodes in memory. */
export interface ErasureOrder {
  readonly tasks: readonly string[];
  readonly sources: readonly string[];
}

/**
 * Keeps records over restarts. The graph is a function of their set, so replaying them through correlation
 * makes it again. Nodes that leave memory can still be read.
 */
export interface RecordStore {
  /**
   * Resolves when the records are kept as surely as `durability` says. Of what was refused something may be
   * kept, as whole records: it is the same again when the sender repeats it.
   * @param release called when all of them were read, which is long before
   * @throws BoundaryError UNAVAILABLE or RESOURCE_EXHAUSTED with a delay: the sender is to come again
   */
  append(records: readonly SourceRecord[], release?: () => void): Promise<void>;

  /** The facts of all nodes that were in memory, in pieces that take correlation some ten milliseconds each. */
  restore(): AsyncIterable<readonly Facts[]>;

  /** Last states of thoughts whose nodes left memory lately, in the order in which they came: they may go on. */
  leftThoughts(): Promise<readonly Facts[]>;

  /** Texts by source key, for records of nodes in memory; absent where there are none. */
  texts(sources: readonly string[]): Promise<ReadonlyMap<string, SourceTexts>>;

  /** These nodes of one task leave memory, after everything that was appended before. Never rejects. */
  archive(taskId: string, nodes: readonly LeavingNode[]): Promise<void>;
  archivedNode(id: string): Promise<ArchivedNode | undefined>;
  /** The nodes of a task that left memory, in pages; none for a task that is not known. */
  archivedTask(taskId: string): AsyncIterable<readonly LeavingNode[]>;
  archivedTasks(): Promise<readonly string[]>;
  /** The nodes that left memory whose ids begin so, in pages. */
  archivedUnder(prefix: string): AsyncIterable<readonly LeavingNode[]>;
  /**
   * Tasks of which nodes left memory, in pages, each with a number that rises when more of it left.
   * @param after 0 at first, then `next`
   */
  archivedVersions(after: number): Promise<ArchivedVersions>;
  /** What such tasks were, for the first of the names at least; undefined for one that is gone. */
  archivedOverviews(names: readonly string[]): Promise<readonly (TaskOverview | undefined)[]>;
  /** Nothing has left memory, neither since the start nor before: nothing can come back. */
  readonly hasNoTies: boolean;
  /** May a node that left memory have one of these ties? Costs next to nothing. */
  mayBeTied(ties: readonly Tie[]): boolean;
  /** Has anything that left memory one of these ties, or one of the same trace or request? */
  isTied(ties: readonly Tie[]): Promise<boolean>;
  /** What left memory and has these ties, with their tasks and all that is tied to it in turn, as far as there is room. */
  tied(query: TiedQuery): Promise<TiedNodes>;

  /**
   * Takes it from everybody, after everything that was appended and archived before; `sweep` removes it for good.
   * @returns how many nodes that had left memory went with it
   * @throws Error when the disk refuses: it is all there as before
   */
  erase(order: ErasureOrder): Promise<number>;
  /** Removes for good what was erased, whatever has to be written anew for it. @throws Error when the disk refuses: it goes later */
  sweep(): Promise<void>;
  /** Removes everything that was kept, once these records are kept in its place. */
  replaceAll(records: AsyncIterable<readonly SourceRecord[]>): Promise<void>;

  /** What is wrong, for `/readyz`; empty when nothing is. */
  readonly problems: readonly string[];
  /** Bytes on disk, as last told. */
  readonly bytes: number;
  /** Writes what is under way, and lets go of the folder. */
  close(): Promise<void>;
}
