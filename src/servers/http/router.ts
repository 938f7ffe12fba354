import { BoundaryError } from '../../base/boundary-error.ts';
import type { Route } from './route.ts';

export interface RouteMatch {
  readonly route: Route;
  readonly params: Readonly<Record<string, string>>;
}

/** Says which methods the path has, for the `Allow` header (RFC 9110, 15.5.6). */
export class MethodNotAllowed extends BoundaryError {
  readonly allow: string;

  constructor(allow: string) {
    super('METHOD_NOT_ALLOWED', `this path answers ${allow}`);
    this.allow = allow;
  }
}

/** No route has such a path, whatever the method. */
export class UnknownPath extends BoundaryError {
  /** The paths that there are. */
  readonly known: readonly string[];

  constructor(known: readonly string[]) {
    super(
      'NOT_FOUND',
      `there is nothing at this path; there is ${known.join(', ')}, and for OTLP POST /v1/traces, /v1/logs, /v1/metrics`,
    );
    this.known = known;
  }
}

export type Router = (method: string, path: string) => RouteMatch;

/** @returns a function that finds the route, or throws BoundaryError NOT_FOUND, METHOD_NOT_ALLOWED, INVALID_ARGUMENT */
export function createRouter(routes: readonly Route[]): Router {
  const known = [...new Set(routes.map((route) => route.path))];

  return (method, path) => {
    const segments = path.split('/');
    const candidates = routes.filter((route) => samePath(route.path.split('/'), segments));
    if (candidates.length === 0) throw new UnknownPath(known);
    const wanted = method === 'HEAD' ? 'GET' : method;
    const route = candidates.find((candidate) => candidate.method === wanted);
    if (route === undefined) throw new MethodNotAllowed(allowedMethods(candidates));
    return { route, params: pathParams(route.path.split('/'), segments) };
  };
}

function allowedMethods(routes: readonly Route[]): string {
  return routes.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method])).join(', ');
}

function samePath(pattern: readonly string[], segments: readonly string[]): boolean {
  if (pattern.length !== segments.length) return false;
  return pattern.every((part, index) =>
    isParameter(part) ? segments[index] !== '' : part === segments[index],
  );
}

function isParameter(part: string): boolean {
  return part.startsWith('{');
}

function pathParams(pattern: readonly string[], segments: readonly string[]): Record<string, string> {
  const params: Record<string, string> = {};
  for (const [index, part] of pattern.entries()) {
    if (isParameter(part)) params[part.slice(1, -1)] = decode(segments[index] ?? '');
  }
  return params;
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch (cause) {
    throw new BoundaryError('INVALID_ARGUMENT', 'the path is not percent-encoded UTF-8', { cause });
  }
}
