import { BoundaryError } from '../../base/boundary-error.ts';
import { bearerToken, type Authenticator, type Role } from '../access/authenticator.ts';
import { readObject } from './read-object.ts';
import { jsonAnswer, type HttpRequest, type Route } from './route.ts';

/** Somebody asks to look behind the markers of a node. */
export interface RedactionRequest {
  readonly nodeId: string;
  /** `unknown` where the token was missing or wrong. */
  readonly role: Role | 'unknown';
  /** As it was sent, right or not. */
  readonly token: string | undefined;
  /** @throws BoundaryError when it is no JSON object */
  readonly body: () => Promise<{ readonly [key: string]: unknown }>;
}

/** Answers, or refuses by throwing a BoundaryError; either is put on record. */
export type RedactionHandler = (request: RedactionRequest) => Promise<unknown>;

const EXAMPLE = '{"action": "reveal", "reason": "…"}';

/** For administrators. It checks the token itself, so that wrong ones are on record too. */
export function redactionRoute(authenticator: Authenticator, handle: RedactionHandler): Route {
  return {
    method: 'POST',
    path: '/api/nodes/{id}/redaction',
    open: true,
    query: [],
    handle: async (request) => {
      const answer = await handle({
        nodeId: request.params['id'] ?? '',
        role: roleOf(request, authenticator),
        token: bearerToken(request.raw.headers.authorization),
        body: async () => readObject(await request.body(), EXAMPLE),
      });
      return jsonAnswer(200, answer);
    },
  };
}

function roleOf({ raw }: HttpRequest, authenticator: Authenticator): Role | 'unknown' {
  try {
    return authenticator.authenticate({ authorization: raw.headers.authorization });
  } catch (error) {
    if (error instanceof BoundaryError && error.code === 'UNAUTHENTICATED') return 'unknown';
    throw error;
  }
}
