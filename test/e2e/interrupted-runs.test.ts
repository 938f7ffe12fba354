import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test, type TestContext } from 'node:test';
import { until } from '../support/until.ts';
import { Party } from './parties.ts';
import { RealService } from './real-service.ts';

/** An agent of AG-UI that begins a run and goes on without an end. @param cut what it says last, unfinished */
async function endlessAgent(t: TestContext, cut = '') {
  const left: Promise<unknown>[] = [];
  const server = createServer((request, response: ServerResponse) => {
    let body = '';
    request.on('data', (piece) => (body += String(piece)));
    request.on('end', () => {
      const { runId, threadId } = JSON.parse(body) as { runId: string; threadId: string };
      left.push(once(response, 'close'));
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (const event of [
        { type: 'RUN_STARTED', threadId, runId },
        { type: 'TEXT_MESSAGE_START', messageId: `m-${runId}`, role: 'assistant' },
      ])
        response.write(`data: ${JSON.stringify(event)}\r\n\r\n`);
      response.write(cut);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, left };
}

async function serviceBefore(t: TestContext, url: string) {
  const flags = ['--ag-ui-agents', JSON.stringify([url])];
  const service = await RealService.of(t, flags);
  const run = (runId: string): Promise<Response> =>
    fetch(`${service.readers}/ag-ui/proxy?url=${encodeURIComponent(url)}&agent=Talker`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ threadId: 'th', runId, messages: [], tools: [], context: [], state: {} }),
    });
  const isRunning = (taskId: string) =>
    until('it runs', async () =>
      (await service.graph(`collapse=none&taskIds=${taskId}`)).nodes.some(({ state }) => state === 'RUNNING'),
    );
  return { service, party: new Party(service.readers, ''), run, isRunning };
}

test('[IR21] a run of AG-UI that is passed on is aborted: its agent is left, its client told, and others go on', async (t) => {
  const { url, left } = await endlessAgent(t);
  const { service, party, run, isRunning } = await serviceBefore(t, url);
  const answer = await run('one');
  const other = await run('two');
  const text = answer.text();
  for (const runId of ['one', 'two']) await isRunning(runId);
  const asked = await party.post('/api/tasks/one/interrupt', { reason: 'redirect', message: 'elsewhere' });
  assert.equal(asked.status, 202, asked.text);
  assert.partialDeepStrictEqual(JSON.parse(asked.text), {
    isOver: true,
    told: [{ way: 'ag-ui', agent: 'Talker', status: 'stopping' }],
  });
  const events = (await text)
    .split(/\r?\n\r?\n/)
    .filter((frame) => frame !== '')
    .map((frame) => JSON.parse(frame.slice('data: '.length)) as { type: string; message?: string });
  assert.deepEqual(events.at(-1), {
    type: 'RUN_ERROR',
    message: 'interrupted: redirect: elsewhere',
    code: 'INTERRUPTED',
  });
  await left[0];
  await until('the run is over on the graph', async () => {
    const { nodes } = await service.graph('collapse=none&taskIds=one');
    const names = new Set(nodes.map(({ name }) => name));
    return (
      names.has('UserInterrupt') &&
      names.has('InterruptAnswered') &&
      nodes.every(({ state }) => state === 'ENDED')
    );
  });
  await isRunning('two');
  await other.body?.cancel();
});

test('[IR21] a client whose event is cut off in the middle is left with no other, and the run is over all the same', async (t) => {
  const { url } = await endlessAgent(t, 'data: {"type":"TEXT_MESSAGE_CON');
  const { service, party, run, isRunning } = await serviceBefore(t, url);
  const ended = (await run('one')).text().then(
    () => 'whole',
    () => 'cut off',
  );
  await isRunning('one');
  assert.equal((await party.post('/api/tasks/one/interrupt', { reason: 'timeout' })).status, 202);
  assert.equal(await ended, 'cut off');
  await until('the run is over on the graph', async () =>
    (await service.graph('collapse=none&taskIds=one')).nodes.every(({ state }) => state === 'ENDED'),
  );
});
