import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { InterruptState } from '../../src/model/interrupt.ts';
import { run } from '../cli/run-command.ts';
import { startExampleAgent } from '../support/example-agent.ts';
import { until } from '../support/until.ts';
import { serviceWithKeys } from './service-with-keys.ts';
import { Party } from './parties.ts';

for (const [language, command] of [
  ['JavaScript', [process.execPath, 'agent.js']],
  ['Python', ['python3', 'agent.py']],
] as const)
  test(`[IR17] the example agent in ${language} runs until the shell asks it to stop, and what it did then follows on the graph`, async (t) => {
    const { service, keys } = await serviceWithKeys(t, {
      agent: { roles: ['sender'] },
      ops: { roles: ['operator'] },
    });
    const ops = new Party(service.readers, keys.ops);
    const agent = startExampleAgent(command, service.readers, keys.agent);
    t.after(agent.kill);
    await agent.prints(/^count-\d+ runs$/m);
    const taskId = /^count-\d+/m.exec(agent.printed())?.[0] ?? '';
    await until('it thinks', async () => (await ops.get(`/api/nodes/req:${taskId}`)).status === 200);
    const asked = await run(
      ['interrupt', taskId, '--reason', 'user_request', '--json', '--url', service.readers],
      { env: { EXPLAINABILITY_AGENT_TOKEN: keys.ops } },
    );
    assert.equal(asked.code, 0, asked.stderr);
    const { id, nodeId } = JSON.parse(asked.stdout) as InterruptState;
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
