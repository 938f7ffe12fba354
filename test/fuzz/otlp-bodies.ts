import type { Draw } from './draw.ts';
import { mutated } from './mutate.ts';
import { EXPORT_REQUESTS, type Signal } from './otlp-shapes.ts';
import { drawMessage, toJson, toProtobuf } from './shapes.ts';

/** Bodies of OTLP requests in both encodings: random, damaged, or shaped to cost as much as they can. */

export type Encoding = 'json' | 'protobuf';

/** Each of these costs the service up to a second. */
const COSTLY = 0.0006;
const DEEP = 0.003;
const DEPTH = 10_000;

export function otlpBody(draw: Draw, signal: Signal, encoding: Encoding): Buffer {
  if (draw.chance(COSTLY)) return costly(draw, signal, encoding);
  if (draw.chance(DEEP)) return deep(draw, encoding);
  const message = drawMessage(draw, EXPORT_REQUESTS[signal]);
  if (encoding === 'protobuf') return mutated(draw, toProtobuf(draw, message));
  const text = JSON.stringify(toJson(draw, message));
  return mutated(draw, Buffer.from(draw.chance(0.02) ? brokenJson(draw, text) : text));
}

/** What JSON does not know, written where it has a value. */
function brokenJson(draw: Draw, text: string): string {
  const word = draw.pick([
    'NaN',
    'Infinity',
    '-',
    '1e999',
    '"\\ud800"',
    '"\\u00"',
    "'a'",
    '{"a":1,"a":2}',
    '01',
    '/*c*/1',
  ]);
  return text.replace(/:"[^"]{0,20}"/, () => `:${word}`);
}

function deep(draw: Draw, encoding: Encoding): Buffer {
  if (encoding === 'json') {
    const open = draw.pick([
      '[',
      '{"a":',
      '{"resourceSpans":[',
      '{"value":{"kvlistValue":{"values":[{"key":"a","value":',
    ]);
    return Buffer.from(open.repeat(DEPTH));
  }
  // kvlist in kvlist: each level is a length and a tag in front of the one below.
  let bytes = Buffer.alloc(0);
  const tag = draw.pick([0x0a, 0x12, 0x2a, 0x32]);
  for (let level = 0; level < DEPTH / 10; level++) {
    const length = bytes.length;
    const head =
      length < 128
        ? [tag, length]
        : length < 16_384
          ? [tag, (length & 127) | 128, length >> 7]
          : [tag, (length & 127) | 128, ((length >> 7) & 127) | 128, length >> 14];
    bytes = Buffer.concat([Buffer.from(head), bytes]);
  }
  return bytes;
}

const MANY_ATTRIBUTES = 100_000;
const MANY_SPANS = 5_000;
const LINKED = 60;

/** Within the limits, as JSON or as a protobuf of empty messages. */
function costly(draw: Draw, signal: Signal, encoding: Encoding): Buffer {
  if (encoding === 'protobuf') return Buffer.alloc(draw.int(1 << 20), draw.pick([0x0a, 0x12, 0x00, 0x0a00]));
  if (signal !== 'traces') return Buffer.from(`{"resourceLogs":[${'{},'.repeat(draw.int(200_000))}{}]}`);
  const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, '0');
  const trace = hex(0xf0000 + draw.int(1000), 32);
  const spanOf = (index: number, more: object): object => ({
    traceId: trace,
    spanId: hex(index + 1, 16),
    name: 's',
    startTimeUnixNano: '1750000000000000000',
    endTimeUnixNano: '1750000001000000000',
    ...more,
  });
  const kind = draw.weighted({ attributes: 2, spans: 1, digraph: 2, ring: 1, chain: 1 });
  const spans = ((): readonly object[] => {
    switch (kind) {
      case 'attributes':
        return draw.list(100, (index) =>
          spanOf(index, {
            attributes: draw.list(MANY_ATTRIBUTES / 100, (n) => ({ key: `k${n}`, value: { intValue: n } })),
          }),
        );
      case 'spans':
        return draw.list(MANY_SPANS, (index) => spanOf(index, {}));
      case 'digraph':
        return draw.list(LINKED, (index) =>
          spanOf(index, {
            links: draw.list(LINKED, (other) => ({ traceId: trace, spanId: hex(other + 1, 16) })),
          }),
        );
      case 'ring':
        return draw.list(1000, (index) => spanOf(index, { parentSpanId: hex(((index + 1) % 1000) + 1, 16) }));
      case 'chain':
        return draw.list(1000, (index) =>
          spanOf(index, {
            parentSpanId: hex(index, 16),
            links: [{ traceId: trace, spanId: hex(1000 - index, 16) }],
          }),
        );
    }
  })();
  return Buffer.from(JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] }));
}
