import { hash } from 'node:crypto';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { agUiEvents, eventsText } from './ag-ui-shapes.ts';
import { Draw } from './draw.ts';
import { mutated } from './mutate.ts';

/** Between two pieces of an answer. */
const PIECE_MS = 5;

/** An agent of AG-UI that answers what a seed and the question make it answer. */
export class HostileAgent {
  private readonly server: Server;

  private constructor(server: Server) {
    this.server = server;
  }

  static async start(seed: number): Promise<HostileAgent> {
    const server = createServer((request, response) => {
      buffer(request).then(
        (body) => answer(new Draw(seed, 'agent', hash('sha256', body)), response),
        () => response.destroy(),
      );
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new HostileAgent(server);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/run`;
  }

  stop(): void {
    this.server.close();
    this.server.closeAllConnections();
  }
}

function answer(draw: Draw, response: ServerResponse): void {
  response.on('error', () => undefined);
  const [, text] = eventsText(draw, agUiEvents(draw));
  const body = mutated(draw, Buffer.from(text));
  switch (draw.weighted({ stream: 10, refusal: 1, redirect: 0.5, silence: 0.5, odd: 1, reset: 1 })) {
    case 'stream':
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      return inPieces(draw, response, body, draw.chance(0.8));
    case 'refusal':
      response.writeHead(draw.pick([400, 401, 404, 429, 500, 503, 999]), { 'retry-after': '1e9' });
      return void response.end(body);
    case 'redirect':
      return void response.writeHead(302, { location: '/run' }).end();
    case 'silence':
      // Until the service has enough of it.
      return;
    case 'odd':
      response.writeHead(200, {
        'content-type': draw.pick(['text/html', 'application/json', '']),
        'content-encoding': 'gzip',
      });
      return void response.end(body);
    case 'reset':
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(body.subarray(0, draw.int(body.length + 1)));
      return void response.socket?.resetAndDestroy();
  }
}

/** Cut anywhere, in the middle of characters as well. */
function inPieces(draw: Draw, response: ServerResponse, body: Buffer, ends: boolean): void {
  if (response.destroyed) return;
  const at = draw.between(1, Math.max(1, body.length));
  response.write(body.subarray(0, at));
  const rest = body.subarray(at);
  if (rest.length > 0) setTimeout(() => inPieces(draw, response, rest, ends), PIECE_MS);
  else if (ends) response.end();
  else response.destroy();
}
