import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { BoundaryError, HTTP_STATUS } from '../../base/boundary-error.ts';
import { tellAsked } from '../../receivers/ag-ui/asked-input.ts';
import { StreamTap } from '../../receivers/ag-ui/stream-tap.ts';
import { createHostOriginCheck } from '../../transport/host-origin-check.ts';
import { passOn } from '../../transport/pass-on.ts';
import { objectIn } from '../../base/json.ts';

/** A conversation with pictures fits; more is none. */
const MAX_INPUT_BYTES = 64 * 1024 * 1024;
const HOST = '127.0.0.1';

export interface TeeOptions {
  /** The endpoint of an agent. */
  readonly agent: URL;
  /** 0 takes a free one. */
  readonly port: number;
  /** Web pages that may use it. */
  readonly allowedOrigins: readonly string[];
  /** Takes in what is passed on. @param runId as the client named it */
  readonly deliver: (body: Buffer, runId: string | undefined) => Promise<void>;
  /** Told of bytes that were passed on and not delivered. */
  readonly onLost: (bytes: number, error: unknown) => void;
}

export interface Tee {
  readonly url: string;
  close(): Promise<void>;
}

/**
 * A small server between a client of AG-UI and its agent: what the agent answers is passed on unchanged, and delivered
 * besides. It listens on loopback alone.
 */
export async function startTee(options: TeeOptions): Promise<Tee> {
  const check = createHostOriginCheck({ host: HOST, allowedOrigins: options.allowedOrigins });
  const server = createServer((request, response) => {
    answer(request, response, options, check).catch((error: unknown) => refuse(response, error));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, HOST, resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${HOST}:${port}/`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  { agent, deliver, onLost }: TeeOptions,
  check: ReturnType<typeof createHostOriginCheck>,
): Promise<void> {
  const origin = check.check(request.headers);
  if (origin !== undefined) {
    response.setHeader('access-control-allow-origin', origin);
    response.setHeader(
      'access-control-allow-headers',
      request.headers['access-control-request-headers'] ?? '*',
    );
  }
  if (request.method === 'OPTIONS') return void response.writeHead(204).end();
  if (request.method !== 'POST')
    throw new BoundaryError('METHOD_NOT_ALLOWED', 'only POST is passed on: a run of AG-UI is one');
  const body = await bodyOf(request);
  const runId = runIdIn(body);
  const withAsked = tellAsked(body);
  const tap = new StreamTap({
    take: (frames) => deliver(withAsked(frames), runId),
    onLost,
  });
  try {
    await passOn(response, {
      url: agent,
      headers: headersFor(request),
      body,
      onEvents: (piece) => tap.push(piece),
    });
  } finally {
    await tap.end();
  }
}

function refuse(response: ServerResponse, thrown: unknown): void {
  if (response.headersSent) return void response.destroy();
  const error = BoundaryError.from(thrown);
  response.writeHead(HTTP_STATUS[error.code], { 'content-type': 'application/json' });
  response.end(JSON.stringify({ error: { code: error.code, message: error.message } }));
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of request as AsyncIterable<Buffer>) {
    bytes += piece.length;
    if (bytes > MAX_INPUT_BYTES)
      throw new BoundaryError('TOO_LARGE', `the input has more than ${MAX_INPUT_BYTES} bytes`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

function runIdIn(body: Buffer): string | undefined {
  // What is wrong with it says the agent.
  const runId = objectIn(body.toString('utf8'))?.['runId'];
  return typeof runId === 'string' && runId !== '' ? runId : undefined;
}

/** Headers that are between two servers, or ask for an answer that could not be read here. */
const OWN = new Set([
  'host',
  'connection',
  'content-length',
  'transfer-encoding',
  'accept',
  'accept-encoding',
  'expect',
  'keep-alive',
  'upgrade',
]);

function headersFor({ headers }: IncomingMessage): { readonly [name: string]: string } {
  const passed = Object.entries(headers).filter(
    (entry): entry is [string, string] => !OWN.has(entry[0]) && typeof entry[1] === 'string',
  );
  return { ...Object.fromEntries(passed), accept: 'text/event-stream', 'accept-encoding': 'identity' };
}
