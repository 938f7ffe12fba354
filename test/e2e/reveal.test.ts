import assert from 'node:assert/strict';
import { chmod, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { AUDIT_FILES } from '../../src/redaction/audit-log.ts';
import { verifyAuditFolder } from '../../src/redaction/audit-log-verify.ts';
import { RealService, temporaryFolder } from './real-service.ts';
import {
  accesses,
  ask,
  bearer,
  get,
  KEY,
  MAIL,
  NODE,
  REASON,
  send,
  span,
  SPAN,
  started,
  TOKENS,
  TOOL,
  TRACE,
} from './revealing.ts';
import { SpawnedService } from './spawned-service.ts';
import { until } from '../support/until.ts';

async function assertAudited(dataDir: string): Promise<void> {
  for (const verdict of await verifyAuditFolder(dataDir, AUDIT_FILES))
    assert.equal(verdict.problem, undefined);
}

test('[RD16] an administrator gets the originals of a node, before and after a restart, and nobody else ever', async (t) => {
  const dataDir = await temporaryFolder(t);
  const first = await started(t, dataDir, ['--vault-key', KEY]);
  await send(first, span(SPAN, TOOL));
  const revealed = await ask(first, REASON, TOKENS.adminToken);
  assert.equal(revealed.status, 200, revealed.text);
  const detail = JSON.parse(revealed.text) as {
    readonly revealed: number;
    readonly notKept: number;
    readonly node: { readonly name: string };
    readonly texts: { readonly toolArguments: string };
    readonly attributes: Readonly<Record<string, { readonly note: string }>>;
  };
  assert.equal(detail.node.name, `write to ${MAIL}`);
  assert.equal(detail.attributes[SPAN]?.note, `asked by ${MAIL}`);
  const call = JSON.parse(detail.texts.toolArguments) as { readonly to: string; readonly body: string };
  assert.equal(call.to, MAIL);
  assert.match(call.body, /^use \[SECRET:\w{10}\]$/, 'credentials are not kept unless asked for');
  assert.deepEqual([detail.revealed, detail.notKept], [1, 1]);

  const views = [
    '/api/graph?collapse=none',
    `/api/nodes/${encodeURIComponent(NODE)}`,
    '/api/tasks',
    '/metrics',
  ];
  for (const path of views) assert.doesNotMatch(await get(first, path), /jo\.doe/, path);
  await first.stop();
  assert.doesNotMatch(first.log, /jo\.doe|5c5c5c|admin-token/);

  const second = await started(t, dataDir, ['--vault-key', KEY]);
  assert.equal((await ask(second, REASON, TOKENS.adminToken)).text, revealed.text);
  await second.stop();
  const kept = await Promise.all(
    [
      'explain_graph.json',
      'audit.ndjson',
      'audit-access.ndjson',
      'vault/originals.ndjson',
      'vault/keys.ndjson',
    ].map((name) => readFile(join(dataDir, name), 'latin1')),
  );
  for (const text of kept) assert.doesNotMatch(text, /jo\.doe|5c5c5c|admin-token/);
  await assertAudited(dataDir);
});

test('[RD16] credentials come back where vaultSecrets is set; one field can be asked for alone', async (t) => {
  const dataDir = await temporaryFolder(t);
  const service = await started(t, dataDir, ['--vault-key', KEY, '--vault-secrets']);
  await send(service, span(SPAN, TOOL));
  const one = await ask(service, { ...REASON, field: 'toolArguments' }, TOKENS.adminToken);
  const { texts, attributes, node } = JSON.parse(one.text) as Record<string, unknown>;
  assert.deepEqual(texts, { toolArguments: TOOL['gen_ai.tool.call.arguments'] });
  assert.doesNotMatch(JSON.stringify([attributes, node]), /jo\.doe|sk-proj/);
});

test('[RD16] a thought in pieces, an event and a child that was there before its task are revealed too', async (t) => {
  const dataDir = await temporaryFolder(t);
  const service = await started(t, dataDir, ['--vault-key', KEY]);
  const post = async (path: string, body: unknown): Promise<void> => {
    const headers = bearer(TOKENS.token);
    const response = await fetch(service.readers + path, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    assert.equal(response.status, 202);
  };
  const thought = { requestId: 'r1', timestamp: 1_750_000_000_000 };
  for (const [sequence, piece] of ['ask jo.d', 'oe@exam', 'ple.net now'].entries())
    await post('/api/cot', { ...thought, tokens: [piece], sequence, final: sequence === 2 });
  await post('/api/events', {
    eventID: 'e1',
    eventType: 'Noted',
    timestamp: 1_750_000_000_000,
    payload: { by: MAIL, taskId: 'T1' },
  });
  await send(service, { ...span('1'.repeat(16), { note: MAIL }), parentSpanId: SPAN });
  await send(service, span(SPAN, { taskID: 'T2' }));
  for (const node of ['req:r1', 'event:e1', `${TRACE}:${'1'.repeat(16)}`]) {
    const { status, text } = await ask(service, REASON, TOKENS.adminToken, node);
    assert.equal(status, 200, text);
    assert.match(text, /jo\.doe@example\.net.*"notKept":0/, node);
  }
});

test('[RD16] who may not is refused, told what to do, and on record with time, role, fingerprint and node', async (t) => {
  const dataDir = await temporaryFolder(t);
  const service = await started(t, dataDir, ['--vault-key', KEY]);
  await send(service, span(SPAN, TOOL));
  const refusals: readonly (readonly [unknown, string | undefined, string, number, RegExp])[] = [
    [REASON, undefined, NODE, 401, /send a token/],
    [REASON, 'wrong-token-1', NODE, 401, /none that this service knows/],
    [REASON, TOKENS.token, NODE, 403, /needs the right \\"administer\\"/],
    [{ action: 'reveal' }, TOKENS.adminToken, NODE, 400, /reason/],
    [{ action: 'reveal', reason: ' ' }, TOKENS.adminToken, NODE, 400, /reason/],
    [{ ...REASON, action: 'burn' }, TOKENS.adminToken, NODE, 400, /action/],
    [{ ...REASON, field: 'all' }, TOKENS.adminToken, NODE, 400, /field/],
    [{ ...REASON, more: 1 }, TOKENS.adminToken, NODE, 400, /takes action/],
    [[], TOKENS.adminToken, NODE, 400, /JSON object/],
    [REASON, TOKENS.adminToken, `for ${MAIL}`, 404, /no node/],
  ];
  for (const [body, token, node, status, message] of refusals) {
    const answer = await ask(service, body, token, node);
    assert.equal(answer.status, status, answer.text);
    assert.match(answer.text, message);
    assert.doesNotMatch(answer.text, /jo\.doe/);
  }
  assert.equal(
    (await ask(service, { ...REASON, reason: `called by ${MAIL}` }, TOKENS.adminToken)).status,
    200,
  );
  const entries = await accesses(dataDir);
  assert.equal(entries.length, refusals.length + 1);
  const summary = entries.map(({ action, role, why, node }) => [action, role, why, node]);
  assert.deepEqual(summary.slice(0, 4), [
    ['refused', 'unknown', 'UNAUTHENTICATED', NODE],
    ['refused', 'unknown', 'UNAUTHENTICATED', NODE],
    ['refused', 'sender+operator', 'PERMISSION_DENIED', NODE],
    ['refused', 'admin', 'INVALID_ARGUMENT', NODE],
  ]);
  const last = entries.at(-1) ?? {};
  assert.match(String(last['why']), /^called by \[EMAIL:\w{10}\]$/);
  assert.equal(last['values'], 1);
  assert.ok(Math.abs(Number(last['time']) - Date.now()) < 60_000);
  const who = entries.map((entry) => entry['who']);
  assert.equal(new Set(who).size, 4, 'no token, a wrong one, the reader, the administrator');
  assert.equal(who[3], who.at(-1));
  assert.doesNotMatch(JSON.stringify(entries), /jo\.doe|-token-/);
  await service.stop();
  await assertAudited(dataDir);
});

test('[RD16] without an admin token or without a vault key nothing can be revealed', async (t) => {
  const open = await RealService.of(t, ['--vault-key', KEY]);
  const refused = await ask(open, REASON);
  assert.equal(refused.status, 403);
  assert.match(refused.text, /set auth\.adminToken/);

  const dataDir = await temporaryFolder(t);
  const keyless = await started(t, dataDir);
  await send(keyless, span(SPAN, TOOL));
  const answer = await ask(keyless, REASON, TOKENS.adminToken);
  assert.equal(answer.status, 409);
  assert.match(answer.text, /vaultKey/);
  await assert.rejects(readFile(join(dataDir, 'vault', 'keys.ndjson')), /ENOENT/);
  assert.equal((await accesses(dataDir))[0]?.['why'], 'FAILED_PRECONDITION');
});

test('[RD16] what cannot be put on record is not revealed', async (t) => {
  const dataDir = await temporaryFolder(t);
  const service = await started(t, dataDir, ['--vault-key', KEY]);
  await send(service, span(SPAN, TOOL));
  assert.equal((await ask(service, REASON, TOKENS.adminToken)).status, 200);
  const path = join(dataDir, 'audit-access.ndjson');
  await rm(path);
  const { mkdir } = await import('node:fs/promises');
  await mkdir(path);
  const answer = await ask(service, REASON, TOKENS.adminToken);
  assert.equal(answer.status, 503, answer.text);
  assert.doesNotMatch(answer.text, /jo\.doe/);
});

test('[RD14] a task that is pruned takes its originals with it', async (t) => {
  const dataDir = await temporaryFolder(t);
  const service = await started(t, dataDir, ['--vault-key', KEY]);
  await send(service, span(SPAN, TOOL));
  const keys = (): Promise<string> => readFile(join(dataDir, 'vault', 'keys.ndjson'), 'utf8');
  await until('the key is there', async () => (await keys()).includes(`"task":"${TRACE}"`));
  const prune = { method: 'POST', headers: bearer(TOKENS.token), body: '{"olderThanMinutes":0}' };
  assert.deepEqual(await (await fetch(`${service.readers}/api/prune`, prune)).json(), { prunedNodes: 1 });
  await until('the key is gone', async () => !(await keys()).includes(`"task":"${TRACE}"`));
  // The same comes again, and is kept again.
  await send(service, span(SPAN, TOOL));
  assert.match((await ask(service, REASON, TOKENS.adminToken)).text, /jo\.doe/);
});

test('[RD13] of log records, which nobody is shown, nothing is kept', async (t) => {
  const dataDir = await temporaryFolder(t);
  const service = await started(t, dataDir, ['--vault-key', KEY, '--vault-secrets']);
  await send(service, span(SPAN, { note: MAIL }));
  const record = {
    timeUnixNano: '1',
    traceId: TRACE,
    spanId: SPAN,
    body: { stringValue: 'by other@example.net' },
  };
  const body = JSON.stringify({ resourceLogs: [{ scopeLogs: [{ logRecords: [record] }] }] });
  const headers = bearer(TOKENS.token);
  assert.ok((await fetch(`${service.otlpHttp}/v1/logs`, { method: 'POST', headers, body })).ok);
  await service.stop();
  const lines = (await readFile(join(dataDir, 'vault', 'originals.ndjson'), 'utf8')).trimEnd().split('\n');
  const fields = lines.map((line) => (JSON.parse(line) as { field: string }).field).toSorted();
  assert.deepEqual(fields, ['name']);
});

test('[RD14] what the store lost leaves the vault at the next start', async (t) => {
  const dataDir = await temporaryFolder(t);
  const flags = ['--vault-key', KEY, '--snapshot-interval-seconds', '86400'];
  const crashed = await SpawnedService.ready(t, dataDir, flags);
  await crashed.post('/v1/traces', { resourceSpans: [{ scopeSpans: [{ spans: [span(SPAN, TOOL)] }] }] });
  const keys = (): Promise<string> => readFile(join(dataDir, 'vault', 'keys.ndjson'), 'utf8');
  const originals = join(dataDir, 'vault', 'originals.ndjson');
  await until('the vault has it', async () => (await readFile(originals, 'utf8').catch(() => '')) !== '');
  crashed.process.kill('SIGKILL');
  await crashed.exit();
  assert.match(await keys(), /"task"/);
  await rm(join(dataDir, 'explain.db'));
  const second = await RealService.start({ dataDir, flags });
  await second.stop();
  assert.doesNotMatch(await keys(), /"task"/);
});

test('[RD13] the key may stand in a file; a wrong one is refused at the start with the name of the setting', async (t) => {
  const dataDir = await temporaryFolder(t);
  const file = join(await temporaryFolder(t), 'key');
  await writeFile(file, `${KEY}\n`);
  await chmod(file, 0o600);
  const service = await started(t, dataDir, ['--vault-key-file', file]);
  await send(service, span(SPAN, TOOL));
  assert.match((await ask(service, REASON, TOKENS.adminToken)).text, /jo\.doe/);
  await service.stop();
  await assert.rejects(started(t, dataDir, ['--vault-key', '00'.repeat(32)]), /another vaultKey/);
  await writeFile(file, 'not a key');
  await assert.rejects(started(t, dataDir, ['--vault-key-file', file]), /vaultKeyFile must hold 32 bytes/);
  await assert.rejects(
    started(t, dataDir, ['--vault-key-file', `${file}x`]),
    /vaultKeyFile cannot be read \(ENOENT\)/,
  );
  // The folder is free again after each of these.
  await (await started(t, dataDir, ['--vault-key', KEY])).stop();
});

test('[RD12] `audit verify` says OK, or what is broken, with exit codes 0 and 1', async (t) => {
  const dataDir = await temporaryFolder(t);
  const service = await started(t, dataDir, ['--vault-key', KEY]);
  await send(service, span(SPAN, TOOL));
  await ask(service, REASON, TOKENS.adminToken);
  const run = async (folder: string): Promise<readonly [number | null, string]> => {
    const command = new SpawnedService(t, dataDir, ['audit', 'verify', '--data-dir', folder]);
    return [await command.exit(), command.stdout + command.stderr];
  };
  const running = await run(dataDir);
  assert.equal(running[0], 0, running[1]);
  assert.match(running[1], /^audit\.ndjson: OK, \d+ entries\naudit-access\.ndjson: OK, 1 entry\n$/);
  await service.stop();
  const path = join(dataDir, 'audit-access.ndjson');
  await writeFile(path, (await readFile(path, 'utf8')).replace('ticket 7', 'ticket 8'));
  const broken = await run(dataDir);
  assert.equal(broken[0], 1);
  assert.match(
    broken[1],
    /audit-access\.ndjson: BROKEN after 0 entries: .*line 1 \(entry 1\).*it was changed/,
  );
  const nowhere = await run(join(dataDir, 'vault'));
  assert.equal(nowhere[0], 1);
  assert.match(nowhere[1], /--data-dir/);
});
