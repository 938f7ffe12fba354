import { agUiEvents, eventsText, runId, runInput } from './ag-ui-shapes.ts';
import type { Draw } from './draw.ts';
import { httpSession, type HttpRequest } from './http-text.ts';
import { compressed, mutated } from './mutate.ts';
import { mutatedJson } from './mutate-json.ts';
import type { Session } from './session.ts';
import { hostileText, taskId } from './values.ts';

/** Stands for the agent that the service may run, whose port is known when it listens. */
export const AGENT_URL = 'http://agent.place/run';
/** A task that goes on is told until it ends: nobody waits so long here. */
const RUN_MS = 150;

/** `POST /ag-ui/events`, `/ag-ui/run` and `/ag-ui/proxy`. */
export function agUi(draw: Draw): Session {
  const way = draw.weighted({ events: 6, run: 2, proxy: 2 });
  const session = httpSession(
    draw,
    'readers',
    way === 'events' ? eventsRequest : way === 'run' ? runRequest : proxyRequest,
  );
  return way === 'events'
    ? session
    : {
        ...session,
        patienceMs: Math.min(session.patienceMs, RUN_MS),
        isAnswered: (received) => /"RUN_(?:FINISHED|ERROR)"|\r\n0\r\n\r\n$/.test(received),
      };
}

function eventsRequest(draw: Draw): HttpRequest {
  const [type, text] = eventsText(draw, agUiEvents(draw));
  const content = mutated(draw, Buffer.from(text));
  const packed = draw.chance(0.1) ? compressed(draw, content) : undefined;
  const query = [
    ...(draw.chance(0.3) ? [`taskId=${encoded(taskId(draw))}`] : []),
    ...(draw.chance(0.3) ? [`runId=${encoded(runId(draw))}`] : []),
    ...(draw.chance(0.3)
      ? [`agent=${encoded(draw.chance(0.8) ? `agent-${draw.int(4)}` : hostileText(draw))}`]
      : []),
  ];
  return {
    method: draw.chance(0.99) ? 'POST' : draw.pick(['GET', 'PUT', 'OPTIONS']),
    target: `/ag-ui/events?${query.join('&')}`,
    headers: [
      ['Content-Type', draw.chance(0.9) ? type : draw.pick(['text/plain', 'text/event-stream', ''])],
      ...(packed ? [['Content-Encoding', packed.encoding] as const] : []),
    ],
    body: packed?.bytes ?? content,
  };
}

function runRequest(draw: Draw): HttpRequest {
  const accept = draw.pick([
    'text/event-stream',
    'application/vnd.ag-ui.event+proto',
    '*/*',
    'text/html',
    '',
  ]);
  return {
    method: 'POST',
    target: '/ag-ui/run',
    headers: [
      ['Content-Type', 'application/json'],
      ['Accept', accept],
    ],
    body: mutated(draw, Buffer.from(JSON.stringify(mutatedJson(draw, runInput(draw))) ?? '')),
  };
}

function proxyRequest(draw: Draw): HttpRequest {
  const url = draw.chance(0.9)
    ? AGENT_URL
    : draw.pick(['http://127.0.0.1:1/', 'file:///etc/passwd', `${AGENT_URL}/../x`, '//', hostileText(draw)]);
  const task = draw.chance(0.3) ? `&taskId=${encoded(taskId(draw))}` : '';
  return {
    method: 'POST',
    target: `/ag-ui/proxy?url=${url === AGENT_URL ? url : encoded(url)}${task}`,
    headers: [
      ['Content-Type', 'application/json'],
      ['X-Agent-Authorization', hostileText(draw).replaceAll(/[^ -~]/g, '')],
    ],
    body: mutated(draw, Buffer.from(JSON.stringify(mutatedJson(draw, runInput(draw))) ?? '')),
  };
}

/** encodeURIComponent refuses lone surrogates. */
function encoded(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}
