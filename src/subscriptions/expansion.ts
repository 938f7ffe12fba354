import { BoundaryError } from '../base/boundary-error.ts';
import { noticeId, summaryId } from '../model/ids.ts';
import type { GraphReader } from '../graph/graph-reader.ts';
import type { ViewSource } from './compute-view.ts';
import type { ViewSpec } from './view-spec.ts';

const SUMMARY_PREFIX = summaryId('');
const TASK_PREFIX = summaryId('task:');
const NOTICE_PREFIX = noticeId('');

/** The task that a summary or notice id belongs to; undefined when it is neither, or nothing is there. */
export function summaryTask(id: string, graph: GraphReader): string | undefined {
  if (id.startsWith(NOTICE_PREFIX)) return id.slice(NOTICE_PREFIX.length);
  if (id.startsWith(TASK_PREFIX)) return id.slice(TASK_PREFIX.length);
  if (!id.startsWith(SUMMARY_PREFIX)) return undefined;
  return graph.node(id.slice(SUMMARY_PREFIX.length))?.taskId;
}

/** The spec with one summary opened. @throws BoundaryError NOT_FOUND */
export function expanded(spec: ViewSpec, id: string, source: ViewSource): ViewSpec {
  const taskId = summaryTask(id, source.graph);
  if (taskId === undefined || !source.foldOf(taskId).groups.has(id)) {
    throw new BoundaryError('NOT_FOUND', 'nodeId: no summary with this id; it may have changed since');
  }
  return { ...spec, expandedSummaries: new Set([...spec.expandedSummaries, id]) };
}

/** The spec with a summary closed again, named by itself or by one of its members. @throws BoundaryError NOT_FOUND */
export function collapsed(spec: ViewSpec, id: string, source: ViewSource): ViewSpec {
  const taskId = summaryTask(id, source.graph) ?? source.graph.node(id)?.taskId;
  const fold = taskId === undefined ? undefined : source.foldOf(taskId);
  const summary = fold?.groups.has(id) ? id : fold?.summaryOf.get(id);
  if (taskId === undefined || fold === undefined || summary === undefined) {
    throw new BoundaryError('NOT_FOUND', 'nodeId: neither a summary nor a node that is in one');
  }
  const expandedSummaries = new Set(spec.expandedSummaries);
  const expandedTasks = new Set(spec.expandedTasks);
  // One summary of an opened task is closed: the others stay open by name.
  if (expandedTasks.delete(taskId)) for (const other of fold.groups.keys()) expandedSummaries.add(other);
  expandedSummaries.delete(summary);
  return { ...spec, expandedSummaries, expandedTasks };
}
