import type { z } from 'zod';
import { canonicalAgent } from './agent.ts';
import {
  atLeast,
  between,
  fields,
  names,
  paths,
  textIn,
  words,
  type Filter,
  type Parameter,
} from './filter-kinds.ts';
import { NODE_STATUSES, NODE_TYPES, type ExplanationNode } from './node.ts';

/**
 * Every filter there is, the cheapest to try first. What readers may send on any way in, the types of the client, the
 * query of HTTP and the options of the command line are made from this table; explain.proto is checked against it.
 */
export const FILTERS = {
  nodeTypes: words(NODE_TYPES, (node) => node.type, { name: 'type', value: 'TYPE' }),
  status: words(NODE_STATUSES, (node) => node.status, { name: 'status', value: 'STATUS' }),
  taskIds: names((node) => node.taskId, { name: 'task', value: 'ID', help: 'steps of this task' }),
  traceIds: names(
    (node) => node.details?.['traceId'],
    { name: 'trace', value: 'ID', help: 'steps of this trace' },
    (id) => id.toLowerCase(),
  ),
  /** As in `details.sessionId`. */
  sessionIds: names((node) => node.details?.['sessionId'], {
    name: 'session',
    value: 'ID',
    help: 'steps of this session, thread or conversation',
  }),
  /** Of messages of MEW, as in `details.reasoningKind`: `thought`, or `reasoning/thought`. */
  reasoningKinds: names(
    (node) => node.details?.['reasoningKind'],
    { name: 'reasoning-kind', value: 'KIND', help: 'reasoning of this kind, such as thought or conclusion' },
    (kind) => kind.replace(/^reasoning[/.]/, ''),
  ),
  /** As in `details.contextPath`. */
  contextPaths: paths((node) => node.details?.['contextPath'], {
    name: 'context',
    value: 'PATH',
    help: 'steps of this context of MEW, and of those nested in it',
  }),
  /** US dollars; a node without a known cost never matches. */
  minCostUsd: atLeast((node) => node.costUsd, 'a number of US dollars from 0, such as 0.01', {
    name: 'min-cost',
    value: 'USD',
    help: 'steps that cost at least so much',
  }),
  /** Milliseconds; a node of unknown latency, as while it runs, never matches. */
  minLatencyMs: atLeast((node) => node.latencyMs, 'a number of milliseconds from 0, such as 250', {
    name: 'min-latency',
    value: 'MS',
    help: 'steps that took at least so long',
  }),
  /** `CriticAgent` and `critic-agent` are the same. */
  agentNames: names(
    (node) => node.agent,
    { name: 'agent', value: 'NAME', help: 'steps of this agent' },
    canonicalAgent,
  ),
  /** ISO 8601, both ends included, in milliseconds; compared with the start of a node. */
  timeRange: between((node) => Date.parse(node.timestamp), {
    start: {
      query: 'timeStart',
      option: { name: 'since', value: 'TIME', help: 'steps that began then or later' },
    },
    end: {
      query: 'timeEnd',
      option: { name: 'until', value: 'TIME', help: 'steps that began then or earlier' },
    },
  }),
  /** Found in names, titles, agents, models, prompt summaries and details; case doesn't matter. */
  text: textIn(
    ({ name, title, agent, model, promptSummary, details = {} }) => [
      name,
      title,
      agent,
      model,
      promptSummary,
      ...Object.values(details),
    ],
    { name: 'text', value: 'TEXT', help: 'found in names, titles, agents, models, prompts and details' },
  ),
};

type Table = typeof FILTERS;

/**
 * As readers write them. All given fields must match; within a field any of its values. An empty list matches nothing; the
 * client's library leaves it out.
 */
export type Filters = { readonly [Name in keyof Table]?: z.input<Table[Name]['schema']> | undefined };

/** Checked: what is undefined is left out, and an empty list matches nothing. */
export type WantedNodes = { readonly [Name in keyof Table]?: z.output<Table[Name]['schema']> };

const ALL = Object.entries(FILTERS) as readonly (readonly [keyof Table, Filter])[];

export const filtersSchema = fields(
  Object.fromEntries(ALL.map(([name, { schema }]) => [name, schema.optional()])),
).transform((wanted): WantedNodes => {
  return Object.fromEntries(Object.entries(wanted).filter(([, value]) => value !== undefined));
});

export function matches(wanted: WantedNodes, node: ExplanationNode): boolean {
  for (const name in wanted) {
    const filter = FILTERS[name as keyof Table] as Filter;
    if (!filter.matches(wanted[name as keyof Table], node)) return false;
  }
  return true;
}

export const FILTER_PARAMETERS = ALL.flatMap(([filter, { parameters }]) =>
  parameters.map((parameter) => ({ query: filter, ...parameter, filter })),
);

/**
 * Filters that are given as texts.
 * @param textsOf undefined where nothing is given
 * @param refusal what is thrown for a text that can't be
 */
export function filtersOfTexts(
  textsOf: (parameter: Required<Parameter>) => readonly string[] | undefined,
  refusal: (parameter: Required<Parameter>, problem: string) => Error,
): Filters {
  const filters: Record<string, unknown> = {};
  for (const parameter of FILTER_PARAMETERS) {
    const texts = textsOf(parameter);
    if (texts === undefined) continue;
    const value = parameter.read(texts, filters[parameter.filter]);
    const { error } = FILTERS[parameter.filter].schema.safeParse(value);
    if (error) throw refusal(parameter, error.issues[0]?.message ?? '');
    filters[parameter.filter] = value;
  }
  return filters;
}
