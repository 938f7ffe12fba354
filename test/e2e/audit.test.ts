import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { AUDIT_FILES } from '../../src/redaction/audit-log.ts';
import { verifyAuditFolder } from '../../src/redaction/audit-log-verify.ts';
import { RealService, temporaryFolder } from './real-service.ts';
import { askHttp, askWebSocket, callGrpc, openWebSocket, type Said } from './ways-in.ts';

const TOKENS = { token: 'token-of-the-test', adminToken: 'admin-token-of-the-test' };
const WRONG = 'wrong-token-of-the-test';
const OPERATOR = { 'x-api-key': TOKENS.token };
const ADMIN = { 'x-api-key': TOKENS.adminToken };

const runFile = promisify(execFile);

const TRACE = 'a'.repeat(32);
const SPAN = {
  traceId: TRACE,
  spanId: 'b'.repeat(16),
  name: 'step',
  startTimeUnixNano: `${Date.now()}000000`,
};
const SPANS = JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [SPAN] }] }] });
const ADAPTATIONS = '{"adaptations": [{"id": "tone", "title": "Tone", "content": "Be brief."}]}';

type Entry = Readonly<Record<string, unknown>>;

async function recorded(service: RealService): Promise<readonly Entry[]> {
  const { status, text } = await askHttp(service, 'GET', '/api/audit?limit=1000', ADMIN);
  assert.equal(status, 200, text);
  return (JSON.parse(text) as { readonly entries: readonly Entry[] }).entries;
}

async function assertSound(dataDir: string): Promise<void> {
  for (const verdict of await verifyAuditFolder(dataDir, AUDIT_FILES))
    assert.equal(verdict.problem, undefined, verdict.file);
  assert.doesNotMatch(
    await readFile(join(dataDir, 'audit-access.ndjson'), 'utf8'),
    /token-of-the-test|explain_/,
  );
}

async function started(): Promise<{ readonly service: RealService; readonly dataDir: string }> {
  const dataDir = await temporaryFolder();
  await writeFile(join(dataDir, 'adaptations.json'), ADAPTATIONS);
  return {
    dataDir,
    service: await RealService.start({ dataDir, flags: ['--auth', JSON.stringify(TOKENS)] }),
  };
}

test('[AC101] log-ins, refusals at every way in, prunes and erasures are on record, with who, from where and how it ended', async (t) => {
  const { service, dataDir } = await started();
  t.after(() => service.stop());
  const logIn = async (token: string): Promise<number> =>
    (await askHttp(service, 'POST', '/login/token', { origin: service.readers }, JSON.stringify({ token })))
      .status;
  const operator = { who: 'auth.token', name: 'auth.token', by: 'token', role: 'sender+operator' };
  const stranger = { role: 'unknown', outcome: 'refused', why: 'UNAUTHENTICATED', action: 'denied' };
  const wanted: Entry[] = [];
  const expect = (...entries: readonly Entry[]): void => void wanted.unshift(...entries.toReversed());

  assert.equal(await logIn(TOKENS.token), 200);
  expect({ action: 'login', outcome: 'done', ...operator });
  assert.equal(await logIn(WRONG), 401);
  expect({ action: 'login-refused', outcome: 'refused', why: 'token', role: 'unknown' });

  const wrong = { 'x-api-key': WRONG };
  assert.equal((await askHttp(service, 'GET', '/api/tasks', wrong)).status, 401);
  assert.equal((await askHttp(service, 'GET', '/api/me', {})).status, 401);
  assert.equal((await askHttp(service, 'GET', '/api/me', wrong)).status, 401);
  assert.equal(await openWebSocket(service, wrong), 401);
  const address = service.readers.replace('http://', '');
  assert.equal(await callGrpc(address, '/explain.v1.ExplainService/Prune', wrong), 16);
  assert.equal((await askHttp(service, 'POST', '/v1/traces', wrong)).status, 401);
  expect(
    ...['GET /api/tasks', 'GET /api/me', 'GET /explain', 'gRPC that needs operate', 'OTLP/HTTP'].map(
      (node) => ({ ...stranger, node }),
    ),
  );
  assert.equal((await askHttp(service, 'GET', '/api/audit', OPERATOR)).status, 403);
  expect({
    ...operator,
    action: 'denied',
    outcome: 'refused',
    why: 'PERMISSION_DENIED',
    node: 'GET /api/audit',
  });

  const operate = async (method: string, path: string, body: string): Promise<void> => {
    const { status, text } = await askHttp(service, method, path, OPERATOR, body);
    assert.equal(status, 200, text);
  };
  await operate('POST', '/v1/traces', SPANS);
  assert.equal(
    (await askHttp(service, 'POST', '/api/prune', OPERATOR, '{"olderThanMinutes": 5}')).status,
    200,
  );
  const socket = await openWebSocket(service, OPERATOR);
  assert.ok(typeof socket === 'object');
  await askWebSocket(socket, { type: 'prune', olderThanMinutes: 5, requestId: 'p' });
  socket.close();
  // Field 1, a double: 5 minutes.
  const five = Buffer.from('090000000000001440', 'hex');
  assert.equal(await callGrpc(address, '/explain.v1.ExplainService/Prune', OPERATOR, five), 0);
  expect(...[1, 2, 3].map(() => ({ ...operator, action: 'prune', outcome: 'done', values: 0 })));
  await operate('PUT', '/api/adaptations/tone', '{"enabled": false}');
  expect({ ...operator, action: 'adaptation', outcome: 'done', node: 'tone version 2' });
  await operate('POST', '/api/replay', JSON.stringify({ taskId: TRACE, speed: 0 }));
  expect({ ...operator, action: 'replay', outcome: 'done' });

  const made = await askHttp(service, 'POST', '/api/keys', ADMIN, '{"name": "web", "roles": ["reader"]}');
  const { id, key } = JSON.parse(made.text) as { readonly id: string; readonly key: string };
  const reader = { 'x-api-key': key, accept: 'application/json, text/event-stream' };
  expect({ action: 'key-create', node: id, who: 'auth.adminToken', outcome: 'done' });
  const reading = await openWebSocket(service, reader);
  assert.ok(typeof reading === 'object');
  await askWebSocket(reading, { type: 'prune', olderThanMinutes: 5, requestId: 'p' });
  reading.close();
  const params = { name: 'reload_adaptations', arguments: {} };
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
  assert.match((await askHttp(service, 'POST', '/mcp', reader, JSON.stringify(call))).text, /PERMISSION/);
  expect(
    ...['WebSocket prune', 'MCP reload_adaptations'].map((node) => ({
      action: 'denied',
      outcome: 'refused',
      why: 'PERMISSION_DENIED',
      node,
      who: id,
      name: 'web',
      by: 'key',
      role: 'reader',
    })),
  );
  assert.equal((await askHttp(service, 'POST', '/api/erase', ADMIN, '{"taskId": "T1"}')).status, 200);
  expect({ action: 'erase', who: 'auth.adminToken', by: 'token', outcome: 'done' });

  const found = await recorded(service);
  assert.deepEqual(
    found.map(({ action, node }, at) => [action, wanted[at]?.['node'] === undefined ? undefined : node]),
    wanted.map(({ action, node }) => [action, node]),
  );
  for (const [at, entry] of wanted.entries()) {
    assert.partialDeepStrictEqual(found[at], entry);
    assert.equal(found[at]?.['from'], '127.0.0.1');
    assert.ok(Math.abs(Number(found[at]?.['time']) - Date.now()) < 60_000);
  }
  const strangers = found.filter(({ role }) => role === 'unknown').map(({ who }) => who);
  assert.equal(new Set(strangers).size, 1, 'the same token has the same fingerprint');
  const { stdout } = await runFile(process.execPath, [
    'src/main.ts',
    'audit',
    'list',
    '--url',
    service.readers,
    '--token',
    TOKENS.adminToken,
    '--limit',
    '3',
  ]);
  const [head = '', ...rows] = stdout.trimEnd().split('\n');
  assert.match(head, /^time +what +outcome +who +from +about +why$/);
  assert.deepEqual(
    rows.map((row) => row.split(/ {2,}/)[1]),
    ['erase', 'denied', 'denied'],
  );
  await assertSound(dataDir);
});

test('[AC102] however often a log-in is refused, the log of the service says each reason once a minute', async (t) => {
  const { service } = await started();
  t.after(() => service.stop());
  const begun = Date.now();
  for (let n = 0; n < 50; n++) {
    const query = `state=${'s'.repeat(500)}&error=${WRONG}`;
    const back = await fetch(`${service.readers}/login/callback?${query}`, { redirect: 'manual' });
    assert.equal(back.status, 303);
  }
  const lines = service.log.split('\n').filter((line) => line.includes('log-in refused'));
  assert.ok(lines.length >= 1 && lines.length <= 1 + (Date.now() - begun) / 60_000, String(lines.length));
  assert.ok(lines.every((line) => line.length < 500 && !line.includes(WRONG)));
});

test('[AC102] a thousand wrong keys are a bounded number of lines, and the chain holds', async (t) => {
  const { service, dataDir } = await started();
  t.after(() => service.stop());
  assert.deepEqual(await recorded(service), []);
  for (let batch = 0; batch < 20; batch++)
    await Promise.all(
      Array.from({ length: 50 }, (_, n) =>
        askHttp(service, 'GET', '/api/tasks', { 'x-api-key': `${WRONG}-${batch}-${n}` }),
      ),
    );
  assert.equal((await askHttp(service, 'POST', '/api/erase', ADMIN, '{"taskId": "T1"}')).status, 200);
  const [last, ...before] = await recorded(service);
  assert.equal(last?.['action'], 'erase');
  // Ten a minute.
  assert.ok(before.length >= 10 && before.length <= 20, String(before.length));
  await assertSound(dataDir);
});

test('[AC100] what is on record is read by what it is, how it ended and who did it, and by pages of that', async (t) => {
  const { service } = await started();
  t.after(() => service.stop());
  for (let n = 0; n < 3; n++) {
    assert.equal((await askHttp(service, 'GET', '/api/keys', OPERATOR)).status, 403);
    assert.equal(
      (await askHttp(service, 'POST', '/api/prune', OPERATOR, '{"olderThanMinutes": 5}')).status,
      200,
    );
  }
  assert.equal(
    (await askHttp(service, 'POST', '/api/keys', ADMIN, '{"name": "x", "roles": ["reader"]}')).status,
    201,
  );
  const found = async (query: string): Promise<readonly Entry[]> => {
    const { status, text } = await askHttp(service, 'GET', `/api/audit?${query}`, ADMIN);
    assert.equal(status, 200, text);
    return (JSON.parse(text) as { readonly entries: readonly Entry[] }).entries;
  };
  const actions = async (query: string): Promise<readonly unknown[]> =>
    (await found(query)).map(({ action }) => action);
  assert.deepEqual(await actions('action=prune'), ['prune', 'prune', 'prune']);
  assert.deepEqual(await actions('outcome=refused'), ['denied', 'denied', 'denied']);
  assert.deepEqual(await actions('who=auth.adminToken'), ['key-create']);
  assert.deepEqual(await actions('who=auth.token&outcome=done&limit=2'), ['prune', 'prune']);
  const [, second] = await found('action=denied&limit=2');
  assert.deepEqual(await actions(`action=denied&before=${Number(second?.['seq'])}`), ['denied']);
  assert.deepEqual(await actions('action=nothing-like-it'), []);
});

test('[AC101] what those asked for in vain who may operate or administer is on record, and forged log-ins and log-outs', async (t) => {
  const { service } = await started();
  t.after(() => service.stop());
  const address = service.readers.replace('http://', '');
  const fails = async (method: string, path: string, said: Said, body?: string): Promise<void> => {
    const { status } = await askHttp(service, method, path, said, body);
    assert.ok(status >= 400 && status < 500, `${path}: ${status}`);
  };
  await fails('POST', '/api/replay', OPERATOR, '{"taskId": "none"}');
  await fails('PUT', '/api/adaptations/none', OPERATOR, '{"enabled": false}');
  await fails('POST', '/api/prune', OPERATOR, '{"olderThanMinutes": "x"}');
  await fails('GET', '/api/adaptations/none', OPERATOR);
  const socket = await openWebSocket(service, OPERATOR);
  assert.ok(typeof socket === 'object');
  await askWebSocket(socket, { type: 'prune', olderThanMinutes: -1, requestId: 'p' });
  socket.close();
  // Field 1, a double: -5 minutes.
  const negative = Buffer.from('0900000000000014c0', 'hex');
  assert.equal(await callGrpc(address, '/explain.v1.ExplainService/Prune', OPERATOR, negative), 3);
  const params = { name: 'update_adaptation', arguments: { id: 'none', enabled: false } };
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
  const mcp = { ...OPERATOR, accept: 'application/json, text/event-stream' };
  assert.match((await askHttp(service, 'POST', '/mcp', mcp, JSON.stringify(call))).text, /isError/);
  await fails('DELETE', '/api/keys/none', ADMIN);
  await fails('POST', '/api/erase', ADMIN, '{}');
  await fails('POST', '/api/nodes/none/redaction', ADMIN, '{"action": "reveal", "reason": "why"}');
  await fails('POST', '/logout', { origin: service.readers, 'sec-fetch-site': 'same-site' });
  await fails(
    'POST',
    '/login/token',
    { origin: service.readers, 'sec-fetch-site': 'same-site' },
    '{"token": "x"}',
  );
  const found = await recorded(service);
  assert.deepEqual(found.map(({ action, node, who, outcome }) => [action, node, who, outcome]).reverse(), [
    ...[
      'POST /api/replay',
      'PUT /api/adaptations/{id}',
      'POST /api/prune',
      'WebSocket prune',
      'gRPC that needs operate',
      'MCP update_adaptation',
    ].map((node) => ['failed', node, 'auth.token', 'refused']),
    ['failed', 'DELETE /api/keys/{id}', 'auth.adminToken', 'refused'],
    ['refused', 'erase', 'auth.adminToken', 'refused'],
    ['refused', 'none', 'auth.adminToken', 'refused'],
    ['denied', 'POST /logout', 'no token', 'refused'],
    ['denied', 'POST /login', 'no token', 'refused'],
  ]);
});
