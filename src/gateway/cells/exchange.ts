import { once } from 'node:events';
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { ClientTls } from '../../client/node-fetch.ts';

/** What the gateway shows at its cells. */
export interface CellAccess {
  /** Its key there. */
  readonly token?: string | undefined;
  /** Plain text if absent. */
  readonly tls?: ClientTls | undefined;
}

/** One request over HTTP/1.1 to the readers' port of a cell. */
export interface Exchange {
  /** `host:port`, an IPv6 address in brackets. */
  readonly address: string;
  readonly tls: ClientTls | undefined;
  readonly agent: HttpAgent;
  readonly method: 'POST' | 'GET';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Buffer | undefined;
  /** Bytes of the answer's body. */
  readonly maxBytes: number;
  /** Ends it, however far it came. */
  readonly signal: AbortSignal;
}

/** What a cell answered, whatever its status. */
export interface CellAnswer {
  readonly status: number;
  /** Seconds of the header Retry-After. */
  readonly retryAfter: number | undefined;
  readonly body: Buffer;
}

/** A cell did not answer. The message is for people, behind the name of the cell, and holds nothing of what the cell sent. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
  /** A connection that had been used before was closed, and nothing of an answer came over it. */
  readonly wasKept: boolean;

  constructor(message: string, cause: unknown, wasKept: boolean) {
    super(message, { cause });
    this.wasKept = wasKept;
  }
}

/** The connections to one cell, or to all that are asked the same way. */
export function agentFor(
  tls: ClientTls | undefined,
  settings: { readonly keepAlive: boolean; readonly maxSockets: number },
): HttpAgent {
  return tls ? new HttpsAgent({ ...settings, ...tls }) : new HttpAgent(settings);
}

/** The header by which cells know the gateway. */
export function gatewayKey(token: string | undefined): Readonly<Record<string, string>> {
  return token === undefined ? {} : { authorization: `Bearer ${token}` };
}

/** @throws NoAnswer when there is none, when it is cut off or when it is too large */
export async function exchange({
  address,
  tls,
  agent,
  method,
  path,
  headers,
  body,
  maxBytes,
  signal,
}: Exchange): Promise<CellAnswer> {
  const send = tls ? httpsRequest : httpRequest;
  const length = body && { 'content-length': body.length };
  const asked = send({
    agent,
    ...hostAndPort(address),
    method,
    path,
    headers: { ...headers, ...length },
    signal,
  });
  // The connection may also fail after the answer; without a listener that would end the process.
  asked.on('error', () => undefined).end(body);
  let response: IncomingMessage | undefined;
  try {
    [response] = (await once(asked, 'response')) as [IncomingMessage];
    const { statusCode: status = 0, headers: answered } = response;
    const seconds = answered['retry-after'] ?? '';
    const retryAfter = /^\d{1,6}$/.test(seconds) ? Number(seconds) : undefined;
    return { status, retryAfter, body: await bodyOf(response, maxBytes) };
  } catch (error) {
    throw new NoAnswer(inWords(error), error, asked.reusedSocket && !response && !signal.aborted);
  }
}

function hostAndPort(address: string): { readonly host: string; readonly port: number } {
  const colon = address.lastIndexOf(':');
  const host = address.slice(0, colon).replace(/^\[|\]$/g, '');
  return { host, port: Number(address.slice(colon + 1)) };
}

async function bodyOf(response: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of response as AsyncIterable<Buffer>) {
    size += piece.length;
    if (size > maxBytes) throw new Error(`answers more than ${maxBytes} bytes`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces, size);
}

/** Errors of the system and of TLS have codes; what else is said may hold anything. */
function inWords(error: unknown): string {
  if (!(error instanceof Error)) return 'cannot be asked';
  if (!('code' in error)) return error.message;
  const code = String(error.code);
  return WORDS[code] ?? `cannot be reached (${code})`;
}

const WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'cannot be reached: nothing listens there (ECONNREFUSED)',
  ENOTFOUND: 'cannot be reached: its name is not known (ENOTFOUND)',
  ECONNRESET: 'broke off its answer (ECONNRESET)',
};
