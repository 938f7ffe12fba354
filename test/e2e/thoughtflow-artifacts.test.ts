import assert from 'node:assert/strict';
import { readdir, readFile, stat, writeFile, mkdir, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { connect } from '../../src/client/node.ts';
import type { ArtifactsEvent } from '../../src/model/reader-messages.ts';
import { until } from '../support/until.ts';
import { RealService, temporaryFolder } from './real-service.ts';

const EXAMPLE = new URL('../../examples/thoughtflow/session.json', import.meta.url);

async function started(t: TestContext, dataDir: string, flags: readonly string[] = []): Promise<RealService> {
  const service = await RealService.start({ dataDir, flags });
  t.after(() => service.stop());
  return service;
}

async function post(service: RealService, body: string, query = ''): Promise<void> {
  const headers = { 'content-type': 'application/json', authorization: 'Bearer sender-token' };
  const response = await fetch(`${service.readers}/thoughtflow${query}`, { method: 'POST', headers, body });
  assert.equal(response.status, 202, await response.text());
}

async function filesIn(dataDir: string): Promise<readonly string[]> {
  return (await readdir(join(dataDir, 'thoughtflow')).catch(() => [])).toSorted();
}

const session = (id: string): string =>
  JSON.stringify({ session_id: id, conversations: [{ conversation_id: 'c', steps: [{ step_id: 'a' }] }] });

for (const transport of ['http', 'grpc'] as const)
  test(`[TF15] at its end a session is written as files, and subscribers are told once where they are (${transport})`, async (t) => {
    const dataDir = await temporaryFolder(t);
    const service = await started(t, dataDir);
    const client = connect({ url: service.readers.replace('http', transport) });
    t.after(() => client.close());
    const [all, other] = [{}, { filters: { taskIds: ['another'] } }].map((view) => client.subscribe(view));
    assert.ok(all && other);
    const told: ArtifactsEvent[] = [];
    all.on('event', (event) => told.push(event));
    other.on('event', () => assert.fail('it does not show the task'));
    await Promise.all([all.ready, other.ready]);
    const example = await readFile(EXAMPLE, 'utf8');
    await post(service, example);
    await until('subscribers are told', () => told.length > 0);
    const url = `${service.readers}/thoughtflow/sess_harbour_tour`;
    assert.deepEqual(told, [
      {
        name: 'thoughtflow.artifacts',
        session_id: 'sess_harbour_tour',
        url_json: `${url}.json`,
        url_d2: `${url}.d2`,
      },
    ]);
    assert.deepEqual(await filesIn(dataDir), ['sess_harbour_tour.d2', 'sess_harbour_tour.json']);
    const path = join(dataDir, 'thoughtflow', 'sess_harbour_tour.json');
    assert.deepEqual(JSON.parse(await readFile(path, 'utf8')), JSON.parse(example));
    assert.equal((await stat(path)).mode & 0o777, 0o600);
    assert.equal((await stat(join(dataDir, 'thoughtflow'))).mode & 0o777, 0o700);
    await post(service, example);
    await until('they are told of the next end', () => told.length > 1);
    assert.equal(told.length, 2);
  });

test('[TF16] names are safe whatever the id is, and files go with their task', async (t) => {
  const dataDir = await temporaryFolder(t);
  const folder = join(dataDir, 'thoughtflow');
  await mkdir(folder);
  await writeFile(join(folder, 'gone.json'), '{}');
  await writeFile(join(folder, 'notes.txt'), 'somebody else’s');
  await writeFile(join(folder, `~~${'a'.repeat(64)}.json`), '{}');
  await utimes(join(folder, `~~${'a'.repeat(64)}.json`), 0, 0);
  const auth = JSON.stringify({ token: 'sender-token', adminToken: 'admin-token' });
  const service = await started(t, dataDir, ['--auth', auth]);
  const ids = ['../../escape', 'Case', 'case', 'con', `long ${'x'.repeat(500)}`, '.hidden', 'a/b'];
  for (const id of ids) await post(service, session(id));
  await until(
    'all are written',
    async () =>
      (await filesIn(dataDir)).filter((name) => !name.endsWith('.half')).length === 2 * ids.length + 1,
  );
  for (const name of await filesIn(dataDir))
    assert.match(name, /^(?:~{1,2}[0-9a-f]{1,200}\.(?:json|d2)|case\.(?:json|d2)|notes\.txt)$/);
  assert.ok((await readdir(dataDir)).every((name) => !name.includes('escape')));
  const erase = (taskId: string): Promise<Response> =>
    fetch(`${service.readers}/api/erase`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: 'Bearer admin-token' },
      body: JSON.stringify({ taskId }),
    });
  for (const id of ids)
    assert.equal((await erase(id.slice(0, 255) + (id.length > 255 ? '…' : ''))).status, 200, id);
  assert.deepEqual(await filesIn(dataDir), ['notes.txt']);
});

test('[TF16] nothing is written where no text may be kept', async (t) => {
  for (const flags of [['--zero-data-retention'], ['--durability', 'memory']]) {
    const dataDir = await temporaryFolder(t);
    const service = await started(t, dataDir, flags);
    const client = connect({ url: service.readers });
    const live = client.subscribe({});
    const told: ArtifactsEvent[] = [];
    live.on('event', (event) => told.push(event));
    await live.ready;
    await post(service, session('s'));
    await until('subscribers are told where it can be read', () => told.length > 0);
    assert.deepEqual(await filesIn(dataDir), []);
    await client.close();
  }
});
