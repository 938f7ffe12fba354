import type { Clock } from '../../../base/clock.ts';
import type { ControlApi, ControlFrame } from '../../control-api.ts';
import { sendEvents } from '../ag-ui/send-events.ts';
import { readObject } from '../read-object.ts';
import { jsonAnswer, type Route } from '../route.ts';
import { SSE_KEEP_ALIVE, SSE_TYPE } from '../sse.ts';
import { FrameQueue } from './frame-queue.ts';

/** What an agent says at its stream, over HTTP or WebSocket. */
export const WAITING_QUERY = ['agent', 'taskId', 'traceId', 'instance'];

/** The id stands outside of the frame as well, so that whoever comes back says by `Last-Event-ID` what it has. */
function frameOf(frame: ControlFrame): Buffer {
  const id = frame.type === 'interrupt' ? `id: ${frame.id}\n` : '';
  return Buffer.from(`${id}data: ${JSON.stringify(frame)}\n\n`);
}

const ENCODING = { contentType: SSE_TYPE, frameOf, keepAlive: SSE_KEEP_ALIVE };

/** What agents wait on as server-sent events, and where they answer. */
export function controlRoutes(control: ControlApi, clock: Clock): readonly Route[] {
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
        const end = control.wait(principal, Object.fromEntries(query), queue, last);
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
          control.answer(principal, readObject(await body(), '{"id": "…", "status": "stopping"}')),
        ),
    },
  ];
}
