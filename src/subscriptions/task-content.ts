import { BoundaryError } from '../base/boundary-error.ts';
import type { ExplanationNode } from '../model/node.ts';
import { byStart } from '../model/node-order.ts';
import type { NodeDetail } from '../model/reader-messages.ts';
import type { TaskContent } from '../model/task-content.ts';
import { parseId } from './parse-request.ts';
import type { ReaderApi } from './reader-api.ts';

/**
 * Everything of one task, in memory or archived, for exports.
 * @param isWanted false when whoever asked has gone: then nothing more is read
 * @throws BoundaryError INVALID_ARGUMENT, NOT_FOUND when no node is of this task, RESOURCE_EXHAUSTED, UNAVAILABLE
 */
export async function taskContent(
  reader: ReaderApi,
  task: unknown,
  isWanted: () => boolean = () => true,
): Promise<TaskContent> {
  const taskId = parseId(task, 'taskId');
  const { nodes, ...rest } = await reader.getGraph(
    { filters: { taskIds: [taskId] }, collapse: 'none' },
    isWanted,
  );
  if (nodes.length === 0) throw new BoundaryError('NOT_FOUND', 'taskId: no task with this id is known');
  const graph = { ...rest, nodes: nodes.toSorted(byStart) };
  return { taskId, graph, details: () => detailsOf(reader, graph.nodes, isWanted) };
}

/**
 * Nodes with their texts and attributes, in this order, each read when it is asked for; without those that were erased
 * meanwhile.
 * @param isWanted false when whoever asked has gone: then nothing more is read
 */
export async function* detailsOf(
  reader: Pick<ReaderApi, 'getNode'>,
  nodes: Iterable<ExplanationNode>,
  isWanted: () => boolean,
): AsyncGenerator<NodeDetail, void> {
  for (const { id } of nodes) {
    if (!isWanted()) return;
    const detail = await detailOf(reader, id);
    if (detail) yield detail;
  }
}

/** One node with its texts and attributes; undefined when it has been erased since its graph was read. */
export async function detailOf(
  reader: Pick<ReaderApi, 'getNode'>,
  nodeId: string,
): Promise<NodeDetail | undefined> {
  try {
    return await reader.getNode(nodeId);
  } catch (error) {
    if (error instanceof BoundaryError && error.code === 'NOT_FOUND') return undefined;
    throw error;
  }
}
