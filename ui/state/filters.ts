import type { Filters, NodeStatus } from '../../src/client/browser.ts';
import { TYPE_WORDS } from './format.ts';

/** A filter of the subscription as it stands in the URL, under the names of `GET /api/graph`. */
export interface FilterName {
  readonly name: string;
  readonly label: string;
  readonly kind: 'list' | 'text' | 'number' | 'time';
  /** All the values that it may have. */
  readonly words?: readonly string[];
}

type Offered = Omit<FilterName, 'name'>;
type TimeEnd = keyof NonNullable<Filters['timeRange']>;

const STATUSES: Readonly<Record<NodeStatus, true>> = { OK: true, ERROR: true, WARNING: true, SKIPPED: true };

/** The ends of `timeRange`, which are parameters of their own. */
const TIME_ENDS: Readonly<Record<TimeEnd, FilterName>> = {
  start: { name: 'timeStart', label: 'Began after', kind: 'time' },
  end: { name: 'timeEnd', label: 'Began before', kind: 'time' },
};

/** Every filter of the client but the task, which is the page's path: one that is missing here is a type error. */
const OFFERED: { readonly [Name in Exclude<keyof Filters, 'taskIds' | 'timeRange'>]-?: Offered } = {
  status: { label: 'Status', kind: 'list', words: Object.keys(STATUSES) },
  nodeTypes: { label: 'Type', kind: 'list', words: Object.keys(TYPE_WORDS) },
  agentNames: { label: 'Agent', kind: 'list' },
  text: { label: 'Text', kind: 'text' },
  minCostUsd: { label: 'Costs at least ($)', kind: 'number' },
  minLatencyMs: { label: 'Took at least (ms)', kind: 'number' },
  sessionIds: { label: 'Session', kind: 'list' },
  traceIds: { label: 'Trace', kind: 'list' },
  reasoningKinds: { label: 'Kind of reasoning', kind: 'list' },
  contextPaths: { label: 'Context', kind: 'list' },
};

export const FILTER_NAMES: readonly FilterName[] = [
  ...Object.entries(OFFERED).map(([name, offered]) => ({ name, ...offered })),
  ...Object.values(TIME_ENDS),
];

/** What the page itself keeps in the URL of a task. */
const OF_A_TASK: ReadonlySet<string> = new Set(['view', 'sel', 'why', 'ask', 'minutes', 'open', 'all']);

export interface FilterValue {
  readonly name: string;
  readonly value: string;
}

/** What the URL asks for, one entry a value. */
export function filterValues(params: URLSearchParams): readonly FilterValue[] {
  return FILTER_NAMES.flatMap(({ name, kind }) => {
    const values = params.getAll(name).filter((value) => value !== '');
    return (kind === 'list' ? values : values.slice(0, 1)).map((value) => ({ name, value }));
  });
}

/** What the URL asks for that no filter is and nothing of the page: it is said, not passed over. */
export function unknownValues(
  params: URLSearchParams,
  ofPage: ReadonlySet<string> = OF_A_TASK,
): readonly FilterValue[] {
  const isKnown = (name: string): boolean =>
    ofPage.has(name) || FILTER_NAMES.some((filter) => filter.name === name);
  return [...params].filter(([name]) => !isKnown(name)).map(([name, value]) => ({ name, value }));
}

/** The same as the subscription takes it; what is no number is left to the service to refuse. */
export function filtersOf(params: URLSearchParams): Filters {
  const filters: Record<string, unknown> = {};
  const range: { start?: string; end?: string } = {};
  for (const { name, value } of filterValues(params)) {
    const kind = FILTER_NAMES.find((filter) => filter.name === name)?.kind;
    if (kind === 'time') range[name === TIME_ENDS.start.name ? 'start' : 'end'] = value;
    else if (kind === 'list') filters[name] = [...((filters[name] as string[] | undefined) ?? []), value];
    else filters[name] = kind === 'number' ? Number(value) : value;
  }
  if (range.start !== undefined || range.end !== undefined)
    filters['timeRange'] = { start: '0000-01-01T00:00:00.000Z', end: '9999-12-31T23:59:59.999Z', ...range };
  return filters;
}

export function withFilter(params: URLSearchParams, { name, value }: FilterValue): URLSearchParams {
  const next = new URLSearchParams(params);
  const isList = FILTER_NAMES.find((filter) => filter.name === name)?.kind === 'list';
  if (!isList) next.set(name, value);
  else if (!next.getAll(name).includes(value)) next.append(name, value);
  return next;
}

export function withoutFilter(params: URLSearchParams, { name, value }: FilterValue): URLSearchParams {
  const next = new URLSearchParams(params);
  next.delete(name, value);
  return next;
}
