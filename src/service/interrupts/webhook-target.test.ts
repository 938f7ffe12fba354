import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test, type TestContext } from 'node:test';
import { ManualClock } from '../../base/clock.ts';
import type { Interrupt, InterruptAnswer } from '../../model/interrupt.ts';
import { epochMs } from '../../model/time.ts';
import { until } from '../../../test/support/until.ts';
import { WebhookTarget } from './webhook-target.ts';

const SECRET = 'a-secret-of-the-tests';
const INTERRUPT: Interrupt = {
  id: 'a'.repeat(32),
  reason: 'timeout',
  message: 'too long',
  about: { nodeId: 'n1', taskId: 'T1', agent: 'A' },
  by: 'ops',
  at: epochMs(1),
};

async function told(t: TestContext, answer: (response: ServerResponse, nth: number) => void) {
  const posts: { readonly headers: IncomingHttpHeaders; readonly body: string; readonly path: string }[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (piece) => (body += String(piece)));
    request.on('end', () => {
      posts.push({ headers: request.headers, body, path: request.url ?? '' });
      answer(response, posts.length);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const clock = new ManualClock();
  const lines: object[] = [];
  const log = (fields: object, message: string): void => void lines.push({ ...fields, message });
  const target = new WebhookTarget({
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    secret: SECRET,
    clock,
    logger: { debug: log, info: log, warn: log, error: log },
  });
  const answers: InterruptAnswer[] = [];
  const ending = new AbortController();
  const take = (one: InterruptAnswer): boolean => answers.push(one) > 0;
  target.send(INTERRUPT, { told: () => take, over: ending.signal });
  return { target, posts, answers, clock, lines, ending };
}

test('[IR22] the program of the operator is told by a signed POST, and may answer in its answer', async (t) => {
  const { target, posts, answers } = await told(t, (response) =>
    response.end('{"status": "stopping", "message": "killed"}'),
  );
  await until('it is answered', () => answers.length > 0);
  assert.deepEqual(answers, [{ status: 'stopping', message: 'killed' }]);
  const [{ headers, body, path } = { headers: {}, body: '', path: '' }] = posts;
  assert.partialDeepStrictEqual(JSON.parse(body), {
    reason: 'timeout',
    message: 'too long',
    nodeId: 'n1',
    by: 'ops',
  });
  const signed = createHmac('sha256', SECRET).update(`${String(headers['x-explain-timestamp'])}.${body}`);
  assert.equal(headers['x-explain-signature'], `v1=${signed.digest('hex')}`);
  assert.deepEqual([path, headers['x-explain-id'], posts.length], ['/hook', INTERRUPT.id, 1]);
  assert.equal(target.canReach({ ...INTERRUPT, onlyOf: 'k' }), false);
});

test('[IR22] it is tried four times, and no longer than an answer is taken', async (t) => {
  const { posts, clock, lines } = await told(t, (response, nth) => {
    if (nth === 2) response.destroy();
    else response.writeHead(503).end();
  });
  for (const [count, pause] of [
    [1, 1_000],
    [2, 3_000],
    [3, 9_000],
    [4, 60_000],
  ] as const)
    await until(`try ${count}`, () => {
      if (posts.length < count) return false;
      clock.advance(pause);
      return posts.length > count || count === 4;
    });
  await until('it is said', () => lines.length > 0);
  assert.equal(posts.length, 4);
});

test('[IR22] nothing is sent when the time is over', async (t) => {
  const { posts, clock, ending } = await told(t, (response) => response.writeHead(503).end());
  await until('it was tried', () => posts.length === 1);
  ending.abort();
  const { posts: others } = await told(t, (response) => response.end());
  await until('another is told', () => others.length === 1);
  clock.advance(60_000);
  assert.equal(posts.length, 1);
});

test('[IR22] a redirect is not followed, a refusal not repeated, and what is no answer is none', async (t) => {
  for (const [answer, isSaid] of [
    [(response: ServerResponse) => response.writeHead(307, { location: '/other' }).end(), true],
    [(response: ServerResponse) => response.writeHead(404).end(), true],
    [(response: ServerResponse) => response.end('{"status": "maybe"}'), false],
    [(response: ServerResponse) => response.end('x'.repeat(100_000)), false],
    [(response: ServerResponse) => response.writeHead(204).end(), false],
  ] as const) {
    const { posts, answers, clock, lines } = await told(t, answer);
    await until('it is told', () => posts.length === 1);
    if (isSaid) await until('it is said', () => lines.length > 0);
    clock.advance(4_000);
    assert.deepEqual([posts.length, answers], [1, []]);
  }
});
