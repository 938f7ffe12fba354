import { invalid } from '../../base/boundary-error.ts';
import { ALL_FORMATS, isDetailed } from '../../exporters/export-graph.ts';
import type { DetailedFormat, ExportFormat } from '../../exporters/export-graph.ts';
import { listOf, single } from '../query.ts';
import { FILTER_PARAMETERS, filtersOfTexts, type Filters } from '../../model/filters.ts';

export const FILTER_QUERY: readonly string[] = FILTER_PARAMETERS.map(({ query }) => query);
export const GRAPH_QUERY: readonly string[] = [...FILTER_QUERY, 'collapse', 'include', 'format'];

export interface GraphQuery {
  /** For `ReaderApi.getGraph`, which checks the values of the fields. */
  readonly request: Readonly<Record<string, unknown>>;
  readonly format: ExportFormat | DetailedFormat;
}

/**
 * Reads the query of `GET /api/graph`: lists are comma-separated or repeated.
 * @throws BoundaryError INVALID_ARGUMENT naming the parameter
 */
export function parseGraphQuery(query: URLSearchParams): GraphQuery {
  const wanted = format(single(query, 'format'));
  const collapse = single(query, 'collapse') ?? (isDetailed(wanted) ? 'none' : undefined);
  if (isDetailed(wanted) && collapse !== 'none')
    throw invalid('collapse: this format has every step and no summaries; leave it out');
  const request = {
    filters: parseFilterQuery(query),
    ...(collapse !== undefined && { collapse }),
    ...(query.has('include') && { include: listOf(query, 'include') }),
  };
  return { request, format: wanted };
}

/** Those of a subscription, as parameters. @throws BoundaryError INVALID_ARGUMENT naming the parameter */
export function parseFilterQuery(query: URLSearchParams): Filters {
  return filtersOfTexts(
    ({ query: name, option }) => {
      if (!query.has(name)) return undefined;
      return option.many ? listOf(query, name) : [single(query, name) ?? ''];
    },
    ({ query: name }, problem) => invalid(`${name} ${problem}`),
  );
}

function format(text: string | undefined): ExportFormat | DetailedFormat {
  const found = ALL_FORMATS.find((name) => name === (text ?? 'explanation'));
  if (found === undefined) throw invalid(`format must be one of ${ALL_FORMATS.join(', ')}`);
  return found;
}
