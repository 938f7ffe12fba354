import assert from 'node:assert/strict';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import type { AdaptationDetail, AdaptationList, AdaptationPreview } from '../../src/model/adaptations.ts';
import type { AdaptationEffect } from '../../src/model/adaptation-effect.ts';
import { epochMs } from '../../src/model/time.ts';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { until } from '../support/until.ts';
import { makeSpan } from '../support/world.ts';
import { RealService, temporaryFolder } from './real-service.ts';

const SECRET = 'jane.doe@example.com';
const FILE = `{
  // What our agents are told beside their prompts.
  "adaptations": [
    {
      "id": "tone", "title": "Tone", "scope": { "agent": "CoderAgent" },
      "content": ["Be brief.", "Ask ${SECRET} when in doubt."], // two lines
    },
    { "id": "adn.safety.general", "title": "Safety", "content": "Never disclose secrets." },
  ],
}
`;

async function started(t: TestContext, flags: readonly string[] = [], text: string | null = FILE) {
  const dataDir = await temporaryFolder(t);
  const path = join(dataDir, 'adaptations.json');
  if (text !== null) await writeFile(path, text);
  const service = await RealService.start({ dataDir, flags });
  t.after(() => service.stop());
  const ask = async (method: string, route: string, body?: unknown, headers: Record<string, string> = {}) => {
    const response = await fetch(`${service.readers}/api/adaptations${route}`, {
      method,
      headers: { 'content-type': 'application/json', ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return {
      status: response.status,
      etag: response.headers.get('etag'),
      body: (await response.json()) as never,
    };
  };
  return { dataDir, path, service, ask };
}

test('[AD1] a service without the file has no adaptations, and writes nothing', async (t) => {
  const { dataDir, ask } = await started(t, [], null);
  assert.deepEqual((await ask('GET', '')).body, { file: { state: 'none' }, adaptations: [] });
  assert.equal((await ask('POST', '/reload')).status, 404);
  assert.equal((await ask('PUT', '/tone', { enabled: false })).status, 404);
  assert.deepEqual(
    (await readdir(dataDir)).filter((name) => name.includes('adaptation')),
    [],
  );
});

test('[AD1] [AD3] [AD5] they are listed, read, changed by id and version; comments and everything else in the file stay', async (t) => {
  const { path, dataDir, ask } = await started(t);
  const { file, adaptations } = (await ask('GET', '')).body as AdaptationList;
  assert.equal(file.state, 'good');
  assert.deepEqual(
    adaptations.map(({ id, version, enabled, by, scope }) => ({ id, version, enabled, by, scope })),
    [
      { id: 'tone', version: 1, enabled: true, by: 'file', scope: { agent: 'CoderAgent' } },
      { id: 'adn.safety.general', version: 1, enabled: true, by: 'file', scope: {} },
    ],
  );
  const put = await ask('PUT', '/adn.safety.general', { content: 'Never, ever.', version: 1 });
  assert.deepEqual([put.status, put.etag], [200, '"2"']);
  const after = (await ask('GET', '/adn.safety.general')).body as AdaptationDetail;
  assert.equal(after.content, 'Never, ever.');
  assert.deepEqual(
    after.versions.map(({ version, content, by }) => [version, content, by]),
    [
      [1, 'Never disclose secrets.', 'file'],
      [2, 'Never, ever.', 'edit'],
    ],
  );
  const first = (await ask('GET', '/adn.safety.general?version=1')).body as AdaptationDetail;
  assert.equal(first.content, 'Never disclose secrets.');
  assert.equal(
    await readFile(path, 'utf8'),
    FILE.replace('"Never disclose secrets."', '"Never, ever."'),
    'nothing else of the file is touched',
  );
  for (const name of ['adaptations.json', 'adaptations.history.json'])
    assert.equal((await stat(join(dataDir, name))).mode & 0o777, 0o600, name);
});

test('[AD4] of two who edit the same version the second is told; nothing is changed', async (t) => {
  const { ask } = await started(t);
  const edit = (enabled: boolean, tag: string) => ask('PUT', '/tone', { enabled }, { 'if-match': tag });
  assert.equal((await edit(false, '"1"')).status, 200);
  const { status, body } = await edit(true, '"1"');
  assert.equal(status, 409);
  assert.deepEqual(body, {
    error: {
      code: 'FAILED_PRECONDITION',
      message: 'version: it is at version 2 by now: read it again, and make the edits of that',
    },
  });
  const both = await Promise.all([1, 2].map((n) => ask('PUT', '/tone', { title: `T${n}`, version: 2 })));
  assert.deepEqual(both.map((one) => one.status).sort(), [200, 409]);
  assert.equal((await edit(true, '*')).status, 200);
  assert.equal((await edit(true, '3')).status, 400);
  assert.equal((await ask('PUT', '/tone', { enabled: false })).status, 200);
});

test('[AD2] what is edited by hand is read within a second; a broken file keeps the last good one, and says so', async (t) => {
  const { path, service, ask } = await started(t);
  const list = async () => (await ask('GET', '')).body as AdaptationList;
  await writeFile(path, FILE.replace('Never disclose secrets.', 'By hand.'));
  await until('it is read', async () => (await list()).adaptations[1]?.version === 2);
  await writeFile(path, FILE.slice(0, FILE.indexOf('secrets')));
  await until('it is seen to be broken', async () => (await list()).file.state === 'broken');
  const { file, adaptations } = await list();
  assert.match(file.problem ?? '', /^line 8, column \d+: not valid JSON/);
  assert.equal(adaptations[1]?.contentPreview, 'By hand.');
  const ready = await fetch(`${service.readers}/readyz`);
  assert.equal(ready.status, 200);
  assert.match(
    JSON.stringify(await ready.json()),
    /"warnings":\["adaptations: the last good ones stay in force: line 8/,
  );
  assert.match(service.log, /the adaptations file is broken: the last good one stays in force/);
  for (const [method, route, body] of [
    ['POST', '/reload', undefined],
    ['PUT', '/tone', { enabled: false }],
  ] as const) {
    const refused = await ask(method, route, body);
    assert.equal(refused.status, 409);
    assert.match(JSON.stringify(refused.body), /the last good one stays in force: line 8/);
  }
  await writeFile(path, FILE);
  assert.equal((await ask('POST', '/reload')).status, 200);
  assert.equal((await list()).file.state, 'good');
  assert.doesNotMatch(service.log, /Never disclose|By hand|jane/);
});

test('[AD6] a preview has the parts of the prompt in order, with where each stands and which adaptation it is', async (t) => {
  const { ask } = await started(t);
  const base = 'You are helpful.';
  const preview = async (body: object) => (await ask('POST', '/preview', body)).body as AdaptationPreview;
  const { included, parts, finalPrompt, assembly } = await preview({
    scope: { agent: 'coder-agent' },
    basePrompt: base,
  });
  assert.deepEqual(included, ['tone@1', 'adn.safety.general@1']);
  assert.deepEqual(
    parts.map(({ type, adaptation }) => [type, adaptation]),
    [
      ['base_prompt', undefined],
      ['prompt_adaptations', 'tone@1'],
      ['prompt_adaptations', 'adn.safety.general@1'],
    ],
  );
  assert.deepEqual(
    assembly.map(({ start, end }) => finalPrompt.slice(start, end)),
    parts.map(({ value }) => value),
  );
  assert.deepEqual((await preview({ scope: { agent: 'Critic' } })).included, ['adn.safety.general@1']);
  const edited = await preview({ edits: { 'adn.safety.general': { content: 'Else.' } } });
  assert.deepEqual([edited.included, edited.finalPrompt], [['adn.safety.general'], 'Else.']);
  const { content } = (await ask('GET', '/adn.safety.general')).body as AdaptationDetail;
  assert.equal(content, 'Never disclose secrets.', 'a preview changes nothing');
  assert.equal((await ask('POST', '/preview', { edits: { nobody: {} } })).status, 404);
  assert.equal((await ask('POST', '/preview', { scope: { agents: 'x' } })).status, 400);
});

test('[AD7] no text of an adaptation leaves unredacted, and what is hidden is not written over', async (t) => {
  const { path, ask } = await started(t);
  const answers = await Promise.all([
    ask('GET', ''),
    ask('GET', '/tone'),
    ask('POST', '/preview', { scope: { agent: 'CoderAgent' }, basePrompt: `Write to ${SECRET}` }),
  ]);
  assert.doesNotMatch(JSON.stringify(answers), /jane/);
  const { content } = (await ask('GET', '/tone')).body as AdaptationDetail;
  assert.match(content, /^Be brief\.\nAsk \[EMAIL:[a-z2-7]{10}\] when in doubt\.$/);
  const refused = await ask('PUT', '/tone', { content: `${content} Please.` });
  assert.equal(refused.status, 400);
  assert.match(JSON.stringify(refused.body), /the edits hold markers/);
  assert.ok((await readFile(path, 'utf8')).includes(SECRET));
});

test('[AD8] nothing of them is answered or changed without the token, on any of its routes', async (t) => {
  const { path, ask } = await started(t, ['--auth', '{"token":"token-for-tests"}']);
  const before = await readFile(path, 'utf8');
  for (const [method, route, body] of [
    ['GET', ''],
    ['GET', '/tone'],
    ['GET', '/tone/effect'],
    ['PUT', '/tone', { enabled: false }],
    ['POST', '/reload'],
    ['POST', '/preview', {}],
  ] as const)
    assert.equal((await ask(method, route, body)).status, 401, `${method} ${route}`);
  assert.equal(await readFile(path, 'utf8'), before);
  const headers = { authorization: 'Bearer token-for-tests' };
  assert.equal((await ask('PUT', '/tone', { enabled: false }, headers)).status, 200);
});

test('[AD9] [AD10] steps name the adaptations of their prompts; the effect is that of tasks with and without', async (t) => {
  const { service, ask } = await started(t);
  const task = (n: number, attrs: object) => {
    const span = (id: number, more: object) =>
      makeSpan({
        traceId: String(n).padStart(32, 'a'),
        spanId: String(id).padStart(16, '1'),
        parentSpanId: id === 1 ? undefined : '1'.padStart(16, '1'),
        start: epochMs(1_750_000_000_000 + n),
        end: epochMs(1_750_000_000_010 + n),
        attrs: { taskID: `T${n}`, component: 'CoderAgent', ...more },
      });
    return [span(1, {}), span(2, { 'model.name': 'm', ...attrs })];
  };
  await service.feed([
    ...task(1, { 'explain.adaptations': ['tone@1'] }),
    ...task(2, { 'adaptation.id': 'tone', 'adaptation.version': 1 }),
    ...task(3, { 'explain.adaptations': ['other@1'] }),
    ...task(4, {}),
  ]);
  await service.flush();
  const { nodes } = await service.graph();
  const named = nodes.map(({ taskId, details = {} }) => [taskId, details['adaptations']]);
  assert.deepEqual(
    named
      .filter(([, refs]) => refs !== undefined)
      .map(String)
      .sort(),
    ['T1,tone@1', 'T2,tone@1', 'T3,other@1'],
  );
  const effect = (await ask('GET', '/tone/effect')).body as AdaptationEffect;
  assert.deepEqual(effect.tasks, { compared: 4, passedOver: 0, mixed: 0 });
  const [comparison] = effect.comparisons;
  assert.deepEqual(
    [
      comparison?.version,
      comparison?.against,
      comparison?.basis,
      comparison?.with.tasks,
      comparison?.than.tasks,
    ],
    [1, 'without', 'named', 2, 1],
  );
  assert.equal(comparison?.tooFew, true);
  assert.match(effect.notice, /fewer than 20 tasks/);
  assert.equal((await ask('GET', '/nobody/effect')).status, 404);
});

test('[AD8] over MCP the official client gets and changes the same as over HTTP', async (t) => {
  const { service, ask } = await started(t);
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(new StreamableHTTPClientTransport(new URL(`${service.readers}/mcp`)));
  t.after(() => client.close());
  const call = async (name: string, args: Record<string, unknown> = {}) => {
    const { isError = false, content } = (await client.callTool({ name, arguments: args })) as CallToolResult;
    const [first] = content;
    assert.equal(first?.type, 'text');
    return isError ? first.text : (JSON.parse(first.text) as Record<string, unknown>);
  };
  assert.deepEqual(await call('list_adaptations'), (await ask('GET', '')).body);
  const edits = { id: 'adn.safety.general', content: 'By an agent.' };
  assert.match(
    JSON.stringify(await call('update_adaptation', { ...edits, version: 9 })),
    /^"FAILED_PRECONDITION: version: /,
  );
  const updated = await call('update_adaptation', { ...edits, version: 1 });
  const { versions, ...detail } = (await ask('GET', '/adn.safety.general')).body as AdaptationDetail;
  const brief = versions.map(({ version, updatedAt, by, enabled }) => ({ version, updatedAt, by, enabled }));
  assert.deepEqual(updated, { ...detail, versions: brief, changed: true });
  const first = (await call('get_adaptation', { id: 'adn.safety.general', version: 1 })) as {
    content: string;
  };
  assert.equal(first.content, 'Never disclose secrets.');
  const request = { scope: { agent: 'CoderAgent' }, basePrompt: 'Base.' };
  assert.deepEqual(await call('preview_adaptations', request), (await ask('POST', '/preview', request)).body);
  assert.deepEqual(await call('adaptation_effect', { id: 'tone' }), (await ask('GET', '/tone/effect')).body);
  assert.deepEqual(await call('reload_adaptations'), (await ask('GET', '')).body);
  assert.match(
    JSON.stringify(await call('update_adaptation', { id: 'tone', words: 1 })),
    /^"INVALID_ARGUMENT: arguments: /,
  );
  assert.match(JSON.stringify(await call('get_adaptation', { id: 'nobody' })), /^"NOT_FOUND: id: /);
});
