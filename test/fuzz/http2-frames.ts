import { ACK, END_STREAM, FRAME, frame, uint32 } from '../support/http2/frames.ts';
import type { Draw } from './draw.ts';

export type HeaderList = readonly (readonly [string, string])[];

export function settings(...pairs: readonly (readonly [id: number, value: number])[]): Buffer {
  return frame(
    FRAME.settings,
    0,
    0,
    Buffer.concat(pairs.map(([id, value]) => Buffer.concat([Buffer.of(id >> 8, id & 255), uint32(value)]))),
  );
}

export const settingsAck = (): Buffer => frame(FRAME.settings, ACK, 0);

const ODD_HEADERS: HeaderList = [
  ['content-type', 'text/plain'],
  ['te', 'gzip'],
  ['grpc-timeout', '1n'],
  ['grpc-timeout', '99999999999H'],
  ['grpc-timeout', 'soon'],
  ['grpc-encoding', 'gzip'],
  ['grpc-encoding', 'snappy'],
  ['grpc-accept-encoding', 'br,,'],
  ['connection', 'close'],
  ['Upper', 'x'],
  ['x-bin', '!!'],
  ['x-data-bin', '===='],
  ['authorization', 'Bearer x'],
  ['origin', 'http://evil.example'],
  ['host', 'evil.example'],
  ['transfer-encoding', 'chunked'],
  ['content-length', '7'],
  [':path', '/twice'],
  [':status', '200'],
  [':protocol', 'websocket'],
  ['', 'empty'],
  ['x', '\r\nx: y'],
];

/** What a gRPC client sends first, in one of many wrong forms now and then. */
export function callHeaders(draw: Draw, path: string): HeaderList {
  const headers: (readonly [string, string])[] = [
    [':method', draw.chance(0.98) ? 'POST' : draw.pick(['GET', 'HEAD', 'CONNECT', ''])],
    [':scheme', draw.chance(0.99) ? 'http' : draw.pick(['https', 'file', ''])],
    [
      ':path',
      draw.chance(0.97) ? path : draw.pick(['/', '', '*', '/x/y', `${path}?a=b`, `/${'a'.repeat(5000)}`]),
    ],
    [
      ':authority',
      draw.chance(0.98) ? 'localhost' : draw.pick(['evil.example', '', 'a@b', 'localhost:99999']),
    ],
    [
      'content-type',
      draw.chance(0.97)
        ? 'application/grpc'
        : draw.pick(['application/grpc+json', 'application/json', 'application/grpc-web', '']),
    ],
    ['te', 'trailers'],
  ];
  if (draw.chance(0.05)) headers.splice(draw.int(headers.length), 1);
  if (draw.chance(0.1))
    headers.splice(
      draw.int(headers.length + 1),
      0,
      ...draw.list(draw.between(1, 3), () => draw.pick(ODD_HEADERS)),
    );
  if (draw.chance(0.003))
    headers.push(...draw.list(draw.int(300), (index) => [`x-${index}`, 'a'.repeat(draw.int(100))] as const));
  return headers;
}

/** Streams that the service has ended, whatever their outcome. */
export function endedStreams(received: string): number {
  let ended = 0;
  for (let at = 0; at + 9 <= received.length;) {
    const length =
      (received.charCodeAt(at) << 16) | (received.charCodeAt(at + 1) << 8) | received.charCodeAt(at + 2);
    const type = received.charCodeAt(at + 3);
    const flags = received.charCodeAt(at + 4);
    const isEnd = (type === FRAME.data || type === FRAME.headers) && (flags & END_STREAM) !== 0;
    if (isEnd || type === FRAME.rstStream) ended++;
    at += 9 + length;
  }
  return ended;
}
