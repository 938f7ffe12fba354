import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { test, type TestContext } from 'node:test';
import type { InterruptState } from '../../src/model/interrupt.ts';
import { until } from '../support/until.ts';
import { serviceWithKeys } from './service-with-keys.ts';
import { Party } from './parties.ts';

const EXAMPLES = resolve(import.meta.dirname, '../../examples/interrupt');

for (const [language, command] of [
  ['JavaScript', [process.execPath, 'agent.js']],
  ['Python', ['python3', 'agent.py']],
] as const)
  test(`[IR17] the example agent in ${language} runs until it is asked to stop, and what it did then follows on the graph`, async (t) => {
    const { service, keys } = await serviceWithKeys(t, {
      agent: { roles: ['sender'] },
      ops: { roles: ['operator'] },
    });
    const ops = new Party(service.readers, keys.ops);
    const agent = startAgent(t, command, service.readers, keys.agent);
    await agent.prints(/^count-\d+ runs$/m);
    const taskId = /^count-\d+/m.exec(agent.printed())?.[0] ?? '';
    await until('it thinks', async () => (await ops.get(`/api/nodes/req:${taskId}`)).status === 200);
    const asked = await ops.post(`/api/tasks/${taskId}/interrupt`, { reason: 'user_request' });
    assert.equal(asked.status, 202, asked.text);
    const { id, nodeId } = JSON.parse(asked.text) as InterruptState;
    assert.equal(await agent.exit, 0, agent.printed());
    assert.match(agent.printed(), /asked to stop by ops: user_request\nstopped\n$/);
    const state = JSON.parse((await ops.get(`/api/interrupts/${id}`)).text) as InterruptState;
    assert.partialDeepStrictEqual(state, {
      isOver: true,
      told: [{ agent: 'CounterAgent', status: 'stopping', message: 'after this number' }],
    });
    const { nodes, edges } = JSON.parse(
      (await ops.get(`/api/graph?taskIds=${taskId}&collapse=none`)).text,
    ) as {
      nodes: readonly { id: string; name: string; state: string }[];
      edges: readonly { from: string; to: string }[];
    };
    assert.ok(nodes.every((node) => node.state === 'ENDED'));
    const followed = new Set(edges.filter(({ from }) => from === nodeId).map(({ to }) => to));
    const names = nodes.filter((node) => followed.has(node.id)).map(({ name }) => name);
    assert.deepEqual(names.sort(), ['AgentStopped', 'InterruptAnswered']);
  });

function startAgent(t: TestContext, [program, file]: readonly [string, string], url: string, token: string) {
  const env = { ...process.env, EXPLAINABILITY_AGENT_TOKEN: token, NODE_V8_COVERAGE: '' };
  const agent = spawn(program, [resolve(EXAMPLES, file), url], { env });
  t.after(() => agent.kill('SIGKILL'));
  let printed = '';
  for (const stream of [agent.stdout, agent.stderr])
    stream.on('data', (piece: Buffer) => (printed += piece.toString()));
  return {
    printed: () => printed,
    prints: (pattern: RegExp) => until(`it prints ${String(pattern)}`, () => pattern.test(printed)),
    exit: once(agent, 'close').then(([code]) => code as number | null),
  };
}
