import type { Principal } from '../../access/principal.ts';
import { jsonRoute, type Refusal, type Route } from './route.ts';

/** Somebody asks to look behind the markers of a node. */
export interface RedactionRequest {
  readonly nodeId: string;
  readonly principal: Principal;
  /** @throws BoundaryError when it is no JSON object */
  readonly body: () => Promise<{ readonly [key: string]: unknown }>;
}

export interface RedactionHandler {
  /** Answers, and puts that on record; refuses by throwing a BoundaryError. */
  handle(request: RedactionRequest): Promise<unknown>;
  /** Puts on record who was refused, or not even let in. */
  refused(refusal: Refusal): Promise<void>;
}

const EXAMPLE = '{"action": "reveal", "reason": "…"}';

/** For administrators. */
export function redactionRoute(handler: RedactionHandler): Route {
  return jsonRoute(
    'POST /api/nodes/{id}/redaction',
    'administer',
    ({ id, principal, given }) => handler.handle({ nodeId: id, principal, body: () => given(EXAMPLE) }),
    { refused: (refusal) => handler.refused(refusal) },
  );
}
