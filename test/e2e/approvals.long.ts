import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { test } from 'node:test';
import { askApproval, waitForInterrupts } from '../../src/control/control.ts';
import type { ApprovalState } from '../../src/model/approval.ts';
import type { ExplanationGraph, ExplanationNode } from '../../src/model/node.ts';
import { waitOverSse } from '../support/control-agent.ts';
import { until } from '../support/until.ts';
import { AUTH, Party } from './parties.ts';
import { RealService, temporaryFolder } from './real-service.ts';
import { serviceWithKeys } from './service-with-keys.ts';
import { SpawnedService } from './spawned-service.ts';

const QUESTION = { question: 'May I deploy?', agent: 'CoderAgent', taskId: 'T1' };
const YES = { kind: 'approval', decision: 'approved', text: 'but not the database' };

/** The step at which an agent waits, when it does. */
async function waitingStep(party: Party): Promise<ExplanationNode> {
  let step: ExplanationNode | undefined;
  await until('an agent waits', async () => {
    const { nodes } = JSON.parse((await party.get('/api/graph?taskIds=T1')).text) as ExplanationGraph;
    step = nodes.find(({ name, state }) => name === 'ApprovalRequested' && state === 'RUNNING');
    return step !== undefined;
  });
  assert.ok(step);
  return step;
}

function annotationsOf({ id }: Pick<ExplanationNode, 'id'>): string {
  return `/api/nodes/${id}/annotations`;
}

test('[AT24] an agent asks, an operator answers, and the promise of the library resolves; nobody else may, or is told', async (t) => {
  const { service, keys } = await serviceWithKeys(t, {
    coder: { roles: ['sender'] },
    other: { roles: ['sender'] },
    ana: { roles: ['analyst'] },
    ops: { roles: ['operator'] },
  });
  const [coder, other, ana, ops] = [keys.coder, keys.other, keys.ana, keys.ops].map(
    (key) => new Party(service.readers, key),
  );
  assert.ok(coder && other && ana && ops);
  const stranger = await waitOverSse(service.readers, 'agent=CoderAgent', { 'x-api-key': keys.other });
  // Who waits for interrupts at the same time is not disturbed.
  const control = waitForInterrupts({ url: service.readers, token: keys.coder, agent: 'CoderAgent' });
  t.after(() => [stranger, control].map((one) => one.close()));
  await control.ready;
  const errors: unknown[] = [];
  const answer = askApproval({
    ...QUESTION,
    url: service.readers,
    token: keys.coder,
    onError: (error) => errors.push(error),
  });
  const step = await waitingStep(ana);
  assert.equal((await ana.post(annotationsOf(step), YES)).status, 403);
  assert.equal((await coder.post(annotationsOf(step), YES)).status, 403);
  assert.equal((await ops.post('/api/control/approvals', QUESTION)).status, 403);
  assert.equal((await ops.post(annotationsOf(step), YES)).status, 201);
  assert.deepEqual(await answer, { state: 'approved', text: YES.text, by: 'ops', nodeId: step.id });
  const late = await ops.post(annotationsOf(step), { ...YES, decision: 'denied' });
  assert.deepEqual([late.status, late.text.includes('it is approved already, by ops')], [409, true]);

  const { id } = JSON.parse((await other.post('/api/control/approvals', QUESTION)).text) as ApprovalState;
  assert.equal((await coder.get(`/api/control/approvals/${id}`)).status, 404);
  assert.equal((await other.get(`/api/control/approvals/${id}`)).status, 200);
  assert.deepEqual(
    stranger.frames.map(({ type }) => type),
    ['waiting'],
  );
  assert.deepEqual([errors, control.signal.aborted], [[], false]);
});

test('[AT24] what is refused rejects, and who gives it up waits no more', async (t) => {
  const service = await RealService.of(t, AUTH);
  await assert.rejects(askApproval({ ...QUESTION, url: service.readers, token: 'wrong' }), /UNAUTHENTICATED/);
  const { key } = await Party.of(service.readers, 'default', ['sender', 'operator']);
  await assert.rejects(
    askApproval({ question: 'x', url: service.readers, token: key }),
    /agent is required, or taskId or traceId/,
  );
  const giving = new AbortController();
  const asked = askApproval({ ...QUESTION, url: service.readers, token: key, signal: giving.signal });
  await waitingStep(new Party(service.readers, key));
  giving.abort(new Error('enough'));
  await assert.rejects(asked, /enough/);
});

test('[AT17] a service that is killed while an agent waits asks on after its next start, and the agent is told', async (t) => {
  const dataDir = await temporaryFolder(t);
  const first = await SpawnedService.ready(t, dataDir);
  const url = `http://${first.readers}`;
  const party = new Party(url, '');
  const answer = askApproval({ ...QUESTION, url, id: 'deploy-7' });
  const step = await waitingStep(party);
  first.process.kill('SIGKILL');
  await first.exit();
  const port = new URL(url).port;
  const service = await RealService.start({ dataDir, flags: ['--port', port] });
  t.after(() => service.stop());
  assert.equal((await waitingStep(party)).id, step.id);
  assert.equal((await party.post(annotationsOf(step), YES)).status, 201);
  assert.partialDeepStrictEqual(await answer, { state: 'approved', text: YES.text });
  // Another process of the agent that asks under the same id has the same answer at once.
  const again = await askApproval({ ...QUESTION, url, id: 'deploy-7' });
  assert.deepEqual([again.state, again.nodeId], ['approved', step.id]);
});

test('[AT15] after a restart the agent is told what readers see, with the markers of the task', async (t) => {
  const dataDir = await temporaryFolder(t);
  let service = await RealService.start({ dataDir });
  t.after(() => service.stop());
  const asked = { ...QUESTION, id: 'deploy-7', options: ['ask ada@example.com', 'skip'] };
  const ask = async (): Promise<ApprovalState> =>
    JSON.parse(
      (await new Party(service.readers, '').post('/api/control/approvals', asked)).text,
    ) as ApprovalState;
  await ask();
  const party = new Party(service.readers, '');
  const step = await waitingStep(party);
  const said = {
    ...YES,
    text: 'for bob@example.com',
    option: (step.details?.['options'] as string[] | undefined)?.[0],
  };
  assert.equal((await party.post(annotationsOf(step), said)).status, 201);
  assert.partialDeepStrictEqual(await ask(), { text: said.text, option: asked.options[0] });
  const { decisionText, option } = (
    JSON.parse((await party.get(`/api/nodes/${step.id}`)).text) as {
      readonly node: { readonly details: { readonly [name: string]: unknown } };
    }
  ).node.details;
  assert.match(String(decisionText), /^for \[EMAIL:/);
  await service.stop();
  service = await RealService.start({ dataDir });
  assert.partialDeepStrictEqual(await ask(), { state: 'approved', text: decisionText, option });
});

test('[AT17] one that has left memory is answered, and one whose time ran out while the service was away expires', async (t) => {
  const dataDir = await temporaryFolder(t);
  let service = await RealService.start({ dataDir });
  t.after(() => service.stop());
  let party = new Party(service.readers, '');
  const ask = async (more: object): Promise<ApprovalState> =>
    JSON.parse((await party.post('/api/control/approvals', { ...QUESTION, ...more })).text) as ApprovalState;
  const long = await ask({ id: 'long' });
  const short = await ask({ id: 'short', expiresInSeconds: 5 });
  await party.send('/api/prune', { olderThanMinutes: 0 });
  await service.stop();
  await until('its time is over', () => Date.now() > Date.parse(short.expiresAt));
  service = await RealService.start({ dataDir });
  party = new Party(service.readers, '');
  const late = await party.post(annotationsOf({ id: short.nodeId }), YES);
  assert.deepEqual([late.status, /nobody answered in time/.test(late.text)], [409, true]);
  assert.equal((await ask({ id: 'long' })).state, 'pending');
  assert.equal((await party.post(annotationsOf({ id: long.nodeId }), YES)).status, 201);
  assert.equal((await ask({ id: 'long' })).state, 'approved');
  await until('it stands on the graph', async () => {
    const { nodes } = await service.graph('taskIds=T1&collapse=none');
    return nodes.some(({ name }) => name === 'ApprovalExpired');
  });
});

test('[AT17] what left memory before a restart expires after it, and who comes back is told what was answered before', async (t) => {
  const dataDir = await temporaryFolder(t);
  let service = await RealService.start({ dataDir });
  t.after(() => service.stop());
  let party = new Party(service.readers, '');
  const ask = async (more: object): Promise<ApprovalState> =>
    JSON.parse((await party.post('/api/control/approvals', { ...QUESTION, ...more })).text) as ApprovalState;
  const answered = await ask({ id: 'answered' });
  assert.equal((await party.post(annotationsOf({ id: answered.nodeId }), YES)).status, 201);
  const brief = await ask({ id: 'brief', expiresInSeconds: 5 });
  assert.equal((await party.post(annotationsOf({ id: brief.nodeId }), YES)).status, 201);
  const pending = await ask({ id: 'pending', expiresInSeconds: 5 });
  await party.send('/api/prune', { olderThanMinutes: 0 });
  await service.stop();
  // What was answered is told for minutes nevertheless.
  await until('their time is over', () => Date.now() > Date.parse(pending.expiresAt));
  service = await RealService.start({ dataDir });
  party = new Party(service.readers, '');
  const agent = await waitOverSse(service.readers, 'agent=CoderAgent');
  t.after(() => agent.close());
  const told = () =>
    agent.frames
      .flatMap((frame) => (frame.type === 'approval' ? [`${frame.approvalId} ${frame.state}`] : []))
      .toSorted();
  const expected = [`${answered.id} approved`, `${brief.id} approved`, `${pending.id} expired`].toSorted();
  await until('it is told all three', () => told().length >= expected.length);
  assert.deepEqual(told(), expected);
  await until('it stands on the graph', async () => {
    const { nodes } = await service.graph('taskIds=T1&collapse=none');
    return nodes.some(({ id, status }) => id === pending.nodeId && status === 'WARNING');
  });
});

test('[AT25] the example in Python asks, waits, and says what it was answered', async (t) => {
  const { service, keys } = await serviceWithKeys(t, {
    agent: { roles: ['sender'] },
    ops: { roles: ['operator'] },
  });
  const file = resolve(import.meta.dirname, '../../examples/interrupt/ask.py');
  const env = { ...process.env, EXPLAINABILITY_AGENT_TOKEN: keys.agent };
  const agent = spawn('python3', [file, 'May I?', service.readers], { env });
  t.after(() => agent.kill('SIGKILL'));
  let printed = '';
  for (const stream of [agent.stdout, agent.stderr])
    stream.on('data', (piece: Buffer) => (printed += piece.toString()));
  const exit = once(agent, 'close');
  await until('it waits', () => / waits$/m.test(printed));
  const nodeId = /^event:approval:\w+/.exec(printed)?.[0] ?? '';
  const ops = new Party(service.readers, keys.ops);
  const answer = await ops.post(`/api/nodes/${nodeId}/annotations`, { ...YES, decision: 'denied' });
  assert.equal(answer.status, 201, answer.text);
  assert.deepEqual([(await exit)[0], printed.split('\n')[1]], [0, 'denied: ops: but not the database']);
});
