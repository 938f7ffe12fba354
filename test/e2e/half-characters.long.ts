import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Admin, traces, type Erased } from './erasing.ts';
import { temporaryFolder } from './real-service.ts';

const TASK = 'T\ufffd';

/** By every way in, each with another half of a character in the id of its task. */
async function send(admin: Admin): Promise<void> {
  const timestamp = 1_750_000_000_500;
  const thought = { requestId: 'r\ud800', taskId: 'T\ud800', timestamp, text: 'First alpha. ' };
  await admin.post('/api/cot', thought);
  await admin.post('/api/cot', { ...thought, requestId: 'r\ud801', taskId: 'T\ud801', text: 'Then beta. ' });
  const event = { eventID: 'e\udfff', eventType: 'PlanUpdated', timestamp, payload: { taskId: 'T\udfff' } };
  await admin.post('/api/events', event);
  await admin.post('/v1/traces', traces('T\ud802', 'gamma', 1));
  const metadata = JSON.stringify({ thread_id: 'T\ud803' });
  await admin.post(
    '/v1/traces',
    traces('delta', 'delta', 1, { taskID: '', metadata, 'openinference.span.kind': 'CHAIN' }),
  );
}

async function shown(admin: Admin): Promise<object> {
  const { nodes } = await admin.graph();
  const thought = await (await admin.get(`/api/nodes/${encodeURIComponent('req:r\ufffd')}`)).json();
  const { texts } = thought as { readonly texts: { readonly reasoning: string } };
  return {
    tasks: [...new Set(nodes.map(({ taskId }) => taskId))],
    steps: nodes.map(({ id }) => id).sort(),
    reasoning: texts.reasoning,
  };
}

test('[IN31] ids that differ in half of a character alone are one id everywhere: live, archived, after a restart and when erased', async (t) => {
  const dataDir = await temporaryFolder(t);
  const admin = await Admin.start(t, dataDir);
  await send(admin);
  await admin.post('/api/cot', { requestId: 'r\udc00', timestamp: 1_750_000_000_600, final: true });
  const before = await shown(admin);
  assert.deepEqual(
    { ...before, steps: [] },
    { tasks: [TASK], steps: [], reasoning: 'First alpha. \nThen beta. ' },
  );
  await admin.archive();
  assert.deepEqual(await shown(admin), before);
  await admin.kill();
  const next = await Admin.start(t, dataDir);
  assert.deepEqual(await shown(next), before);
  const erased = (await next.post('/api/erase', { taskId: 'T\ud8ff' })) as Erased;
  assert.deepEqual(erased.tasks, [TASK]);
  assert.deepEqual((await next.graph()).nodes, []);
  await next.stop();
});
