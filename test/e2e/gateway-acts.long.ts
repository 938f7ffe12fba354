import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { connect } from '../../src/client/node.ts';
import { waitForInterrupts } from '../../src/control/control.ts';
import type { Annotation } from '../../src/model/annotation.ts';
import type { ApprovalState } from '../../src/model/approval.ts';
import type { InterruptState } from '../../src/model/interrupt.ts';
import type { ReplayStarted } from '../../src/model/replay.ts';
import { waitOverSse, waitOverWebSocket } from '../support/control-agent.ts';
import { BOUNDED, until } from '../support/until.ts';
import { federation, spans, traceOf, type Federation } from './federation.ts';
import { ADMIN, Party } from './parties.ts';

const SENDER = 'sender-of-the-tests';
/** Nobody guesses it. */
const GATEWAY = 'kG7x2Lq9Zp4Rt8VwYm3Nc6Hb';
const KEY = '5c'.repeat(32);
const WHY = { reason: 'user_request', message: 'enough' };
const nodeOf = (task: number): string => `${traceOf(task)}:${`${task + 1}1`.padStart(16, '0')}`;

interface Guarded extends Federation {
  /** At the gateway. */
  readonly sender: Party;
  readonly admin: Party;
  /** At each cell. */
  readonly admins: readonly Party[];
  readonly senders: readonly Party[];
}

/** Cells that know their gateway, and people who are known at the gateway alike. */
async function guarded(t: TestContext, count = 3): Promise<Guarded> {
  const auth = (more: object): string[] => [
    '--auth',
    JSON.stringify({ token: SENDER, adminToken: ADMIN, ...more }),
  ];
  const made = await federation(t, count, {
    flags: [...auth({ gatewayToken: GATEWAY }), '--vault-key', KEY],
    gatewayFlags: auth({}),
    token: GATEWAY,
  });
  return {
    ...made,
    sender: new Party(made.url, SENDER),
    admin: new Party(made.url, ADMIN),
    admins: made.cells.map(({ readers }) => new Party(readers, ADMIN)),
    senders: made.cells.map(({ readers }) => new Party(readers, SENDER)),
  };
}

/** A thought that goes on: its step runs. */
function running(n: number): object {
  return {
    requestId: `r${n}`,
    text: 'I look at it.',
    agent: 'CoderAgent',
    taskId: `T${n}`,
    timestamp: Date.now(),
  };
}

async function json<T = unknown>(
  answer: Promise<{ readonly status: number; readonly text: string }>,
  status = 200,
): Promise<T> {
  const { status: given, text } = await answer;
  assert.equal(given, status, text);
  return JSON.parse(text) as T;
}

async function stateOf(party: Party, id: string): Promise<InterruptState> {
  return json(party.get(`/api/interrupts/${id}`));
}

async function tasksOf(party: Party): Promise<readonly string[]> {
  const { tasks } = await json<{ tasks: { taskId: string }[] }>(party.get('/api/tasks?limit=100'));
  return tasks.map(({ taskId }) => taskId).sort();
}

interface Entry {
  readonly action: string;
  readonly who: string;
  readonly via?: string;
}

async function audit(party: Party): Promise<readonly Entry[]> {
  return (await json<{ entries: Entry[] }>(party.get('/api/audit'))).entries;
}

/** One step of a task, in a trace of its own. */
function step(n: number, taskId: string, attributes: Readonly<Record<string, string>> = {}): object {
  const all = Object.entries({ taskID: taskId, ...attributes });
  const span = {
    traceId: traceOf(100 + n),
    spanId: `${n}`.padStart(16, '7'),
    name: `step of ${taskId}`,
    startTimeUnixNano: '1750000000000000000',
    endTimeUnixNano: '1750000000900000000',
    attributes: all.map(([key, stringValue]) => ({ key, value: { stringValue } })),
  };
  return { resourceSpans: [{ resource: {}, scopeSpans: [{ scope: {}, spans: [span] }] }] };
}

test(
  '[GP1] what is erased at a gateway is erased in every cell, each of which has on record who asked for it there',
  BOUNDED,
  async (t) => {
    const { cells, sender, admin, admins, senders } = await guarded(t);
    await sender.send('/v1/traces', spans(6));
    // A part of one task in each cell.
    for (const [n, cell] of senders.entries()) await cell.send('/v1/traces', step(n, 'task-3'));
    await until('all are there', async () => (await tasksOf(admin)).length === 6);
    assert.equal((await sender.post('/api/erase', { taskId: 'task-3' })).status, 403);
    assert.equal((await admin.post('/api/erase', { task: 'task-3' })).status, 400);
    const erased = await json(admin.post('/api/erase', { taskId: 'task-3' }));
    assert.deepEqual(erased, { tasks: ['task-3'], nodesInMemory: 6, nodesArchived: 0, originalsOfTasks: 0 });
    await until('it is gone', async () => (await tasksOf(admin)).length === 5);
    for (const cell of admins) {
      const last = (await audit(cell)).find(({ action }) => action === 'erase');
      assert.ok(last?.via !== undefined && last.who.startsWith(`${last.via}/`), JSON.stringify(last));
    }
    const here = (await audit(admin)).map(({ action }) => action);
    assert.deepEqual(here, ['refused', 'refused'], 'by the gateway, and what it was asked for');

    await cells[1]?.stop();
    const { error } = await json<{ error: { message: string } }>(
      admin.post('/api/erase', { taskId: 'task-0' }),
      503,
    );
    assert.match(
      error.message,
      /not erased in every cell: what is in cell-1 \(.*\) is still there; ask again/,
    );
  },
);

test(
  '[GP2] who waits at a gateway is told once of what any cell has to say, over server-sent events and WebSockets, and answers there',
  BOUNDED,
  async (t) => {
    const { url, sender, admin, senders } = await guarded(t);
    const headers = { authorization: `Bearer ${SENDER}` };
    for (const query of ['', 'agent=A&agent=B', 'agent=A&when=now'])
      await assert.rejects(waitOverSse(url, query, headers), /400/);
    const sse = await waitOverSse(url, 'agent=CoderAgent', headers);
    const socket = await waitOverWebSocket(url, 'agent=CoderAgent&instance=two', headers);
    t.after(() => [sse, socket].map((agent) => agent.close()));
    for (let n = 1; n <= 4; n++) await sender.send('/api/cot', running(n));
    // A task that runs in every cell.
    for (const [n, cell] of senders.entries())
      await cell.send('/api/cot', { ...running(10 + n), taskId: 'T9' });
    await until('all run', async () => (await tasksOf(admin)).length === 5);

    for (let n = 1; n <= 4; n++) {
      const asked = await json<InterruptState>(admin.post(`/api/nodes/req:r${n}/interrupt`, WHY), 202);
      const [first, second] = [await sse.interrupts(n), await socket.interrupts(n)].map((all) => all[n - 1]);
      assert.deepEqual(
        [first?.nodeId, first?.interruptNodeId, second?.message],
        [`req:r${n}`, asked.nodeId, 'enough'],
      );
      await sender.send('/api/control', { id: first?.id, status: 'completing_thought' });
      socket.send({ id: second?.id, status: 'stopping' });
      await until('both have answered', async () => (await stateOf(admin, asked.id)).isOver);
      assert.deepEqual(
        (await stateOf(admin, asked.id)).told.map(({ status }) => status),
        ['completing_thought', 'stopping'],
      );
    }
    assert.equal((await sender.post('/api/control', { id: 'nobody', status: 'stopping' })).status, 404);
    assert.equal((await admin.post('/api/nodes/req:none/interrupt', WHY)).status, 404);
    assert.equal((await admin.post('/api/tasks/T1/interrupt', { reason: 'so' })).status, 400);
    assert.equal((await admin.get('/api/interrupts/none')).status, 404);

    const task = await json<InterruptState>(admin.post('/api/tasks/T9/interrupt', WHY), 202);
    assert.equal(task.told.length, 2);
    const own = await json<{ told: number }>(
      sender.post('/api/control/interrupt', { agent: 'CoderAgent', reason: 'error' }),
      202,
    );
    assert.equal(own.told, 2);
    const all = await sse.interrupts(6);
    assert.deepEqual([all.length, all[4]?.interruptNodeId], [6, task.nodeId]);
    await sender.send('/api/control', { id: all[4]?.id, status: 'stopping' });
    const told = (await stateOf(admin, task.id)).told.filter(({ status }) => status === 'stopping');
    assert.equal(told.length, 1);
  },
);

test(
  '[GP3] what people say of a step at a gateway stands in the cell that has it, and an agent that asks at the gateway is told who approves',
  BOUNDED,
  async (t) => {
    const { url, sender, admin } = await guarded(t);
    await sender.send('/v1/traces', spans(6));
    await until('all are there', async () => (await tasksOf(admin)).length === 6);
    for (const over of ['http', 'grpc']) {
      const client = connect({ url: url.replace('http:', `${over}:`), token: ADMIN });
      t.after(() => client.close());
      for (let n = 0; n < 6; n++) await client.annotate(nodeOf(n), { kind: 'note', text: `over ${over}` });
      await assert.rejects(client.annotate('none', { kind: 'note', text: 'x' }), { code: 'NOT_FOUND' });
      await assert.rejects(client.annotate(nodeOf(1), { kind: 'note' }), { code: 'INVALID_ARGUMENT' });
    }
    await json(admin.post(`/api/nodes/${nodeOf(2)}/annotations`, { kind: 'verdict', verdict: 'wrong' }), 201);
    const { annotations } = await json<{ annotations: Annotation[] }>(
      admin.get(`/api/nodes/${nodeOf(2)}/annotations`),
    );
    assert.deepEqual(
      annotations.map(({ kind, text }) => text ?? kind),
      ['over http', 'over grpc', 'verdict'],
    );

    const control = waitForInterrupts({ url, token: SENDER, agent: 'CoderAgent' });
    t.after(() => control.close());
    await control.ready;
    const question = { question: 'May I?', agent: 'CoderAgent', taskId: 'task-4', id: 'mine' };
    const asked = await json<ApprovalState>(sender.post('/api/control/approvals', question), 202);
    const again = await json<ApprovalState>(sender.post('/api/control/approvals', question), 202);
    assert.deepEqual([asked.state, again.id], ['pending', asked.id]);
    assert.equal((await admin.get('/api/control/approvals/none')).status, 403);
    assert.equal((await sender.get('/api/control/approvals/none')).status, 404);
    await until('it is shown', async () => (await admin.get(`/api/nodes/${asked.nodeId}`)).status === 200);
    const { node } = await json<{ node: { taskId: string } }>(admin.get(`/api/nodes/${asked.nodeId}`));
    assert.equal(node.taskId, 'task-4');
    const yes = { kind: 'approval', decision: 'approved', text: 'do' };
    await json(admin.post(`/api/nodes/${asked.nodeId}/annotations`, yes), 201);
    const ended = await json<ApprovalState>(sender.get(`/api/control/approvals/${asked.id}`));
    assert.deepEqual([ended.state, ended.text], ['approved', 'do']);
  },
);

test(
  '[GP4] at a gateway a node is looked behind, and a task played again, by the cell that has it',
  BOUNDED,
  async (t) => {
    const { sender, admin, admins } = await guarded(t);
    await sender.send('/v1/traces', step(1, 'T1', { note: 'asked by jo.doe@example.net' }));
    await until('it is there', async () => (await tasksOf(admin)).length === 1);
    const way = `/api/nodes/${traceOf(101)}:${'1'.padStart(16, '7')}/redaction`;
    assert.equal((await sender.post(way, { action: 'reveal', reason: 'ticket 7' })).status, 403);
    assert.equal((await admin.post(way, { action: 'reveal' })).status, 400);
    const revealed = await admin.post(way, { action: 'reveal', reason: 'ticket 7' });
    assert.equal(revealed.status, 200, revealed.text);
    assert.match(revealed.text, /asked by jo\.doe@example\.net/);
    const kept = (await Promise.all(admins.map(audit))).flat().filter(({ action }) => action === 'reveal');
    assert.deepEqual([kept.length, kept[0]?.who.startsWith(`${kept[0].via}/`)], [1, true]);
    assert.equal(
      (await admin.post('/api/nodes/none/redaction', { action: 'reveal', reason: 'x' })).status,
      404,
    );

    const started = await json<ReplayStarted>(admin.post('/api/replay', { taskId: 'T1', speed: 0 }));
    assert.deepEqual([started.replayOf, started.steps], ['T1', 1]);
    await until('it is played', async () => (await tasksOf(admin)).includes(started.taskId));
    assert.equal((await admin.post('/api/replay', { taskId: 'none' })).status, 404);
    assert.equal((await admin.post('/api/replay', {})).status, 400);
  },
);

test('[GP5] MCP, ThoughtFlow and runs of AG-UI are read at a gateway over all cells', BOUNDED, async (t) => {
  const { url, sender, admin } = await guarded(t);
  await sender.send('/v1/traces', spans(6));
  await until('all are there', async () => (await tasksOf(admin)).length === 6);
  const mcp = new Client({ name: 'test', version: '1' });
  const requestInit = { headers: { authorization: `Bearer ${ADMIN}` } };
  await mcp.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit }));
  t.after(() => mcp.close());
  const names = (await mcp.listTools()).tools.map(({ name }) => name);
  assert.ok(names.includes('why') && !names.some((name) => name.includes('adaptation')), names.join());
  const { content } = (await mcp.callTool({ name: 'list_tasks', arguments: {} })) as CallToolResult;
  assert.equal(content[0]?.type, 'text');
  assert.equal((JSON.parse(content[0].text) as { tasks: object[] }).tasks.length, 6);
  await assert.rejects(
    mcp.callTool({ name: 'list_adaptations', arguments: {} }),
    /there is no such tool; there are list_tasks/,
  );
  for (const file of ['task-3.json', 'task-3.d2']) {
    const { status, text } = await admin.get(`/thoughtflow/${file}`);
    assert.equal(status, 200, text);
    assert.match(text, /step 2/);
  }
  const run = await admin.post('/ag-ui/run', {
    threadId: 'task-3',
    runId: 'r',
    state: {},
    messages: [],
    tools: [],
    context: [],
    forwardedProps: {},
  });
  assert.equal(run.status, 200, run.text);
  assert.match(run.text, /RUN_FINISHED/);
});

test('[GP6] what a gateway has not it says, and what to do', BOUNDED, async (t) => {
  const { admin } = await guarded(t, 1);
  for (const answer of [
    await admin.get('/api/adaptations'),
    await admin.get('/api/adaptations/x'),
    await admin.post('/api/adaptations/reload', {}),
    await admin.post('/api/adaptations/preview', {}),
  ]) {
    assert.equal(answer.status, 409, answer.text);
    assert.match(answer.text, /a gateway has no adaptations: ask a cell at its own port/);
  }
  assert.match((await admin.post('/api/nowhere', {})).text, /there is nothing at this path/);
});
