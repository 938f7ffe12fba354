import { BoundaryError } from '../base/boundary-error.ts';
import { compareText } from '../model/compare-text.ts';
import type { TaskOverview } from '../model/task-overview.ts';
import type { TaskSort } from '../model/task-query.ts';
import { cursorOf, readCursor } from './cursor.ts';

/** Clocks of senders go ahead of the service's by less. */
const MAX_AHEAD_MS = 24 * 60 * 60 * 1000;

/** Where a task stands in an order: by the key, then by its id. */
export interface Place {
  readonly key: string | number;
  readonly taskId: string;
}

export type KeyOf = (task: TaskOverview) => Place['key'];

/** @param now of a wrong clock or made up is what began more than a day later: not the newest, but behind all others */
export function keyIn(sort: TaskSort, now: number): KeyOf {
  if (sort !== 'newest') return KEYS[sort];
  const latest = new Date(now + MAX_AHEAD_MS).toISOString();
  return (task) => (task.firstTimestamp > latest ? MADE_UP : KEYS.newest(task));
}

/** The key of what is behind all others among the newest. */
export const MADE_UP = '';

const KEYS: { readonly [Sort in TaskSort]: KeyOf } = {
  newest: (task) => task.firstTimestamp,
  oldest: (task) => task.firstTimestamp,
  cost: (task) => task.costUsd ?? -1,
  latency: (task) => task.durationMs,
  tokens: ({ tokensIn, tokensOut }) =>
    tokensIn === undefined && tokensOut === undefined ? -1 : (tokensIn ?? 0) + (tokensOut ?? 0),
  errors: (task) => task.errors,
};

/** Negative where `a` stands before `b`: the largest first, but for `oldest`; then by id. */
export function comparePlaces(a: Place, b: Place, sort: TaskSort): number {
  if (a.key !== b.key) return a.key > b.key === (sort !== 'oldest') ? -1 : 1;
  return compareText(a.taskId, b.taskId);
}

/** The `nextCursor` of a page that ended there: what comes after the place is on the next one, whoever has it. */
export function cursorAt({ key, taskId }: Place, sort: TaskSort): string {
  return cursorOf([sort, key, taskId]);
}

/** @throws BoundaryError INVALID_ARGUMENT for what is none of this order */
export function placeAt(cursor: string, sort: TaskSort): Place {
  const [of, key, taskId] = readCursor(cursor);
  const isKey = typeof key === (sort === 'newest' || sort === 'oldest' ? 'string' : 'number');
  if (of !== sort || !isKey || typeof taskId !== 'string')
    throw new BoundaryError('INVALID_ARGUMENT', 'cursor must be the nextCursor of a page with the same sort');
  return { key: key as string | number, taskId };
}
