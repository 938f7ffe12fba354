import type { Clock } from '../../../base/clock.ts';
import type { ApprovalsApi, ControlApi, ControlFrame } from '../../control-api.ts';
import { WAITING_QUERY, waitingOf } from '../../control-query.ts';
import { sendEvents } from '../ag-ui/send-events.ts';
import { jsonRoute, type Route } from '../route.ts';
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
    jsonRoute('POST /api/control', 'send', async ({ given, principal }) =>
      control.answer(principal, await given('{"id": "…", "status": "stopping"}')),
    ),
    jsonRoute(
      'POST /api/control/approvals',
      'send',
      async ({ given, principal }) =>
        approvals.ask(await given('{"question": "…", "agent": "CoderAgent", "taskId": "T1"}'), principal),
      { status: 202 },
    ),
    jsonRoute('GET /api/control/approvals/{id}', 'send', ({ id, principal }) =>
      approvals.state(id, principal),
    ),
  ];
}
