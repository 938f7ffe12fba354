import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test, type TestContext } from 'node:test';
import { until } from '../../test/support/until.ts';
import { waitForInterrupts, type ControlOptions, type Interrupt, type InterruptAnswer } from './control.ts';

const TOLD = {
  type: 'interrupt',
  id: 'i1',
  reason: 'timeout',
  by: 'ops',
  interruptNodeId: 'event:interrupt:1',
};

/** A service whose every answer is written here. */
async function scripted(
  t: TestContext,
  waits: (response: ServerResponse, nth: number) => void,
  answers: (nth: number) => number = () => 200,
) {
  const waiting: string[] = [];
  const posted: object[] = [];
  const server = createServer((request: IncomingMessage, response) => {
    if (request.method === 'GET') {
      waiting.push(request.url ?? '');
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      return waits(response, waiting.length);
    }
    let body = '';
    request.on('data', (piece) => (body += String(piece)));
    request.on('end', () => {
      posted.push(JSON.parse(body) as object);
      response.writeHead(answers(posted.length)).end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const begin = (options: Partial<ControlOptions> = {}) => {
    const control = waitForInterrupts({ url, agent: 'A', ...options });
    t.after(() => {
      control.close();
      server.closeAllConnections();
      server.close();
    });
    return control;
  };
  return { waiting, posted, begin };
}

function say(response: ServerResponse, ...frames: readonly object[]): void {
  for (const frame of frames) response.write(`data: ${JSON.stringify(frame)}\n\n`);
}

test('[IR18] what is told is called back and answered once, over a lost stream and however often it is told', async (t) => {
  const called: Interrupt[] = [];
  const { waiting, posted, begin } = await scripted(t, (response, nth) => {
    say(response, { type: 'waiting' }, TOLD, TOLD);
    if (nth === 1) response.end();
    else say(response, { ...TOLD, id: 'i2' });
  });
  const control = begin({
    taskId: 'T1',
    onInterrupt: (interrupt) => {
      called.push(interrupt);
      return { status: 'continuing', message: interrupt.id };
    },
  });
  await control.ready;
  await until('both are answered', () => posted.length === 2);
  assert.deepEqual(
    called.map(({ id }) => id),
    ['i1', 'i2'],
  );
  assert.deepEqual(posted, [
    { id: 'i1', status: 'continuing', message: 'i1' },
    { id: 'i2', status: 'continuing', message: 'i2' },
  ]);
  assert.match(waiting[0] ?? '', /^\/api\/control\?instance=[0-9a-f-]{36}&agent=A&taskId=T1$/);
  assert.equal(waiting[1], waiting[0]);
  assert.equal(control.signal.aborted, false);
});

test('[IR18] without a word of the program it stops, also when that fails; an answer that is not taken is sent again', async (t) => {
  const errors: unknown[] = [];
  const { posted, begin } = await scripted(
    t,
    (response) => say(response, { type: 'waiting' }, TOLD),
    (nth) => (nth === 1 ? 503 : 200),
  );
  const control = begin({
    onInterrupt: () => Promise.reject(new Error('a program that fails')),
    onError: (error) => errors.push(String(error)),
  });
  await until('it is answered', () => posted.length === 2);
  assert.deepEqual(posted, [
    { id: 'i1', status: 'stopping' },
    { id: 'i1', status: 'stopping' },
  ]);
  assert.equal(control.signal.aborted, true);
  assert.equal((control.signal.reason as Interrupt).interruptNodeId, 'event:interrupt:1');
  assert.deepEqual(errors, ['Error: a program that fails', 'Error: an answer is refused with 503']);
});

test('[IR18] a program that gives no answer, or a long one, is not lost: it stops, and is told', async (t) => {
  const given: readonly unknown[] = [
    undefined,
    { status: 'maybe' },
    { status: 'ignored', message: 'x'.repeat(3_000) },
  ];
  const errors: unknown[] = [];
  const { posted, begin } = await scripted(
    t,
    (response) =>
      say(response, { type: 'waiting' }, ...given.map((_, index) => ({ ...TOLD, id: String(index) }))),
    (nth) => (nth === 3 ? 409 : 200),
  );
  const control = begin({
    onInterrupt: ({ id }) => given[Number(id)] as InterruptAnswer,
    onError: (error) => errors.push(String(error)),
  });
  await until('all are answered', () => posted.length === 3 && errors.length === 3);
  assert.deepEqual(posted, [
    { id: '0', status: 'stopping' },
    { id: '1', status: 'stopping' },
    { id: '2', status: 'ignored', message: 'x'.repeat(2_000) },
  ]);
  assert.equal(control.signal.aborted, true);
  assert.match(String(errors[0]), /has to give a status: stopping, /);
});

test('[IR18] who has closed waits no more', async (t) => {
  const { waiting, begin } = await scripted(t, (response, nth) => {
    say(response, { type: 'waiting' });
    if (nth === 1) response.end();
  });
  const control = begin();
  await until('it is back', () => waiting.length === 2);
  control.close();
  const other = begin();
  await other.ready;
  assert.equal(waiting.length, 3);
});
