import assert from 'node:assert/strict';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { filesWith } from './erasing.ts';
import { type RealService, temporaryFolder } from './real-service.ts';
import {
  accesses,
  ask,
  bearer,
  get,
  KEY,
  MAIL,
  NODE,
  send,
  span,
  SPAN,
  started,
  TOKENS,
  TOOL,
  TRACE,
} from './revealing.ts';
import { until } from '../support/until.ts';

const FLAGS = ['--vault-key', KEY];
const PATH = `/api/nodes/${encodeURIComponent(NODE)}`;
const OVERRIDE = { action: 'override', reason: 'a made-up address' };

/** A node with an override, and how it read before. */
async function overridden(service: RealService): Promise<string> {
  await send(service, span(SPAN, TOOL));
  const hidden = await get(service, PATH);
  const answer = await ask(service, OVERRIDE, TOKENS.adminToken);
  assert.equal(answer.status, 200, answer.text);
  return hidden;
}

async function post(service: RealService, path: string, body: unknown): Promise<string> {
  const headers = bearer(TOKENS.adminToken);
  const response = await fetch(service.readers + path, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  });
  const text = await response.text();
  assert.equal(response.status, 200, text);
  return text;
}

async function archive(service: RealService): Promise<void> {
  assert.equal(await post(service, '/api/prune', { olderThanMinutes: 0 }), '{"prunedNodes":1}');
}

test('[RD18] an override shows a false positive to every reader, survives a restart, and can be taken back', async (t) => {
  const dataDir = await temporaryFolder(t);
  const flags = ['--vault-key', KEY, '--vault-secrets'];
  const first = await started(t, dataDir, flags);
  await send(first, span(SPAN, TOOL), span('2'.repeat(16), { note: MAIL }));
  const hidden = await get(first, `/api/nodes/${encodeURIComponent(NODE)}`);
  const marker = /\[EMAIL:\w{10}\]/.exec(hidden)?.[0] ?? '';
  const socket = new WebSocket(`${first.readers.replace('http', 'ws')}/explain`, [
    'explain',
    `explain.bearer.${TOKENS.token}`,
  ]);
  const frames: string[] = [];
  socket.addEventListener('message', ({ data }) => frames.push(String(data)));
  await new Promise((resolve) => socket.addEventListener('open', resolve));
  socket.send(JSON.stringify({ type: 'subscribe', request: { collapse: 'none' } }));
  // What lies in the store comes in a part of its own.
  await until('the graph is there', () => frames.length > 0 && !frames.at(-1)?.includes('"partial":true'));

  const override = { action: 'override', reason: 'a made-up address', markers: [marker] };
  const refused = await ask(first, override, TOKENS.token);
  assert.equal(refused.status, 403);
  const answer = await ask(first, override, TOKENS.adminToken);
  assert.equal(answer.status, 200, answer.text);
  const told = /"type":"update".*write to jo\.doe@example\.net.*"redactionOverridden":1/;
  await until('the reader is told', () => frames.some((frame) => told.test(frame)));
  socket.close();
  const shown = await get(first, `/api/nodes/${encodeURIComponent(NODE)}`);
  assert.match(shown, /asked by jo\.doe.*/);
  assert.match(shown, /\[SECRET:/, 'what was not named stays hidden');
  assert.doesNotMatch(
    await get(first, `/api/nodes/${TRACE}:${'2'.repeat(16)}`),
    /jo\.doe/,
    'so do other nodes',
  );
  assert.deepEqual(await filesWith(dataDir, MAIL), [], 'the write-ahead log is there as well');
  await first.stop();
  assert.deepEqual(await filesWith(dataDir, MAIL), []);
  assert.ok((await readFile(join(dataDir, 'explain_graph.json'), 'utf8')).includes(`write to ${marker}`));

  const second = await started(t, dataDir, flags);
  assert.equal(await get(second, `/api/nodes/${encodeURIComponent(NODE)}`), shown);
  const revoked = await ask(second, { action: 'revoke', reason: 'it is real after all' }, TOKENS.adminToken);
  assert.equal(revoked.status, 200, revoked.text);
  assert.equal(await get(second, `/api/nodes/${encodeURIComponent(NODE)}`), hidden);
  await second.stop();
  assert.deepEqual(await filesWith(dataDir, MAIL), []);
  const actions = (await accesses(dataDir)).map(({ action, values }) => [action, values]);
  assert.deepEqual(actions, [
    ['refused', undefined],
    ['override', 1],
    ['revoke', 0],
  ]);
});

test('[RD18] an override shows nothing of other tasks, whose markers a sender may have written into the node', async (t) => {
  const service = await started(t, await temporaryFolder(t), ['--vault-key', KEY]);
  const planted = `${'12'.repeat(16)}:${SPAN}`;
  const path = (node: string): string => `/api/nodes/${encodeURIComponent(node)}`;
  await send(service, span(SPAN, { ...TOOL, taskID: `of ${MAIL}` }));
  const of = await get(service, path(NODE));
  const [, name = ''] = /write to (\[EMAIL:\w{10}\])/.exec(of) ?? [];
  // Ids have the same markers in every task.
  const [, id = ''] = /"taskId":"of (\[EMAIL:\w{10}\])/.exec(of) ?? [];
  const note = `not private: ${name} and ${id}, and sam.roe@example.org`;
  await send(service, { ...span(SPAN, { note }), traceId: '12'.repeat(16), name: 'planted' });
  const answer = await ask(service, { action: 'override', reason: 'an address' }, TOKENS.adminToken, planted);
  assert.equal(answer.status, 200, answer.text);
  const shown = await get(service, path(planted));
  assert.match(shown, /and sam\.roe@/);
  assert.ok(name !== '' && id !== '' && shown.includes(`${name} and ${id}`), shown);
});

test('[RD18] what an override shows of a node that left memory is sealed, too, until it is revoked or erased', async (t) => {
  const dataDir = await temporaryFolder(t);
  const first = await started(t, dataDir, FLAGS);
  const hidden = await overridden(first);
  const shown = await get(first, PATH);
  await archive(first);
  const archived = '/api/graph?collapse=none&include=archived';
  assert.equal(await get(first, PATH), shown);
  assert.match(await get(first, archived), /write to jo\.doe@example\.net/);
  await first.stop();
  assert.deepEqual(await filesWith(dataDir, MAIL), []);

  const second = await started(t, dataDir, FLAGS);
  assert.equal(await get(second, PATH), shown);
  assert.match(await get(second, archived), /write to jo\.doe@example\.net/);
  // What comes for it brings it back.
  await send(second, { ...span('1'.repeat(16), {}), parentSpanId: SPAN });
  await until('it is in memory', async () =>
    /write to jo\.doe/.test(await get(second, '/api/graph?collapse=none')),
  );
  await post(second, '/api/prune', { olderThanMinutes: 0 });
  const copy = await readFile(join(dataDir, 'vault', 'overrides.ndjson'), 'utf8');
  assert.match(copy, new RegExp(NODE));
  const revoked = await ask(second, { action: 'revoke', reason: 'it is real' }, TOKENS.adminToken);
  assert.equal(revoked.status, 200, revoked.text);
  assert.doesNotMatch(await readFile(join(dataDir, 'vault', 'overrides.ndjson'), 'utf8'), new RegExp(NODE));
  assert.equal(/jo\.doe/.test(await get(second, PATH)), false);
  assert.equal(/jo\.doe/.test(hidden), false);
  await second.stop();
  assert.deepEqual(await filesWith(dataDir, MAIL), []);
});

for (const place of ['memory', 'archive'])
  test(`[RD18] the key of an override goes when its task is erased: in ${place}`, async (t) => {
    const dataDir = await temporaryFolder(t);
    const service = await started(t, dataDir, FLAGS);
    await overridden(service);
    if (place === 'archive') await archive(service);
    const keys = (): Promise<string> => readFile(join(dataDir, 'vault', 'overrides.ndjson'), 'utf8');
    assert.match(await keys(), new RegExp(NODE));
    await post(service, '/api/erase', { taskId: TRACE });
    assert.doesNotMatch(await keys(), new RegExp(NODE));
  });

for (const place of ['memory', 'archive'])
  for (const [vault, flags] of [
    ['with', FLAGS],
    ['without', []],
  ] as const)
    test(`[RD18] an override that an earlier version kept in the clear does not stay so: in ${place}, ${vault} a vault`, async (t) => {
      const dataDir = await temporaryFolder(t);
      const first = await started(t, dataDir, FLAGS);
      await overridden(first);
      const shown = await get(first, PATH);
      if (place === 'archive') await archive(first);
      await first.stop();
      const hiddenGraph = await readFile(join(dataDir, 'explain_graph.json'), 'utf8');
      asBefore(dataDir, /\[EMAIL:\w{10}\]/.exec(hiddenGraph)?.[0] ?? (await markerIn(dataDir)));
      await rm(join(dataDir, 'vault', 'overrides.ndjson'));
      assert.ok((await filesWith(dataDir, MAIL)).includes('explain.db'));

      const second = await started(t, dataDir, flags);
      assert.deepEqual(await filesWith(dataDir, MAIL), []);
      const now = await get(second, PATH);
      if (flags === FLAGS) assert.equal(withoutTitle(now), withoutTitle(shown));
      else assert.doesNotMatch(now, /jo\.doe|redactionOverridden/);
      await second.stop();
      assert.deepEqual(await filesWith(dataDir, MAIL), []);
    });

/** The one of the store as it was is cut. */
function withoutTitle(detail: string): string {
  return detail.replace(/"title":"[^"]*"/, '');
}

async function markerIn(dataDir: string): Promise<string> {
  const vault = await readFile(join(dataDir, 'vault', 'originals.ndjson'), 'utf8').catch(() => '');
  const database = new DatabaseSync(join(dataDir, 'explain.db'));
  const { json } = database.prepare('SELECT json FROM node').get() ?? {};
  database.close();
  return /\[EMAIL:\w{10}\]/.exec(vault + String(json))?.[0] ?? '';
}

/** The store as versions before sealing left it. */
function asBefore(dataDir: string, marker: string): void {
  const database = new DatabaseSync(join(dataDir, 'explain.db'));
  const facts = JSON.stringify({ kind: 'override', nodeId: NODE, originals: { [marker]: MAIL } });
  const where = "id IN (SELECT id FROM record WHERE source GLOB 'override:*')";
  assert.equal(Number(database.prepare(`UPDATE body SET facts = ? WHERE ${where}`).run(facts).changes), 1);
  for (const { id, json } of database.prepare('SELECT id, json FROM node').all()) {
    const { override: _, ...left } = JSON.parse(String(json)) as Record<string, unknown>;
    const node = left['node'] as Record<string, unknown>;
    const name = String(node['name']).replaceAll(marker, MAIL);
    const details = { ...(node['details'] as object), redactionOverridden: 1 };
    const clear = { ...left, node: { ...node, name, title: `${name.slice(0, 14)}…`, details } };
    database.prepare('UPDATE node SET json = ? WHERE id = ?').run(JSON.stringify(clear), Number(id));
  }
  database.close();
}
