import { eventNodeId } from '../../model/ids.ts';
import type { ExplanationNode } from '../../model/node.ts';
import type { ProjectParts } from './project-parts.ts';

/** Nodes of the service's own events that have left memory, by id, in pages. @param prefix of the ids of the events */
export async function* archivedEvents(
  { store }: ProjectParts['persistence'],
  prefix: string,
): AsyncGenerator<readonly ExplanationNode[]> {
  for await (const page of store?.archivedUnder(eventNodeId(prefix)) ?? [])
    yield page.map(({ node }) => node);
}
