import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import type { ExplanationNode } from '../../src/model/node.ts';
import type { NodeDetail } from '../../src/model/reader-messages.ts';
import type { ReplayStarted } from '../../src/model/replay.ts';
import { until } from '../support/until.ts';
import { RealService } from './real-service.ts';

const RECORDING = new URL('../fixtures/telemetry/ai-sdk-7-genai.otlp.json', import.meta.url);

async function post(url: string, body: string): Promise<Response> {
  return fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
}

async function replay(service: RealService, request: object): Promise<ReplayStarted> {
  const response = await post(`${service.readers}/api/replay`, JSON.stringify(request));
  assert.equal(response.status, 200, await response.clone().text());
  return (await response.json()) as ReplayStarted;
}

interface Seen {
  readonly nodes: readonly unknown[];
  readonly edges: readonly unknown[];
}

/** What a task shows, under the ids of the task that it was played from. */
async function seen(service: RealService, taskId: string): Promise<Seen> {
  const graph = await service.graph(`collapse=none&taskIds=${encodeURIComponent(taskId)}`);
  const idOf = new Map(
    graph.nodes.map(({ id, details }) => [id, (details?.['replayOfNode'] ?? id) as string]),
  );
  const nodes = await Promise.all(
    graph.nodes.map(async ({ id }) => {
      const { node, texts } = (await service.json(`/api/nodes/${encodeURIComponent(id)}`)) as NodeDetail;
      return { ...shown(node), id: idOf.get(id), texts };
    }),
  );
  const edges = graph.edges.map(({ from, to, relation, evidence }) => ({
    from: idOf.get(from),
    to: idOf.get(to),
    relation,
    evidence,
  }));
  const sorted = (items: readonly object[]) => items.map((item) => JSON.stringify(item)).toSorted();
  return { nodes: nodes.toSorted((a, b) => String(a.id).localeCompare(String(b.id))), edges: sorted(edges) };
}

/** What a replay takes over as it was. */
function shown({ agent, type, name, title, state, status, model, ...rest }: ExplanationNode): object {
  const { promptSummary, tokensIn, tokensOut, latencyMs, costUsd, details = {} } = rest;
  const figures = { promptSummary, tokensIn, tokensOut, latencyMs, costUsd };
  return { agent, type, name, title, state, status, model, ...figures, tool: details['toolName'] };
}

async function fill(service: RealService): Promise<string> {
  assert.ok((await post(`${service.otlpHttp}/v1/traces`, await readFile(RECORDING, 'utf8'))).ok);
  await service.flush();
  const [node] = (await service.graph()).nodes;
  assert.ok(node);
  const cot = { timestamp: node.timestamp, agent: 'CoderAgent' };
  const thoughts = [
    {
      ...cot,
      taskId: node.taskId,
      requestId: 'r-1',
      text: 'First I write to jane.doe@example.org.\n\nThen I wait.',
      final: true,
    },
  ];
  assert.ok((await post(`${service.readers}/api/cot`, JSON.stringify(thoughts))).ok);
  await service.flush();
  return node.taskId;
}

test('[RP1] a task is played again at once, into a task of its own that shows the same', async (t) => {
  const service = await RealService.of(t);
  const task = await fill(service);
  const before = await seen(service, task);
  assert.ok(before.nodes.length > 5 && before.edges.length > 4);
  const answer = await replay(service, { taskId: task });
  assert.deepEqual(answer, {
    taskId: `${task}~replay-1`,
    replayOf: task,
    speed: 0,
    steps: before.nodes.length,
    durationMs: 0,
  });
  await until('it is there', async () => {
    const { nodes } = await service.graph(`collapse=none&taskIds=${encodeURIComponent(answer.taskId)}`);
    return nodes.length === before.nodes.length && nodes.every(({ state }) => state === 'ENDED');
  });
  assert.deepEqual(await seen(service, answer.taskId), before);
  assert.deepEqual(await seen(service, task), before, 'the recorded task is as it was');
  assert.equal((await replay(service, { taskId: task })).taskId, `${task}~replay-2`);
});

test('[RP1] [RP2] an archived task is played live: readers see steps begin, texts grow and steps end', async (t) => {
  const service = await RealService.of(t);
  const task = await fill(service);
  const before = await seen(service, task);
  const pruned = await post(`${service.readers}/api/prune`, JSON.stringify({ olderThanMinutes: 0 }));
  assert.equal(pruned.status, 200, await pruned.text());
  const { tasks } = (await service.json('/api/tasks')) as {
    readonly tasks: readonly { archived?: boolean }[];
  };
  assert.ok(tasks.every(({ archived }) => archived === true));
  // So slow that whoever looks sees steps that run.
  const { nodes } = await service.graph(`collapse=none&taskIds=${encodeURIComponent(task)}`);
  const ends = nodes.map(({ timestamp, latencyMs = 0 }) => Date.parse(timestamp) + latencyMs);
  const recordedMs = Math.max(...ends) - Math.min(...nodes.map(({ timestamp }) => Date.parse(timestamp)));
  const { taskId } = await replay(service, { taskId: task, speed: recordedMs / 5000 });
  const stateOf = async (): Promise<readonly string[]> => {
    const graph = await service.graph(`collapse=none&taskIds=${encodeURIComponent(taskId)}`);
    return graph.nodes.map(({ state }) => state);
  };
  await until('steps run', async () => (await stateOf()).includes('RUNNING'));
  await until('all is played', async () => {
    const states = await stateOf();
    return states.length === before.nodes.length && states.every((state) => state === 'ENDED');
  });
  assert.deepEqual(await seen(service, taskId), before);
});

test('[RP4] over HTTP what cannot be played is refused with what would be right', async (t) => {
  const service = await RealService.of(t);
  const url = `${service.readers}/api/replay`;
  for (const [body, status, message] of [
    ['{"taskId":"nobody"}', 404, /taskId: no task/],
    ['{"taskId":"nobody","speed":"fast"}', 400, /speed: a number from 0/],
    ['[]', 400, /such as/],
    ['{}', 400, /taskId/],
  ] as const) {
    const response = await post(url, body);
    assert.equal(response.status, status, body);
    assert.match(await response.text(), message);
  }
});

test('[RP6] who erases a task erases its replays, and one that runs ends', async (t) => {
  const auth = { token: 'reader-token-1', adminToken: 'admin-token-1' };
  const service = await RealService.of(t, ['--auth', JSON.stringify(auth)]);
  const ask = async (path: string, token: string, body?: object): Promise<unknown> => {
    const response = await fetch(service.readers + path, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    assert.ok(response.ok, path);
    return response.json();
  };
  const thought = {
    timestamp: '2026-03-01T10:00:00.000Z',
    requestId: 'r-1',
    taskId: 'T1',
    text: 'one',
    final: true,
  };
  const later = { ...thought, timestamp: '2026-03-01T11:00:00.000Z', requestId: 'r-2' };
  await ask('/api/cot', auth.token, [thought, later]);
  const tasks = async (): Promise<readonly string[]> => {
    const list = (await ask('/api/tasks', auth.token)) as { readonly tasks: readonly { taskId: string }[] };
    return list.tasks.map(({ taskId }) => taskId).toSorted();
  };
  await until('it is there', async () => (await tasks()).length === 1);
  await ask('/api/replay', auth.token, { taskId: 'T1' });
  await ask('/api/replay', auth.token, { taskId: 'T1', speed: 1 });
  await until('both have begun', async () => (await tasks()).length === 3);
  const erased = (await ask('/api/erase', auth.adminToken, { taskId: 'T1' })) as {
    readonly tasks: readonly string[];
  };
  assert.deepEqual(erased.tasks.toSorted(), ['T1', 'T1~replay-1', 'T1~replay-2']);
  assert.deepEqual(await tasks(), []);
});
