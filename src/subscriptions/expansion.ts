import { BoundaryError } from '../base/boundary-error.ts';
import { noticeId, summaryId } from '../model/ids.ts';
import { summariesAround, type Fold, type Group } from '../pruning/fold.ts';
import type { ViewSource, VisibleGraph } from './view-source.ts';
import type { ViewSpec } from './view-spec.ts';

const SUMMARY_PREFIX = summaryId('');
const TASK_PREFIX = summaryId('task:');
const PART = new RegExp(`^${summaryId('part:')}\\d+:`);
const NOTICE_PREFIX = noticeId('');

/** The task that a summary or notice id belongs to; undefined when it is neither, or nothing is there. */
export function summaryTask(id: string, graph: VisibleGraph): string | undefined {
  if (id.startsWith(NOTICE_PREFIX)) return id.slice(NOTICE_PREFIX.length);
  if (id.startsWith(TASK_PREFIX)) return id.slice(TASK_PREFIX.length);
  const named = nodeNamedBy(id);
  return named === undefined ? undefined : graph.node(named)?.taskId;
}

/** The node that a summary hangs on, or begins with. */
export function nodeNamedBy(id: string): string | undefined {
  const [part] = PART.exec(id) ?? [];
  if (part !== undefined) return id.slice(part.length);
  return id.startsWith(SUMMARY_PREFIX) ? id.slice(SUMMARY_PREFIX.length) : undefined;
}

/** A summary that is there now, in whatever others it is. */
export function findSummary(id: string, source: ViewSource): Group | undefined {
  const taskId = summaryTask(id, source.graph);
  const fold = taskId === undefined ? undefined : source.folds.foldOf(taskId);
  const outermost = fold?.groups.get(id);
  const named = nodeNamedBy(id);
  if (outermost || !fold || named === undefined) return outermost;
  return source.folds
    .firstFrom(named)
    .flatMap((member) => summariesAround(fold, member))
    .find((group) => group.id === id);
}

/** The spec with one summary opened. @throws BoundaryError NOT_FOUND */
export function expanded(spec: ViewSpec, id: string, source: ViewSource): ViewSpec {
  if (!findSummary(id, source)) {
    throw new BoundaryError('NOT_FOUND', 'nodeId: no summary with this id; it may have changed since');
  }
  return { ...spec, expandedSummaries: new Set([...spec.expandedSummaries, id]) };
}

/** The spec with a summary closed again, named by itself or by one of its members. @throws BoundaryError NOT_FOUND */
export function collapsed(spec: ViewSpec, id: string, source: ViewSource): ViewSpec {
  const taskId = summaryTask(id, source.graph) ?? source.graph.node(id)?.taskId;
  const fold = taskId === undefined ? undefined : source.folds.foldOf(taskId);
  const isTaskOpen = taskId !== undefined && spec.expandedTasks.has(taskId);
  const summary = findSummary(id, source)?.id ?? (fold && innermost(fold, id, spec, isTaskOpen));
  if (taskId === undefined || fold === undefined || summary === undefined) {
    throw new BoundaryError('NOT_FOUND', 'nodeId: neither a summary nor a node that is in one');
  }
  const expandedSummaries = new Set(spec.expandedSummaries);
  const expandedTasks = new Set(spec.expandedTasks);
  // One summary of an opened task is closed: the others stay open by name.
  if (expandedTasks.delete(taskId)) addAll(fold.groups.values(), expandedSummaries);
  expandedSummaries.delete(summary);
  return { ...spec, expandedSummaries, expandedTasks };
}

/** Of the summaries around a node the last one that is open. */
function innermost(fold: Fold, id: string, spec: ViewSpec, isTaskOpen: boolean): string | undefined {
  const around = summariesAround(fold, id);
  const open = around.filter((group) => isTaskOpen || spec.expandedSummaries.has(group.id));
  return (open.at(-1) ?? around[0])?.id;
}

function addAll(groups: Iterable<Group>, ids: Set<string>): void {
  for (const group of groups) {
    ids.add(group.id);
    addAll(group.contents().parts.values(), ids);
  }
}

/** The task that a change of what is open is about. */
export function taskOfTarget(id: string, graph: VisibleGraph): string | undefined {
  return summaryTask(id, graph) ?? graph.node(id)?.taskId;
}
