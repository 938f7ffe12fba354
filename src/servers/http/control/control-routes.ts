import type { Clock } from '../../../base/clock.ts';
import type { ApprovalsApi, ControlApi, ControlFrame } from '../../control-api.ts';
import { WAITING_QUERY, waitingOf } from '../../control-query.ts';
import { sendEvents } from '../ag-ui/send-events.ts';
import { readObject } from '../read-object.ts';
import { jsonAnswer, type Route } from '../route.ts';
import { SSE_KEEP_ALIVE, SSE_TYPE } from '../sse.ts';
import { FrameQueue } from './frame-queue.ts';

/** The id stands outside of the frame as well, so that whoever comes back says by `Last-Event-ID` what it has. */
function frameOf(frame: ControlFrame): Buffer {
  const id = frame.type === 'interrupt' || frame.type === 'approval' ? `id: ${frame.id}\n` : '';
  return Buffer.from(`${id}data: ${JSON.stringify(frame)}\n\n`);
}

const ENCODING = { contentType: SSE_TYPE, frameOf, keepAlive: SSE_KEEP_ALIVE };

/** What agents wait on as server-sent events, and where they answer. */
export function controlRoutes(control: ControlApi, approvals: ApprovalsApi, clock: Clock): readonly Route[] {
  return [
    {
      method: 'GET',
      path: '/api/control',
      needs: 'send',
      query: WAITING_QUERY,
      handle: async ({ raw, query, principal }, response) => {
        const queue = new FrameQueue(() => response.destroy());
        const lastId = raw.headers['last-event-id'];
        const last = typeof lastId === 'string' ? lastId : undefined;
        const end = control.wait(principal, waitingOf(query), queue, last);
        response.once('close', () => {
          end();
          queue.end();
        });
        await sendEvents(response, queue.frames(), { encoding: ENCODING, clock, waits: () => {} });
        return undefined;
      },
    },
    {
      method: 'POST',
      path: '/api/control',
      needs: 'send',
      query: [],
      handle: async ({ body, principal }) =>
        jsonAnswer(
          200,
          await control.answer(principal, readObject(await body(), '{"id": "…", "status": "stopping"}')),
        ),
    },
    {
      method: 'POST',
      path: '/api/control/approvals',
      needs: 'send',
      query: [],
      handle: async ({ body, principal }) =>
        jsonAnswer(
          202,
          await approvals.ask(
            readObject(await body(), '{"question": "…", "agent": "CoderAgent", "taskId": "T1"}'),
            principal,
          ),
        ),
    },
    {
      method: 'GET',
      path: '/api/control/approvals/{id}',
      needs: 'send',
      query: [],
      handle: async ({ params, principal }) =>
        jsonAnswer(200, await approvals.state(params['id'] ?? '', principal)),
    },
  ];
}
