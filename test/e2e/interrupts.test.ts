import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import type { InterruptState } from '../../src/model/interrupt.ts';
import { waitOverSse, waitOverWebSocket } from '../support/control-agent.ts';
import { until } from '../support/until.ts';
import { ADMIN, AUTH, Party } from './parties.ts';
import { RealService, temporaryFolder } from './real-service.ts';
import { serviceWithKeys } from './service-with-keys.ts';
import { SpawnedService } from './spawned-service.ts';

const RUNNING = { requestId: 'r1', text: 'I look at it.', agent: 'CoderAgent', taskId: 'T1' };
const STEP = '/api/nodes/req:r1/interrupt';
const AGENT = 'agent=CoderAgent';
const WHY = { reason: 'user_request', message: 'enough' };

/** A thought that goes on: its step runs. */
async function begin(sender: Party): Promise<void> {
  await sender.send('/api/cot', { ...RUNNING, timestamp: Date.now() });
}

function keyOf({ key }: Party): { readonly 'x-api-key': string } {
  return { 'x-api-key': key };
}

async function stateOf(party: Party, id: string): Promise<InterruptState> {
  return JSON.parse((await party.get(`/api/interrupts/${id}`)).text) as InterruptState;
}

test('[IR2] agents wait over server-sent events and WebSockets, are told, and answer; an operator sees it all', async (t) => {
  const { service, keys } = await serviceWithKeys(t, {
    coder: { roles: ['sender'] },
    ops: { roles: ['operator'] },
    reader: { roles: ['analyst'] },
  });
  const [coder, ops, reader] = [keys.coder, keys.ops, keys.reader].map(
    (key) => new Party(service.readers, key),
  );
  assert.ok(coder && ops && reader);
  await begin(coder);
  const sse = await waitOverSse(service.readers, AGENT, keyOf(coder));
  const socket = await waitOverWebSocket(service.readers, `${AGENT}&instance=two`, keyOf(coder));
  t.after(() => [sse, socket].map((agent) => agent.close()));

  // Only who has the right may ask; only who sends may wait; nobody says who they are but by their key.
  for (const [party, path] of [
    [coder, STEP],
    [reader, STEP],
    [ops, '/api/control'],
    [ops, '/api/control/interrupt'],
  ] as const)
    assert.equal((await party.post(path, { ...WHY, ...RUNNING })).status, 403, path);
  await assert.rejects(waitOverSse(service.readers, AGENT, keyOf(ops)), /403/);
  for (const query of ['', `${AGENT}&agent=B`, `${AGENT}&when=now`]) {
    await assert.rejects(waitOverSse(service.readers, query, keyOf(coder)), /400/);
    const { frames } = await waitOverWebSocket(service.readers, query, keyOf(coder));
    assert.equal((frames[0] as { type?: string } | undefined)?.type, 'error', query);
  }

  const asked = await ops.post(STEP, { ...WHY, by: 'the boss', askedBy: 'the boss' });
  assert.equal(asked.status, 202, asked.text);
  const { id, nodeId } = JSON.parse(asked.text) as InterruptState;
  const [first] = await sse.interrupts(1);
  const [second] = await socket.interrupts(1);
  assert.deepEqual([first?.message, first?.by, second?.interruptNodeId], ['enough', 'ops', nodeId]);
  await coder.send('/api/control', { id: first?.id, status: 'completing_thought' });
  socket.send({ id: second?.id, status: 'stopping', message: 'bye' });
  await until('both have answered', async () => (await stateOf(ops, id)).isOver);
  assert.deepEqual(
    (await stateOf(ops, id)).told.map(({ status }) => status),
    ['completing_thought', 'stopping'],
  );
  socket.send({ id: second?.id, status: 'ignored' });
  await until('it is refused', () =>
    socket.frames.some((frame) => JSON.stringify(frame).includes('FAILED_PRECONDITION')),
  );

  const detail = await reader.get(`/api/nodes/${nodeId}`);
  assert.match(detail.text, /"askedBy":"ops"/);
  assert.doesNotMatch(detail.text, /the boss/);

  const ended = { ...RUNNING, timestamp: Date.now(), final: true };
  await coder.send('/api/cot', ended);
  const refused = await ops.post(STEP, WHY);
  assert.deepEqual([refused.status, refused.text.includes('the step has ended')], [409, true]);
  const self = await coder.post('/api/control/interrupt', { ...WHY, agent: 'CoderAgent' });
  assert.deepEqual([self.status, JSON.parse(self.text).told], [202, 2], self.text);
  await sse.interrupts(2);
});

test('[IR14] who interrupts is on record, with the step and the reason', async (t) => {
  const service = await RealService.of(t, AUTH);
  const admin = new Party(service.readers, ADMIN);
  await begin(await Party.of(service.readers, 'default', ['sender']));
  assert.equal((await admin.post(STEP, WHY)).status, 202);
  const { entries } = JSON.parse((await admin.get('/api/audit?limit=1')).text) as {
    entries: readonly object[];
  };
  assert.partialDeepStrictEqual(entries[0], {
    action: 'interrupt',
    who: 'auth.adminToken',
    node: 'req:r1',
    why: 'user_request',
    outcome: 'done',
  });
});

test('[IR15] no interrupt, stream or answer crosses from one project to another', async (t) => {
  const service = await RealService.of(t, AUTH);
  const [mine, theirs] = [
    await Party.of(service.readers, 'mine', ['sender', 'operator']),
    await Party.of(service.readers, 'theirs', ['sender', 'operator']),
  ];
  for (const party of [mine, theirs]) await begin(party);
  const agent = await waitOverSse(service.readers, AGENT, keyOf(theirs));
  const own = await waitOverSse(service.readers, AGENT, keyOf(mine));
  t.after(() => [agent, own].map((one) => one.close()));
  const { id } = JSON.parse((await mine.post(STEP, { ...WHY, id: 'x' })).text) as InterruptState;
  const [told] = await own.interrupts(1);
  assert.equal((await theirs.get(`/api/interrupts/${id}`)).status, 404);
  assert.equal((await theirs.post('/api/control', { id: told?.id, status: 'ignored' })).status, 404);
  // What comes to them comes after what would have crossed.
  await theirs.post(STEP, { reason: 'timeout' });
  assert.deepEqual(
    (await agent.interrupts(1)).map(({ reason }) => reason),
    ['timeout'],
  );
});

test('[IR22] the webhook of a project is told of what no agent there waits for, and of nothing of another', async (t) => {
  const told: string[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (piece) => (body += String(piece)));
    request.on('end', () => {
      told.push((JSON.parse(body) as { reason: string }).reason);
      response.end('{"status": "stopping"}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const webhook = JSON.stringify({ url, secret: 'a-secret-of-the-tests', project: 'mine' });
  const flags = [...AUTH, '--interrupt-webhook', webhook];
  const service = await RealService.of(t, flags);
  const [mine, theirs] = [
    await Party.of(service.readers, 'mine', ['sender', 'operator']),
    await Party.of(service.readers, 'theirs', ['sender', 'operator']),
  ];
  for (const party of [mine, theirs]) await begin(party);
  const other = await theirs.post(STEP, { reason: 'error' });
  assert.deepEqual((JSON.parse(other.text) as InterruptState).told, []);
  const { id } = JSON.parse((await mine.post(STEP, { reason: 'timeout' })).text) as InterruptState;
  await until('it answers', async () => (await stateOf(mine, id)).isOver);
  assert.deepEqual((await stateOf(mine, id)).told, [
    { way: 'webhook', agent: 'CoderAgent', status: 'stopping' },
  ]);
  const agent = await waitOverSse(service.readers, AGENT, keyOf(mine));
  t.after(() => agent.close());
  await mine.post(STEP, { reason: 'redirect' });
  await agent.interrupts(1);
  assert.deepEqual(told, ['timeout']);
});

test('[IR16] a key that is revoked waits no more, and streams end with the service', async (t) => {
  const service = await RealService.start({ dataDir: await temporaryFolder(t), flags: AUTH });
  const admin = new Party(service.readers, ADMIN);
  const made = JSON.parse((await admin.post('/api/keys', { name: 'coder', roles: ['sender'] })).text) as {
    readonly id: string;
    readonly key: string;
  };
  const { key } = made;
  const waiting = await fetch(`${service.readers}/api/control?${AGENT}`, { headers: { 'x-api-key': key } });
  const other = await fetch(`${service.readers}/api/control?${AGENT}`, { headers: { 'x-api-key': ADMIN } });
  assert.deepEqual([waiting.status, other.status], [200, 403]);
  const ended = waiting.text().then(
    () => 'ended',
    () => 'cut off',
  );
  await fetch(`${service.readers}/api/keys/${made.id}`, {
    method: 'DELETE',
    headers: { 'x-api-key': ADMIN },
  });
  assert.equal(await ended, 'cut off');
  const sender = await Party.of(service.readers, 'default', ['sender']);
  const still = await fetch(`${service.readers}/api/control?${AGENT}`, { headers: keyOf(sender) });
  await service.stop();
  assert.match(await still.text(), /"type":"closed"/);
});

test('[IR10] a service that is killed while an agent is asked says after its next start that it was not answered', async (t) => {
  const dataDir = await temporaryFolder(t);
  const first = await SpawnedService.ready(t, dataDir);
  const party = new Party(`http://${first.readers}`, '');
  await begin(party);
  const { nodeId } = JSON.parse((await party.post(STEP, WHY)).text) as InterruptState;
  first.process.kill('SIGKILL');
  await first.exit();
  const service = await RealService.start({ dataDir });
  t.after(() => service.stop());
  const { nodes, edges } = await service.graph();
  const shown = nodes.find(({ name }) => name === 'InterruptUnanswered');
  assert.match(String(shown?.title), /started anew/);
  assert.ok(edges.some(({ from, to }) => from === nodeId && to === shown?.id));
});
