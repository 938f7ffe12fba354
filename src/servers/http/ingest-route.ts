import { jsonAnswer, type Route } from './route.ts';

/** What was posted. */
export interface Posted {
  readonly body: Buffer;
  /** Empty when the sender named none. */
  readonly contentType: string;
  readonly query: URLSearchParams;
}

/** Takes what was posted; the answer's body is sent as JSON. @throws BoundaryError */
export type IngestHandler = (posted: Posted) => Promise<{ readonly status: number; readonly body: unknown }>;

/** A POST of something to take in. @param query the parameters that it knows */
export function ingestRoute(path: string, query: readonly string[], handler: IngestHandler): Route {
  return {
    method: 'POST',
    path,
    needs: 'send',
    query,
    handle: async (request) => {
      const contentType = request.raw.headers['content-type'] ?? '';
      const { status, body } = await handler({
        body: await request.body(),
        contentType,
        query: request.query,
      });
      return jsonAnswer(status, body);
    },
  };
}
