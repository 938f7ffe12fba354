import { z } from 'zod';
import { NODE_STATUSES } from './node.ts';
import type { Noticed } from './noticed.ts';
import { idSchema } from './subscription-request.ts';
import type { TaskOverview } from './task-overview.ts';

export const TASK_SORTS = ['newest', 'oldest', 'cost', 'latency', 'tokens', 'errors'] as const;
export type TaskSort = (typeof TASK_SORTS)[number];

/** `RUNNING` is of the state, the others of the status. */
export const TASK_STATUSES = [...NODE_STATUSES, 'RUNNING'] as const;

/** What is asked of the list of tasks. All that is given must match. */
export interface TaskQuery {
  /** Found in titles, ids, agents, sessions and users; case doesn't matter. */
  readonly text?: string | undefined;
  /** Took part in it; `CriticAgent` and `critic-agent` are the same. */
  readonly agent?: string | undefined;
  readonly status?: (typeof TASK_STATUSES)[number] | undefined;
  readonly sessionId?: string | undefined;
  readonly userId?: string | undefined;
  /** These tasks: 1 to 1000 ids. */
  readonly taskIds?: readonly string[] | undefined;
  /** `newest` (by the first start) if absent. */
  readonly sort?: TaskSort | undefined;
  /** 1 to 1000; 1000 if absent. */
  readonly limit?: number | undefined;
  /** `nextCursor` of the page before, for the same sort. */
  readonly cursor?: string | undefined;
}

export interface TaskPage extends Noticed {
  readonly tasks: readonly TaskOverview[];
  /** Absent on the last page. */
  readonly nextCursor?: string;
}

const MAX_CHARS = 1024;
const wrongText = `must be a string of at most ${MAX_CHARS} characters`;
const text = z.string(wrongText).max(MAX_CHARS, wrongText).optional();
/** Holds the id of a task: of 256 characters, as JSON, as base64. */
const MAX_CURSOR_CHARS = 4096;
const wrongCursor = 'must be the nextCursor of a page';
/** As many as a page has. */
const MAX_TASK_IDS = 1000;
const wrongTasks = `must be a list of 1 to ${MAX_TASK_IDS} ids of tasks`;
const wrongLimit = 'must be a whole number from 1 to 1000';

export const taskQuerySchema = z.object({
  text,
  agent: text,
  status: z.enum(TASK_STATUSES, `must be one of ${TASK_STATUSES.join(', ')}`).optional(),
  sessionId: text,
  userId: text,
  taskIds: z.array(idSchema, wrongTasks).min(1, wrongTasks).max(MAX_TASK_IDS, wrongTasks).optional(),
  sort: z.enum(TASK_SORTS, `must be one of ${TASK_SORTS.join(', ')}`).default('newest'),
  limit: z.int(wrongLimit).min(1, wrongLimit).max(1000, wrongLimit).default(1000),
  cursor: z.string(wrongCursor).max(MAX_CURSOR_CHARS, wrongCursor).optional(),
});
