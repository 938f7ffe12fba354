import type { IncomingMessage, ServerResponse } from 'node:http';
import { BoundaryError } from '../../base/boundary-error.ts';
import { systemClock } from '../../base/clock.ts';
import { Pace, type Turns } from '../../base/pace.ts';
import type { AdaptationsApi } from '../../model/adaptations-api.ts';
import type { ReaderApi } from '../../subscriptions/reader-api.ts';
import type { Logger } from '../../telemetry/logger.ts';
import type { Authenticator } from '../access/authenticator.ts';
import type { HostOriginCheck } from '../../transport/host-origin-check.ts';
import { RequestBodies, type RequestBodiesOptions } from '../../transport/request-bodies.ts';
import { adaptationRoutes } from './adaptation-routes.ts';
import { LargeAnswers } from './large-answers.ts';
import { mcpRoute } from './mcp/mcp-route.ts';
import { pageRoutes } from './page.ts';
import { readerRoutes } from './reader-routes.ts';
import type { Route } from './route.ts';
import { createRouter } from './router.ts';
import type { Router } from './router.ts';
import { SECURITY_HEADERS, errorAnswer, sendAnswer, type Sending } from './send-answer.ts';
import { serviceRoutes } from './service-routes.ts';
import type { ServiceRouteOptions } from './service-routes.ts';

export interface HttpApiOptions extends ServiceRouteOptions {
  readonly reader: ReaderApi;
  readonly adaptations: AdaptationsApi;
  readonly hostOriginCheck: HostOriginCheck;
  readonly authenticator: Authenticator;
  readonly logger: Logger;
  /** Further routes; one with the method and path of a built-in route is never reached. */
  readonly routes?: readonly Route[];
  readonly bodies: RequestBodiesOptions;
  /** How large answers are cut into turns. One of its own if absent. */
  readonly pace?: Turns;
}

/** The HTTP face of the service: Host and Origin, then token, then route; every failure is JSON. */
export class HttpApi {
  private readonly options: HttpApiOptions;
  private readonly router: Router;
  private readonly bodies: RequestBodies;
  private readonly sending: Sending;

  constructor(options: HttpApiOptions) {
    this.options = options;
    this.sending = { large: new LargeAnswers(systemClock), pace: options.pace ?? new Pace(systemClock) };
    this.bodies = new RequestBodies(options.bodies);
    this.router = createRouter([
      ...pageRoutes(),
      ...serviceRoutes(options),
      ...readerRoutes(options.reader),
      ...adaptationRoutes(options.adaptations),
      mcpRoute(options),
      ...(options.routes ?? []),
    ]);
  }

  /** A `request` listener of node:http. Never throws. */
  readonly handle = (request: IncomingMessage, response: ServerResponse): void => {
    response.on('error', () => undefined);
    const body = this.bodies.open(request, response);
    this.answer(request, response, () => body.read())
      .catch((error: unknown) => this.fail(request, response, error))
      .finally(() => body.close());
  };

  private async answer(
    request: IncomingMessage,
    response: ServerResponse,
    body: () => Promise<Buffer>,
  ): Promise<void> {
    for (const [name, value] of Object.entries(SECURITY_HEADERS)) response.setHeader(name, value);
    const corsOrigin = this.options.hostOriginCheck.check(request.headers);
    if (corsOrigin !== undefined) allowOrigin(response, corsOrigin);
    if (request.method === 'OPTIONS' && corsOrigin !== undefined) {
      response.writeHead(204).end();
      return;
    }

    const { path, query } = splitTarget(request.url ?? '/');
    const { route, params } = this.router(request.method ?? 'GET', path);
    const role = route.open === true ? 'reader' : this.options.authenticator.authenticate(request.headers);
    checkQuery(route, query);
    const answer = await route.handle({ raw: request, params, query, role, body }, response);
    if (answer !== undefined) await sendAnswer(request, response, answer, this.sending);
  }

  private async fail(request: IncomingMessage, response: ServerResponse, thrown: unknown): Promise<void> {
    // The client went away in the middle: nobody is there to be told.
    if (response.destroyed || (request.destroyed && !request.complete)) return;
    const error = BoundaryError.from(thrown);
    if (error.code === 'INTERNAL') {
      this.options.logger.error({ err: errorName(thrown), method: request.method }, 'HTTP request failed');
    }
    if (response.headersSent) {
      response.destroy();
      return;
    }
    if (error.code === 'DEADLINE_EXCEEDED') response.setHeader('Connection', 'close');
    await sendAnswer(request, response, errorAnswer(error), this.sending);
  }
}

/** The class of an unknown error; its text may quote what the client sent. */
function errorName(thrown: unknown): string {
  const cause = thrown instanceof BoundaryError ? thrown.cause : thrown;
  return cause instanceof Error ? cause.name : typeof cause;
}

/** Fetch standard, CORS protocol: for origins that the check let through by configuration. */
function allowOrigin(response: ServerResponse, origin: string): void {
  response.setHeader('Access-Control-Allow-Origin', origin);
  response.setHeader('Access-Control-Allow-Methods', 'GET, HEAD, POST, PUT');
  response.setHeader(
    'Access-Control-Allow-Headers',
    'authorization, content-type, content-encoding, if-match, mcp-protocol-version',
  );
  response.appendHeader('Vary', 'Origin');
}

function splitTarget(target: string): { readonly path: string; readonly query: URLSearchParams } {
  const mark = target.indexOf('?');
  if (mark < 0) return { path: target, query: new URLSearchParams() };
  return { path: target.slice(0, mark), query: new URLSearchParams(target.slice(mark + 1)) };
}

function checkQuery(route: Route, query: URLSearchParams): void {
  if (route.query === undefined) return;
  for (const name of query.keys()) {
    if (route.query.includes(name)) continue;
    const known = route.query.length === 0 ? 'none' : route.query.join(', ');
    throw new BoundaryError(
      'INVALID_ARGUMENT',
      `unknown query parameter ${quoteName(name)}; this path takes ${known}`,
    );
  }
}

/** A parameter's name is a name, not a value: it is said when it looks like one. */
function quoteName(name: string): string {
  return /^[A-Za-z][\w.-]{0,40}$/.test(name) ? `\`${name}\`` : '(not a plain name)';
}
