import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { CliError } from '../cli-error.ts';
import { LostService, Post } from './post.ts';
import { sendFile } from './send-file.ts';
import { Tally } from './tally.ts';

interface Reply {
  readonly status: number;
  /** Hangs up instead. */
  readonly hangsUp?: boolean;
  readonly body?: unknown;
  readonly headers?: { readonly [name: string]: string };
}

interface Request {
  readonly path: string | undefined;
  readonly token: string | undefined;
  readonly body: unknown;
}

/** A server that gives these answers one after the other, the last one again and again. */
async function serverWith(t: TestContext, replies: readonly Reply[]) {
  const requests: Request[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = JSON.parse(Buffer.concat(chunks).toString()) as unknown;
      requests.push({ path: request.url, token: request.headers.authorization, body });
      const reply = replies[Math.min(requests.length, replies.length) - 1];
      if (reply?.hangsUp === true) return void request.socket.destroy();
      response.writeHead(reply?.status ?? 500, { 'content-type': 'application/json', ...reply?.headers });
      response.end(JSON.stringify(reply?.body ?? {}));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  return { requests, base: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

async function sent(t: TestContext, content: string, replies: readonly Reply[], token?: string) {
  const folder = await mkdtemp(join(tmpdir(), 'send-file-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const path = join(folder, 'input');
  await writeFile(path, content);
  const { requests, base } = await serverWith(t, replies);
  const reasons: string[] = [];
  const waits: number[] = [];
  const news: string[] = [];
  const tally = new Tally((reason) => reasons.push(reason));
  const post = new Post(
    { readers: base, otlp: base, token },
    {
      onWait: () => undefined,
      onLost: () => news.push('lost'),
      onBack: () => news.push('back'),
      sleep: (ms) => Promise.resolve(waits.push(ms)),
    },
  );
  const error = await sendFile(path, post, tally).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  return {
    requests,
    reasons,
    waits,
    news,
    line: tally.line,
    summary: tally.summary(),
    refused: tally.hasRefusals,
    error,
  };
}

const SPANS = '{"resourceSpans":[{"scopeSpans":[{"spans":[{},{}]}]}]}';
const FULL: Reply = { status: 429, headers: { 'retry-after': '7' } };

test('[CLI34] entries of one kind go together, in the order of the file', async (t) => {
  const content = `{"requestId":"a"}\n{"requestId":"b"}\n${SPANS}\n{"eventType":"x"}\n{"requestId":"c"}`;
  const accepted = { status: 202, body: { accepted: 1, rejected: 0, errors: [] } };
  const { requests, summary } = await sent(t, content, [accepted, { status: 200 }, accepted], 'secret');
  assert.deepEqual(
    requests.map(({ path, body }) => [path, Array.isArray(body) ? body.length : 1]),
    [
      ['/api/cot', 2],
      ['/v1/traces', 1],
      ['/api/events', 1],
      ['/api/cot', 1],
    ],
  );
  assert.ok(requests.every(({ token }) => token === 'Bearer secret'));
  assert.equal(summary, '3 thoughts, 2 spans, 1 event accepted');
});

test('[CLI35] a full service is asked again after the time it names, a bounded number of times', async (t) => {
  const dated: Reply = {
    status: 503,
    headers: { 'retry-after': new Date(Date.now() + 3600_000).toUTCString() },
  };
  const { waits, summary } = await sent(t, SPANS, [FULL, dated, { status: 503 }, { status: 200 }]);
  assert.deepEqual(waits, [7000, 30_000, 2000]);
  assert.equal(summary, '2 spans accepted');
  const never = await sent(t, SPANS, [{ ...FULL, body: { code: 8, message: 'the queue is full' } }]);
  // Seven seconds each, two minutes in all.
  assert.equal(never.requests.length, 19);
  assert.deepEqual(never.reasons, ['line 1: refused with status 429: the queue is full']);
  assert.equal(never.refused, true);
});

const GONE: Reply = { status: 0, hangsUp: true };

test('[CLI39] a service that was there and is lost is waited for, and the same request is sent again', async (t) => {
  const { waits, news, requests, summary } = await sent(t, `${SPANS}\n${SPANS}`, [
    { status: 200 },
    GONE,
    GONE,
    { status: 200 },
  ]);
  assert.deepEqual(waits, [500, 1000]);
  assert.deepEqual(news, ['lost', 'back']);
  assert.equal(requests.length, 4);
  assert.equal(summary, '4 spans accepted');
});

test('[CLI39] one that does not come back is given up after two minutes, with the line that was sent last', async (t) => {
  const content = `${SPANS}\n${SPANS}\n${SPANS}\n${SPANS}`;
  const { waits, error, line, summary } = await sent(t, content, [{ status: 200 }, { status: 200 }, GONE]);
  const waited = waits.reduce((sum, ms) => sum + ms, 0);
  assert.ok(waited >= 120_000 && waited < 130_000, String(waited));
  assert.ok(error instanceof LostService);
  assert.equal(error.exitCode, 1);
  assert.equal(line, 3);
  assert.equal(summary, '4 spans accepted');
});

test('[CLI39] where nobody ever answered, that is said at once', async (t) => {
  const { waits, news, error } = await sent(t, SPANS, [GONE]);
  assert.deepEqual([waits, news], [[], []]);
  assert.match(String(error), /does not speak HTTP/);
});

test('[CLI36] what the service refuses is named by its line, and the rest counts', async (t) => {
  const partial = { partialSuccess: { rejectedSpans: '1', errorMessage: 'traceId: not 16 bytes' } };
  const spans = await sent(t, SPANS, [{ status: 200, body: partial }]);
  assert.deepEqual(spans.reasons, ['line 1: traceId: not 16 bytes']);
  assert.equal(spans.summary, '1 span accepted; 1 refused');
  const body = { accepted: 1, rejected: 1, errors: [{ index: 1, message: 'timestamp: required' }] };
  const thoughts = await sent(t, '{"requestId":"a"}\n\n{"requestId":"b"}', [{ status: 202, body }]);
  assert.deepEqual(thoughts.reasons, ['line 3: timestamp: required']);
  assert.equal(thoughts.summary, '1 thought accepted; 1 refused');
});

test('[CLI36] of many reasons the first twenty are told', async (t) => {
  const { reasons, summary } = await sent(t, `{"a":1}\n`.repeat(50), [{ status: 500 }]);
  assert.equal(reasons.length, 20);
  assert.equal(summary, 'nothing accepted; 50 refused; 30 more reasons not shown');
});

test('[CLI37] where no service understands it, sending ends with what to do', async (t) => {
  const cases = [
    [{ status: 401 }, /wants a token: set EXPLAINABILITY_AGENT_TOKEN/],
    [{ status: 404 }, /not the service's OTLP\/HTTP receiver/],
    [{ status: 200, body: 'hello' }, /not the service's OTLP\/HTTP receiver/],
  ] as const;
  for (const [reply, message] of cases) {
    const { error, requests } = await sent(t, `${SPANS}\n${SPANS}`, [reply]);
    assert.ok(error instanceof CliError);
    assert.match(error.message, message);
    assert.equal(error.exitCode, 1);
    assert.equal(requests.length, 1);
  }
});
