import { request as requestHttp, type IncomingMessage, type ServerResponse } from 'node:http';
import { request as requestHttps } from 'node:https';
import { BoundaryError } from '../base/boundary-error.ts';

/** What is silent for longer is given up: models think for minutes, tools run for longer. */
const SILENCE_MS = 15 * 60 * 1000;

/** Headers of an answer that a client needs to read it; all others are between the two servers. */
const PASSED_BACK = ['content-type', 'content-encoding', 'cache-control', 'retry-after'] as const;

export interface PassOnOptions {
  readonly url: URL;
  readonly headers: { readonly [name: string]: string };
  readonly body: Buffer;
  /** Told of each piece of an answer of events, as it came; the answer goes on without waiting. */
  readonly onEvents: (piece: Buffer) => void;
  /** Ends it from outside. */
  readonly cut?: Cut;
}

export interface Cut {
  readonly signal: AbortSignal;
  /** The event that tells the client so, where it can be told. */
  readonly lastEvent: () => Buffer;
}

/** The end of a server-sent event: a blank line. */
const END_OF_EVENT = /(?:\n\n|\r\r|\n\r\n)$/;

/**
 * Asks another server and passes its answer on, piece by piece as it comes, no faster than it is read. Who of the two goes
 * away is followed by the other. Redirects are not followed.
 * Resolves when the answer is over.
 * @throws BoundaryError UNAVAILABLE when nothing was answered: nothing was passed on either
 */
export async function passOn(response: ServerResponse, options: PassOnOptions): Promise<void> {
  const { url, headers, body, cut } = options;
  const request = url.protocol === 'https:' ? requestHttps : requestHttp;
  const outgoing = request(url, {
    method: 'POST',
    headers: { ...headers, 'content-length': String(body.length) },
    agent: false,
  });
  response.once('close', () => outgoing.destroy());
  cut?.signal.addEventListener('abort', () => outgoing.destroy(), { once: true });
  outgoing.setTimeout(SILENCE_MS, () => outgoing.destroy(new Error('silent')));
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    outgoing.once('response', resolve);
    outgoing.on('error', reject);
  });
  outgoing.end(body);
  let answer: IncomingMessage;
  try {
    answer = await answered;
  } catch (error) {
    if (cut?.signal.aborted === true)
      throw new BoundaryError('UNAVAILABLE', 'the run was ended before the agent answered', { cause: error });
    throw new BoundaryError(
      'UNAVAILABLE',
      'the agent does not answer: is it running, and is its URL right?',
      {
        cause: error,
      },
    );
  }
  const status = answer.statusCode ?? 502;
  if (status >= 300 && status < 400) {
    outgoing.destroy();
    throw new BoundaryError(
      'UNAVAILABLE',
      'the agent answers with a redirect, which is not followed: configure the URL that it leads to',
    );
  }
  await passBack(response, answer, status, options);
}

function passBack(
  response: ServerResponse,
  answer: IncomingMessage,
  status: number,
  { onEvents, cut }: PassOnOptions,
): Promise<void> {
  const headers: Record<string, string> = {};
  for (const name of PASSED_BACK) {
    const value = answer.headers[name];
    if (typeof value === 'string') headers[name] = value;
  }
  response.writeHead(status, headers);
  response.flushHeaders();
  const isRead = status < 300 && answer.headers['content-encoding'] === undefined;
  let tail = '';
  answer.on('data', (piece: Buffer) => {
    if (cut?.signal.aborted === true) return;
    tail = (tail + piece.subarray(-3).toString('latin1')).slice(-3);
    if (isRead) onEvents(piece);
    if (response.write(piece)) return;
    answer.pause();
    response.once('drain', () => answer.resume());
  });
  return new Promise((resolve) => {
    const end = (): void => {
      const isWhole = tail === '' || END_OF_EVENT.test(tail);
      const event = cut?.lastEvent();
      if (!event || !isRead) return void response.destroy();
      // What is cut off in an event has no end: then the client is not told by another.
      onEvents(isWhole ? event : Buffer.concat([Buffer.from('\n\n'), event]));
      if (isWhole) response.end(event);
      else response.destroy();
    };
    if (cut?.signal.aborted === true) end();
    cut?.signal.addEventListener('abort', end, { once: true });
    answer.once('end', () => response.end(resolve));
    // It is cut off: so is what was passed on, so that nobody takes it for the end.
    answer.once('error', () => {
      if (cut?.signal.aborted === true) return;
      response.destroy();
      resolve();
    });
    response.once('close', resolve);
  });
}
