import type { Facts } from '../model/facts.ts';
import type { ExplanationEdge, ExplanationNode } from '../model/node.ts';
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
  /** The records behind it, by source key, its own id among them. */
  readonly sources: readonly string[];
}

/** A node that left memory, with the records behind it. */
export interface ArchivedNode extends LeavingNode {
  readonly records: readonly SourceRecord[];
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
   * @throws BoundaryError UNAVAILABLE or RESOURCE_EXHAUSTED with a delay: the sender is to come again
   */
  append(records: readonly SourceRecord[]): Promise<void>;

  /** The facts of all nodes that were in memory, in pieces that take correlation some ten milliseconds each. */
  restore(): AsyncIterable<readonly Facts[]>;

  /** Texts by source key, for records of nodes in memory; absent where there are none. */
  texts(sources: readonly string[]): Promise<ReadonlyMap<string, SourceTexts>>;

  /** These nodes of one task leave memory, after everything that was appended before. Never rejects. */
  archive(taskId: string, nodes: readonly LeavingNode[]): Promise<void>;
  archivedNode(id: string): Promise<ArchivedNode | undefined>;
  /** The nodes of a task that left memory, in pages; none for a task that is not known. */
  archivedTask(taskId: string): AsyncIterable<readonly LeavingNode[]>;
  archivedTasks(): Promise<readonly string[]>;

  /** Removes for good, whatever has to be written anew for it. */
  erase(order: ErasureOrder): Promise<void>;
  /** Removes everything that was kept, once these records are kept in its place. */
  replaceAll(records: AsyncIterable<readonly SourceRecord[]>): Promise<void>;

  /** What is wrong, for `/readyz`; empty when nothing is. */
  readonly problems: readonly string[];
  /** Bytes on disk, as last told. */
  readonly bytes: number;
  /** Writes what is under way, and lets go of the folder. */
  close(): Promise<void>;
}
