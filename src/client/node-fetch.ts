import { Agent, request } from 'node:https';
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';

/** What a client in Node trusts and shows over TLS: the text of a PEM file each. What is absent is as Node has it. */
export interface ClientTls {
  /** Whose certificates of services are trusted, in place of the authorities that Node knows. */
  readonly ca?: string;
  /** The client's own certificate and key, for services that ask for one. */
  readonly cert?: string;
  readonly key?: string;
}

type Fetch = typeof fetch;

/** Statuses of answers that may have no body (Fetch standard). */
const WITHOUT_BODY: ReadonlySet<number> = new Set([204, 205, 304]);

/**
 * `fetch` with certificates of one's own, which Node's has no way to be given. Takes a method, headers, a text as body and
 * a signal, and follows no redirect.
 */
export function fetchWith(tls: ClientTls | undefined): Fetch {
  if (tls === undefined) return fetch;
  const agent = new Agent({ keepAlive: true, ...tls });
  return async (input, init = {}) => {
    const { method = 'GET', headers, body, signal } = init;
    const url = input instanceof Request ? input.url : input;
    if (new URL(url).protocol !== 'https:') return fetch(input, init);
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      const sent = request(url, {
        agent,
        method,
        headers: Object.fromEntries(new Headers(headers)),
        ...(signal && { signal }),
      });
      sent.once('response', resolve).once('error', reject);
      sent.end(body);
    });
    const { statusCode: status = 0 } = answer;
    const pairs = Object.entries(answer.headers).flatMap(([name, values]) =>
      [values ?? []].flat().map((value): [string, string] => [name, value]),
    );
    const isEmpty = WITHOUT_BODY.has(status);
    if (isEmpty) answer.resume();
    return new Response(isEmpty ? null : (Readable.toWeb(answer) as ReadableStream), {
      status,
      headers: pairs,
    });
  };
}
