import type { Filters } from '../model/filters.ts';
import type { ViewRequest } from '../model/subscription-request.ts';

export type { Filters, ViewRequest };

/** The query of `GET /api/graph`. */
export function graphQuery({ filters = {}, collapse, include }: ViewRequest): URLSearchParams {
  const { timeRange, ...plain } = filters;
  const ends = { timeStart: timeRange?.start, timeEnd: timeRange?.end };
  const query = new URLSearchParams();
  for (const [name, given] of Object.entries({ ...plain, ...ends, collapse, include })) {
    for (const value of [given].flat() as readonly (string | number | undefined)[])
      if (value !== undefined) query.append(name, String(value));
  }
  return query;
}
