import type { ExplanationEdge, ExplanationNode } from '../../model/node.ts';

/** A node that left memory, as it left. */
export interface ArchivedStep {
  readonly node: ExplanationNode;
  /** Every edge that it had, into it and out of it. */
  readonly edges: readonly ExplanationEdge[];
}

/** Where nodes are that left memory. */
export interface Archive {
  /** Those of one task, in pages; none for a task that is not known. */
  archivedTask(taskId: string): AsyncIterable<readonly ArchivedStep[]>;
  archivedNode(id: string): Promise<ArchivedStep | undefined>;
  /** Tasks of which nodes left memory. */
  archivedTasks(): Promise<readonly string[]>;
}
