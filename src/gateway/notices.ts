import { compareText } from '../model/compare-text.ts';
import type { Noticed } from '../model/noticed.ts';
import type { CellFailure } from './answers/asked-cell.ts';

/** So many cells, or tasks, are named in one sentence. */
const MAX_NAMED = 10;

/** The cells that parts of a task are in. */
export interface SharedTask {
  readonly taskId: string;
  /** In order. */
  readonly cells: readonly string[];
}

/** Which cells failed, each once, and why, in a line. */
export function failureWords(failures: readonly CellFailure[]): string {
  const byCell = [...new Map(failures.map(({ cell, message }) => [cell, message]))];
  byCell.sort(([a], [b]) => compareText(a, b));
  return listed(
    byCell.map(([cell, message]) => `${cell} (${message})`),
    'cells',
  );
}

/** What to say of cells that did not answer; nothing where all did. */
export function absenceNotices(failures: readonly CellFailure[]): readonly string[] {
  if (failures.length === 0) return [];
  return [`What only these cells have is missing, as they do not answer: ${failureWords(failures)}.`];
}

/** What to say of tasks in several cells; nothing where there are none. */
export function sharedNotices(tasks: readonly SharedTask[]): readonly string[] {
  if (tasks.length === 0) return [];
  const named = listed(
    tasks.map(({ taskId, cells }) => `${taskId} (${cells.join(', ')})`),
    'tasks',
  );
  return [
    `In several cells, and shown as the union of their parts, between which no edges lead: ${tasks.length === 1 ? 'task' : 'tasks'} ${named}.`,
  ];
}

/** What to say of tasks in several cells where each cell looked at its parts alone; nothing where there are none. */
export function byPartsNotices(tasks: readonly SharedTask[]): readonly string[] {
  if (tasks.length === 0) return [];
  const named = listed(
    tasks.map(({ taskId }) => taskId),
    'tasks',
  );
  return [
    `Of tasks in several cells each part was looked at by itself; ask for one of them to have it looked at as a whole: ${named}.`,
  ];
}

/** An answer with what is to be said of it. */
export function noticed<T extends Noticed>(answer: T, notices: readonly string[]): T {
  const all = [...new Set([...(answer.notices ?? []), ...notices])];
  return all.length === 0 ? answer : { ...answer, notices: all };
}

function listed(names: readonly string[], what: string): string {
  const rest = names.length - MAX_NAMED;
  return `${names.slice(0, MAX_NAMED).join(', ')}${rest > 0 ? ` and ${rest} more ${what}` : ''}`;
}
