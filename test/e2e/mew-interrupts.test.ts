import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { WebSocket } from 'ws';
import type { InterruptState } from '../../src/model/interrupt.ts';
import type { ExplanationGraph } from '../../src/model/node.ts';
import { MewGateway } from '../support/mew-gateway.ts';
import { until } from '../support/until.ts';
import { AUTH, Party } from './parties.ts';
import { RealService, temporaryFolder } from './real-service.ts';

const WHY = { reason: 'redirect', message: 'look at the parser first' };

type Message = { readonly [field: string]: unknown };

/** The service in a space, for one of its projects. */
async function joined(t: TestContext, project?: string): Promise<[RealService, MewGateway, string]> {
  const gateway = await MewGateway.start();
  const mew = ['--mew', JSON.stringify({ url: gateway.url, space: 'yard', project })];
  const flags = project === undefined ? mew : [...AUTH, ...mew];
  const dataDir = await temporaryFolder(t);
  const service = await RealService.start({ dataDir, flags });
  t.after(async () => {
    await service.stop();
    await gateway.stop();
  });
  await until('the service is in the space', () => gateway.participants.includes('explainability-agent'));
  return [service, gateway, dataDir];
}

/** An agent with a context of its own, which does as it is told when somebody asks it to stop there. */
async function agentIn(
  t: TestContext,
  { url }: MewGateway,
  name: string,
  onCancel: (say: (message: Message) => void, cancel: Message) => void,
): Promise<void> {
  const socket = new WebSocket(url);
  t.after(() => socket.terminate());
  const say = (message: Message): void => socket.send(JSON.stringify(message));
  socket.on('open', () => say({ type: 'join', space: 'yard', participantId: name }));
  await new Promise<void>((resolve) => {
    socket.on('message', (data: Buffer) => {
      const message = JSON.parse(data.toString('utf8')) as Message;
      if (message['kind'] === 'system/welcome') {
        say({ id: `of-${name}`, kind: 'reasoning/start', payload: { message: 'I look at it' } });
        resolve();
      }
      if (message['kind'] === 'reasoning/cancel' && message['context'] === `of-${name}`)
        onCancel(say, message);
    });
  });
}

async function running(party: Party, messageId: string): Promise<string> {
  let id: string | undefined;
  await until(`${messageId} is there`, async () => {
    const { nodes } = JSON.parse((await party.get('/api/graph?collapse=none')).text) as ExplanationGraph;
    id = nodes.find(({ details }) => details?.['messageId'] === messageId)?.id;
    return id !== undefined;
  });
  return String(id);
}

async function interrupt(party: Party, nodeId: string): Promise<InterruptState> {
  const answer = await party.post(`/api/nodes/${encodeURIComponent(nodeId)}/interrupt`, WHY);
  assert.equal(answer.status, 202, answer.text);
  return JSON.parse(answer.text) as InterruptState;
}

async function stateOf(party: Party, id: string): Promise<InterruptState> {
  return JSON.parse((await party.get(`/api/interrupts/${id}`)).text) as InterruptState;
}

test('[IR25] an agent of a space is asked by a cancel of its context, whoever works in it; its conclusion is the answer, on the graph', async (t) => {
  const [service, gateway] = await joined(t);
  const party = new Party(service.readers, '');
  const asked: Message[] = [];
  await agentIn(t, gateway, 'ann', (say, cancel) => {
    asked.push(cancel);
    const payload = { cancelled: true, message: 'I stop' };
    for (let n = 0; n < 2; n++) say({ kind: 'reasoning/conclusion', context: 'of-ann', payload });
  });
  await running(party, 'of-ann');
  // A tool that another agent asked for in the context of the first one.
  gateway.say('ben', {
    id: 'call',
    kind: 'mcp/request',
    context: 'of-ann',
    payload: { method: 'tools/call', params: { name: 'grep' } },
  });
  const call = await running(party, 'call');
  const { id, nodeId } = await interrupt(party, call);
  await until('it has answered', async () => (await stateOf(party, id)).isOver);
  assert.deepEqual((await stateOf(party, id)).told, [
    { way: 'mew', agent: 'ann', status: 'stopping', message: 'I stop' },
  ]);
  await service.flush();
  const { nodes, edges } = await service.graph();
  const answers = nodes.filter(({ name }) => name === 'InterruptAnswered');
  assert.deepEqual(
    answers.map(({ agent }) => agent),
    ['Ann'],
  );
  const edge = (from: string, to: string | undefined): string | undefined =>
    edges.find((one) => one.from === from && one.to === to)?.relation;
  assert.deepEqual([edge(call, nodeId), edge(nodeId, answers[0]?.id)], ['USER_ACTION', 'TRIGGERED']);
  const start = nodes.find(({ details }) => details?.['messageId'] === 'of-ann');
  assert.deepEqual([start?.state, start?.status], ['ENDED', 'WARNING']);
  assert.equal(asked.length, 1);
  assert.partialDeepStrictEqual(asked[0], {
    from: 'explainability-agent',
    to: ['ann'],
    payload: { reason: 'superseded', message: WHY.message },
  });
  const ended = await party.post(`/api/nodes/${encodeURIComponent(String(start?.id))}/interrupt`, WHY);
  assert.equal(ended.status, 409);
});

test('[IR25] an agent that says nothing is told of as such, and a gateway that dies meanwhile keeps nobody waiting', async (t) => {
  const [service, gateway, dataDir] = await joined(t);
  const party = new Party(service.readers, '');
  let asked = 0;
  await agentIn(t, gateway, 'ann', () => void asked++);
  const { id } = await interrupt(party, await running(party, 'of-ann'));
  await until('it is asked', () => asked > 0);
  await gateway.stop();
  assert.deepEqual((await stateOf(party, id)).told, [{ way: 'mew', agent: 'ann' }]);
  await service.stop();
  const again = await RealService.start({ dataDir });
  t.after(() => again.stop());
  const { nodes } = await again.graph();
  assert.deepEqual(
    nodes.map(({ name }) => name).filter((name) => name.startsWith('Interrupt')),
    ['InterruptUnanswered'],
  );
  assert.equal(asked, 1);
});

test('[IR15] a space is reached only from the project that has joined it', async (t) => {
  const [service, gateway] = await joined(t, 'mine');
  const [mine, theirs] = [
    await Party.of(service.readers, 'mine', ['sender', 'operator', 'analyst']),
    await Party.of(service.readers, 'theirs', ['sender', 'operator', 'analyst']),
  ];
  const asked: Message[] = [];
  await agentIn(t, gateway, 'ann', (say, cancel) => {
    asked.push(cancel);
    say({ kind: 'reasoning/conclusion', context: 'of-ann', payload: { cancelled: true } });
  });
  const own = await running(mine, 'of-ann');
  // The same messages, sent to another project.
  const start = { id: 'of-ann', from: 'ann', kind: 'reasoning/start', payload: {} };
  await theirs.send('/mew/envelopes?space=yard', start);
  const { told } = await interrupt(theirs, await running(theirs, 'of-ann'));
  assert.deepEqual(told, []);
  const { id } = await interrupt(mine, own);
  await until('it has answered', async () => (await stateOf(mine, id)).isOver);
  assert.equal(asked.length, 1);
});
