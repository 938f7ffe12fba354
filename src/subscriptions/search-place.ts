import { BoundaryError } from '../base/boundary-error.ts';
import { compareText } from '../model/compare-text.ts';
import { idSchema } from '../model/subscription-request.ts';
import { cursorOf, readCursor } from './cursor.ts';
import { comparePlaces } from './task-order.ts';

/** Where a node stands in the order in which it is searched: by its task among the newest, then by its id. */
export interface SearchPlace {
  readonly key: string;
  readonly taskId: string;
  readonly nodeId: string;
}

/** Negative where `a` stands before `b`. */
export function compareSearchPlaces(a: SearchPlace, b: SearchPlace): number {
  return comparePlaces(a, b, 'newest') || compareText(a.nodeId, b.nodeId);
}

/** The `nextCursor` of a page that ended there: the next one is about what comes after the place, whoever has it. */
export function searchCursorAt({ key, taskId, nodeId }: SearchPlace): string {
  return cursorOf([key, taskId, nodeId]);
}

/** @throws BoundaryError INVALID_ARGUMENT */
export function searchPlaceAt(cursor: string): SearchPlace {
  const [key, taskId, nodeId] = readCursor(cursor);
  const task = idSchema.safeParse(taskId);
  if (typeof key === 'string' && task.success && typeof nodeId === 'string')
    return { key, taskId: task.data, nodeId };
  throw new BoundaryError('INVALID_ARGUMENT', 'cursor must be the nextCursor of a page');
}
