import type { DecodeState } from './decode-state.ts';
import { walkItems } from './walk-proto.ts';
import { WireReader } from './wire-reader.ts';

/** Metric's data: gauge 5, sum 7, histogram 9, exponential_histogram 10, summary 11; data_points 1 in each. */
const DATA_TAGS = new Set([42, 58, 74, 82, 90]);

/**
 * ExportMetricsServiceRequest, protobuf. Data points are counted: the graph is made of steps, not of series.
 * @throws BoundaryError INVALID_ARGUMENT for bytes that are no such message
 */
export function decodeMetricsProto(body: Buffer, state: DecodeState): void {
  const reader = new WireReader(body);
  walkItems(reader, state, ['resourceMetrics', 'scopeMetrics', 'metrics'], (end) => {
    while (reader.pos < end) {
      const tag = reader.tag(end);
      if (DATA_TAGS.has(tag)) state.dataPoints += countPoints(reader, reader.lengthEnd(end));
      else reader.skip(tag, end);
    }
  });
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
