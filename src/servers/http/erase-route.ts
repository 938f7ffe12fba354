import type { Principal } from '../../access/principal.ts';
import { invalid } from '../../base/boundary-error.ts';
import { jsonRoute, type Refusal, type Route } from './route.ts';

/** Somebody asks for everything of a task, or of a user, to be removed for good. Exactly one of both is given. */
export interface EraseRequest {
  readonly taskId?: string;
  readonly userId?: string;
  readonly principal: Principal;
}

export interface EraseHandler<Erased = unknown> {
  /** Answers what was removed, or refuses by throwing a BoundaryError. */
  handle(request: EraseRequest): Promise<Erased>;
  /** Puts on record who was not let in. */
  refused(refusal: Refusal): Promise<void>;
}

const EXAMPLE = '{"taskId": "…"} or {"userId": "…"}';
/** As long as ids can be. */
const MAX_ID_CHARS = 1000;

/** For administrators. */
export function eraseRoute(handler: EraseHandler): Route {
  return jsonRoute(
    'POST /api/erase',
    'administer',
    async ({ given, principal }) => handler.handle({ ...eraseTarget(await given(EXAMPLE)), principal }),
    { refused: (refusal) => handler.refused(refusal) },
  );
}

/** @param body unchecked @throws BoundaryError INVALID_ARGUMENT */
export function eraseTarget(body: {
  readonly [key: string]: unknown;
}): { readonly taskId: string } | { readonly userId: string } {
  const { taskId, userId, ...rest } = body;
  const id = taskId ?? userId;
  const isOne = (taskId === undefined) !== (userId === undefined) && Object.keys(rest).length === 0;
  if (!isOne || typeof id !== 'string' || id === '' || id.length > MAX_ID_CHARS)
    throw invalid(`the body names what to erase: ${EXAMPLE}`);
  return taskId === undefined ? { userId: id } : { taskId: id };
}
