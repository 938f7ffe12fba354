import { z } from 'zod';
import { fields, MAX_CHARS } from './filter-kinds.ts';
import { filtersSchema, type Filters } from './filters.ts';

const id = `is required: a string of 1 to ${MAX_CHARS} characters`;
export const idSchema = z.string(id).min(1, id).max(MAX_CHARS, id);

const wrongOpening =
  'must be {"type": "expand" or "collapse", "nodeId": …} or {"type": "expandTask", "taskId": …}';
/** So many a reader may have opened by hand; the others fold again. */
const MAX_OPENED = 1000;

const opening = z.union(
  [
    z.object({ type: z.enum(['expand', 'collapse']), nodeId: idSchema }),
    z.object({ type: z.literal('expandTask'), taskId: idSchema }),
  ],
  wrongOpening,
);

/** Something that a reader opened or closed: the verbs of these names. */
export type Opening = z.output<typeof opening>;

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
  opened: z
    .array(opening, `must be a list of at most ${MAX_OPENED}`)
    .max(MAX_OPENED, `must be a list of at most ${MAX_OPENED}`)
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
  /**
   * For a new subscription: what is opened and closed from the start, in order, by name. What is not there now is open when
   * it comes.
   */
  readonly opened?: readonly Opening[];
}
