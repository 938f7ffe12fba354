import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Limits } from '../../access/limits.ts';
import type { Principal } from '../../access/principal.ts';
import type { Need } from '../../access/roles.ts';
import type { BoundaryError } from '../../base/boundary-error.ts';
import { joined, jsonPieces } from './json-pieces.ts';
import { readObject } from './read-object.ts';

/** What a route sees of a request. */
export interface HttpRequest {
  readonly raw: IncomingMessage;
  /** Named segments of the path, percent-decoded. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** Who asks; a stranger where that needs nothing. */
  readonly principal: Principal;
  /** The body after decompression. @throws BoundaryError TOO_LARGE, UNSUPPORTED_MEDIA_TYPE, INVALID_ARGUMENT, RESOURCE_EXHAUSTED */
  readonly body: () => Promise<Buffer>;
  /** How much each may send, and whose turn it is. */
  readonly perKey: Limits;
}

/** Texts that are made, or read, when they are asked for. */
export type Pieces = Iterable<string> | AsyncIterable<string>;

export interface HttpAnswer {
  readonly status: number;
  readonly contentType: string;
  /** A large one in pieces, each made when it is asked for. */
  readonly body: string | Pieces;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Somebody may not, or may and was refused. */
export interface Refusal extends Pick<HttpRequest, 'raw' | 'params'> {
  /** Absent when it is not known who asks. */
  readonly principal?: Principal;
  readonly error: BoundaryError;
}

export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** `/api/nodes/{id}`: a name in braces stands for one segment. */
  readonly path: string;
  /** What who asks must have the right to. Only what holds no data needs `nothing`. */
  readonly needs: Need;
  /** The query parameters that exist; another one is refused. Absent: any are passed over. */
  readonly query?: readonly string[];
  /** Answers by value, or writes to `response` itself and returns nothing. */
  readonly handle: (
    request: HttpRequest,
    response: ServerResponse,
  ) => HttpAnswer | undefined | Promise<HttpAnswer | undefined>;
  /** Told of who was not let in, or refused what changes something, before they are. Told by the access if absent. */
  readonly refused?: (refusal: Refusal) => Promise<void>;
}

/** What a route sees that answers with a value. */
export interface JsonRequest extends HttpRequest {
  /** The segment of the path that is called so. */
  readonly id: string;
  /** The body, which must be one JSON object. @param example for the refusal @throws BoundaryError INVALID_ARGUMENT */
  readonly given: (example: string) => Promise<{ readonly [key: string]: unknown }>;
}

/** A route that answers with a value, as JSON. It takes no query parameters but those that are named. */
export function jsonRoute(
  way: `${Route['method']} /${string}`,
  needs: Need,
  valueOf: (request: JsonRequest) => unknown,
  { status = 200, query = [], ...rest }: Pick<Route, 'query' | 'refused'> & { readonly status?: number } = {},
): Route {
  const [method, path] = way.split(' ') as [Route['method'], string];
  return {
    ...rest,
    method,
    path,
    needs,
    query,
    handle: async (request) => {
      const id = request.params['id'] ?? '';
      const given = async (example: string) => readObject(await request.body(), example);
      return jsonAnswer(status, await valueOf({ ...request, id, given }));
    },
  };
}

const JSON_TYPE = 'application/json; charset=utf-8';

export function jsonAnswer(
  status: number,
  value: unknown,
  headers?: Readonly<Record<string, string>>,
): HttpAnswer {
  const answer = { status, contentType: JSON_TYPE, body: JSON.stringify(value) };
  return headers === undefined ? answer : { ...answer, headers };
}

/** Lines that are made when they are sent. */
export function textAnswer(mediaType: string, lines: Iterable<string>): HttpAnswer {
  return { status: 200, contentType: `${mediaType}; charset=utf-8`, body: joined(lines) };
}

/** As `jsonAnswer`, of a text that is made while it is sent. */
export function jsonPiecesAnswer(pieces: AsyncIterable<string>, mediaType = 'application/json'): HttpAnswer {
  return { status: 200, contentType: `${mediaType}; charset=utf-8`, body: pieces };
}

/** As `jsonAnswer`, of a value that is large. */
export function largeJsonAnswer(value: object): HttpAnswer {
  return { status: 200, contentType: JSON_TYPE, body: jsonPieces(value) };
}
