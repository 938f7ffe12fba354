import type { IncomingMessage, ServerResponse } from 'node:http';
import { httpCredentials } from '../../access/credentials.ts';
import type { Limits } from '../../access/limits.ts';
import { demand, STRANGER, type Access, type Principal, type RefusedEntry } from '../../access/principal.ts';
import { isOfWhoChanges } from '../../access/roles.ts';
import type { WayIn } from '../../access/ways-in.ts';
import { BoundaryError } from '../../base/boundary-error.ts';
import { systemClock } from '../../base/clock.ts';
import { Pace, type Turns } from '../../base/pace.ts';
import type { Logger } from '../../telemetry/logger.ts';
import type { HostOriginCheck } from '../../transport/host-origin-check.ts';
import type { Sender } from '../../transport/inflight-bytes.ts';
import { SECURITY_HEADERS } from '../../transport/security-headers.ts';
import { RequestBodies, type RequestBodiesOptions } from '../../transport/request-bodies.ts';
import { onlyKnown } from '../query.ts';
import { checkCsrf } from './login/own-page.ts';
import { LargeAnswers } from './large-answers.ts';
import { pageRoutes } from './page.ts';
import type { HttpAnswer, HttpRequest, Route } from './route.ts';
import { createRouter, UnknownPath, type RouteMatch, type Router } from './router.ts';
import type { SpaceOf } from '../space.ts';
import type { HttpSpace } from './http-space.ts';
import { errorAnswer, sendAnswer, type Sending } from './send-answer.ts';
import { serviceRoutes, type ServiceRouteOptions } from './service-routes.ts';
import { unknownPathPage, wantsPage } from './unknown-path-page.ts';
import { errorName } from '../../telemetry/safe-error.ts';

export interface HttpApiOptions extends ServiceRouteOptions {
  readonly access: Access;
  readonly spaceOf: SpaceOf<HttpSpace>;
  readonly perKey: Limits;
  readonly hostOriginCheck: HostOriginCheck;
  readonly logger: Logger;
  /** Further routes of the service as a whole; those of spaces come after them. */
  readonly routes?: readonly Route[];
  readonly bodies: RequestBodiesOptions;
  /** How large answers are cut into turns. One of its own if absent. */
  readonly pace?: Turns;
}

/** The HTTP face of the service: Host and Origin, then route, then who asks; every failure is JSON, but for a person at a path that is not there. */
export class HttpApi {
  private readonly options: HttpApiOptions;
  private readonly routers = new WeakMap<HttpSpace, Router>();
  private readonly ownRoutes: readonly Route[];
  private readonly bodies: RequestBodies;
  private readonly sending: Sending;

  constructor(options: HttpApiOptions) {
    this.options = options;
    this.sending = { large: new LargeAnswers(systemClock), pace: options.pace ?? new Pace(systemClock) };
    this.bodies = new RequestBodies(options.bodies);
    this.ownRoutes = [...pageRoutes(), ...serviceRoutes(options), ...(options.routes ?? [])];
  }

  /** Every way in over HTTP: all spaces have the same. */
  get waysIn(): readonly WayIn[] {
    const routes = [...this.ownRoutes, ...this.options.spaceOf(STRANGER).routes];
    return routes.map(({ method, path, needs }) => ({ over: 'HTTP', name: `${method} ${path}`, needs }));
  }

  /** A `request` listener of node:http. Never throws. */
  readonly handle = (request: IncomingMessage, response: ServerResponse): void => {
    response.on('error', () => undefined);
    const body = this.bodies.open(request, response);
    this.answer(request, response, (sender) => body.read(sender))
      .catch((error: unknown) => this.fail(request, response, error))
      .finally(() => body.close());
  };

  private async answer(
    request: IncomingMessage,
    response: ServerResponse,
    read: (sender: Sender) => Promise<Buffer>,
  ): Promise<void> {
    for (const [name, value] of Object.entries(SECURITY_HEADERS)) response.setHeader(name, value);
    const corsOrigin = this.options.hostOriginCheck.check(request.headers);
    if (corsOrigin !== undefined) allowOrigin(response, corsOrigin);
    if (request.method === 'OPTIONS' && corsOrigin !== undefined) {
      response.writeHead(204).end();
      return;
    }

    const { path, query } = splitTarget(request.url ?? '/');
    const principal = await this.admit(request, path);
    const found = this.find(principal, request, path);
    const { params } = found;
    response.on(
      'close',
      this.options.access.watch(principal, () => response.destroy()),
    );
    const { perKey } = this.options;
    const body = (): Promise<Buffer> => read(perKey.sender(principal));
    const asked = { raw: request, params, query, principal, body, perKey };
    const answer = await this.handled(found, asked, response);
    if (answer === undefined) return;
    await sendAnswer(request, response, answer, { ...this.sending, who: principal.id });
  }

  /** The one place where it is decided who may. @throws BoundaryError UNAUTHENTICATED, PERMISSION_DENIED */
  private async admit(request: IncomingMessage, path: string): Promise<Principal> {
    const { route, params } = this.find(STRANGER, request, path);
    if (route.needs === 'nothing') return STRANGER;
    const { access } = this.options;
    const credentials = httpCredentials(request);
    let principal: Principal | undefined;
    try {
      principal = access.identify(credentials);
      demand(principal, route.needs);
      checkCsrf(request, principal);
      return principal;
    } catch (thrown) {
      const error = BoundaryError.from(thrown);
      // On record where it belongs: what was asked for may be an id of the project of who asked.
      const own = principal ? this.find(principal, request, path).route : route;
      await this.tellRefused(own, { raw: request, params, ...(principal && { principal }) }, { error });
      throw error;
    }
  }

  /** What changes something, and fails, is on record as well: who tries is of interest. */
  private async handled(
    { route }: RouteMatch,
    asked: HttpRequest,
    response: ServerResponse,
  ): Promise<HttpAnswer | undefined> {
    try {
      onlyKnown(asked.query, route.query);
      return await route.handle(asked, response);
    } catch (thrown) {
      const error = BoundaryError.from(thrown);
      const wasLetIn = isOfWhoChanges(route.needs);
      // Nothing of what a sender posted was among its capabilities.
      const isForbidden = route.needs === 'send' && error.code === 'PERMISSION_DENIED';
      if (route.method !== 'GET' && (wasLetIn || isForbidden))
        await this.tellRefused(route, asked, { error, wasLetIn });
      throw thrown;
    }
  }

  private async tellRefused(
    route: Route,
    { raw, params, principal }: Pick<HttpRequest, 'raw' | 'params'> & { readonly principal?: Principal },
    { error, wasLetIn }: Pick<RefusedEntry, 'error' | 'wasLetIn'>,
  ): Promise<void> {
    if (route.refused) return route.refused({ raw, params, error, ...(principal && { principal }) });
    const way = `${route.method} ${route.path}`;
    const credentials = httpCredentials(raw);
    this.options.access.refused({
      way,
      error,
      credentials,
      principal,
      ...(wasLetIn === true && { wasLetIn }),
    });
  }

  private find(principal: Principal, request: IncomingMessage, path: string): RouteMatch {
    const space = this.options.spaceOf(principal);
    let router = this.routers.get(space);
    if (!router) {
      router = createRouter([...this.ownRoutes, ...space.routes]);
      this.routers.set(space, router);
    }
    return router(request.method ?? 'GET', path);
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
    const isPage = error instanceof UnknownPath && wantsPage(request);
    if (error instanceof UnknownPath) response.appendHeader('Vary', 'Accept');
    const { path } = splitTarget(request.url ?? '/');
    const answer = isPage ? unknownPathPage(path, error.known) : errorAnswer(error);
    await sendAnswer(request, response, answer, this.sending);
  }
}

/** Fetch standard, CORS protocol: for origins that the check let through by configuration. */
function allowOrigin(response: ServerResponse, origin: string): void {
  response.setHeader('Access-Control-Allow-Origin', origin);
  response.setHeader('Access-Control-Allow-Methods', 'GET, HEAD, POST, PUT, DELETE');
  response.setHeader(
    'Access-Control-Allow-Headers',
    'authorization, x-api-key, content-type, content-encoding, if-match, mcp-protocol-version',
  );
  response.appendHeader('Vary', 'Origin');
}

function splitTarget(target: string): { readonly path: string; readonly query: URLSearchParams } {
  const mark = target.indexOf('?');
  if (mark < 0) return { path: target, query: new URLSearchParams() };
  return { path: target.slice(0, mark), query: new URLSearchParams(target.slice(mark + 1)) };
}
