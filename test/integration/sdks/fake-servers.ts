import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answerAnthropic } from './fake-anthropic.ts';
import type { FakeRequest } from './fake-answer.ts';
import { answerOpenAi } from './fake-openai.ts';

/** Providers of models on this machine, which answer by heart. */
export interface FakeServers {
  /** By which the SDKs find them. */
  readonly env: Readonly<Record<string, string>>;
  stop(): void;
}

export async function startFakes(): Promise<FakeServers> {
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      response.writeHead(500).end(String(error));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    env: {
      OPENAI_BASE_URL: `${url}/v1`,
      OPENAI_API_KEY: 'none-needed',
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: 'none-needed',
    },
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const asked = JSON.parse(Buffer.concat((await request.toArray()) as Buffer[]).toString()) as FakeRequest;
  const path = request.url ?? '';
  const { status, body, events } = path.endsWith('/messages')
    ? answerAnthropic(asked)
    : answerOpenAi(path, asked);
  if (events === undefined) {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    return;
  }
  response.writeHead(status, { 'content-type': 'text/event-stream' });
  for (const { event, data } of events)
    response.write(`${event === undefined ? '' : `event: ${event}\n`}data: ${data}\n\n`);
  response.end();
}
