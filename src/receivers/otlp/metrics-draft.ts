import type { Attributes } from '../../model/attributes.ts';
import type {
  Distribution,
  MetricExemplar,
  MetricInstrument,
  MetricRecord,
  Resource,
  Scope,
} from '../../model/records.ts';
import { epochMs } from '../../model/time.ts';
import type { DecodeState } from './decode-state.ts';
import { isSet, toEpochMs, type NanoTime } from './nano-time.ts';
import { isLinkTarget } from './span-draft.ts';

/** What all points of one metric share. */
export interface MetricHead {
  readonly name: string;
  readonly unit: string;
  readonly scope: Scope;
  readonly resource: Resource;
}

/** What all points of one of its data fields share. */
export interface SeriesHead {
  readonly instrument: MetricInstrument;
  /** AggregationTemporality by number. */
  readonly temporality: number;
  readonly monotonic: boolean;
}

/** A point as it was sent. Both encodings make one. */
export interface PointDraft {
  readonly start: NanoTime;
  readonly time: NanoTime;
  readonly flags: number;
  /** Absent when the sender set none. */
  readonly value: number | Distribution | undefined;
  readonly attributes: Attributes;
  readonly exemplars: readonly MetricExemplar[];
}

/** DataPointFlags: NO_RECORDED_VALUE_MASK. */
const NO_RECORDED_VALUE = 1;
const TEMPORALITIES = [undefined, 'delta', 'cumulative'] as const;

export const NAMELESS = 'name: missing';

/** Adds the record of a point to `state`; a point without a value is only counted. */
export function takePoint(
  metric: MetricHead,
  series: SeriesHead,
  point: PointDraft,
  state: DecodeState,
): void {
  const value = (point.flags & NO_RECORDED_VALUE) === 0 ? finiteValue(point.value) : undefined;
  if (value === undefined) {
    state.dataPoints++;
    return;
  }
  const record: MetricRecord = {
    kind: 'metric',
    ...metric,
    instrument: series.instrument,
    temporality: TEMPORALITIES[series.temporality],
    monotonic: series.monotonic,
    time: isSet(point.time) ? toEpochMs(point.time) : epochMs(state.receivedMs),
    start: isSet(point.start) ? toEpochMs(point.start) : undefined,
    value,
    attributes: point.attributes,
    exemplars: point.exemplars,
  };
  state.records.push(record);
}

function finiteValue(value: number | Distribution | undefined): number | Distribution | undefined {
  if (typeof value !== 'object') return finite(value);
  return { count: value.count, sum: finite(value.sum), min: finite(value.min), max: finite(value.max) };
}

function finite(value: number | undefined): number | undefined {
  return value !== undefined && Number.isFinite(value) ? value : undefined;
}

/** An exemplar as it was sent. */
export interface ExemplarDraft {
  /** Lower-case hex of whatever was sent; empty when nothing was. */
  readonly traceId: string;
  readonly spanId: string;
  readonly time: NanoTime;
  readonly value: number | undefined;
}

/** Undefined for an exemplar without a span, value or time: it cannot be joined to a step. */
export function exemplarOf({ traceId, spanId, time, value }: ExemplarDraft): MetricExemplar | undefined {
  const measured = finite(value);
  if (measured === undefined || !isSet(time) || !isLinkTarget(traceId, spanId)) return undefined;
  return { traceId, spanId, time: toEpochMs(time), value: measured };
}

/** Rejects all points of a metric for one reason, which is listed once. */
export function rejectPoints(count: number, reason: string, state: DecodeState): void {
  if (count === 0) return;
  state.reject(reason);
  state.rejected += count - 1;
}
