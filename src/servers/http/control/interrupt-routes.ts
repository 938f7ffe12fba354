import { jsonRoute, type Route } from '../route.ts';
import type { InterruptsApi } from './interrupts-api.ts';

const ACCEPTED = { status: 202 };
const EXAMPLE = '{"reason": "user_request", "message": "…"}';

/** For those who may interrupt, and for senders about their own agents. */
export function interruptRoutes(interrupts: InterruptsApi): readonly Route[] {
  return [
    jsonRoute(
      'POST /api/nodes/{id}/interrupt',
      'interrupt',
      async ({ id, given, principal }) => interrupts.step(id, await given(EXAMPLE), principal),
      ACCEPTED,
    ),
    jsonRoute(
      'POST /api/tasks/{id}/interrupt',
      'interrupt',
      async ({ id, given, principal }) => interrupts.task(id, await given(EXAMPLE), principal),
      ACCEPTED,
    ),
    jsonRoute('GET /api/interrupts/{id}', 'interrupt', ({ id, principal }) =>
      interrupts.state(id, principal),
    ),
    jsonRoute(
      'POST /api/control/interrupt',
      'send',
      async ({ given, principal }) =>
        interrupts.own(await given('{"agent": "CoderAgent", "reason": "error"}'), principal),
      ACCEPTED,
    ),
  ];
}
