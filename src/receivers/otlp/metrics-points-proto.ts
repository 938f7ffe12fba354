import type { Distribution, MetricExemplar, MetricInstrument } from '../../model/records.ts';
import { int64FromHalves } from '../bounded-values.ts';
import { AttributeCollector } from './attribute-collector.ts';
import type { DecodeState } from './decode-state.ts';
import { exemplarOf, type PointDraft } from './metrics-draft.ts';
import { UNSET_TIME, nanoTimeFromHalves, type NanoTime } from './nano-time.ts';
import { readKeyValue } from './values-proto.ts';
import type { WireReader } from '../../base/wire-reader.ts';

/** start_time_unix_nano 2, time_unix_nano 3 of every kind of point. */
const START = 17;
const TIME = 25;

/** Tags that the kinds of points have in different places; 0 stands for a field that a kind has not. */
interface Layout {
  readonly attributes: number;
  readonly exemplars: number;
  readonly flags: number;
  readonly asDouble: number;
  readonly asInt: number;
  readonly count: number;
  readonly sum: number;
  readonly min: number;
  readonly max: number;
  readonly quantiles: number;
}

/** NumberDataPoint: as_double 4, exemplars 5, as_int 6, attributes 7, flags 8. */
const NUMBER: Layout = {
  attributes: 58,
  exemplars: 42,
  flags: 64,
  asDouble: 33,
  asInt: 49,
  count: 0,
  sum: 0,
  min: 0,
  max: 0,
  quantiles: 0,
};
/** HistogramDataPoint: count 4, sum 5, exemplars 8, attributes 9, flags 10, min 11, max 12. */
const HISTOGRAM: Layout = {
  attributes: 74,
  exemplars: 66,
  flags: 80,
  asDouble: 0,
  asInt: 0,
  count: 33,
  sum: 41,
  min: 89,
  max: 97,
  quantiles: 0,
};
/** ExponentialHistogramDataPoint: attributes 1, count 4, sum 5, flags 10, exemplars 11, min 12, max 13. */
const EXPONENTIAL: Layout = { ...HISTOGRAM, attributes: 10, exemplars: 90, min: 97, max: 105 };
/** SummaryDataPoint: count 4, sum 5, quantile_values 6, attributes 7, flags 8. */
const SUMMARY: Layout = {
  ...HISTOGRAM,
  attributes: 58,
  exemplars: 0,
  flags: 64,
  min: 0,
  max: 0,
  quantiles: 50,
};

const LAYOUTS: Readonly<Record<MetricInstrument, Layout>> = {
  gauge: NUMBER,
  sum: NUMBER,
  histogram: HISTOGRAM,
  exponentialHistogram: EXPONENTIAL,
  summary: SUMMARY,
};

/** The fields of a point as they are read. */
class Parts {
  start: NanoTime = UNSET_TIME;
  time: NanoTime = UNSET_TIME;
  flags = 0;
  value: number | undefined;
  count = 0;
  sum: number | undefined;
  min: number | undefined;
  max: number | undefined;
  readonly exemplars: MetricExemplar[] = [];
  readonly attributes: AttributeCollector;

  constructor(state: DecodeState) {
    this.attributes = new AttributeCollector(state);
  }

  draft(layout: Layout): PointDraft {
    const { start, time, flags, exemplars, count, sum, min, max } = this;
    const distribution: Distribution | undefined = layout.count === 0 ? undefined : { count, sum, min, max };
    const attributes = this.attributes.finish();
    return { start, time, flags, value: distribution ?? this.value, attributes, exemplars };
  }
}

/** One point of a metric's data. Buckets are skipped: a node shows no distribution. */
export function readPoint(
  reader: WireReader,
  end: number,
  instrument: MetricInstrument,
  state: DecodeState,
): PointDraft {
  const layout = LAYOUTS[instrument];
  const parts = new Parts(state);
  while (reader.pos < end) readField(reader, reader.tag(end), end, layout, parts, state);
  return parts.draft(layout);
}

function readField(
  reader: WireReader,
  tag: number,
  end: number,
  layout: Layout,
  parts: Parts,
  state: DecodeState,
): void {
  if (tag === START) parts.start = nanos(reader, end);
  else if (tag === TIME) parts.time = nanos(reader, end);
  else if (tag === layout.attributes) readKeyValue(reader, reader.lengthEnd(end), state, parts.attributes);
  else if (tag === layout.asDouble) parts.value = reader.double(end);
  else if (tag === layout.asInt) parts.value = signed(reader, end);
  else if (tag === layout.count) parts.count = unsigned(reader, end);
  else if (tag === layout.sum) parts.sum = reader.double(end);
  else if (tag === layout.min) parts.min = reader.double(end);
  else if (tag === layout.max) parts.max = reader.double(end);
  else if (tag === layout.flags) parts.flags = reader.varint32(end);
  else if (tag === layout.exemplars) readExemplar(reader, reader.lengthEnd(end), state, parts.exemplars);
  else if (tag === layout.quantiles) readQuantile(reader, reader.lengthEnd(end), parts);
  else reader.skip(tag, end);
}

/** ValueAtQuantile: quantile 1, value 2. The quantiles 0 and 1 are the least and the greatest value. */
function readQuantile(reader: WireReader, end: number, parts: Parts): void {
  let quantile = 0;
  let value = 0;
  while (reader.pos < end) {
    const tag = reader.tag(end);
    if (tag === 9) quantile = reader.double(end);
    else if (tag === 17) value = reader.double(end);
    else reader.skip(tag, end);
  }
  if (quantile === 0) parts.min = value;
  else if (quantile === 1) parts.max = value;
}

/**
 * Exemplar: time 2, as_double 3, span_id 4, trace_id 5, as_int 6. Its filtered attributes are passed over: nothing
 * shows them, and they may be private.
 */
function readExemplar(
  reader: WireReader,
  end: number,
  state: DecodeState,
  exemplars: MetricExemplar[],
): void {
  if (exemplars.length >= state.limits.maxAttributes || !state.takeValue()) {
    reader.pos = end;
    return;
  }
  let traceId = '';
  let spanId = '';
  let time = UNSET_TIME;
  let value: number | undefined;
  while (reader.pos < end) {
    const tag = reader.tag(end);
    if (tag === 17) time = nanos(reader, end);
    else if (tag === 25) value = reader.double(end);
    else if (tag === 34) spanId = reader.hex(reader.lengthEnd(end));
    else if (tag === 42) traceId = reader.hex(reader.lengthEnd(end));
    else if (tag === 49) value = signed(reader, end);
    else reader.skip(tag, end);
  }
  const exemplar = exemplarOf({ traceId, spanId, time, value });
  if (exemplar !== undefined) exemplars.push(exemplar);
}

function nanos(reader: WireReader, end: number): NanoTime {
  reader.fixed64(end);
  return nanoTimeFromHalves(reader.hi, reader.lo);
}

function signed(reader: WireReader, end: number): number {
  reader.fixed64(end);
  return Number(int64FromHalves(reader.hi, reader.lo));
}

function unsigned(reader: WireReader, end: number): number {
  reader.fixed64(end);
  return reader.hi * 4_294_967_296 + reader.lo;
}
