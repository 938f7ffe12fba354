import { credentialHeaders } from '../../access/credentials.ts';
import type { Principal } from '../../access/principal.ts';
import { jsonAnswer, type Route } from './route.ts';

/** What was posted. */
export interface Posted {
  readonly body: Buffer;
  /** Empty when the sender named none. */
  readonly contentType: string;
  readonly query: URLSearchParams;
  readonly principal: Principal;
  /** What the sender is known by: `authorization` and `x-api-key`, those that it sent. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Takes what was posted; the answer's body is sent as JSON. @throws BoundaryError */
export type IngestHandler = (posted: Posted) => Promise<{ readonly status: number; readonly body: unknown }>;

export interface IngestKind {
  readonly path: string;
  /** The parameters that it knows. */
  readonly query: readonly string[];
  /** As what its items count, of which one key may send so many a second. */
  readonly counts: 'spans' | 'thoughts';
  /** It takes turns of its own. */
  readonly isNotInTurn?: true;
}

/** A POST of something to take in. */
export function ingestRoute({ path, query, counts, isNotInTurn }: IngestKind, handler: IngestHandler): Route {
  return {
    method: 'POST',
    path,
    needs: 'send',
    query,
    handle: async (request) => {
      const { perKey, principal } = request;
      perKey.admitMore(principal);
      const contentType = request.raw.headers['content-type'] ?? '';
      const headers = credentialHeaders(request.raw);
      const posted = { body: await request.body(), contentType, query: request.query, principal, headers };
      const { status, body } = isNotInTurn
        ? await handler(posted)
        : await perKey.inTurn(principal, () => handler(posted));
      const { accepted } = body as { readonly accepted?: unknown };
      if (typeof accepted === 'number') perKey.spend(principal, counts, accepted);
      return jsonAnswer(status, body);
    },
  };
}
