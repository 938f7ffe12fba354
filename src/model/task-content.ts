import type { ExplanationGraph } from './node.ts';
import type { NodeDetail } from './reader-messages.ts';

/** A whole task as other formats need it: what a task's graph leaves out is read node by node. */
export interface TaskContent {
  readonly taskId: string;
  /** Every node of the task, archived ones included and nothing folded, by start; the edges among them. */
  readonly graph: ExplanationGraph;
  /**
   * The nodes of `graph` with their redacted texts and attributes, in its order, each read when it is asked for. A node
   * that was erased meanwhile is left out.
   */
  details(): AsyncGenerator<NodeDetail, void>;
}
