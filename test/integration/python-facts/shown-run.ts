import type { ExplanationGraph, ExplanationNode } from '../../../src/model/node.ts';
import type { NodeDetail } from '../../../src/model/reader-messages.ts';
import type { TaskOverview } from '../../../src/model/task-overview.ts';
import type { LiveService } from '../recordings/live-service.ts';

/** What the service answers about one run. */
export interface ShownRun {
  readonly graph: ExplanationGraph;
  readonly details: ReadonlyMap<string, NodeDetail>;
  readonly tasks: readonly TaskOverview[];
  /** The first candidates of `why`, by node. */
  readonly causesOf: (nodeId: string) => Promise<readonly string[]>;
}

export async function readShown(service: LiveService): Promise<ShownRun> {
  const graph = await service.graph();
  const details = new Map<string, NodeDetail>();
  for (const { id } of graph.nodes) details.set(id, await service.node(id));
  return {
    graph,
    details,
    tasks: await service.tasks(),
    causesOf: async (nodeId) =>
      (await service.why({ nodeId })).candidates.map((candidate) => candidate.nodeId),
  };
}

export function inOrder(nodes: readonly ExplanationNode[]): readonly ExplanationNode[] {
  return [...nodes].sort((a, b) => a.timestamp.localeCompare(b.timestamp) || a.id.localeCompare(b.id));
}

/** Everything a reader sees of a node but its raw attributes. */
export function textOf({ node, texts }: NodeDetail): string {
  return JSON.stringify([node, texts]);
}
