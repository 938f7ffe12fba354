import type { JsonObject } from '../../base/json.ts';
import type { Distribution, MetricExemplar, MetricInstrument } from '../../model/records.ts';
import { boundText } from '../bounded-values.ts';
import type { DecodeState } from './decode-state.ts';
import { FieldError, count, enumNumber, field, hexId, list, object, text } from './json-fields.ts';
import {
  NAMELESS,
  exemplarOf,
  rejectPoints,
  takePoint,
  type MetricHead,
  type PointDraft,
  type SeriesHead,
} from './metrics-draft.ts';
import { time } from './traces-json.ts';
import { float, int64 } from './values-json.ts';
import { attempt, attributesOf, walkJson, type JsonNames } from './walk-json.ts';

const NAMES: JsonNames = [
  ['resourceMetrics', 'resource_metrics'],
  ['scopeMetrics', 'scope_metrics'],
  ['metrics', 'metrics'],
];
const INSTRUMENTS: readonly (readonly [camel: MetricInstrument, snake: string])[] = [
  ['gauge', 'gauge'],
  ['sum', 'sum'],
  ['histogram', 'histogram'],
  ['exponentialHistogram', 'exponential_histogram'],
  ['summary', 'summary'],
];
const TEMPORALITIES = new Map([
  ['AGGREGATION_TEMPORALITY_UNSPECIFIED', 0],
  ['AGGREGATION_TEMPORALITY_DELTA', 1],
  ['AGGREGATION_TEMPORALITY_CUMULATIVE', 2],
]);

/**
 * ExportMetricsServiceRequest, JSON, a metric a step. Points become records of `state`; those that say nothing are counted.
 * @throws BoundaryError INVALID_ARGUMENT, TOO_LARGE
 */
export function decodeMetricsJson(body: Buffer, state: DecodeState): Generator<void, void> {
  return walkJson(body, state, NAMES, (metric, path, resource, scope) => {
    attempt(state, path, () => {
      const name = boundText(text(metric['name'] ?? undefined, 'name'), state);
      const unit = boundText(text(metric['unit'] ?? undefined, 'unit'), state);
      for (const [instrument, snake] of INSTRUMENTS) {
        const data = field(metric, instrument, snake);
        if (data === undefined) continue;
        attempt(state, path, () => {
          readData(object(data, instrument), instrument, path, { name, unit, scope, resource }, state);
        });
      }
    });
  });
}

function readData(
  data: JsonObject,
  instrument: MetricInstrument,
  path: string,
  metric: MetricHead,
  state: DecodeState,
): void {
  const points = list(field(data, 'dataPoints', 'data_points'), `${instrument}.dataPoints`);
  if (metric.name === '') {
    rejectPoints(points.length, `${path}.${NAMELESS}`, state);
    return;
  }
  const series = readSeries(data, instrument);
  for (let i = 0; i < points.length; i++) {
    if (!state.takeRecord()) continue;
    attempt(state, `${path}.${instrument}.dataPoints[${i}]`, () => {
      takePoint(metric, series, readPoint(points[i], instrument, state), state);
    });
  }
}

function readSeries(data: JsonObject, instrument: MetricInstrument): SeriesHead {
  const hasTemporality = instrument !== 'gauge' && instrument !== 'summary';
  const path = `${instrument}.aggregationTemporality`;
  const sent = hasTemporality ? field(data, 'aggregationTemporality', 'aggregation_temporality') : undefined;
  const monotonic = instrument === 'sum' && field(data, 'isMonotonic', 'is_monotonic') === true;
  return { instrument, temporality: enumNumber(sent, TEMPORALITIES, path), monotonic };
}

/** @throws FieldError */
function readPoint(value: unknown, instrument: MetricInstrument, state: DecodeState): PointDraft {
  const point = object(value, 'the point');
  const isNumber = instrument === 'gauge' || instrument === 'sum';
  return {
    start: time(field(point, 'startTimeUnixNano', 'start_time_unix_nano'), 'startTimeUnixNano'),
    time: time(field(point, 'timeUnixNano', 'time_unix_nano'), 'timeUnixNano'),
    flags: count(point['flags'] ?? undefined, 'flags'),
    value: isNumber ? numberOf(point, '') : distributionOf(point, instrument),
    attributes: attributesOf(point, 'attributes', state),
    exemplars: readExemplars(point, state),
  };
}

function numberOf(owner: JsonObject, path: string): number | undefined {
  const double = field(owner, 'asDouble', 'as_double');
  if (double !== undefined) return float(double, `${path}asDouble`);
  const int = field(owner, 'asInt', 'as_int');
  return int === undefined ? undefined : Number(int64(int, `${path}asInt`));
}

function distributionOf(point: JsonObject, instrument: MetricInstrument): Distribution {
  const sent = point['count'] ?? undefined;
  const number = sent === undefined ? 0 : unsigned(sent, 'count');
  const sum = optional(point, 'sum');
  if (instrument !== 'summary') {
    return { count: number, sum, min: optional(point, 'min'), max: optional(point, 'max') };
  }
  let min: number | undefined;
  let max: number | undefined;
  const quantiles = list(field(point, 'quantileValues', 'quantile_values'), 'quantileValues');
  for (let i = 0; i < quantiles.length; i++) {
    const path = `quantileValues[${i}]`;
    const entry = object(quantiles[i], path);
    const quantile = float(entry['quantile'] ?? 0, `${path}.quantile`);
    const value = float(entry['value'] ?? 0, `${path}.value`);
    if (quantile === 0) min = value;
    else if (quantile === 1) max = value;
  }
  return { count: number, sum, min, max };
}

function optional(owner: JsonObject, name: string): number | undefined {
  const value = owner[name] ?? undefined;
  return value === undefined ? undefined : float(value, name);
}

const MAX_UINT64 = 2n ** 64n - 1n;

function unsigned(value: unknown, path: string): number {
  const isDigits = typeof value === 'string' ? /^\d{1,20}$/.test(value) : Number.isSafeInteger(value);
  if (!isDigits || Number(value) < 0 || BigInt(value as string | number) > MAX_UINT64) {
    throw new FieldError(path, 'not an unsigned 64-bit integer');
  }
  return Number(value);
}

/** An exemplar that cannot be read is dropped; its point is kept. */
function readExemplars(point: JsonObject, state: DecodeState): readonly MetricExemplar[] {
  const exemplars: MetricExemplar[] = [];
  for (const item of list(point['exemplars'] ?? undefined, 'exemplars')) {
    if (exemplars.length >= state.limits.maxAttributes || !state.takeValue()) break;
    const exemplar = readExemplar(item);
    if (exemplar !== undefined) exemplars.push(exemplar);
  }
  return exemplars;
}

function readExemplar(item: unknown): MetricExemplar | undefined {
  try {
    const exemplar = object(item, '');
    return exemplarOf({
      traceId: hexId(field(exemplar, 'traceId', 'trace_id'), 16, ''),
      spanId: hexId(field(exemplar, 'spanId', 'span_id'), 8, ''),
      time: time(field(exemplar, 'timeUnixNano', 'time_unix_nano'), ''),
      value: numberOf(exemplar, ''),
    });
  } catch (error) {
    if (error instanceof FieldError) return undefined;
    throw error;
  }
}
