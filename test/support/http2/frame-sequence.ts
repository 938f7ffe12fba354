import {
  ACK,
  END_HEADERS,
  END_STREAM,
  FRAME,
  PREFACE,
  frame,
  grpcHeaders,
  grpcMessage,
  headerBlock,
  uint32,
} from './frames.ts';

/** A number from 0 to below 1. */
export type Random = () => number;

/** Methods of both ports, of neither, and what is no method. */
const PATHS = [
  '/explain.v1.ExplainService/Subscribe',
  '/explain.v1.ExplainService/Subscribe',
  '/explain.v1.ExplainService/GetGraph',
  '/explain.v1.ExplainService/ListTasks',
  '/explain.v1.ExplainService/Prune',
  '/grpc.health.v1.Health/Check',
  '/grpc.health.v1.Health/Watch',
  '/grpc.reflection.v1.ServerReflection/ServerReflectionInfo',
  '/opentelemetry.proto.collector.trace.v1.TraceService/Export',
  '/opentelemetry.proto.collector.trace.v1.TraceService/Export',
  '/opentelemetry.proto.collector.logs.v1.LogsService/Export',
  '/opentelemetry.proto.collector.metrics.v1.MetricsService/Export',
  '/no.such.Service/Method',
  '/no.such.Service/M\xe9thod%00%zz',
  '/',
  '*',
  '',
] as const;

const ODD_FIELDS = [
  ['content-type', 'application/json'],
  ['content-type', 'application/grpc-web+proto'],
  ['content-type', ''],
  ['grpc-timeout', '1n'],
  ['grpc-timeout', '1m'],
  ['grpc-timeout', '99999999H'],
  ['grpc-timeout', 'soon \xff'],
  ['grpc-encoding', 'gzip'],
  ['grpc-encoding', 'br\xe9'],
  ['x-odd-bin', '!!! no base64 !!!'],
  ['connection', 'close'],
  ['Upper-Case', 'x'],
  ['content-length', '5'],
  ['expect', '100-continue'],
  [':protocol', 'websocket'],
  [':status', '200'],
  ['te', 'gzip'],
  ['x-long', 'y'.repeat(3000)],
] as const;

/**
 * What one hostile or broken gRPC client sends: segments, each to be written by itself. A function of `random`
 * alone. Most begin as they should, so that what follows gets far.
 */
export function frameSequence(random: Random): Buffer[] {
  const frames: Buffer[] = [];
  if (random() < 0.97) frames.push(PREFACE);
  if (random() < 0.95)
    frames.push(frame(FRAME.settings, 0, 0, chance(random, 0.2) ? oddSettings(random) : undefined));
  let nextStream = 1;
  const streams: number[] = [];
  const count = 1 + below(random, 10);
  for (let n = 0; n < count; n++) {
    if (streams.length === 0 || chance(random, 0.3)) {
      frames.push(...call(random, nextStream));
      streams.push(nextStream);
      nextStream += chance(random, 0.95) ? 2 : 1;
    } else {
      frames.push(laterFrame(random, pick(random, streams)));
    }
  }
  return segments(random, frames);
}

/** The beginning of a call: HEADERS, often a message, often a reset right behind. */
function call(random: Random, stream: number): Buffer[] {
  const fields = Array.from({ length: chance(random, 0.5) ? 0 : 1 + below(random, 2) }, () =>
    pick(random, ODD_FIELDS),
  );
  const block = chance(random, 0.9)
    ? grpcHeaders(pick(random, PATHS), fields)
    : chance(random, 0.5)
      ? headerBlock(fields)
      : bytes(random, below(random, 60));
  const frames = [];
  if (chance(random, 0.1)) {
    const cut = below(random, block.length + 1);
    frames.push(frame(FRAME.headers, 0, stream, block.subarray(0, cut)));
    frames.push(frame(FRAME.continuation, END_HEADERS, stream, block.subarray(cut)));
  } else {
    const end = chance(random, 0.2) ? END_STREAM : 0;
    frames.push(frame(FRAME.headers, end | (chance(random, 0.95) ? END_HEADERS : 0), stream, block));
  }
  if (chance(random, 0.5)) frames.push(data(random, stream));
  if (chance(random, 0.5)) frames.push(frame(FRAME.rstStream, 0, stream, uint32(below(random, 15))));
  return frames;
}

function data(random: Random, stream: number): Buffer {
  const body = chance(random, 0.5) ? Buffer.alloc(0) : bytes(random, below(random, 80));
  const announced = chance(random, 0.8) ? body.length : below(random, 2 ** 32);
  const compressed = chance(random, 0.85) ? 0 : 1 + below(random, 3);
  return frame(
    FRAME.data,
    chance(random, 0.7) ? END_STREAM : 0,
    stream,
    grpcMessage(body, announced, compressed),
  );
}

function laterFrame(random: Random, known: number): Buffer {
  const stream = chance(random, 0.8) ? known : below(random, 40);
  const kinds: readonly (() => Buffer)[] = [
    () => data(random, stream),
    () => data(random, stream),
    () => frame(FRAME.rstStream, 0, stream, uint32(below(random, 20))),
    () => frame(FRAME.rstStream, 0, stream, uint32(below(random, 20))),
    () =>
      frame(
        FRAME.windowUpdate,
        0,
        chance(random, 0.5) ? 0 : stream,
        uint32(pick(random, [0, 1, 65535, 2 ** 31 - 1])),
      ),
    () => frame(FRAME.settings, chance(random, 0.3) ? ACK : 0, 0, oddSettings(random)),
    () => frame(FRAME.ping, below(random, 2), 0, bytes(random, chance(random, 0.9) ? 8 : 3)),
    () => frame(FRAME.goaway, 0, 0, Buffer.concat([uint32(below(random, 9)), uint32(below(random, 14))])),
    () => frame(FRAME.priority, 0, stream, bytes(random, chance(random, 0.9) ? 5 : 2)),
    () => frame(FRAME.headers, END_HEADERS | END_STREAM, stream, headerBlock([['trailer', 'x']])),
    () => frame(FRAME.continuation, END_HEADERS, stream, bytes(random, 5)),
    () => frame(FRAME.pushPromise, END_HEADERS, stream, Buffer.concat([uint32(2), grpcHeaders('/pushed')])),
    () =>
      frame(below(random, 256), below(random, 256), below(random, 2 ** 32), bytes(random, below(random, 40))),
    () => bytes(random, 1 + below(random, 30)),
  ];
  return pick(random, kinds)();
}

function oddSettings(random: Random): Buffer {
  const ids = [1, 2, 3, 4, 5, 6, 8, 99];
  const values = [0, 1, 100, 16384, 65535, 2 ** 24 - 1, 2 ** 31 - 1, 2 ** 32 - 1];
  const entry = Buffer.alloc(6);
  entry.writeUInt16BE(pick(random, ids), 0);
  entry.writeUInt32BE(pick(random, values), 2);
  return entry;
}

/** All in one, one by one, or cut anywhere. */
function segments(random: Random, frames: readonly Buffer[]): Buffer[] {
  const kind = random();
  const whole = Buffer.concat(frames);
  if (kind < 0.5) return [whole];
  if (kind < 0.8) return [...frames];
  const pieces: Buffer[] = [];
  for (let at = 0; at < whole.length;) {
    const end = at + 1 + below(random, 60);
    pieces.push(whole.subarray(at, end));
    at = end;
  }
  return pieces;
}

function below(random: Random, end: number): number {
  return Math.floor(random() * end);
}

function chance(random: Random, probability: number): boolean {
  return random() < probability;
}

function pick<T>(random: Random, from: readonly T[]): T {
  return from[below(random, from.length)] as T;
}

function bytes(random: Random, length: number): Buffer {
  return Buffer.from(Array.from({ length }, () => below(random, 256)));
}
