import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ExplanationEdge, ExplanationNode } from '../../src/model/node.ts';
import { startExampleAgent } from '../support/example-agent.ts';
import { until } from '../support/until.ts';
import { Party } from './parties.ts';
import { temporaryFolder } from './real-service.ts';
import { serviceWithKeys } from './service-with-keys.ts';
import { SpawnedService } from './spawned-service.ts';

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
  const agent = startExampleAgent([process.execPath, 'agent.js'], service.readers, keys.agent);
  t.after(agent.kill);
  const code = await agent.exit;
  const printed = agent.printed();
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

test('[GU15] the demo of a runaway shows the loop, the guard, what the agent answered and how it ended', async (t) => {
  const folder = await temporaryFolder(t);
  const ports = ['--port', '0', '--otlp-grpc-port', '0', '--otlp-http-port', '0'];
  const demo = new SpawnedService(t, folder, ['demo', '--runaway', ...ports, '--data-dir', folder]);
  await until('the demo has been played', () => demo.stdout.includes('Ctrl-C stops it.'));
  const page = /in a browser, live:\n {2}(\S+)/.exec(demo.stdout)?.[1] ?? '';
  assert.equal((await fetch(page)).status, 200);
  demo.process.kill('SIGTERM');
  assert.equal(await demo.exit(), 0, demo.stdout);
  const shown = demo.stdout.slice(demo.stdout.indexOf('An agent looks'));
  const places = [
    /(?:\+ ✓ OTHER Searched .*\n.*){6}/,
    /\+ ! REFLEXION_ACTION GuardFired {2}loops: \d+ steps that do the same, the limit is 6 \(interrupted\)/,
    /└ ! REFLEXION_ACTION GuardFired .*\n +└ ✓ REFLEXION_ACTION UserInterrupt {2}resource_limit: \d+ steps that do the same, the limit is 6 {2}Guard/,
    /guard:loops asked it to stop \(resource_limit\); it answered: stopping: it is not there\nIt stopped\./,
  ].map((pattern) => shown.search(pattern));
  assert.ok(!places.includes(-1), `${places.join(' ')}\n${shown}`);
  assert.deepEqual(
    places,
    places.toSorted((a, b) => a - b),
  );
  assert.equal(demo.stderr, '');
});
