import { request as plainRequest, Agent as PlainAgent } from 'node:http';
import { request as tlsRequest, Agent as TlsAgent } from 'node:https';
import type { CellAnswer } from './cell-answer.ts';

/** What a cell says of itself has some hundred bytes; its reasons are sentences. */
const MAX_BODY_BYTES = 64 * 1024;

/**
 * Asks one cell who it is.
 * @param address `host:port` @param signal ends it, however far it came
 * @throws Error whose message is for people, behind the name of the cell
 */
export type AskCell = (address: string, signal: AbortSignal) => Promise<CellAnswer>;

interface AskCellOptions {
  /** The gateway's key at the cells. */
  readonly token?: string | undefined;
  /** PEM. Without it cells are asked in plain text. */
  readonly tls?: { readonly ca?: Buffer; readonly cert?: Buffer; readonly key?: Buffer } | undefined;
}

/** Over HTTP, with connections that are kept: a cell is asked all the time. */
export function askOverHttp({ token, tls }: AskCellOptions): {
  readonly ask: AskCell;
  readonly close: () => void;
} {
  const agent = tls
    ? new TlsAgent({ ...tls, keepAlive: true, maxSockets: 2, minVersion: 'TLSv1.2' })
    : new PlainAgent({ keepAlive: true, maxSockets: 2 });
  const request = tls ? tlsRequest : plainRequest;
  const headers = {
    accept: 'application/json',
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
  };
  const ask: AskCell = (address, signal) =>
    new Promise((resolve, reject) => {
      const url = new URL(`${tls ? 'https' : 'http'}://${address}/api/cell`);
      const asked = request(url, { agent, headers, signal }, (response) => {
        const parts: Buffer[] = [];
        let bytes = 0;
        response.on('data', (part: Buffer) => {
          bytes += part.length;
          parts.push(part);
          if (bytes > MAX_BODY_BYTES)
            response.destroy(new Error(`answers more than ${MAX_BODY_BYTES} bytes`));
        });
        response.on('error', (error) => reject(inWords(error)));
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, body: Buffer.concat(parts).toString('utf8') }),
        );
      });
      asked.on('error', (error) => reject(inWords(error)));
      asked.end();
    });
  return { ask, close: () => agent.destroy() };
}

/** Errors of the system and of TLS have codes; what else is said may hold anything. */
function inWords(error: Error): Error {
  if (!('code' in error)) return error;
  const code = String(error.code);
  return new Error(WORDS[code] ?? `cannot be reached (${code})`, { cause: error });
}

const WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'cannot be reached: nothing listens there (ECONNREFUSED)',
  ENOTFOUND: 'cannot be reached: its name is not known (ENOTFOUND)',
  ECONNRESET: 'broke off its answer (ECONNRESET)',
};
