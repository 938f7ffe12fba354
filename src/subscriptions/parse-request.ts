import { BoundaryError } from '../base/boundary-error.ts';
import { NODE_STATUSES, NODE_TYPES } from '../model/node.ts';
import { parseTime } from '../model/time.ts';
import { canonicalAgent } from '../model/agent.ts';
import type { Filters, ViewSpec } from './view-spec.ts';

/** Most values in one list of a filter, and characters in one value: more is a mistake, and would cost every update. */
const MAX_LIST = 1000;
const MAX_CHARS = 1024;

/** The parts of a SubscriptionRequest. */
export interface ParsedRequest {
  readonly subscriptionId: string | undefined;
  readonly resumeFrom: number | undefined;
  readonly spec: ViewSpec;
  /** Does the request say what to show, or only which subscription it is about? */
  readonly namesView: boolean;
}

const REQUEST_FIELDS = ['subscriptionId', 'resumeFrom', 'filters', 'collapse', 'include'] as const;
const FILTER_FIELDS = [
  'agentNames',
  'nodeTypes',
  'status',
  'minCostUsd',
  'timeRange',
  'taskIds',
  'traceIds',
  'text',
] as const;

/** Checks a SubscriptionRequest (founding spec, section 3). @throws BoundaryError INVALID_ARGUMENT, naming the field */
export function parseRequest(input: unknown): ParsedRequest {
  const request = asObject(input ?? {}, 'request');
  onlyFields(request, REQUEST_FIELDS, 'request');
  const { subscriptionId, resumeFrom, collapse, include } = request;
  const collapsing = collapse ?? 'auto';
  if (collapsing !== 'auto' && collapsing !== 'none') throw bad('collapse', 'must be "auto" or "none"');
  const extras = include === undefined ? [] : asStrings(include, 'include');
  for (const extra of extras)
    if (extra !== 'ui' && extra !== 'archived') throw bad('include', 'knows only "ui" and "archived"');
  if (resumeFrom !== undefined && !(Number.isSafeInteger(resumeFrom) && Number(resumeFrom) >= 0)) {
    throw bad('resumeFrom', 'must be the last sequence number seen, a whole number from 0');
  }
  return {
    subscriptionId: subscriptionId === undefined ? undefined : parseId(subscriptionId, 'subscriptionId'),
    resumeFrom: resumeFrom === undefined ? undefined : Number(resumeFrom),
    namesView: request['filters'] !== undefined || collapse !== undefined || include !== undefined,
    spec: {
      filters: parseFilters(request['filters']),
      collapse: collapsing,
      ui: extras.includes('ui'),
      archived: collapsing === 'none' || extras.includes('archived'),
      expandedSummaries: new Set(),
      expandedTasks: new Set(),
    },
  };
}

/** Checks filters; undefined and null mean none. @throws BoundaryError INVALID_ARGUMENT, naming the field */
export function parseFilters(input: unknown): Filters {
  if (input === undefined || input === null) return {};
  const filters = asObject(input, 'filters');
  onlyFields(filters, FILTER_FIELDS, 'filters');
  const { agentNames, nodeTypes, status, minCostUsd, timeRange, taskIds, traceIds, text } = filters;
  if (minCostUsd !== undefined && !(typeof minCostUsd === 'number' && Number.isFinite(minCostUsd))) {
    throw bad('filters.minCostUsd', 'must be a number of US dollars');
  }
  if (text !== undefined && (typeof text !== 'string' || text.length > MAX_CHARS)) {
    throw bad('filters.text', `must be a string of at most ${MAX_CHARS} characters`);
  }
  return {
    ...(agentNames !== undefined && {
      agentNames: new Set(asStrings(agentNames, 'filters.agentNames').map(canonicalAgent)),
    }),
    ...(nodeTypes !== undefined && { nodeTypes: oneOf(nodeTypes, 'filters.nodeTypes', NODE_TYPES) }),
    ...(status !== undefined && { status: oneOf(status, 'filters.status', NODE_STATUSES) }),
    ...(minCostUsd !== undefined && { minCostUsd }),
    ...(timeRange !== undefined && { timeRange: parseTimeRange(timeRange) }),
    ...(taskIds !== undefined && { taskIds: new Set(asStrings(taskIds, 'filters.taskIds')) }),
    ...(traceIds !== undefined && {
      traceIds: new Set(asStrings(traceIds, 'filters.traceIds').map((id) => id.toLowerCase())),
    }),
    ...(text !== undefined && text !== '' && { text: text.toLowerCase() }),
  };
}

/** @throws BoundaryError INVALID_ARGUMENT */
export function parseId(value: unknown, field: string): string {
  if (typeof value !== 'string' || value === '' || value.length > MAX_CHARS) {
    throw bad(field, `is required: a string of 1 to ${MAX_CHARS} characters`);
  }
  return value;
}

function parseTimeRange(input: unknown): { readonly start: number; readonly end: number } {
  const range = asObject(input, 'filters.timeRange');
  onlyFields(range, ['start', 'end'], 'filters.timeRange');
  const start = parseTime(range['start']);
  const end = parseTime(range['end']);
  if (start === undefined) throw bad('filters.timeRange.start', 'must be an ISO 8601 time');
  if (end === undefined) throw bad('filters.timeRange.end', 'must be an ISO 8601 time');
  if (end < start) throw bad('filters.timeRange', 'ends before it starts');
  return { start, end };
}

function oneOf(input: unknown, field: string, known: readonly string[]): ReadonlySet<string> {
  const values = asStrings(input, field);
  for (const value of values) {
    if (!known.includes(value)) throw bad(field, `has an unknown value; known are ${known.join(', ')}`);
  }
  return new Set(values);
}

function asStrings(input: unknown, field: string): readonly string[] {
  if (!Array.isArray(input)) throw bad(field, 'must be a list of strings');
  if (input.length > MAX_LIST) throw bad(field, `has more than ${MAX_LIST} values`);
  return input.map((value: unknown, i) => {
    if (typeof value !== 'string') throw bad(`${field}[${i}]`, 'must be a string');
    if (value.length > MAX_CHARS) throw bad(`${field}[${i}]`, `is longer than ${MAX_CHARS} characters`);
    return value;
  });
}

function asObject(input: unknown, field: string): { readonly [key: string]: unknown } {
  if (typeof input !== 'object' || input === null || Array.isArray(input))
    throw bad(field, 'must be an object');
  return input as { readonly [key: string]: unknown };
}

function onlyFields(input: object, known: readonly string[], field: string): void {
  if (Object.keys(input).some((key) => !known.includes(key))) {
    throw bad(field, `has an unknown field; known are ${known.join(', ')}`);
  }
}

function bad(field: string, problem: string): BoundaryError {
  return new BoundaryError('INVALID_ARGUMENT', `${field} ${problem}`);
}
