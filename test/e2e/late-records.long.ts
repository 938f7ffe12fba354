import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { ExplanationGraph, ExplanationNode } from '../../src/model/node.ts';
import { RealService, temporaryFolder } from './real-service.ts';
import { until } from '../support/until.ts';

const TRACE = 'ab'.repeat(16);
const JSON_TYPE = { 'content-type': 'application/json' };

interface Span {
  readonly id: string;
  readonly parent?: string;
  readonly name: string;
  readonly attributes?: { readonly [key: string]: string | number };
}

const ROOT: Span = {
  id: '1',
  name: 'agent.run',
  attributes: { taskID: 'T', 'gen_ai.agent.name': 'planner', 'gen_ai.operation.name': 'invoke_agent' },
};
const CALL: Span = {
  id: '2',
  parent: '1',
  name: 'llm.call',
  attributes: { requestId: 'r', 'model.name': 'gpt-4o', 'cost.usd': 0.5 },
};
const CHILD: Span = { id: '3', parent: '2', name: 'late.child' };

async function send(service: RealService, ...spans: readonly Span[]): Promise<void> {
  const body = {
    resourceSpans: [
      {
        scopeSpans: [
          {
            spans: spans.map(({ id, parent, name, attributes = {} }) => ({
              traceId: TRACE,
              spanId: id.repeat(16),
              ...(parent !== undefined && { parentSpanId: parent.repeat(16) }),
              name,
              startTimeUnixNano: `17500000${id}0000000000`,
              endTimeUnixNano: `17500000${id}1000000000`,
              attributes: Object.entries(attributes).map(([key, value]) => ({
                key,
                value: typeof value === 'string' ? { stringValue: value } : { doubleValue: value },
              })),
            })),
          },
        ],
      },
    ],
  };
  const init = { method: 'POST', headers: JSON_TYPE, body: JSON.stringify(body) };
  assert.equal((await fetch(`${service.otlpHttp}/v1/traces`, init)).status, 200);
}

async function think(service: RealService): Promise<void> {
  const entry = { requestId: 'r', timestamp: 1_750_000_000_000, tokens: ['a late thought'], final: true };
  const init = { method: 'POST', headers: JSON_TYPE, body: JSON.stringify(entry) };
  assert.equal((await fetch(`${service.readers}/api/cot`, init)).status, 202);
}

async function leave(service: RealService): Promise<void> {
  const init = { method: 'POST', headers: JSON_TYPE, body: JSON.stringify({ olderThanMinutes: 0 }) };
  assert.ok((await fetch(`${service.readers}/api/prune`, init)).ok);
  await until('it left memory', async () => (await service.graph('include=ui')).nodes.length === 0);
}

function told({ nodes, edges }: ExplanationGraph): object {
  const byId = (a: { readonly id: string }, b: { readonly id: string }): number => (a.id < b.id ? -1 : 1);
  return { nodes: [...nodes].sort(byId), edges: [...edges].sort(byId) };
}

/** What is shown when all of it comes at once, and nothing leaves. */
async function expected(
  t: TestContext,
  ...late: readonly ((service: RealService) => Promise<void>)[]
): Promise<object> {
  const service = await RealService.start({ dataDir: await temporaryFolder(t) });
  try {
    await send(service, ROOT, CALL);
    for (const each of late) await each(service);
    return told(await service.graph('collapse=none'));
  } finally {
    await service.stop();
  }
}

for (const restarts of [false, true])
  test(`[ST42] late thought, span and child of what left memory${restarts ? ', after a restart' : ''}: as if nothing had left`, async (t) => {
    const child = (service: RealService): Promise<void> => send(service, CHILD);
    const again = (service: RealService): Promise<void> =>
      send(service, { ...CALL, id: '4', attributes: { ...CALL.attributes, 'cost.usd': 0.25 } });
    for (const late of [[think], [child], [again], [think, child, again]]) {
      const dataDir = await temporaryFolder(t);
      let service = await RealService.start({ dataDir });
      t.after(() => service.stop());
      await send(service, ROOT, CALL);
      for (const each of late) {
        await leave(service);
        if (restarts) {
          await service.stop();
          service = await RealService.start({ dataDir });
        }
        await each(service);
        const lines = service.log.match(/something came for them/g) ?? [];
        assert.equal(lines.length, restarts ? 1 : late.indexOf(each) + 1, 'one line in the log for each');
      }
      const wanted = await expected(t, ...late);
      assert.deepEqual(told(await service.graph('collapse=none')), wanted);
      assert.deepEqual(told(await service.graph('collapse=none&include=archived')), wanted);
      // It is in memory, and once: a restart shows the same.
      await service.stop();
      service = await RealService.start({ dataDir });
      assert.deepEqual(told(await service.graph('collapse=none')), wanted);
      await service.stop();
    }
  });

test('[ST42] after a restart a part that stayed in memory is with its archived parents again', async (t) => {
  const dataDir = await temporaryFolder(t);
  let service = await RealService.start({ dataDir });
  t.after(() => service.stop());
  await send(service, ROOT, CALL);
  await leave(service);
  await send(service, CHILD);
  await service.stop();
  service = await RealService.start({ dataDir });
  const { nodes } = await service.graph('collapse=none');
  const child = nodes.find(({ name }: ExplanationNode) => name === 'late.child');
  assert.equal(child?.taskId, 'T');
  assert.equal(nodes.length, 3);
});
