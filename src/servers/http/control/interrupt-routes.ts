import { readObject } from '../read-object.ts';
import { jsonAnswer, type Route } from '../route.ts';
import type { InterruptsApi } from './interrupts-api.ts';

const EXAMPLE = '{"reason": "user_request", "message": "…"}';

/** For those who may interrupt, and for senders about their own agents. */
export function interruptRoutes(interrupts: InterruptsApi): readonly Route[] {
  return [
    {
      method: 'POST',
      path: '/api/nodes/{id}/interrupt',
      needs: 'interrupt',
      query: [],
      handle: async ({ params, body, principal }) =>
        jsonAnswer(
          202,
          await interrupts.step(params['id'] ?? '', readObject(await body(), EXAMPLE), principal),
        ),
    },
    {
      method: 'POST',
      path: '/api/tasks/{id}/interrupt',
      needs: 'interrupt',
      query: [],
      handle: async ({ params, body, principal }) =>
        jsonAnswer(
          202,
          await interrupts.task(params['id'] ?? '', readObject(await body(), EXAMPLE), principal),
        ),
    },
    {
      method: 'GET',
      path: '/api/interrupts/{id}',
      needs: 'interrupt',
      query: [],
      handle: async ({ params, principal }) =>
        jsonAnswer(200, await interrupts.state(params['id'] ?? '', principal)),
    },
    {
      method: 'POST',
      path: '/api/control/interrupt',
      needs: 'send',
      query: [],
      handle: async ({ body, principal }) =>
        jsonAnswer(
          202,
          await interrupts.own(
            readObject(await body(), '{"agent": "CoderAgent", "reason": "error"}'),
            principal,
          ),
        ),
    },
  ];
}
