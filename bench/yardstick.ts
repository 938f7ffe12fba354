import protobuf from 'protobufjs';
import { DEFAULT_RECEIVER_LIMITS } from '../src/receivers/config.ts';
import { decodeOtlp } from '../src/receivers/otlp/decode.ts';
import { spanRequest } from './support/payload.ts';

const ROUNDS = 5;
const REQUESTS_PER_ROUND = 40;

export interface YardstickResult {
  /** Spans per CPU-second that protobufjs decodes, without making anything of them. */
  readonly protobufjs: number;
  /** Spans per CPU-second that our reader turns into records. */
  readonly reader: number;
}

/**
 * How fast this machine is just now: other figures are only comparable with those of another day as ratios to
 * this one. Both decoders in turn, the median of each.
 */
export function benchYardstick(): YardstickResult {
  const root = protobuf.loadSync(new URL('../proto/opentelemetry/otlp.proto', import.meta.url).pathname);
  const type = root.lookupType('otlp.ExportTraceServiceRequest');
  const request = spanRequest(512, 1);
  const figures = { protobufjs: [] as number[], reader: [] as number[] };
  for (let round = 0; round < ROUNDS; round++) {
    figures.protobufjs.push(measure(request.spans, () => void type.decode(request.body)));
    figures.reader.push(
      measure(
        request.spans,
        () => void decodeOtlp('traces', 'protobuf', request.body, DEFAULT_RECEIVER_LIMITS, 0),
      ),
    );
  }
  return { protobufjs: median(figures.protobufjs), reader: median(figures.reader) };
}

function measure(spans: number, decode: () => void): number {
  const before = process.cpuUsage();
  for (let i = 0; i < REQUESTS_PER_ROUND; i++) decode();
  const { user, system } = process.cpuUsage(before);
  return (spans * REQUESTS_PER_ROUND * 1e6) / (user + system);
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;
}
