import { z } from 'zod';
import type { Noticed } from './noticed.ts';

/** What is looked for in the tasks, the newest first. */
export interface SearchQuery {
  /** Upper and lower case are the same. */
  readonly text: string;
  /** 1 to 200; 50 if absent. */
  readonly limit?: number | undefined;
  /** `nextCursor` of the page before. */
  readonly cursor?: string | undefined;
}

/** A place where it stands. */
export interface SearchHit {
  readonly taskId: string;
  readonly nodeId: string;
  /** `title`, `name`, `agent`, or a key of the node's `texts`. */
  readonly field: string;
  /** UTF-16 units of that redacted text, as a single node is answered. */
  readonly start: number;
  readonly end: number;
  /** What stands there. */
  readonly text: string;
}

export interface SearchPage extends Noticed {
  readonly hits: readonly SearchHit[];
  /** Where to go on; absent when all was looked at. */
  readonly nextCursor?: string;
  /** It took too long to look at everything, or to find as many as were asked for: `nextCursor` goes on. */
  readonly truncated?: true;
}

const MAX_TEXT_CHARS = 200;
const wrongText = `must be 1 to ${MAX_TEXT_CHARS} characters`;
const wrongLimit = 'must be a whole number from 1 to 200';
/** Holds the cursor of a page of tasks, and the ids of a task and a node: of 256 characters each, as JSON, as base64. */
const MAX_CURSOR_CHARS = 12_288;
const wrongCursor = 'must be the nextCursor of a page';

export const searchQuerySchema = z.object({
  text: z.string(wrongText).trim().min(1, wrongText).max(MAX_TEXT_CHARS, wrongText),
  limit: z.int(wrongLimit).min(1, wrongLimit).max(200, wrongLimit).default(50),
  cursor: z.string(wrongCursor).max(MAX_CURSOR_CHARS, wrongCursor).optional(),
});
