import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { createGzip, gzip } from 'node:zlib';
import type { Turns } from '../../base/pace.ts';
import { HTTP_STATUS, type BoundaryError } from '../../base/boundary-error.ts';
import type { LargeAnswers } from './large-answers.ts';
import { jsonAnswer, type HttpAnswer, type Pieces } from './route.ts';
import { MethodNotAllowed } from './router.ts';

/** Below this a packet or two carry it anyway. */
const GZIP_FROM_BYTES = 8 * 1024;
/** Graphs shrink to a tenth at any level; the fastest costs a third of the default's CPU. */
const GZIP_LEVEL = 1;

/** How large answers are sent. */
export interface Sending {
  readonly large: LargeAnswers;
  readonly pace: Turns;
  /** Who reads; everybody is one if absent. */
  readonly who?: string;
}

const gzipAsync = promisify(gzip);

/**
 * Writes the answer; a HEAD request gets its headers only.
 * @param sending how many large ones may be under way, and how each is cut into turns
 * @throws BoundaryError RESOURCE_EXHAUSTED when too many large ones are under way
 */
export async function sendAnswer(
  request: IncomingMessage,
  response: ServerResponse,
  answer: HttpAnswer,
  sending: Sending,
): Promise<void> {
  if (response.headersSent || response.destroyed) return;
  response.statusCode = answer.status;
  for (const [name, value] of Object.entries(answer.headers ?? {})) response.setHeader(name, value);
  response.setHeader('Content-Type', answer.contentType);
  if (typeof answer.body === 'string') await sendWhole(request, response, Buffer.from(answer.body, 'utf8'));
  else await sendPieces(request, response, answer.body, sending);
}

async function sendWhole(request: IncomingMessage, response: ServerResponse, whole: Buffer): Promise<void> {
  let body = whole;
  if (body.length >= GZIP_FROM_BYTES) {
    response.appendHeader('Vary', 'Accept-Encoding');
    if (acceptsGzip(request)) {
      body = await gzipAsync(body, { level: GZIP_LEVEL });
      response.setHeader('Content-Encoding', 'gzip');
    }
  }
  response.setHeader('Content-Length', body.length);
  response.end(request.method === 'HEAD' ? undefined : body);
}

/** As long as it is not known before: each piece is made when the reader has room for it, in its turn of the event loop. */
async function sendPieces(
  request: IncomingMessage,
  response: ServerResponse,
  pieces: Pieces,
  { large, pace, who = '' }: Sending,
): Promise<void> {
  const isRead = request.method !== 'HEAD';
  if (isRead) large.begin(response, who);
  response.appendHeader('Vary', 'Accept-Encoding');
  const isZipped = acceptsGzip(request);
  if (isZipped) response.setHeader('Content-Encoding', 'gzip');
  if (!isRead) {
    response.end();
    return;
  }
  const inTheirTurns = async function* (): AsyncGenerator<string> {
    for await (const piece of pieces) {
      if (piece !== '') {
        yield piece;
        large.taken(response);
      }
      if (!pace.isOver) continue;
      await pace.rest();
      // It waited for its turn, not for its reader.
      large.taken(response);
    }
  };
  const source = Readable.from(inTheirTurns(), { highWaterMark: 1 });
  try {
    if (isZipped) await pipeline(source, createGzip({ level: GZIP_LEVEL }), response);
    else await pipeline(source, response);
  } finally {
    large.end(response);
  }
}

/** `{error: {code, message}}` with the status of the code. */
export function errorAnswer(error: BoundaryError): HttpAnswer {
  const headers: Record<string, string> = {};
  if (error instanceof MethodNotAllowed) headers['Allow'] = error.allow;
  if (error.code === 'UNAUTHENTICATED') headers['WWW-Authenticate'] = 'Bearer';
  if (error.retryAfterMs !== undefined) headers['Retry-After'] = String(Math.ceil(error.retryAfterMs / 1000));
  const { code, message } = error;
  return jsonAnswer(HTTP_STATUS[code], { error: { code, message } }, headers);
}

/** RFC 9110, 12.5.3; a weight of 0 refuses. */
export function acceptsGzip(request: IncomingMessage): boolean {
  const accepted = (request.headers['accept-encoding'] ?? '').toLowerCase();
  return accepted
    .split(',')
    .map((part) => part.split(';').map((word) => word.trim()))
    .some(([name, weight]) => name === 'gzip' && !/^q=0(\.0*)?$/.test(weight ?? ''));
}
