import { BoundaryError } from '../../base/boundary-error.ts';
import { parseTime, toIso } from '../../model/time.ts';
import { EXPORT_FORMATS } from '../../exporters/export-graph.ts';
import type { ExportFormat } from '../../exporters/export-graph.ts';

export const GRAPH_QUERY = [
  'taskIds',
  'traceIds',
  'agentNames',
  'nodeTypes',
  'status',
  'minCostUsd',
  'timeStart',
  'timeEnd',
  'text',
  'collapse',
  'include',
  'format',
] as const;

const FILTER_LISTS = ['taskIds', 'traceIds', 'agentNames', 'nodeTypes', 'status'] as const;
/** The ends of time as ISO 8601 writes it with four digits, where only one end was given. */
const EARLIEST = '0000-01-01T00:00:00.000Z';
const LATEST = '9999-12-31T23:59:59.999Z';

export interface GraphQuery {
  /** For `ReaderApi.getGraph`, which checks the values of the fields. */
  readonly request: Readonly<Record<string, unknown>>;
  readonly format: ExportFormat;
}

/**
 * Reads the query of `GET /api/graph`: lists are comma-separated or repeated.
 * @throws BoundaryError INVALID_ARGUMENT naming the parameter
 */
export function parseGraphQuery(query: URLSearchParams): GraphQuery {
  const filters: Record<string, unknown> = {};
  for (const name of FILTER_LISTS) {
    if (query.has(name)) filters[name] = list(query, name);
  }
  const text = single(query, 'text');
  if (text !== undefined) filters['text'] = text;
  const minCostUsd = single(query, 'minCostUsd');
  if (minCostUsd !== undefined) filters['minCostUsd'] = number('minCostUsd', minCostUsd);
  const range = timeRange(query);
  if (range !== undefined) filters['timeRange'] = range;

  const request: Record<string, unknown> = { filters };
  const collapse = single(query, 'collapse');
  if (collapse !== undefined) request['collapse'] = collapse;
  if (query.has('include')) request['include'] = list(query, 'include');
  return { request, format: format(single(query, 'format')) };
}

function list(query: URLSearchParams, name: string): string[] {
  return query
    .getAll(name)
    .flatMap((value) => value.split(','))
    .map((value) => value.trim())
    .filter((value) => value !== '');
}

/** @throws BoundaryError INVALID_ARGUMENT when it is given more than once */
export function single(query: URLSearchParams, name: string): string | undefined {
  const values = query.getAll(name);
  if (values.length > 1) throw invalid(`${name} may be given once`);
  return values[0];
}

function number(name: string, text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value)) throw invalid(`${name} must be a number, such as 0.01`);
  return value;
}

function timeRange(query: URLSearchParams): { readonly start: string; readonly end: string } | undefined {
  const start = time(query, 'timeStart');
  const end = time(query, 'timeEnd');
  if (start === undefined && end === undefined) return undefined;
  return { start: start ?? EARLIEST, end: end ?? LATEST };
}

function time(query: URLSearchParams, name: string): string | undefined {
  const text = single(query, name);
  if (text === undefined) return undefined;
  const parsed = parseTime(/^\d{5,}$/.test(text) ? Number(text) : text);
  if (parsed === undefined) throw invalid(`${name} must be ISO 8601 or milliseconds since 1970`);
  return toIso(parsed);
}

function format(text: string | undefined): ExportFormat {
  const found = EXPORT_FORMATS.find((name) => name === (text ?? 'explanation'));
  if (found === undefined) throw invalid(`format must be one of ${EXPORT_FORMATS.join(', ')}`);
  return found;
}

function invalid(message: string): BoundaryError {
  return new BoundaryError('INVALID_ARGUMENT', message);
}
