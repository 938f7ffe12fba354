import type { DecodeState } from './decode-state.ts';
import { field, list, object } from './json-fields.ts';
import { attempt, walkJson, type JsonNames } from './walk-json.ts';

const NAMES: JsonNames = [
  ['resourceMetrics', 'resource_metrics'],
  ['scopeMetrics', 'scope_metrics'],
  ['metrics', 'metrics'],
];
const DATA: readonly (readonly [camel: string, snake: string])[] = [
  ['gauge', 'gauge'],
  ['sum', 'sum'],
  ['histogram', 'histogram'],
  ['exponentialHistogram', 'exponential_histogram'],
  ['summary', 'summary'],
];

/**
 * ExportMetricsServiceRequest, JSON. Data points are counted.
 * @throws BoundaryError INVALID_ARGUMENT, TOO_LARGE
 */
export function decodeMetricsJson(body: Buffer, state: DecodeState): void {
  walkJson(body, state, NAMES, (metric, path) => {
    attempt(state, path, () => {
      for (const [camel, snake] of DATA) {
        const data = field(metric, camel, snake);
        if (data === undefined) continue;
        const points = field(object(data, camel), 'dataPoints', 'data_points');
        state.dataPoints += list(points, `${camel}.dataPoints`).length;
      }
    });
  });
}
