import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { test } from 'node:test';
import type { ExplanationEdge, ExplanationNode } from '../../src/model/node.ts';
import { until } from '../support/until.ts';
import { Party } from './parties.ts';
import { serviceWithKeys } from './service-with-keys.ts';

const AGENT = resolve(import.meta.dirname, '../../examples/interrupt/agent.js');

test('[GU1] a guard stops the example agent, and the graph shows who asked, why, and what it answered', async (t) => {
  const guards = [
    {
      name: 'too-long',
      tasks: ['count-*'],
      per: 'agent',
      limits: { runningSeconds: 1 },
      action: 'interrupt',
    },
  ];
  const { service, keys } = await serviceWithKeys(
    t,
    { agent: { roles: ['sender'] }, ops: { roles: ['operator'] }, admin: { roles: ['admin'] } },
    ['--guards', JSON.stringify(guards)],
  );
  const [ops, admin] = [new Party(service.readers, keys.ops), new Party(service.readers, keys.admin)];
  const env = { ...process.env, EXPLAINABILITY_AGENT_TOKEN: keys.agent, NODE_V8_COVERAGE: '' };
  const agent = spawn(process.execPath, [AGENT, service.readers], { env });
  t.after(() => agent.kill('SIGKILL'));
  let printed = '';
  for (const stream of [agent.stdout, agent.stderr])
    stream.on('data', (piece: Buffer) => (printed += piece.toString()));
  const [code] = (await once(agent, 'close')) as [number | null];
  assert.equal(code, 0, printed);
  assert.match(printed, /asked to stop by guard:too-long: timeout\nstopped\n$/);
  const taskId = /^count-\d+/m.exec(printed)?.[0] ?? '';

  const graph = async () =>
    JSON.parse((await ops.get(`/api/graph?taskIds=${taskId}&collapse=none`)).text) as {
      nodes: readonly ExplanationNode[];
      edges: readonly ExplanationEdge[];
    };
  const named = async (name: string) => (await graph()).nodes.find((node) => node.name === name);
  await until('what it did is on the graph', async () => (await named('AgentStopped')) !== undefined);
  const [fired, asked, answered] = await Promise.all(
    ['GuardFired', 'UserInterrupt', 'InterruptAnswered'].map(named),
  );
  assert.partialDeepStrictEqual(fired, {
    agent: 'Guard',
    status: 'WARNING',
    details: { guard: 'too-long', limit: 'runningSeconds', bound: 1, outcome: 'interrupted', dryRun: false },
  });
  assert.partialDeepStrictEqual(asked, {
    agent: 'Guard',
    details: { askedBy: 'guard:too-long', reason: 'timeout', stepId: `req:${taskId}` },
  });
  assert.partialDeepStrictEqual(answered, { agent: 'CounterAgent', details: { answer: 'stopping' } });
  const { edges } = await graph();
  for (const [from, to] of [
    [`req:${taskId}`, fired?.id],
    [fired?.id, asked?.id],
    [asked?.id, answered?.id],
  ])
    assert.ok(
      edges.some((edge) => edge.from === from && edge.to === to),
      `${from} → ${to}`,
    );

  const audit = (await admin.get('/api/audit?limit=10')).text;
  assert.match(audit, /"action":"guard".{0,300}"who":"guard:too-long"/);
  assert.match(audit, /"action":"interrupt".{0,300}"who":"guard:too-long"/);
  const metrics = (await ops.get('/metrics')).text;
  assert.match(metrics, /^explain_guards_fired_total\{guard="too-long",action="interrupt"\} 1$/m);
});
