import type { Draw } from './draw.ts';
import { httpSession, type HttpRequest } from './http-text.ts';
import { compressed } from './mutate.ts';
import { otlpBody } from './otlp-bodies.ts';
import type { Signal } from './otlp-shapes.ts';
import type { Session } from './session.ts';
import { hostileText } from './values.ts';

const SIGNALS: Readonly<Record<Signal, number>> = { traces: 5, logs: 4, metrics: 1 };
const TYPES = [
  'text/plain',
  'application/grpc',
  'application/json; charset=utf-16',
  'multipart/form-data',
  '',
  'application/x-protobuf;a="',
];
const METHODS = ['GET', 'PUT', 'OPTIONS', 'HEAD', 'DELETE', 'CONNECT', 'PRI', 'post', 'M-SEARCH', ''];
const TARGETS = [
  '/',
  '/v1/traces/',
  '/v1/profiles',
  '/V1/traces',
  '//v1/traces',
  'http://evil/v1/traces',
  '*',
  '/v1/traces?a=%',
  '/v1/../v1/traces',
];

/** OTLP/HTTP: requests in JSON and protobuf, whole and broken in every layer. */
export function otlpHttp(draw: Draw): Session {
  return httpSession(draw, 'otlpHttp', request);
}

function request(draw: Draw): HttpRequest {
  const signal = draw.weighted(SIGNALS);
  const encoding = draw.pick(['json', 'protobuf'] as const);
  const content = otlpBody(draw, draw.chance(0.98) ? signal : draw.weighted(SIGNALS), encoding);
  const packed = draw.chance(0.3) ? compressed(draw, content) : undefined;
  const type = draw.chance(0.97)
    ? encoding === 'json'
      ? 'application/json'
      : 'application/x-protobuf'
    : draw.pick([...TYPES, hostileText(draw)]);
  return {
    method: draw.chance(0.98) ? 'POST' : draw.pick(METHODS),
    target: draw.chance(0.98) ? `/v1/${signal}` : draw.pick(TARGETS),
    headers: [['Content-Type', type], ...(packed ? [['Content-Encoding', packed.encoding] as const] : [])],
    body: packed?.bytes ?? content,
  };
}
