import { z } from 'zod';
import { fields, MAX_CHARS } from './filter-kinds.ts';
import { filtersSchema, type Filters } from './filters.ts';

const id = `is required: a string of 1 to ${MAX_CHARS} characters`;
export const idSchema = z.string(id).min(1, id).max(MAX_CHARS, id);

const sequence = 'must be the last sequence number seen, a whole number from 0';

/** A SubscriptionRequest (founding spec, section 3), on every way in. */
export const requestSchema = fields({
  subscriptionId: idSchema.optional(),
  resumeFrom: z.int(sequence).min(0, sequence).optional(),
  filters: filtersSchema.nullish(),
  collapse: z.enum(['auto', 'none'], 'must be "auto" or "none"').optional(),
  include: z
    .custom<readonly ('ui' | 'archived')[]>(Array.isArray, {
      error: 'must be a list of strings',
      abort: true,
    })
    .pipe(z.array(z.enum(['ui', 'archived'], 'must be "ui" or "archived"')))
    .optional(),
});

/** Which part of the graph to see, and how. */
export interface ViewRequest {
  readonly filters?: Filters;
  /** `auto` (the default) folds routine steps into SUMMARY nodes; `none` shows every node. */
  readonly collapse?: 'auto' | 'none';
  /**
   * `ui` adds rendering hints to every node; `archived` shows what left the memory of the service as if it had not
   * (`collapse: 'none'` always does).
   */
  readonly include?: readonly ('ui' | 'archived')[];
}
