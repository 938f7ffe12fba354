import type { Draw } from './draw.ts';
import { httpSession, type HttpRequest } from './http-text.ts';
import { compressed, mutated } from './mutate.ts';
import type { Session } from './session.ts';
import {
  hostileJson,
  hostileNumber,
  hostileText,
  hostileTime,
  nodeId,
  requestId,
  SECRETS,
  spanId,
  taskId,
  traceId,
} from './values.ts';

const EVENTS = [
  'ModelSwitched',
  'CodeFixApplied',
  'PatchApplied',
  'PlanUpdated',
  'TaskRetryInitiated',
  'Escalated',
  'UserInterrupt',
  '__proto__',
  '',
];
const TYPES = ['application/x-ndjson', 'text/plain', 'application/json;charset=latin1', ''];
/** `POST /api/cot` and `/api/events`. */
export function ingest(draw: Draw): Session {
  return httpSession(draw, 'readers', request);
}

function request(draw: Draw): HttpRequest {
  const isCot = draw.chance(0.65);
  const items = draw.list(draw.chance(0.9) ? draw.between(1, 6) : draw.int(200), () =>
    isCot ? thought(draw) : event(draw),
  );
  const content = mutated(draw, Buffer.from(bodyText(draw, items)));
  const packed = draw.chance(0.15) ? compressed(draw, content) : undefined;
  return {
    method: draw.chance(0.98) ? 'POST' : draw.pick(['GET', 'PUT', 'PATCH', 'OPTIONS']),
    target: isCot ? '/api/cot' : '/api/events',
    headers: [
      ['Content-Type', draw.chance(0.95) ? 'application/json' : draw.pick(TYPES)],
      ...(packed ? [['Content-Encoding', packed.encoding] as const] : []),
    ],
    body: packed?.bytes ?? content,
  };
}

function bodyText(draw: Draw, items: readonly unknown[]): string {
  if (items.length === 1 && draw.chance(0.7)) return JSON.stringify(items[0]);
  if (draw.chance(0.01)) return '['.repeat(10_000);
  return draw.chance(0.5)
    ? JSON.stringify(items)
    : items.map((item) => JSON.stringify(item)).join(draw.pick(['\n', '\r\n', '\n\n', ' ']));
}

function thought(draw: Draw): unknown {
  if (draw.chance(0.02)) return hostileJson(draw);
  const at = draw.int(SECRETS.length);
  const piece = SECRETS.slice(at, at + draw.between(1, 12));
  return {
    requestId: requestId(draw),
    timestamp: hostileTime(draw),
    ...(draw.chance(0.5) && { tokens: draw.chance(0.95) ? piece.split('') : hostileJson(draw) }),
    ...(draw.chance(0.3) && { text: draw.chance(0.5) ? SECRETS.slice(0, at) : hostileText(draw) }),
    ...(draw.chance(0.4) && { sequence: draw.chance(0.7) ? draw.int(40) : hostileNumber(draw) }),
    ...(draw.chance(0.05) && { final: draw.chance(0.9) ? true : hostileJson(draw) }),
    ...(draw.chance(0.1) && {
      summary: hostileText(draw),
      agent: hostileText(draw),
      model: hostileText(draw),
    }),
    ...(draw.chance(0.3) && { taskId: taskId(draw) }),
    ...(draw.chance(0.3) && { traceId: traceId(draw).toString('hex'), spanId: spanId(draw).toString('hex') }),
  };
}

function event(draw: Draw): unknown {
  if (draw.chance(0.02)) return hostileJson(draw);
  const refers = draw.pick(['spanId', 'nodeId', 'requestId']);
  return {
    ...(draw.chance(0.8) && { eventID: draw.chance(0.5) ? `event-${draw.int(50)}` : hostileText(draw) }),
    eventType: draw.chance(0.9) ? draw.pick(EVENTS) : hostileText(draw),
    component: hostileText(draw),
    timestamp: hostileTime(draw),
    payload: draw.chance(0.1)
      ? hostileJson(draw)
      : { taskId: taskId(draw), [refers]: nodeId(draw), more: hostileJson(draw) },
  };
}
