import {
  END_HEADERS,
  END_STREAM,
  FRAME,
  frame,
  grpcMessage,
  headerBlock,
  PREFACE,
  uint32,
} from '../support/http2/frames.ts';
import type { Draw } from './draw.ts';
import { callHeaders, endedStreams, settings, settingsAck } from './http2-frames.ts';
import type { Part, Port, Session } from './session.ts';

/** One call: where to, and its message, which may need what the service said before. */
export interface Call {
  readonly path: string;
  readonly message: Buffer | ((received: string) => Buffer);
  /** The answer goes on until the reader ends it. */
  readonly isEndless?: boolean;
}

/** Below the flow-control window of a new connection, so that what is sent may be sent. */
const WINDOW = 60_000;
const CALLS_MS = 1_500;
const CUT_MS = 15;
const MAX_CALLS = 8;
const GZIP = 1;

/** Whole calls on one connection, some of them with a wrong length, flag or message. */
export function callSession(draw: Draw, port: Port, call: (draw: Draw) => Call): Session {
  const calls = draw.list(draw.between(1, MAX_CALLS), () => call(draw));
  let window = WINDOW;
  const parts: Part[] = [Buffer.concat([PREFACE, settings(), settingsAck()])];
  let answers = 0;
  for (const [index, { path, message, isEndless }] of calls.entries()) {
    const stream = 1 + 2 * index;
    const head = frame(FRAME.headers, END_HEADERS, stream, headerBlock(callHeaders(draw, path)));
    const prefix: { readonly flag?: number; readonly length?: number } = draw.chance(0.97)
      ? {}
      : draw.pick([{ flag: GZIP }, { flag: 255 }, { length: 0 }, { length: 1e6 }, { length: 2 ** 32 - 1 }]);
    const twice = draw.chance(0.02);
    const body = (received: string): Buffer => {
      const bytes = typeof message === 'function' ? message(received) : message;
      const data = grpcMessage(bytes, prefix.length, prefix.flag);
      return Buffer.concat([
        head,
        frame(FRAME.data, END_STREAM, stream, twice ? Buffer.concat([data, data]) : data),
      ]);
    };
    if (typeof message === 'function') parts.push(body);
    else {
      window -= message.length * (twice ? 2 : 1) + 10;
      if (window < 0 || message.length > 16_000) break;
      parts.push(body(''));
    }
    if (!isEndless) answers++;
  }
  const manner = draw.weighted({ talks: 90, halfCloses: 3, resets: 4, neverReads: 2, silent: 1 });
  return {
    port,
    parts,
    inputs: calls.length,
    manner,
    patienceMs: CALLS_MS,
    isAnswered: (received) => endedStreams(received) >= answers,
  };
}

const MAX_FRAMES = 12;
const MAX_STREAMS = 4;

/** Frames in orders that no client sends, on one connection; counted as one input each. */
export function frameSession(
  draw: Draw,
  port: Port,
  paths: readonly string[],
  message: (draw: Draw) => Buffer,
): Session {
  const count = draw.between(1, MAX_FRAMES);
  const frames = draw.list(count, () => oddFrame(draw, paths, message));
  const start = draw.chance(0.95)
    ? [PREFACE, settings()]
    : [draw.chance(0.5) ? PREFACE : Buffer.from('PRI * HTTP/2.0\r\n\r\nXX\r\n\r\n')];
  // In one segment, where the service meets them all at once, or one by one.
  const parts = draw.chance(0.6) ? [Buffer.concat([...start, ...frames])] : [...start, ...frames];
  const manner = draw.weighted({ talks: 70, halfCloses: 10, resets: 15, silent: 3, neverReads: 2 });
  return { port, parts, inputs: count, manner, patienceMs: CUT_MS, isAnswered: () => false };
}

function oddFrame(draw: Draw, paths: readonly string[], message: (draw: Draw) => Buffer): Buffer {
  const stream = draw.chance(0.95) ? 1 + 2 * draw.int(MAX_STREAMS) : draw.pick([0, 2, 2 ** 31 - 1, 2 ** 31]);
  switch (
    draw.weighted({
      headers: 8,
      data: 5,
      rst: 4,
      settings: 1,
      ping: 1,
      goaway: 0.3,
      window: 1,
      priority: 0.5,
      continuation: 0.5,
      push: 0.3,
      unknown: 0.5,
      junk: 0.5,
    })
  ) {
    case 'headers': {
      const path = draw.chance(0.6)
        ? draw.pick(paths)
        : draw.pick(['/no.Such/Method', `${draw.pick(paths)}x`, '/']);
      const block = draw.chance(0.97) ? headerBlock(callHeaders(draw, path)) : draw.bytes(draw.int(60));
      const flags = draw.chance(0.9) ? END_HEADERS | (draw.chance(0.3) ? END_STREAM : 0) : draw.int(256);
      return frame(FRAME.headers, flags, stream, block);
    }
    case 'data':
      return frame(
        FRAME.data,
        draw.chance(0.5) ? END_STREAM : draw.pick([0, 8, 255]),
        stream,
        dataOf(draw, message),
      );
    case 'rst':
      return frame(FRAME.rstStream, 0, stream, uint32(draw.chance(0.8) ? draw.int(14) : 2 ** 32 - 1));
    case 'settings':
      return draw.chance(0.3)
        ? settingsAck()
        : settings(
            ...draw.list(
              draw.int(4),
              () => [draw.int(10), draw.pick([0, 1, 16_384, 65_535, 2 ** 31 - 1, 2 ** 32 - 1])] as const,
            ),
          );
    case 'ping':
      return frame(
        FRAME.ping,
        draw.int(2),
        draw.chance(0.9) ? 0 : stream,
        draw.bytes(draw.chance(0.9) ? 8 : draw.int(20)),
      );
    case 'goaway':
      return frame(FRAME.goaway, 0, 0, Buffer.concat([uint32(draw.int(9)), uint32(draw.int(14))]));
    case 'window':
      return frame(
        FRAME.windowUpdate,
        0,
        draw.chance(0.5) ? 0 : stream,
        uint32(draw.pick([0, 1, 65_535, 2 ** 31 - 1, 2 ** 32 - 1])),
      );
    case 'priority':
      return frame(
        FRAME.priority,
        0,
        stream,
        Buffer.concat([uint32(draw.chance(0.5) ? stream : 0), Buffer.of(draw.int(256))]),
      );
    case 'continuation':
      return frame(FRAME.continuation, draw.int(2) * END_HEADERS, stream, headerBlock([['x', 'y']]));
    case 'push':
      return frame(
        FRAME.pushPromise,
        END_HEADERS,
        stream,
        Buffer.concat([uint32(2), headerBlock([['x', 'y']])]),
      );
    case 'unknown':
      return frame(draw.between(10, 255), draw.int(256), stream, draw.bytes(draw.int(40)));
    case 'junk':
      return draw.bytes(draw.int(60));
  }
}

function dataOf(draw: Draw, message: (draw: Draw) => Buffer): Buffer {
  if (draw.chance(0.2)) return draw.bytes(draw.int(30));
  const whole = grpcMessage(message(draw).subarray(0, 4000));
  return draw.chance(0.7) ? whole : whole.subarray(0, draw.int(whole.length));
}
