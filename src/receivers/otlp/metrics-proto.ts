import type { MetricInstrument, Resource, Scope } from '../../model/records.ts';
import { boundText } from '../bounded-values.ts';
import type { DecodeState } from './decode-state.ts';
import { NAMELESS, rejectPoints, takePoint, type SeriesHead } from './metrics-draft.ts';
import { readPoint } from './metrics-points-proto.ts';
import { misplacedAmongMetrics } from './misplaced.ts';
import { itemPath, walkItems, type ItemNames, type Place } from './walk-proto.ts';
import { WireReader } from '../../base/wire-reader.ts';

const NAMES: ItemNames = ['resourceMetrics', 'scopeMetrics', 'metrics'];

/** Metric's data: gauge 5, sum 7, histogram 9, exponential_histogram 10, summary 11. */
const INSTRUMENTS: ReadonlyMap<number, MetricInstrument> = new Map([
  [42, 'gauge'],
  [58, 'sum'],
  [74, 'histogram'],
  [82, 'exponentialHistogram'],
  [90, 'summary'],
]);

interface Section {
  readonly instrument: MetricInstrument;
  readonly start: number;
  readonly end: number;
}

/**
 * ExportMetricsServiceRequest, protobuf. Points become records of `state`; those that say nothing are counted.
 * @throws BoundaryError INVALID_ARGUMENT for bytes that are no such message
 */
export function* decodeMetricsProto(body: Buffer, state: DecodeState): Generator<void, void> {
  const reader = new WireReader(body);
  const isAllMisplaced = (): boolean =>
    state.misplaced > 0 && state.records.length === 0 && state.dataPoints === 0;
  try {
    yield* walkItems(reader, state, NAMES, (end, resource, scope, place) => {
      readMetric(reader, end, state, resource, scope, place);
    });
  } catch (error) {
    if (isAllMisplaced()) throw misplacedAmongMetrics();
    throw error;
  }
  if (isAllMisplaced()) throw misplacedAmongMetrics();
}

/** Metric: name 1, unit 3, and its data, which is read last because protobuf lets fields come in any order. */
function readMetric(
  reader: WireReader,
  end: number,
  state: DecodeState,
  resource: Resource,
  scope: Scope,
  place: Place,
): void {
  const sections: Section[] = [];
  let name = '';
  let unit = '';
  while (reader.pos < end) {
    const tag = reader.tag(end);
    const instrument = INSTRUMENTS.get(tag);
    if (instrument !== undefined) {
      const sectionEnd = reader.lengthEnd(end);
      sections.push({ instrument, start: reader.pos, end: sectionEnd });
      reader.pos = sectionEnd;
    } else if (tag === 10) name = boundText(reader.name(reader.lengthEnd(end)), state);
    else if (tag === 26) unit = boundText(reader.name(reader.lengthEnd(end)), state);
    else if (isOtherSignal(tag)) {
      state.misplaced++;
      state.reject(`${itemPath(NAMES, place)}: not a metric`);
      return;
    } else reader.skip(tag, end);
  }
  for (const section of sections) {
    reader.pos = section.start;
    if (name === '') {
      rejectPoints(countPoints(reader, section.end), `${itemPath(NAMES, place)}.${NAMELESS}`, state);
    } else {
      readPoints(reader, section, state, { name, unit, scope, resource });
    }
  }
}

function readPoints(
  reader: WireReader,
  { instrument, start, end }: Section,
  state: DecodeState,
  metric: Parameters<typeof takePoint>[0],
): void {
  const series = readSeries(reader, end, instrument);
  reader.pos = start;
  while (reader.pos < end) {
    const tag = reader.tag(end);
    if (tag !== 10) {
      reader.skip(tag, end);
      continue;
    }
    const pointEnd = reader.lengthEnd(end);
    if (state.takeRecord()) takePoint(metric, series, readPoint(reader, pointEnd, instrument, state), state);
    else reader.pos = pointEnd;
  }
}

/** aggregation_temporality 2, is_monotonic 3: they stand behind the points that they tell about. */
function readSeries(reader: WireReader, end: number, instrument: MetricInstrument): SeriesHead {
  const hasTemporality = instrument !== 'gauge' && instrument !== 'summary';
  let temporality = 0;
  let monotonic = false;
  while (reader.pos < end) {
    const tag = reader.tag(end);
    if (tag === 16 && hasTemporality) temporality = reader.varint32(end);
    else if (tag === 24 && instrument === 'sum') {
      reader.varint64(end);
      monotonic = reader.lo !== 0 || reader.hi !== 0;
    } else reader.skip(tag, end);
  }
  return { instrument, temporality, monotonic };
}

function countPoints(reader: WireReader, end: number): number {
  let count = 0;
  while (reader.pos < end) {
    const tag = reader.tag(end);
    if (tag === 10) count++;
    reader.skip(tag, end);
  }
  return count;
}

/** Span's kind (6) and times (7, 8), LogRecord's times (1, 11) and severity (2): other wire types than a metric's. */
function isOtherSignal(tag: number): boolean {
  return tag === 48 || tag === 57 || tag === 65 || tag === 9 || tag === 89 || tag === 16;
}
