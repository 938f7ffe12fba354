import type { Draw } from './draw.ts';
import type { Session } from './session.ts';
import { hostileText } from './values.ts';

export interface HttpRequest {
  readonly method: string;
  readonly target: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Buffer;
}

const HOSTS = [
  'localhost',
  '127.0.0.1:9000',
  '[::1]',
  'evil.example',
  '',
  'localhost, evil.example',
  'a'.repeat(300),
  '127.0.0.1@evil',
  '\u00e9',
];
const ORIGINS = ['http://evil.example', 'null', 'http://localhost', 'file://', 'vscode-webview://x', ''];
const LONG_HEADER = 20_000;
const MANY_HEADERS = 2_500;
const NORMAL = 0.85;

/** The bytes of a request, most of the time as HTTP wants them. `isLast`: asks the service to close. */
export function httpBytes(
  draw: Draw,
  { method, target, headers, body }: HttpRequest,
  isLast: boolean,
): Buffer {
  const lines = [
    `${method} ${target} ${draw.chance(0.99) ? 'HTTP/1.1' : draw.pick(['HTTP/1.0', 'HTTP/2.0', 'HTTP/9', 'HTTP', ''])}`,
  ];
  lines.push(`Host: ${draw.chance(0.95) ? 'localhost' : draw.pick(HOSTS)}`);
  for (const [name, value] of headers) lines.push(`${name}: ${value}`);
  if (isLast) lines.push('Connection: close');
  if (!draw.chance(NORMAL)) lines.push(...oddHeaders(draw));
  const framed = draw.chance(NORMAL) ? plain(body) : oddFraming(draw, body);
  lines.push(...framed.headers);
  // A text with line breaks in it would be other headers; that is wanted now and then.
  const head = lines.join(draw.chance(0.995) ? '\r\n' : '\n') + '\r\n\r\n';
  return Buffer.concat([Buffer.from(head, draw.chance(0.5) ? 'utf8' : 'latin1'), framed.body]);
}

function plain(body: Buffer): { readonly headers: readonly string[]; readonly body: Buffer } {
  return { headers: body.length > 0 ? [`Content-Length: ${body.length}`] : [], body };
}

function oddHeaders(draw: Draw): readonly string[] {
  switch (
    draw.weighted({ origin: 4, twice: 1, long: 0.5, many: 0.2, expect: 1, upgrade: 1, junk: 2, auth: 1 })
  ) {
    case 'origin':
      return [`Origin: ${draw.pick(ORIGINS)}`];
    case 'twice':
      return ['Host: localhost', 'Content-Type: text/plain'];
    case 'long':
      return [`X-Long: ${'a'.repeat(draw.int(LONG_HEADER))}`];
    case 'many':
      return draw.list(draw.int(MANY_HEADERS), (index) => `X-${index}: ${index}`);
    case 'expect':
      return [`Expect: ${draw.pick(['100-continue', '200-ok'])}`];
    case 'upgrade':
      return [
        `Connection: Upgrade${draw.pick(['', ', HTTP2-Settings'])}`,
        `Upgrade: ${draw.pick(['h2c', 'websocket', 'TLS/1.0', ''])}`,
      ];
    case 'junk':
      return [
        draw.pick([
          ': empty',
          'No-Colon',
          ' Folded: a',
          'A B: c',
          `X: ${hostileText(draw)}`,
          `${hostileText(draw)}: x`,
        ]),
      ];
    case 'auth':
      return [
        `Authorization: ${draw.pick(['Bearer', 'Bearer x', 'Basic Og==', `Bearer ${hostileText(draw)}`])}`,
      ];
  }
}

function oddFraming(
  draw: Draw,
  body: Buffer,
): { readonly headers: readonly string[]; readonly body: Buffer } {
  const length = body.length;
  switch (draw.weighted({ chunked: 4, short: 2, long: 2, absurd: 1, both: 1, none: 1, badChunk: 1 })) {
    case 'chunked':
      return { headers: ['Transfer-Encoding: chunked'], body: chunks(draw, body) };
    case 'short':
      return { headers: [`Content-Length: ${draw.int(length + 1)}`], body };
    case 'long':
      return { headers: [`Content-Length: ${length + 1 + draw.int(1e6)}`], body };
    case 'absurd':
      return {
        headers: [
          `Content-Length: ${draw.pick(['-1', '1e9', '99999999999', '18446744073709551616', '0x10', '', '5, 5'])}`,
        ],
        body,
      };
    case 'both':
      return {
        headers: [`Content-Length: ${length}`, 'Transfer-Encoding: chunked'],
        body: chunks(draw, body),
      };
    case 'none':
      return { headers: [], body };
    case 'badChunk':
      return {
        headers: ['Transfer-Encoding: chunked'],
        body: Buffer.concat([
          Buffer.from(
            draw.pick(['g\r\n', '-5\r\n', 'ffffffffffffffff\r\n', '5;' + 'a'.repeat(20_000), '\r\n']),
          ),
          body,
        ]),
      };
  }
}

function chunks(draw: Draw, body: Buffer): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; at < body.length;) {
    const size = Math.min(
      body.length - at,
      draw.chance(0.2) ? draw.between(1, 7) : draw.between(1, body.length),
    );
    parts.push(Buffer.from(`${size.toString(16)}\r\n`), body.subarray(at, at + size), Buffer.from('\r\n'));
    at += size;
    if (parts.length > 900) break;
  }
  return Buffer.concat([...parts, Buffer.from(draw.chance(0.95) ? '0\r\n\r\n' : '0\r\nTrailer: x\r\n\r\n')]);
}

const ANSWER_MS = 2_000;
const CUT_MS = 15;

/** One connection with one to three requests in a row, some of which never get whole. */
export function httpSession(
  draw: Draw,
  port: Session['port'],
  request: (draw: Draw) => HttpRequest,
): Session {
  const count = draw.chance(0.7) ? 1 : draw.between(2, 3);
  const bytes = Buffer.concat(
    draw.list(count, (index) => httpBytes(draw, request(draw), index === count - 1)),
  );
  const manner = draw.weighted({
    talks: 80,
    halfCloses: 5,
    resets: 5,
    silent: 4,
    neverReads: 2,
  } satisfies Partial<Record<Session['manner'], number>>);
  if (manner === 'silent' || manner === 'resets') {
    const cut = bytes.subarray(0, draw.chance(0.2) ? bytes.length - 1 : draw.int(bytes.length));
    return { port, parts: [cut], inputs: count, manner, patienceMs: CUT_MS };
  }
  if (draw.chance(0.1)) {
    const at = draw.int(bytes.length);
    return {
      port,
      parts: [bytes.subarray(0, at), bytes.subarray(at)],
      inputs: count,
      manner,
      patienceMs: ANSWER_MS,
    };
  }
  return { port, parts: [bytes], inputs: count, manner, patienceMs: draw.chance(0.9) ? ANSWER_MS : CUT_MS };
}
