import { eventNodeId } from '../../model/ids.ts';
import type { ExplanationNode } from '../../model/node.ts';
import type { ProjectParts } from './project-parts.ts';

/**
 * Nodes of the service's own events, those that have left memory first: one that is on its way back is among either.
 * @param prefix of the ids of the events
 */
export async function* ownEventNodes(
  { persistence: { store }, engine: { graph } }: Pick<ProjectParts, 'persistence' | 'engine'>,
  prefix: string,
): AsyncGenerator<readonly ExplanationNode[]> {
  const begin = eventNodeId(prefix);
  for await (const page of store?.archivedUnder(begin) ?? []) yield page.map(({ node }) => node);
  const inMemory = [...graph.taskIds()].flatMap((taskId) =>
    [...graph.nodesOfTask(taskId)].filter((id) => id.startsWith(begin)).map((id) => graph.node(id)),
  );
  yield inMemory.filter((node) => node !== undefined);
}
