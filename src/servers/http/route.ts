import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Role } from '../access/authenticator.ts';

/** What a route sees of a request. */
export interface HttpRequest {
  readonly raw: IncomingMessage;
  /** Named segments of the path, percent-decoded. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly role: Role;
  /** The body after decompression. @throws BoundaryError TOO_LARGE, UNSUPPORTED_MEDIA_TYPE, INVALID_ARGUMENT, RESOURCE_EXHAUSTED */
  readonly body: () => Promise<Buffer>;
}

export interface HttpAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** `/api/nodes/{id}`: a name in braces stands for one segment. */
  readonly path: string;
  /** True when it answers without a token. */
  readonly open?: true;
  /** The query parameters that exist; another one is refused. Absent: any are passed over. */
  readonly query?: readonly string[];
  /** Answers by value, or writes to `response` itself and returns nothing. */
  readonly handle: (
    request: HttpRequest,
    response: ServerResponse,
  ) => HttpAnswer | undefined | Promise<HttpAnswer | undefined>;
}

export function jsonAnswer(
  status: number,
  value: unknown,
  headers?: Readonly<Record<string, string>>,
): HttpAnswer {
  const answer = { status, contentType: 'application/json; charset=utf-8', body: JSON.stringify(value) };
  return headers === undefined ? answer : { ...answer, headers };
}
