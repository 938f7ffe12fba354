import { createHash } from 'node:crypto';
import type { Draw } from './draw.ts';
import { mutated } from './mutate.ts';
import { filters } from './reader-shapes.ts';
import type { Part, Session } from './session.ts';
import { drawMessage, toJson } from './shapes.ts';
import { hostileJson, hostileNumber, hostileText, nodeId, taskId } from './values.ts';

const OPCODE = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;
const FIN = 0x80;
const MASKED = 0x80;
const TYPES = [
  'subscribe',
  'updateFilters',
  'expand',
  'collapse',
  'expandTask',
  'prune',
  'unsubscribe',
  'ping',
] as const;
const MAX_FRAMES = 12;
/** More than the bucket of a connection holds. */
const FLOOD = 400;
const FLOOD_CHANCE = 0.004;
const HUGE = 1024 * 1024 + 1;
const HUGE_CHANCE = 0.002;
/** Stands for a subscription id that only the service knows. */
const PLACE = '@subscription@';
const CLOSED_MS = 1_000;
const CUT_MS = 15;

/** `/explain`: the handshake, then frames of every kind, whole and broken. */
export function websocket(draw: Draw): Session {
  const parts: Part[] = [handshake(draw)];
  const isFlood = draw.chance(FLOOD_CHANCE);
  const count = isFlood ? FLOOD : draw.between(1, MAX_FRAMES);
  for (let n = 0; n < count; n++)
    parts.push(isFlood ? maskedFrame(draw, OPCODE.text, Buffer.from(verbText(draw))) : anyFrame(draw));
  const ends = draw.chance(0.7);
  if (ends)
    parts.push(
      maskedFrame(draw, OPCODE.close, draw.chance(0.7) ? Buffer.of(0x03, 0xe8) : draw.bytes(draw.int(130))),
    );
  const manner = draw.weighted({ talks: 85, halfCloses: 4, resets: 5, neverReads: 4, silent: 2 });
  return { port: 'readers', parts, inputs: count, manner, patienceMs: ends ? CLOSED_MS : CUT_MS };
}

function handshake(draw: Draw): Buffer {
  const key = createHash('md5')
    .update(String(draw.int(1e9)))
    .digest('base64');
  const headers = [
    'Host: localhost',
    'Connection: Upgrade',
    'Upgrade: websocket',
    `Sec-WebSocket-Key: ${key}`,
    'Sec-WebSocket-Version: 13',
  ];
  if (draw.chance(0.04)) headers.splice(draw.int(headers.length), 1);
  if (draw.chance(0.04))
    headers.push(
      draw.pick([
        'Origin: http://evil.example',
        'Sec-WebSocket-Version: 99',
        'Sec-WebSocket-Protocol: ,',
        'Sec-WebSocket-Extensions: permessage-deflate; x=',
        'Content-Length: 5',
      ]),
    );
  const target = draw.chance(0.98)
    ? '/explain'
    : draw.pick(['/explain/', '/explain?access_token=%', '/', '/api/graph']);
  return Buffer.from(`GET ${target} HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n`);
}

function anyFrame(draw: Draw): Part {
  switch (draw.weighted({ verb: 12, json: 2, damaged: 2, control: 1, fragments: 1, head: 1, binary: 0.3 })) {
    case 'verb': {
      // Everything is drawn now: what the service says must not change what is drawn after it.
      const [text, random, mask] = [verbText(draw), draw.int(2 ** 31), draw.bytes(4)];
      return (received) =>
        maskedBy(
          mask,
          OPCODE.text,
          Buffer.from(text.replaceAll(PLACE, subscriptionIn(received, random))),
          true,
        );
    }
    case 'json':
      if (draw.chance(HUGE_CHANCE)) return maskedFrame(draw, OPCODE.text, Buffer.alloc(HUGE, '['));
      return maskedFrame(
        draw,
        OPCODE.text,
        Buffer.from(draw.chance(0.05) ? '['.repeat(10_000) : (JSON.stringify(hostileJson(draw)) ?? '')),
      );
    case 'damaged':
      return maskedFrame(draw, OPCODE.text, mutated(draw, Buffer.from(verbText(draw))));
    case 'control':
      return maskedFrame(
        draw,
        draw.pick([OPCODE.ping, OPCODE.pong]),
        draw.bytes(draw.chance(0.9) ? draw.int(125) : 200),
      );
    case 'fragments':
      return fragments(draw);
    case 'head':
      // Reserved bits and opcodes, no mask, a length that never comes.
      return Buffer.concat([
        Buffer.of(draw.int(256), draw.pick([0, 5, 126, 127, 128, 254, 255])),
        draw.bytes(draw.int(20)),
      ]);
    case 'binary':
      return maskedFrame(draw, OPCODE.binary, draw.bytes(draw.int(100)));
  }
}

/** One of the ids that the service has given this connection. */
function subscriptionIn(received: string, random: number): string {
  const ids = [...received.matchAll(/"subscriptionId":"([^"]{1,100})"/g)];
  return ids[random % Math.max(1, ids.length)]?.[1] ?? 'none';
}

function verbText(draw: Draw): string {
  const type = draw.pick(TYPES);
  const subscriptionId = draw.chance(0.9) ? PLACE : hostileJson(draw);
  const fields: Record<string, unknown> = { type };
  if (draw.chance(0.3)) fields['requestId'] = draw.chance(0.8) ? 'r1' : hostileJson(draw);
  if (type === 'subscribe')
    fields['request'] = draw.chance(0.95) ? subscribeRequest(draw) : hostileJson(draw);
  else fields['subscriptionId'] = subscriptionId;
  if (type === 'updateFilters')
    fields['filters'] = draw.chance(0.9) ? toJson(draw, drawMessage(draw, filters)) : hostileJson(draw);
  if (type === 'expand' || type === 'collapse')
    fields['nodeId'] = draw.chance(0.9) ? nodeId(draw) : hostileJson(draw);
  if (type === 'expandTask') fields['taskId'] = draw.chance(0.9) ? taskId(draw) : hostileJson(draw);
  if (type === 'prune')
    fields['olderThanMinutes'] = draw.chance(0.8) ? hostileNumber(draw) : hostileJson(draw);
  return JSON.stringify(fields);
}

function subscribeRequest(draw: Draw): object {
  return {
    ...(draw.chance(0.5) && { filters: toJson(draw, drawMessage(draw, filters)) }),
    ...(draw.chance(0.3) && { collapse: draw.pick(['auto', 'none', 'all']) }),
    ...(draw.chance(0.2) && { include: draw.pick<unknown>([['ui'], ['x'], 'ui']) }),
    ...(draw.chance(0.2) && {
      subscriptionId: draw.chance(0.8) ? PLACE : hostileText(draw),
      resumeFrom: hostileNumber(draw),
    }),
  };
}

function fragments(draw: Draw): Buffer {
  const bytes = Buffer.from(verbText(draw));
  const count = draw.between(2, 5);
  const size = Math.ceil(bytes.length / count);
  const pieces = draw.list(count, (index) => {
    const opcode = index === 0 || draw.chance(0.1) ? OPCODE.text : OPCODE.continuation;
    const isLast = index === count - 1 && draw.chance(0.9);
    return maskedFrame(draw, opcode, bytes.subarray(index * size, (index + 1) * size), isLast);
  });
  if (draw.chance(0.3)) pieces.splice(1, 0, maskedFrame(draw, OPCODE.ping, Buffer.from('in between')));
  return Buffer.concat(pieces);
}

function maskedFrame(draw: Draw, opcode: number, payload: Buffer, isFinal = true): Buffer {
  return maskedBy(draw.bytes(4), opcode, payload, isFinal);
}

function maskedBy(mask: Buffer, opcode: number, payload: Buffer, isFinal: boolean): Buffer {
  const length = payload.length;
  const head =
    length < 126
      ? Buffer.of(0, length)
      : length < 65_536
        ? Buffer.of(0, 126, length >> 8, length & 255)
        : Buffer.concat([
            Buffer.of(0, 127, 0, 0, 0, 0),
            Buffer.of(length >>> 24, (length >>> 16) & 255, (length >>> 8) & 255, length & 255),
          ]);
  head[0] = opcode | (isFinal ? FIN : 0);
  head[1] = (head[1] ?? 0) | MASKED;
  const body = Buffer.from(payload);
  for (let index = 0; index < length; index++) body[index] = (body[index] ?? 0) ^ (mask[index & 3] ?? 0);
  return Buffer.concat([head, mask, body]);
}
