import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test, type TestContext } from 'node:test';
import { startTee, type Tee, type TeeOptions } from './tee.ts';

const STREAM =
  'data: {"type":"RUN_STARTED","threadId":"t","runId":"r"}\r\n\r\n: ping\n\ndata: {"type":"X"}\n\n';
const INPUT = JSON.stringify({ threadId: 't', runId: 'r', messages: [] });

interface Delivered {
  readonly body: string;
  readonly runId: string | undefined;
}

async function behindTee(t: TestContext, options: Partial<TeeOptions> = {}) {
  const asked: { readonly authorization: string | undefined; readonly body: string }[] = [];
  const agent = createServer((request, response) => {
    let body = '';
    request.on('data', (piece) => (body += String(piece)));
    request.on('end', () => {
      asked.push({ authorization: request.headers.authorization, body });
      if (request.url === '/broken') return void response.writeHead(500).end('no');
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (const piece of [STREAM.slice(0, 30), STREAM.slice(30, 61), STREAM.slice(61)])
        response.write(piece);
      response.end();
    });
  });
  await new Promise<void>((resolve) => agent.listen(0, '127.0.0.1', resolve));
  const base = `http://127.0.0.1:${(agent.address() as AddressInfo).port}`;
  const delivered: Delivered[] = [];
  const lost: number[] = [];
  const tee: Tee = await startTee({
    agent: new URL(`${base}/agent`),
    port: 0,
    allowedOrigins: [],
    deliver: async (body, runId) => void delivered.push({ body: body.toString(), runId }),
    onLost: (bytes) => lost.push(bytes),
    ...options,
  });
  t.after(async () => {
    await tee.close();
    agent.close();
  });
  const run = (init: RequestInit = {}): Promise<Response> =>
    fetch(tee.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: 'Bearer agents-own' },
      body: INPUT,
      ...init,
    });
  return { base, run, asked, delivered, lost };
}

test('[AG14] a tee passes on what the agent answers, byte for byte, and delivers it with its run', async (t) => {
  const { run, asked, delivered } = await behindTee(t);
  const answer = await run();
  assert.equal(await answer.text(), STREAM);
  assert.deepEqual(asked, [{ authorization: 'Bearer agents-own', body: INPUT }]);
  assert.equal(delivered.map(({ body }) => body).join(''), STREAM);
  assert.ok(delivered.every(({ runId }) => runId === 'r'));
});

test('[AG14] when nothing can be delivered the client notices nothing, and what was lost is said', async (t) => {
  const { run, lost } = await behindTee(t, { deliver: () => Promise.reject(new Error('away')) });
  assert.equal(await (await run()).text(), STREAM);
  assert.equal(
    lost.reduce((sum, bytes) => sum + bytes, 0),
    STREAM.length,
  );
});

test('[AG14] web pages and methods that are not allowed are refused, and no agent is asked', async (t) => {
  const { run, asked } = await behindTee(t);
  assert.equal((await run({ headers: { origin: 'https://evil.example' } })).status, 403);
  assert.equal((await run({ method: 'PUT' })).status, 405);
  assert.deepEqual(asked, []);
});

test('[AG14] an agent that is not there, or fails, is told to the client', async (t) => {
  const away = await behindTee(t, { agent: new URL('http://127.0.0.1:9/agent') });
  assert.equal((await away.run()).status, 503);
  const { base } = away;
  const broken = await behindTee(t, { agent: new URL(`${base}/broken`) });
  const answer = await broken.run();
  assert.deepEqual([answer.status, await answer.text()], [500, 'no']);
  assert.deepEqual(broken.delivered, []);
});
