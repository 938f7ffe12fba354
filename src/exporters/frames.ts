import type { ExplanationGraph, ExplanationNode } from '../model/node.ts';

/** What is drawn of a graph. */
export type Drawing = Pick<ExplanationGraph, 'nodes' | 'edges'>;

/** The parts of a drawing: a frame for each task. */
export interface Frames {
  /** Tasks in the order of their first node, nodes in the order of the graph. */
  readonly tasks: ReadonlyMap<string, readonly ExplanationNode[]>;
  /** A short name for each node's id: ids hold any signs, and D2 takes `N1` and `n1` for one. */
  readonly names: ReadonlyMap<string, string>;
}

export function framesOf({ nodes }: Drawing): Frames {
  return {
    tasks: Map.groupBy(nodes, ({ taskId }) => taskId),
    names: new Map(nodes.map(({ id }, index) => [id, `n${index}`])),
  };
}
