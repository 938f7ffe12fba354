import { unreachable } from '../../base/assert.ts';
import { counted, type Pace } from '../../base/pace.ts';
import type { ReceiverLimits } from '../config.ts';
import { DecodeState, type Decoded } from './decode-state.ts';
import { decodeLogsJson } from './logs-json.ts';
import { decodeLogsProto } from './logs-proto.ts';
import { decodeMetricsJson } from './metrics-json.ts';
import { decodeMetricsProto } from './metrics-proto.ts';
import { decodeTracesJson } from './traces-json.ts';
import { decodeTracesProto } from './traces-proto.ts';

export type Signal = 'traces' | 'logs' | 'metrics';
export type Encoding = 'protobuf' | 'json';

/**
 * One OTLP export request, uncompressed. Bad records are rejected with their reason and the rest is kept.
 * Nothing in the result refers to `body`. `receivedMs` is the wall clock, for records without a time.
 * @throws BoundaryError INVALID_ARGUMENT when the body is no such request at all; TOO_LARGE
 */
export function decodeOtlp(
  signal: Signal,
  encoding: Encoding,
  body: Buffer,
  limits: ReceiverLimits,
  receivedMs: number,
): Decoded {
  const state = new DecodeState(limits, receivedMs);
  const steps = decoder(signal, encoding)(body, state);
  for (let step = steps.next(); step.done !== true;) step = steps.next();
  return state.result();
}

/** As `decodeOtlp`, but yields to the event loop while it decodes a large body. JSON is parsed in one step. */
export async function decodeInPieces(
  signal: Signal,
  encoding: Encoding,
  body: Buffer,
  limits: ReceiverLimits,
  receivedMs: number,
  pace: Pace,
): Promise<Decoded> {
  const state = new DecodeState(limits, receivedMs);
  const steps = decoder(signal, encoding)(body, state);
  const turns = counted(pace);
  for (let step = steps.next(); step.done !== true; step = steps.next()) {
    if (turns.isOver) await turns.rest();
  }
  return state.result();
}

/** A decoder of bodies; it yields after each item. */
type Decoder = (body: Buffer, state: DecodeState) => Generator<void, void>;

function decoder(signal: Signal, encoding: Encoding): Decoder {
  const json = encoding === 'json';
  switch (signal) {
    case 'traces':
      return json ? decodeTracesJson : decodeTracesProto;
    case 'logs':
      return json ? decodeLogsJson : decodeLogsProto;
    case 'metrics':
      return json ? decodeMetricsJson : decodeMetricsProto;
    default:
      return unreachable(signal);
  }
}
