import type { IncomingMessage, ServerResponse } from 'node:http';
import { jsonAnswer } from './route.ts';
import type { HttpRequest, Route } from './route.ts';

export interface Readiness {
  readonly ready: boolean;
  /** What is missing, for people; empty when ready. */
  readonly reasons: readonly string[];
}

/** Takes what was posted; the answer's body is sent as JSON. @throws BoundaryError */
export type IngestHandler = (
  body: Buffer,
  contentType: string,
) => Promise<{ readonly status: number; readonly body: unknown }>;

export interface ServiceRouteOptions {
  readonly readiness: () => Readiness;
  /** Writes the whole answer, as the Prometheus exporter's own handler does. */
  readonly metrics: (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;
  readonly cot: IngestHandler;
  readonly events: IngestHandler;
}

export function serviceRoutes(options: ServiceRouteOptions): readonly Route[] {
  return [
    { method: 'GET', path: '/healthz', open: true, handle: () => jsonAnswer(200, { status: 'alive' }) },
    {
      method: 'GET',
      path: '/readyz',
      handle: () => {
        const { ready, reasons } = options.readiness();
        return jsonAnswer(ready ? 200 : 503, { ready, reasons });
      },
    },
    {
      method: 'GET',
      path: '/metrics',
      handle: async ({ raw }, response) => {
        await options.metrics(raw, response);
        return undefined;
      },
    },
    { method: 'POST', path: '/api/cot', query: [], handle: (request) => ingest(request, options.cot) },
    { method: 'POST', path: '/api/events', query: [], handle: (request) => ingest(request, options.events) },
  ];
}

async function ingest(request: HttpRequest, handler: IngestHandler) {
  const { status, body } = await handler(await request.body(), request.raw.headers['content-type'] ?? '');
  return jsonAnswer(status, body);
}
