import type { Filters, WantedNodes } from '../../model/filters.ts';
import type { ViewRequest } from '../../model/subscription-request.ts';
import { epochMs, toIso } from '../../model/time.ts';
import type { ViewSpec } from '../../subscriptions/view-spec.ts';

/** A spec as it is asked of a cell. */
export function requestOf({ filters, collapse, ui, archived, opened }: ViewSpec): ViewRequest {
  return {
    filters: filtersOf(filters),
    collapse,
    ...(opened && { opened }),
    include: [...(ui ? (['ui'] as const) : []), ...(archived ? (['archived'] as const) : [])],
  };
}

function filtersOf({ timeRange, ...wanted }: WantedNodes): Filters {
  const given = Object.entries(wanted).map(
    ([name, value]: readonly [string, unknown]) =>
      [name, value instanceof Set ? [...(value as Set<string>)] : value] as const,
  );
  return {
    ...Object.fromEntries(given),
    ...(timeRange && {
      timeRange: { start: toIso(epochMs(timeRange.start)), end: toIso(epochMs(timeRange.end)) },
    }),
  };
}
