import { BoundaryError } from '../../src/base/boundary-error.ts';
import { NODE_STATUSES, NODE_TYPES } from '../../src/model/node.ts';
import { parseTime } from '../../src/model/time.ts';

export interface Filters {
  readonly agentNames?: readonly string[];
  readonly nodeTypes?: readonly string[];
  readonly status?: readonly string[];
  readonly taskIds?: readonly string[];
  readonly traceIds?: readonly string[];
  readonly minCostUsd?: number;
  readonly text?: string;
  readonly timeRange?: { readonly start: string; readonly end: string };
}

export interface Request {
  readonly filters: Filters;
  readonly collapse: 'auto' | 'none';
  readonly ui: boolean;
  readonly subscriptionId?: string;
  readonly resumeFrom?: number;
}

type Check = (value: unknown) => boolean;

const isObject: Check = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);
const isString: Check = (value) => typeof value === 'string';
const isNumber: Check = (value) => typeof value === 'number' && Number.isFinite(value) && value >= 0;
const isTime: Check = (value) => parseTime(value) !== undefined;
const listOf =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check);
const oneOf =
  (words: readonly string[]): Check =>
  (value) =>
    words.includes(value as string);

const FILTERS: Readonly<Record<string, Check>> = {
  agentNames: listOf(isString),
  nodeTypes: listOf(oneOf(NODE_TYPES)),
  status: listOf(oneOf(NODE_STATUSES)),
  taskIds: listOf(isString),
  traceIds: listOf(isString),
  minCostUsd: isNumber,
  text: isString,
  timeRange: (value) =>
    isObject(value) &&
    isTime(Reflect.get(value as object, 'start')) &&
    isTime(Reflect.get(value as object, 'end')),
};

const REQUEST: Readonly<Record<string, Check>> = {
  filters: isObject,
  collapse: oneOf(['auto', 'none']),
  include: listOf(oneOf(['ui'])),
  subscriptionId: isString,
  resumeFrom: isNumber,
};

export function checkRequest(request: unknown): Request {
  const fields = checkFields(request, 'request', '', REQUEST);
  return {
    ...(fields as Partial<Request>),
    filters: checkFilters(fields['filters'] ?? {}),
    collapse: (fields['collapse'] ?? 'auto') as 'auto' | 'none',
    ui: ((fields['include'] ?? []) as string[]).includes('ui'),
  };
}

export function checkFilters(filters: unknown): Filters {
  return checkFields(filters, 'filters', 'filters.', FILTERS);
}

function checkFields(value: unknown, name: string, prefix: string, checks: Readonly<Record<string, Check>>) {
  if (!isObject(value)) throw new BoundaryError('INVALID_ARGUMENT', `${name} must be an object`);
  for (const [key, member] of Object.entries(value as object)) {
    const check = checks[key];
    if (check === undefined)
      throw new BoundaryError('INVALID_ARGUMENT', `${name} has a field that does not exist`);
    if (!check(member)) throw new BoundaryError('INVALID_ARGUMENT', `${prefix}${key} has a wrong value`);
  }
  return value as Readonly<Record<string, unknown>>;
}
