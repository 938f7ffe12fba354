import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { WebSocket } from 'ws';
import type { ExplanationNode } from '../../src/model/node.ts';
import { toldGraph } from '../support/mew-graph.ts';
import { MewGateway, type GatewayOptions } from '../support/mew-gateway.ts';
import { until, untilPasses } from '../support/until.ts';
import { RealService, temporaryFolder } from './real-service.ts';

const TOKEN = 'tok-5e1b77c2a9';

interface Joined {
  readonly gateway: MewGateway;
  readonly service: RealService;
}

async function joined(t: TestContext, options: GatewayOptions = {}): Promise<Joined> {
  const gateway = await MewGateway.start(options);
  const mew = JSON.stringify({ url: gateway.url, space: 'yard', token: TOKEN });
  const service = await RealService.start({ dataDir: await temporaryFolder(t), flags: ['--mew', mew] });
  t.after(async () => {
    await service.stop();
    await gateway.stop();
  });
  await isIn(gateway);
  return { gateway, service };
}

function isIn(gateway: MewGateway): Promise<void> {
  return until('the service is in the space', () => gateway.participants.includes('explainability-agent'));
}

/** The nodes of messages, by their ids, in words. */
async function nodes(service: RealService): Promise<{ readonly [id: string]: string }> {
  return toldGraph(await service.graph()).nodes;
}

async function untilThere(service: RealService, ...ids: readonly string[]): Promise<void> {
  await untilPasses(async () => {
    const there = await nodes(service);
    for (const id of ids) assert.ok(there[id] !== undefined, `${id} of ${Object.keys(there).join()}`);
  });
}

async function readiness(service: RealService): Promise<{ ready: boolean; reasons: readonly string[] }> {
  return (await fetch(`${service.readers}/readyz`)).json() as Promise<{
    ready: boolean;
    reasons: readonly string[];
  }>;
}

test('[MW11] conformance 14: the service joins a space and shows what is said there, whoever it says that it is from, and what is said to others', async (t) => {
  const { gateway, service } = await joined(t);
  gateway.say('ann', {
    id: 'r',
    kind: 'reasoning/start',
    from: 'supervisor',
    payload: { message: 'Looking' },
  });
  gateway.say('ann', {
    id: 'w',
    kind: 'reasoning/thought',
    to: ['ben'],
    context: 'r',
    payload: { message: 'At the sky' },
  });
  // Of a sender with the service's own name nothing is hidden.
  gateway.say('ann', { id: 'x', kind: 'reasoning/thought', from: 'explainability-agent', context: 'r' });
  // Words of earlier versions stand in files alone.
  gateway.say('ann', { id: 'old', kind: 'reasoning.start', payload: {} });
  gateway.say('ann', { id: 'z', kind: 'reasoning/conclusion', context: 'r' });
  await untilThere(service, 'z');
  assert.deepEqual(await nodes(service), {
    r: 'REASONING supervisor ENDED OK r',
    w: 'REASONING ann ENDED OK r',
    x: 'REASONING explainability-agent ENDED OK r',
    z: 'REASONING ann ENDED OK r',
  });
  assert.ok((await service.graph()).nodes.every(({ taskId }) => taskId === 'yard/r'));
  assert.ok(JSON.stringify(gateway.history).includes(TOKEN), 'the gateway has it in its log');
  const all = JSON.stringify(await service.graph()) + service.log + (await service.metrics());
  assert.ok(!all.includes(TOKEN));
  assert.deepEqual((await readiness(service)).reasons, []);
});

test('[MW12] conformance 13: frames between messages are read, a stream may be open before anybody asked, and a thought told twice is one', async (t) => {
  const { gateway, service } = await joined(t);
  const agent = new WebSocket(gateway.url);
  t.after(() => agent.terminate());
  const opened = new Promise<string>((resolve) => {
    agent.on('message', (data: Buffer) => {
      const { kind, payload } = JSON.parse(data.toString('utf8').replace(/^#.*/s, '{}')) as {
        kind?: string;
        payload?: { stream_id?: string };
      };
      if (kind === 'system/welcome') {
        agent.send(JSON.stringify({ id: 'r', kind: 'reasoning/start', payload: { message: 'Go' } }));
        agent.send(
          JSON.stringify({
            id: 's',
            kind: 'stream/request',
            payload: { direction: 'upload', description: 'reasoning:r' },
          }),
        );
      }
      if (kind === 'stream/open') resolve(payload?.stream_id ?? '');
    });
  });
  agent.on('open', () => agent.send(JSON.stringify({ type: 'join', space: 'yard', participantId: 'ann' })));
  const stream = await opened;
  const frame = (data: object): void => agent.send(`#${stream}#${JSON.stringify({ context: 'r', ...data })}`);
  const thought = (id: string, message: string): void =>
    agent.send(JSON.stringify({ id, kind: 'reasoning/thought', context: 'r', payload: { message } }));
  frame({ type: 'thought', value: 'First' });
  thought('t1', 'First');
  thought('t2', 'Second');
  frame({ type: 'thought', value: 'Second' });
  frame({ type: 'thought', value: { reasoning: 'In frames alone' } });
  // The same words again are another thought.
  thought('t3', 'First');
  agent.send(`#${stream}#not JSON`);
  agent.send('#');
  frame({ type: 'status', event: 'cancelled' });
  thought('t4', 'Still here');
  await untilThere(service, 't4');
  const graph = await service.graph();
  const thoughts = graph.nodes.filter(({ name }) => name === 'reasoning/thought').map(({ title }) => title);
  assert.deepEqual(thoughts.sort(), ['First', 'First', 'In frames alone', 'Second', 'Still here']);
  const begun = graph.nodes.find(({ details }) => details?.['messageId'] === 'r');
  assert.deepEqual([begun?.state, begun?.status, begun?.agent], ['ENDED', 'WARNING', 'ann']);
  assert.ok(graph.nodes.every((node: ExplanationNode) => node.agent === 'ann'));
});

test('[MW13] conformance 18: a gateway that dies and comes back is joined again, nothing is doubled, and it is said once', async (t) => {
  const { gateway, service } = await joined(t);
  const start = {
    id: 'r',
    ts: '2026-09-01T00:00:00.000Z',
    kind: 'reasoning/start',
    payload: { message: 'Go' },
  };
  gateway.say('ann', start);
  await untilThere(service, 'r');
  const { port } = gateway;
  await gateway.stop();
  await untilPasses(async () => {
    const { reasons } = await readiness(service);
    assert.match(reasons.join(), /the gateway of MEW is away \((?:closed|ECONNREFUSED)\)/);
  });
  const again = await MewGateway.start({ port });
  t.after(() => again.stop());
  await isIn(again);
  await untilPasses(async () => assert.deepEqual((await readiness(service)).reasons, []));
  again.say('ann', start);
  again.say('ann', { id: 'z', kind: 'reasoning/conclusion', context: 'r' });
  await untilThere(service, 'z');
  assert.deepEqual(Object.keys(await nodes(service)).sort(), ['r', 'z']);
  assert.equal(service.log.split('the gateway of MEW is away').length - 1, 1);
});

test('[MW9] conformance 17: when an agent leaves the space its reasoning is over', async (t) => {
  const { gateway, service } = await joined(t);
  gateway.say('ann', { id: 'r', kind: 'reasoning/start' });
  gateway.say('ben', { id: 's', kind: 'reasoning/start' });
  gateway.left('ann');
  await untilPasses(async () =>
    assert.deepEqual(await nodes(service), {
      r: 'REASONING ann ENDED WARNING r',
      s: 'REASONING ben RUNNING OK s',
    }),
  );
});
