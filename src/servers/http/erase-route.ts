import { BoundaryError } from '../../base/boundary-error.ts';
import type { Role } from '../access/authenticator.ts';
import { bearerToken } from '../access/authenticator.ts';
import { readObject } from './read-object.ts';
import { jsonAnswer, type Route } from './route.ts';

/** Somebody asks for everything of a task, or of a user, to be removed for good. Exactly one of both is given. */
export interface EraseRequest {
  readonly taskId?: string;
  readonly userId?: string;
  readonly role: Role;
  readonly token: string | undefined;
}

/** Answers what was removed, or refuses by throwing a BoundaryError. */
export type EraseHandler<Erased = unknown> = (request: EraseRequest) => Promise<Erased>;

const EXAMPLE = '{"taskId": "…"} or {"userId": "…"}';
/** As long as ids can be. */
const MAX_ID_CHARS = 1000;

/** For administrators. */
export function eraseRoute(handle: EraseHandler): Route {
  return {
    method: 'POST',
    path: '/api/erase',
    query: [],
    handle: async ({ body, role, raw }) => {
      const token = bearerToken(raw.headers.authorization);
      return jsonAnswer(
        200,
        await handle({ ...eraseTarget(readObject(await body(), EXAMPLE)), role, token }),
      );
    },
  };
}

/** @param body unchecked @throws BoundaryError INVALID_ARGUMENT */
export function eraseTarget(body: {
  readonly [key: string]: unknown;
}): { readonly taskId: string } | { readonly userId: string } {
  const { taskId, userId, ...rest } = body;
  const id = taskId ?? userId;
  const isOne = (taskId === undefined) !== (userId === undefined) && Object.keys(rest).length === 0;
  if (!isOne || typeof id !== 'string' || id === '' || id.length > MAX_ID_CHARS)
    throw new BoundaryError('INVALID_ARGUMENT', `the body names what to erase: ${EXAMPLE}`);
  return taskId === undefined ? { userId: id } : { taskId: id };
}
