import type { Draw } from './draw.ts';
import { callSession, frameSession, type Call } from './http2-session.ts';
import { compressed, mutated } from './mutate.ts';
import { otlpBody } from './otlp-bodies.ts';
import { READER_CALLS } from './reader-shapes.ts';
import type { Session } from './session.ts';
import { drawMessage, toProtobuf } from './shapes.ts';

const EXPORTS = {
  traces: '/opentelemetry.proto.collector.trace.v1.TraceService/Export',
  logs: '/opentelemetry.proto.collector.logs.v1.LogsService/Export',
  metrics: '/opentelemetry.proto.collector.metrics.v1.MetricsService/Export',
} as const;

const MAX_MESSAGE = 12_000;

/** OTLP/gRPC: Export calls with random messages. */
export function otlpGrpcCalls(draw: Draw): Session {
  return callSession(draw, 'otlpGrpc', exportCall);
}

/** OTLP/gRPC below its messages: frames of HTTP/2 in any order. */
export function otlpGrpcFrames(draw: Draw): Session {
  return frameSession(draw, 'otlpGrpc', Object.values(EXPORTS), (draw) => exportMessage(draw, 'traces'));
}

/** All verbs of port 9000's gRPC, its reflection and its health check, with random fields. */
export function readerGrpcCalls(draw: Draw): Session {
  return callSession(draw, 'readers', readerCall);
}

export function readerGrpcFrames(draw: Draw): Session {
  const paths = Object.keys(READER_CALLS);
  return frameSession(draw, 'readers', paths, (draw) =>
    toProtobuf(draw, drawMessage(draw, READER_CALLS[draw.pick(paths)] ?? (() => []))),
  );
}

function exportCall(draw: Draw): Call {
  const signal = draw.weighted({ traces: 5, logs: 4, metrics: 1 });
  return { path: EXPORTS[signal], message: exportMessage(draw, signal) };
}

function exportMessage(draw: Draw, signal: keyof typeof EXPORTS): Buffer {
  const message = otlpBody(draw, signal, 'protobuf');
  return (draw.chance(0.02) ? compressed(draw, message).bytes : message).subarray(0, MAX_MESSAGE);
}

/** As `Subscribed` carries it, between other bytes. */
const SUBSCRIPTION = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/;
/** In place of an id that only the service knows. */
const PLACE = '00000000-0000-0000-0000-000000000000';

function readerCall(draw: Draw): Call {
  const path = draw.pick(Object.keys(READER_CALLS));
  const message = mutated(
    draw,
    toProtobuf(draw, drawMessage(draw, READER_CALLS[path] ?? (() => []))),
  ).subarray(0, MAX_MESSAGE);
  const isEndless = /Subscribe$|Watch$|Info$/.test(path);
  if (!message.includes(PLACE)) return { path, message, isEndless };
  return {
    path,
    isEndless,
    message: (received) => replaced(message, SUBSCRIPTION.exec(received)?.[0] ?? PLACE),
  };
}

/** Of the same length, so that what surrounds it stays right. */
function replaced(message: Buffer, id: string): Buffer {
  return Buffer.from(message.toString('latin1').replaceAll(PLACE, id), 'latin1');
}
