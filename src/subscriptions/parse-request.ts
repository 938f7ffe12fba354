import { z } from 'zod';
import { BoundaryError } from '../base/boundary-error.ts';
import type { WantedNodes } from '../model/filters.ts';
import { canonicalAgent } from '../model/agent.ts';
import { searchQuerySchema } from '../model/search.ts';
import { taskQuerySchema } from '../model/task-query.ts';
import type { WhyQuestion } from '../model/why.ts';
import { idSchema, requestSchema, type Opening } from '../model/subscription-request.ts';
import type { Detail, ViewSpec } from './view-spec.ts';

/** The parts of a SubscriptionRequest. */
export interface ParsedRequest {
  readonly subscriptionId: string | undefined;
  readonly resumeFrom: number | undefined;
  /** As it is when nothing is opened. */
  readonly spec: ViewSpec;
  readonly opened: readonly Opening[];
  /** Does the request say what to show, or only which subscription it is about? */
  readonly namesView: boolean;
}

/**
 * @param detail how little of it who asks may see
 * @throws BoundaryError INVALID_ARGUMENT, naming the field
 */
export function parseRequest(input: unknown, detail?: Detail): ParsedRequest {
  const {
    subscriptionId,
    resumeFrom,
    filters,
    collapse,
    include,
    opened = [],
  } = parsed(requestSchema, input ?? {}, 'request');
  return {
    subscriptionId,
    resumeFrom,
    opened,
    namesView: filters !== undefined || collapse !== undefined || include !== undefined,
    spec: {
      filters: filters ?? {},
      collapse: collapse ?? 'auto',
      ui: include?.includes('ui') === true,
      ...(detail && { detail }),
      archived: collapse === 'none' || include?.includes('archived') === true,
      expandedSummaries: new Set(),
      expandedTasks: new Set(),
    },
  };
}

/** undefined and null mean none. @throws BoundaryError INVALID_ARGUMENT, naming the field */
export function parseFilters(input: unknown): WantedNodes {
  return parseRequest({ filters: input }).spec.filters;
}

/** @throws BoundaryError INVALID_ARGUMENT */
export function parseId(value: unknown, field: string): string {
  return parsed(idSchema, value, field);
}

/** `{ nodeId }` or `{ taskId }`. @throws BoundaryError INVALID_ARGUMENT, naming the field */
export function parseWhyQuestion(input: unknown): WhyQuestion {
  const { nodeId, taskId } = (input ?? {}) as { readonly nodeId?: unknown; readonly taskId?: unknown };
  if (taskId === undefined) return { nodeId: parseId(nodeId, 'nodeId') };
  if (nodeId === undefined) return { taskId: parseId(taskId, 'taskId') };
  throw new BoundaryError('INVALID_ARGUMENT', 'nodeId: give either this or taskId');
}

/** Two tasks to compare. @throws BoundaryError INVALID_ARGUMENT, naming the field */
export function parseTwoTasks(input: unknown): { readonly a: string; readonly b: string } {
  const { a, b } = (input ?? {}) as { readonly a?: unknown; readonly b?: unknown };
  const tasks = { a: parseId(a, 'a'), b: parseId(b, 'b') };
  if (tasks.a !== tasks.b) return tasks;
  throw new BoundaryError('INVALID_ARGUMENT', 'b: give another task than a');
}

/** A part of a list: as much as a summary shows when it is opened, at most as much as one answer should hold. */
const pageSchema = z.object({
  offset: wholeNumber('from 0', 0).default(0),
  limit: wholeNumber('from 1 to 1000', 1, 1000).default(200),
});
export type Page = z.output<typeof pageSchema>;

/** undefined means the first page. @throws BoundaryError INVALID_ARGUMENT, naming the field */
export function parsePage(input: unknown): Page {
  return parsed(pageSchema, input ?? {}, 'page');
}

/** What is asked of the list of tasks, ready to be compared. */
export type WantedTasks = Omit<z.output<typeof taskQuerySchema>, 'taskIds'> & {
  readonly taskIds: ReadonlySet<string> | undefined;
};

/** undefined means all. @throws BoundaryError INVALID_ARGUMENT, naming the field */
export function parseTaskQuery(input: unknown): WantedTasks {
  const { text, agent, taskIds, ...query } = parsed(taskQuerySchema, input ?? {}, 'query');
  return {
    ...query,
    text: text?.toLowerCase() || undefined,
    agent: agent === undefined ? undefined : canonicalAgent(agent),
    taskIds: taskIds && new Set(taskIds),
  };
}

/** What is searched for. @throws BoundaryError INVALID_ARGUMENT, naming the field */
export function parseSearchQuery(input: unknown): z.output<typeof searchQuerySchema> {
  return parsed(searchQuerySchema, input ?? {}, 'query');
}

function wholeNumber(range: string, least: number, most = Number.MAX_SAFE_INTEGER) {
  const wrong = `must be a whole number ${range}`;
  return z.int(wrong).min(least, wrong).max(most, wrong);
}

/** @param whole the name of the input; its fields stand alone */
function parsed<Schema extends z.ZodType>(schema: Schema, input: unknown, whole: string): z.output<Schema> {
  const { data, error } = schema.safeParse(input);
  const issue = error?.issues[0];
  if (issue === undefined) return data as z.output<Schema>;
  const steps = issue.path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`));
  const field = steps.join('').slice(1) || whole;
  throw new BoundaryError('INVALID_ARGUMENT', `${field} ${issue.message}`);
}
