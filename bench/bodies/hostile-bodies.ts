import { gzip } from 'node:zlib';
import { promisify } from 'node:util';

const MIB = 1024 * 1024;
const zip = promisify(gzip);

/** A body as it is sent, and where it goes. */
export interface HostileBody {
  readonly what: string;
  readonly path: '/api/cot' | '/api/events' | '/v1/traces' | '/v1/logs';
  readonly type: 'application/json' | 'application/x-protobuf';
  /** Gzip. */
  readonly bytes: Buffer;
}

/** Small when they are sent, large when they are inflated, larger when they are decoded. */
export async function hostileBodies(): Promise<readonly HostileBody[]> {
  const json = 'application/json';
  const proto = 'application/x-protobuf';
  const cot = '{"requestId":"r","text":"x"},';
  const spansJson = jsonSpans(60 * MIB);
  const spansProto = protoSpans(60 * MIB);
  const made: [string, HostileBody['path'], HostileBody['type'], Buffer | string][] = [
    ['zeros', '/api/cot', json, Buffer.alloc(60 * MIB)],
    ['zeros', '/api/events', json, Buffer.alloc(60 * MIB)],
    ['zeros', '/v1/traces', proto, Buffer.alloc(60 * MIB)],
    ['empty objects', '/api/cot', json, `[${'{},'.repeat(5 * MIB)}{}]`],
    ['empty objects', '/api/events', json, `[${'{},'.repeat(5 * MIB)}{}]`],
    ['few empty objects', '/api/events', json, `[${'{},'.repeat(1 * MIB)}{}]`],
    ['lines', '/api/cot', json, '{}\n'.repeat(5 * MIB)],
    ['thoughts', '/api/cot', json, `[${cot.repeat((15 * MIB) / cot.length)}{}]`],
    ['nested arrays', '/api/events', json, '['.repeat(15 * MIB)],
    ['one string', '/api/events', json, `{"eventType":"${'é'.repeat(7 * MIB)}"}`],
    ['empty objects', '/v1/traces', json, `{"resourceSpans":[${'{},'.repeat(4 * MIB)}{}]}`],
    ['spans', '/v1/traces', json, spansJson],
    ['spans', '/v1/traces', proto, spansProto],
  ];
  return Promise.all(
    made.map(async ([what, path, type, body]) => ({ what, path, type, bytes: await zip(body) })),
  );
}

function jsonSpans(bytes: number): string {
  const attribute = '{"key":"k","value":{"intValue":1}},';
  const attributes = attribute.repeat(1000).slice(0, -1);
  const span = `{"traceId":"${'a'.repeat(32)}","spanId":"${'b'.repeat(16)}","name":"n","startTimeUnixNano":"1750000000000000000","endTimeUnixNano":"1750000000000000001","attributes":[${attributes}]},`;
  return `{"resourceSpans":[{"scopeSpans":[{"spans":[${span.repeat(bytes / span.length).slice(0, -1)}]}]}]}`;
}

/** Spans with as many attributes as are taken, each with a key of its own and next to nothing in it. */
function protoSpans(bytes: number): Buffer {
  const attributes: Buffer[] = [];
  for (let i = 0; i < 1000; i++) {
    const key = Buffer.from(`k${i}`);
    attributes.push(field(9, Buffer.concat([field(1, key), field(2, field(1, Buffer.from('v')))])));
  }
  const head = [field(1, Buffer.alloc(16, 1)), field(2, Buffer.alloc(8, 2)), field(5, Buffer.from('n'))];
  const span = field(2, Buffer.concat([...head, ...attributes]));
  const spans = Buffer.concat(Array.from({ length: Math.floor(bytes / span.length) }, () => span));
  return field(1, field(2, spans));
}

function field(number: number, bytes: Buffer): Buffer {
  const prefix = [number * 8 + 2];
  let length = bytes.length;
  for (; length > 127; length = Math.floor(length / 128)) prefix.push((length % 128) + 128);
  return Buffer.concat([Buffer.from([...prefix, length]), bytes]);
}
