import assert from 'node:assert/strict';
import { test } from 'node:test';
import { temporaryFolder } from '../e2e/real-service.ts';
import { SpawnedService } from '../e2e/spawned-service.ts';
import { AgentProcess } from './agent-process.ts';
import { NodeWatch } from './node-watch.ts';

const AGENTS = [
  ['the SDK put together by hand', 'agent.js'],
  ['NodeSDK', 'agent-node-sdk.js'],
] as const;
const SPANS = 5;

for (const [setup, program] of AGENTS) {
  test(`[OS11] an agent with ${setup}: readers see a span run before it has ended, and then the same node ended`, async (t) => {
    const service = await SpawnedService.ready(t, await temporaryFolder(t));
    const watch = await NodeWatch.open(t, service.readers);
    const agent = await AgentProcess.up(t, program, service.otlpHttp);
    const latencies: number[] = [];
    const nodes: string[] = [];
    for (let i = 0; i < SPANS; i++) {
      const { nodeId, toldAt } = await agent.start(`step${i}`);
      // It runs on until it is told otherwise: what is seen now was known before the end.
      const { at, node } = await watch.shows(nodeId, 'RUNNING');
      assert.deepEqual(
        [node.type, node.model, node.taskId, node.agent],
        ['LLM_CALL', 'gpt-5', 'T1', 'CoderAgent'],
      );
      latencies.push(at - toldAt);
      nodes.push(nodeId);
    }
    t.diagnostic(`told to start → seen running, ms: ${latencies.map((ms) => ms.toFixed(0)).join(' ')}`);
    for (let i = 0; i < SPANS; i++) agent.end(`step${i}`);
    await agent.finish();
    for (const nodeId of nodes) {
      await watch.shows(nodeId, 'ENDED');
      assert.equal(watch.of(nodeId).at(-1)?.node.state, 'ENDED');
    }
    const { nodes: all } = (await service.get('/api/graph?collapse=none')) as { nodes: { id: string }[] };
    assert.deepEqual(all.map(({ id }) => id).sort(), nodes.sort());
  });
}

test('[OS11] the spans of an agent that was killed stay as it left them', async (t) => {
  const service = await SpawnedService.ready(t, await temporaryFolder(t));
  const watch = await NodeWatch.open(t, service.readers);
  const agent = await AgentProcess.up(t, 'agent.js', service.otlpHttp);
  const { nodeId } = await agent.start('step');
  await watch.shows(nodeId, 'RUNNING');
  await agent.kill();
  const { node } = (await service.get(`/api/nodes/${nodeId}`)) as { node: { state: string } };
  assert.equal(node.state, 'RUNNING');
});
