import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import type { CompareAnswer } from '../../src/model/compare.ts';
import type { PatternsAnswer } from '../../src/model/patterns.ts';
import type { TaskSummary } from '../../src/model/summary.ts';
import type { ExplanationGraph } from '../../src/model/node.ts';
import { RealService, temporaryFolder } from '../e2e/real-service.ts';
import { UnreliableLine } from '../client/unreliable-line.ts';
import { Command, run, type CommandOptions, type Result } from './run-command.ts';

const RECORDINGS = join(import.meta.dirname, '../fixtures/telemetry');
/** A trace of its own for each task. */
function traceOf(taskID: string): string {
  return Buffer.from(taskID).toString('hex').padEnd(32, '0').slice(0, 32);
}

let service: RealService;
let dataDir: string;

before(async () => {
  dataDir = await temporaryFolder();
  service = await RealService.start({ dataDir });
});

after(async () => {
  await service.stop();
  await rm(dataDir, { recursive: true, force: true });
});

/** A reader command against the service. */
async function ask(args: readonly string[], options: CommandOptions = {}): Promise<Result> {
  return run(args, { ...options, env: { EXPLAINABILITY_AGENT_URL: service.readers, ...options.env } });
}

/** Sent by what sends: a command of its own would take a quarter of a second. */
async function put(path: '/v1/traces' | '/api/cot', body: string): Promise<void> {
  const url = path === '/api/cot' ? service.readers : service.otlpHttp;
  const headers = { 'content-type': 'application/json' };
  assert.ok((await fetch(`${url}${path}`, { method: 'POST', body, headers })).ok);
}

/** A task whose test fails because of what a model said before. */
function failedRun(taskID: string): string {
  const text = (key: string, stringValue: string) => ({ key, value: { stringValue } });
  const span = (spanId: string, parent: string | undefined, name: string, more: object) => ({
    traceId: traceOf(taskID),
    spanId: spanId.repeat(16),
    ...(parent !== undefined && { parentSpanId: parent.repeat(16) }),
    name,
    startTimeUnixNano: `17500000${parent === undefined ? '00' : '01'}000000000`,
    endTimeUnixNano: '1750000009000000000',
    ...more,
  });
  const spans = [
    span('1', undefined, 'Create README.md', { attributes: [text('taskID', taskID)] }),
    span('2', '1', 'generate README', {
      attributes: [text('model.name', 'gpt-4o-mini'), text('taskID', taskID)],
    }),
    span('3', '2', 'unit tests', {
      attributes: [text('test.name', 'readme'), text('taskID', taskID)],
      status: { code: 2, message: '2 tests failed' },
    }),
  ];
  return JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] });
}

test('[CLI34] send: recordings, thoughts and events arrive', async () => {
  const files = ['ai-sdk-6.otlp.json', 'openinference-langchain.otlp.json'].map((name) =>
    join(RECORDINGS, name),
  );
  const recordings = await ask(['send', ...files]);
  assert.equal(recordings.code, 0, recordings.stderr);
  assert.match(
    recordings.stdout,
    /ai-sdk-6\.otlp\.json: 8 spans accepted\n.*langchain.*: 7 spans accepted\n/,
  );
  assert.ok((await service.graph('taskIds=task-7')).nodes.length > 0, 'where the readers are');
  const input =
    '{"requestId":"cli-1","timestamp":1750000000000,"text":"First the\\u001b[31m title.","final":true,"taskId":"cli-task"}\n' +
    '{"eventType":"PlanUpdated","eventID":"cli-e1","component":"Planner","timestamp":1750000001000,"payload":{"taskId":"cli-task"}}\n';
  const entries = await ask(['send', '-'], { input });
  assert.deepEqual([entries.code, entries.stdout], [0, 'standard input: 1 thought, 1 event accepted\n']);
  const graph = await service.graph('collapse=none&taskIds=cli-task');
  assert.deepEqual(graph.nodes.map(({ id }) => id).sort(), [
    'event:cli-e1',
    'req:cli-1',
    'thought:1:req:cli-1',
  ]);
});

test('[CLI10] get: the graph in each format, and one step with its texts', async () => {
  await put('/v1/traces', failedRun('cli-get'));
  const plain = await ask(['get', '--task', 'cli-get', '--all']);
  assert.equal(plain.code, 0, plain.stderr);
  assert.equal(plain.stdout.trim().split('\n').length, 1);
  const graph = JSON.parse(plain.stdout) as ExplanationGraph;
  assert.deepEqual(graph.nodes.map(({ name }) => name).sort(), [
    'Create README.md',
    'generate README',
    'unit tests',
  ]);
  const errors = await ask(['get', '--task', 'cli-get', '--status', 'error', '--pretty']);
  assert.deepEqual(
    (JSON.parse(errors.stdout) as ExplanationGraph).nodes.map(({ name }) => name),
    ['unit tests'],
  );
  assert.match(errors.stdout, /^\{\n {2}"nodes": \[\n/);
  const none = await ask(['get', '--task', 'cli-get', '--status', 'warning']);
  assert.deepEqual([none.code, none.stderr], [0, ''], 'of a task that is known nothing may fit');
  for (const [format, key] of [
    ['cytoscape', 'elements'],
    ['d3', 'links'],
    ['graphology', 'attributes'],
  ] as const) {
    const exported = await ask(['get', '--task', 'cli-get', '--format', format]);
    assert.ok(key in (JSON.parse(exported.stdout) as object), format);
  }
  await put(
    '/api/cot',
    '{"requestId":"cli-2","timestamp":1750000000000,"text":"a whole\\u0085thought","final":true}',
  );
  const step = await ask(['get', 'req:cli-2']);
  assert.match(step.stdout, /a whole/);
  assert.doesNotMatch(step.stdout, /\u0085/);
});

test('[OX7] get --format otlp prints what GET /api/graph?format=otlp answers', async () => {
  await put('/v1/traces', failedRun('T-otlp'));
  const { code, stdout } = await ask(['get', '--format', 'otlp', '--task', 'T-otlp']);
  assert.equal(code, 0);
  const answer = await service.json('/api/graph?format=otlp&taskIds=T-otlp');
  assert.ok(stdout.includes('explain.node.id'));
  assert.deepEqual(JSON.parse(stdout), answer);
});

test('[RP7] replay plays a task and prints its changes until all is there', async () => {
  await put('/v1/traces', failedRun('T-replay'));
  const { code, stdout, stderr } = await ask(['replay', 'T-replay', '--speed', '0', '--json']);
  assert.equal(code, 0);
  assert.match(stderr, /T-replay is played as T-replay~replay-1/);
  const seen = new Set([...stdout.matchAll(/"replayOfNode":"([^"]+)"/g)].map(([, id]) => id));
  const { nodes } = await service.graph('collapse=none&taskIds=T-replay');
  assert.deepEqual(seen, new Set(nodes.map(({ id }) => id)));
  const unknown = await ask(['replay', 'nobody']);
  assert.deepEqual([unknown.code, unknown.stdout], [1, '']);
  assert.match(unknown.stderr, /no task with this id is known/);
  assert.match((await ask(['replay', 'T-replay', '--speed', 'fast'])).stderr, /--speed must be a number/);
  assert.match((await ask(['replay'])).stderr, /say which task/);
});

test('[OX10] export sends a task on, and says what was taken', async () => {
  await put('/v1/traces', failedRun('T-export'));
  const other = await RealService.start({ dataDir: await temporaryFolder() });
  try {
    for (const to of [other.otlpHttp, `grpc://${other.otlpGrpc}`]) {
      const { code, stdout, stderr } = await ask(['export', 'T-export', '--to', to]);
      assert.deepEqual([code, stdout, stderr], [0, 'T-export: 3 spans sent\n', '']);
    }
    const { nodes } = await other.graph();
    const here = await service.graph('collapse=none&taskIds=T-export');
    assert.deepEqual(
      nodes.map(({ id, title }) => [id, title]),
      here.nodes.map(({ id, title }) => [id, title]),
    );
  } finally {
    await other.stop();
  }
  const unknown = await ask(['export', 'nobody', '--to', other.otlpHttp]);
  assert.match(unknown.stderr, /no task nobody is known/);
  const began = performance.now();
  for (const nobody of [other.otlpHttp, `grpc://${other.otlpGrpc}`, 'http://127.0.0.1:1']) {
    const { code, stderr } = await ask(['export', 'T-export', '--to', nobody]);
    assert.equal(code, 1);
    assert.match(stderr, /does not take the spans: nothing answers there/);
  }
  assert.ok(performance.now() - began < 20_000);
  const wrongPort = await ask(['export', 'T-export', '--to', `http://${service.otlpGrpc}`]);
  assert.match(wrongPort.stderr, /it answers 400 \(this port takes OTLP\/gRPC; OTLP\/HTTP is at port/);
  const refused = await ask(['export', 'T-export', '--to', `${service.readers}/api/none`]);
  assert.match(refused.stderr, /the receiver at --to does not take the spans: it answers 404/);
  assert.match((await ask(['export', 'T-export'])).stderr, /say where to: --to URL/);
  assert.match((await ask(['export', 'T-export', '--to', 'nowhere'])).stderr, /--to must be a URL/);
  assert.match((await ask(['export', 'x', '--to', 'http://a', '--header', 'y'])).stderr, /NAME=VALUE/);
});

test('[CLI11] tasks and spikes: tables for people, JSON for programs', async () => {
  await put('/v1/traces', failedRun('cli-tasks'));
  const table = await ask(['tasks']);
  assert.match(table.stdout, /^TASK +TITLE +NODES +ERRORS +RUNNING/);
  assert.match(table.stdout, /^cli-tasks +Create README\.md +3 +1 +0 /m);
  const json = JSON.parse((await ask(['tasks', '--json'])).stdout) as { taskId: string }[];
  assert.ok(json.some(({ taskId }) => taskId === 'cli-tasks'));
  const dearest = await ask(['tasks', '--text', 'cli-tasks', '--sort', 'cost', '--limit', '1', '--json']);
  assert.equal((JSON.parse(dearest.stdout) as unknown[]).length, 1);
  const others = await ask(['tasks', '--task', 'cli-tasks', '--status', 'WARNING']);
  assert.deepEqual([others.code, others.stdout], [0, 'No task fits.\n']);
  const named = await ask(['tasks', '--task', 'none', '--task', 'cli-tasks', '--json']);
  assert.equal((JSON.parse(named.stdout) as unknown[]).length, 1);
  const spikes = await ask(['spikes', '--task', 'cli-tasks']);
  assert.match(spikes.stdout, /^No step stands out\.\n\n/);
  assert.deepEqual((JSON.parse((await ask(['spikes', '--json'])).stdout) as { spikes: unknown }).spikes, []);
});

test('[CLI50] why: names the cause of a failure, by its id and by its task', async () => {
  await put('/v1/traces', failedRun('cli-why'));
  const byTask = await ask(['why', '--task', 'cli-why']);
  assert.equal(byTask.code, 0, byTask.stderr);
  const id = `${traceOf('cli-why')}:${'3'.repeat(16)}`;
  assert.match(byTask.stdout, /candidates?: where to look first/);
  assert.match(byTask.stdout, /✓ LLM_CALL generate README[^]*└ NEXT_STEP ▸ ✗ TEST_RUN unit tests/);
  assert.equal((await ask(['why', id])).stdout, byTask.stdout);
  assert.equal((await ask(['why', 'cli-why'])).stdout, byTask.stdout, 'a word may be a task');
  assert.match((await ask(['why'])).stderr, /"npm run -s cli -- get" shows the ids/);
  assert.equal((JSON.parse((await ask(['why', id, '--json'])).stdout) as { nodeId: string }).nodeId, id);
});

test('[CLI55] summary: sentences with the ids of their steps for people, JSON for programs', async () => {
  await put('/v1/traces', failedRun('cli-summary'));
  const told = await ask(['summary', 'cli-summary']);
  assert.equal(told.code, 0, told.stderr);
  const id = `${traceOf('cli-summary')}:${'3'.repeat(16)}`;
  assert.match(told.stdout, new RegExp(`^“unit tests” of \\S+ failed.*\n  ${id}$`, 'm'));
  const json = JSON.parse((await ask(['summary', 'cli-summary', '--json'])).stdout) as TaskSummary;
  assert.equal(json.taskId, 'cli-summary');
  assert.ok(json.sentences.some(({ nodeIds }) => nodeIds.includes(id)));
  const nameless = await ask(['summary']);
  assert.equal(nameless.code, 2);
  assert.match(nameless.stderr, /name a task/);
});

test('[CLI62] the table of tasks names cells only where a task is in several', async (t) => {
  const task = {
    taskId: 'in-two',
    title: 'a task',
    status: 'OK',
    state: 'ENDED',
    nodes: 2,
    errors: 0,
    warnings: 0,
    running: 0,
    types: {},
    firstTimestamp: '2025-06-20T14:00:00.000Z',
    lastTimestamp: '2025-06-20T14:00:00.000Z',
    lastChanged: '2025-06-20T14:00:00.000Z',
    durationMs: 0,
    agents: ['planner'],
    activity: [2],
  };
  let tasks: readonly object[] = [
    { ...task, cells: ['cell-a', 'cell-b'] },
    { ...task, taskId: 'in-one' },
  ];
  const gateway = createServer((_request, response) => response.end(JSON.stringify({ tasks })));
  gateway.listen(0, '127.0.0.1');
  await once(gateway, 'listening');
  t.after(() => gateway.close());
  const args = ['tasks', '--url', `http://127.0.0.1:${(gateway.address() as AddressInfo).port}`];
  const { stdout } = await run(args);
  assert.match(stdout, /AGENTS +CELLS\nin-two .* cell-a, cell-b\nin-one .* planner\n/);
  tasks = [task];
  assert.doesNotMatch((await run(args)).stdout, /CELLS/);
});

test('[CLI61] what an answer lacks is said beside it, for people and for programs', async () => {
  const answers: Readonly<Record<string, object>> = {
    '/api/tasks': { tasks: [] },
    '/api/spikes': { spikes: [], notice: 'so' },
    '/api/patterns': { patterns: [], tasks: { failed: 0, passed: 0 }, tested: 0, notice: 'so' },
    '/api/summary': { taskId: 't', sentences: [] },
  };
  let pages: object[] = [];
  const gateway = createServer((request, response) => {
    const answer = answers[new URL(request.url ?? '', 'http://x').pathname];
    const page = pages.shift();
    response.end(JSON.stringify(page ?? { ...answer, notices: ['cell \u001b[1mb does not answer'] }));
  });
  gateway.listen(0, '127.0.0.1');
  await once(gateway, 'listening');
  const url = `http://127.0.0.1:${(gateway.address() as AddressInfo).port}`;
  try {
    for (const args of [['tasks'], ['spikes'], ['patterns'], ['summary', 't']])
      for (const more of [[], ['--json']]) {
        const { stdout, stderr } = await run([...args, ...more, '--url', url]);
        assert.equal(stderr, 'note: cell b does not answer\n', args.join(' '));
        if (more.length > 0) JSON.parse(stdout);
      }
    // A cell that goes away between two pages.
    pages = [
      { tasks: [], nextCursor: 'c' },
      { tasks: [], nextCursor: 'c', notices: ['x is away'] },
      { tasks: [], notices: ['x is away', 'y is away'] },
    ];
    const { stderr } = await run(['tasks', '--url', url]);
    assert.equal(stderr, 'note: x is away\nnote: y is away\n');
  } finally {
    gateway.close();
  }
});

test('[CLI56] compare: what differs between two tasks for people, JSON for programs', async () => {
  await put('/v1/traces', failedRun('cli-a'));
  await put(
    '/v1/traces',
    failedRun('cli-b').replace('"gpt-4o-mini"', '"gpt-4o"').replace('2 tests failed', '3 tests failed'),
  );
  const told = await ask(['compare', 'cli-a', 'cli-b']);
  assert.equal(told.code, 0, told.stderr);
  assert.match(told.stdout, /^ +a {2}cli-a +b {2}cli-b$/m);
  assert.match(told.stdout, /^models +gpt-4o-mini +gpt-4o$/m);
  assert.match(told.stdout, /^They part here first: \S+: generate README: the model differs$/m);
  assert.match(told.stdout, /^≠ {3}LLM_CALL .*generate README\n {6}.*model gpt-4o-mini → gpt-4o/m);
  assert.doesNotMatch(told.stdout, /^= /m);
  assert.match((await ask(['compare', 'cli-a', 'cli-b', '--all'])).stdout, /^= OTHER /m);
  const json = JSON.parse((await ask(['compare', 'cli-a', 'cli-b', '--json'])).stdout) as CompareAnswer;
  assert.deepEqual([json.a, json.b, json.steps.length], ['cli-a', 'cli-b', 3]);
  const nameless = await ask(['compare', 'cli-a']);
  assert.equal(nameless.code, 2);
  assert.match(nameless.stderr, /name two tasks/);
});

test('[CLI57] patterns: tables for people, JSON for programs, by filters', async () => {
  await put('/v1/traces', failedRun('cli-patterns'));
  const told = await ask(['patterns']);
  assert.equal(told.code, 0, told.stderr);
  assert.match(told.stdout, /^\d+ tasks?: \d+ failed, \d+ passed; \d+ kinds tested$/m);
  assert.match(told.stdout, /^FAIL MOST +ERRORS +STEPS$/m);
  assert.match(told.stdout, /^type +TEST_RUN +\d+ +\d+$/m);
  const json = await ask(['patterns', '--task', 'cli-patterns', '--json']);
  assert.deepEqual((JSON.parse(json.stdout) as PatternsAnswer).tasks, { failed: 1, passed: 0 });
  const none = await ask(['patterns', '--agent', 'nobody']);
  assert.equal(none.stdout, 'No task that is over has such steps.\n');
  const refused = await ask(['patterns', '--all']);
  assert.equal(refused.code, 2);
});

test('[CLI12] watch without a terminal: a line for each change, or a JSON object', async (t) => {
  const env = { EXPLAINABILITY_AGENT_URL: service.readers };
  const lines = new Command(t, ['watch', '--task', 'cli-watch', '--all'], { env });
  const json = new Command(t, ['watch', '--task', 'cli-watch', '--all', '--json'], { env });
  const thought = (text: string) =>
    `{"requestId":"cli-w","timestamp":1750000000000,"text":${JSON.stringify(text)},"taskId":"cli-watch"}`;
  await put('/api/cot', thought('one'));
  await lines.prints(/^\+ .*RUNNING {2}LLM_CALL {2}.*task=cli-watch {2}id=req:cli-w$/m);
  await json.prints(/^\{"op":"added","node":\{"id":"req:cli-w"/m);
  await put('/v1/traces', failedRun('cli-watch'));
  await lines.prints(/ERROR {2}TEST_RUN {2}"unit tests".*error="2 tests failed"/);
  await json.prints(/"op":"added","edge":/);
  for (const line of json.stdout.trim().split('\n')) JSON.parse(line);
  for (const command of [lines, json]) {
    command.process.kill('SIGINT');
    assert.equal(await command.exit(), 0);
    assert.equal(command.stderr, '');
  }
});

test('[CLI47] watch goes on after a restart of the service, and says so on standard error', async (t) => {
  const folder = await temporaryFolder(t);
  const headers = { 'content-type': 'application/json' };
  const first = await RealService.start({ dataDir: folder });
  t.after(() => first.stop());
  const line = await UnreliableLine.to(first.service.addresses.readers.port);
  t.after(() => line.close());
  const watch = new Command(t, ['watch', '--url', line.url]);
  const thought = async (base: string, id: string) =>
    fetch(`${base}/api/cot`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ requestId: id, timestamp: 1_750_000_000_000, text: 'x' }),
    });
  await thought(first.readers, 'before');
  await watch.prints(/id=req:before/);
  line.target = undefined;
  line.cut();
  await first.stop();
  await watch.prints(/# connection lost; trying again in/);
  const second = await RealService.start({ dataDir: folder });
  t.after(() => second.stop());
  // Who comes while it still restores sees the graph grow again (EL5).
  line.target = second.service.addresses.readers.port;
  await watch.prints(/# connected again/);
  await thought(second.readers, 'after');
  await watch.prints(/^\+ .*id=req:after/m);
  assert.equal(watch.stdout.match(/^\+ .*id=req:before/gm)?.length, 1, 'what was known is not told again');
  watch.process.kill('SIGTERM');
  assert.equal(await watch.exit(), 0);
});

test('[CLI4] a token is asked for by name, and taken from the environment', async (t) => {
  const folder = await temporaryFolder(t);
  const flags = ['--auth', '{"token":"cli-secret-token"}'];
  const locked = await RealService.start({ dataDir: folder, flags });
  t.after(() => locked.stop());
  const without = await run(['tasks', '--url', locked.readers]);
  assert.equal(without.code, 1);
  assert.match(without.stderr, /wants a token: set EXPLAINABILITY_AGENT_TOKEN, or give --token\.\n$/);
  const wrong = await run(['tasks', '--url', locked.readers, '--token', 'no-such-token']);
  assert.match(wrong.stderr, /does not take this token/);
  assert.doesNotMatch(wrong.stderr, /no-such-token/);
  const env = { EXPLAINABILITY_AGENT_TOKEN: 'cli-secret-token' };
  assert.equal((await run(['tasks', '--url', locked.readers], { env })).code, 0);
  const unsent = await run(['send', '-', '--url', locked.readers], { input: failedRun('x') });
  assert.match(unsent.stderr, /wants a token/);
  const args = ['send', '-', '--otlp-url', locked.otlpHttp];
  assert.equal((await run(args, { env, input: failedRun('x') })).code, 0);
});

test('[CLI58] erase needs no service with --offline, wherever that stands', async (t) => {
  const folder = await temporaryFolder(t);
  for (const args of [
    ['--offline', '--task', 'none'],
    ['--task', 'none', '--offline'],
  ]) {
    const erased = await run(['erase', ...args, '--data-dir', folder]);
    assert.equal(erased.stderr, '');
    assert.deepEqual([erased.code, erased.stdout], [0, 'Nothing was found, so nothing was removed.\n']);
  }
});

test('[AC45] erase and audit name a project that has a folder, and a running service is told none', async (t) => {
  const folder = await temporaryFolder(t);
  const erase = ['erase', '--task', 'none', '--project'];
  const missing = await run([...erase, 'team-a', '--offline', '--data-dir', folder]);
  assert.equal(missing.code, 1);
  assert.match(missing.stderr, /there is no project of this name in /);
  assert.deepEqual(await readdir(folder), []);
  const odd = await run(['audit', 'verify', '--project', '../x', '--data-dir', folder]);
  assert.match(odd.stderr, /a project's name has 1 to 63 lower-case letters/);
  await mkdir(join(folder, 'projects', 'team-a'), { recursive: true });
  const erased = await run([...erase, 'team-a', '--offline', '--data-dir', folder]);
  assert.deepEqual([erased.code, erased.stderr], [0, '']);
  assert.deepEqual(await readdir(folder), ['projects']);
  const verified = await run(['audit', 'verify', '--project', 'team-a', '--data-dir', folder]);
  assert.match(verified.stdout, /^audit\.ndjson: OK, 0 entries/);
  assert.match((await run([...erase, 'team-a'])).stderr, /--project goes with --offline/);
});

test('[CLI52] redact prints a text as it would be kept; --findings says where each rule hid something', async () => {
  const input = 'mail ann@example.com now\nfine\napi_key = "abcdefghij0123456789XYZ"\n';
  const kept = await run(['redact'], { input });
  assert.equal(kept.code, 0);
  assert.match(kept.stdout, /^mail \[EMAIL:\w{10}\] now\nfine\napi_key = "\[SECRET:\w{10}\]"\n$/);
  assert.equal(kept.stderr, 'hidden: spec.api_key 1, spec.email 1 (--findings says in which lines)\n');
  const found = await run(['redact', '--json'], { input });
  assert.deepEqual(
    found.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown),
    [
      { line: 1, rule: 'spec.email', length: 15 },
      { line: 3, rule: 'spec.api_key', length: 23 },
    ],
  );
  // A key has several rules, any of which hides it.
  const tuned = await run(['redact', '--disabled-rules', '["spec.email"]'], { input });
  assert.match(tuned.stdout, /^mail ann@example\.com now\nfine\napi_key = "\[SECRET:/);
  const folder = await run(['redact', dataDir]);
  assert.deepEqual([folder.code, folder.stdout], [1, '']);
  assert.match(folder.stderr, /that is a folder/);
});

test('[CLI52] audit verify tells a log that was changed from one that was not', async (t) => {
  const folder = await temporaryFolder(t);
  const own = await RealService.start({ dataDir: folder });
  const thought = { requestId: 'r', timestamp: Date.now(), text: 'ask ann@example.com', final: true };
  const headers = { 'content-type': 'application/json' };
  const posted = await fetch(`${own.readers}/api/cot`, {
    method: 'POST',
    headers,
    body: JSON.stringify(thought),
  });
  assert.equal(posted.status, 202);
  await own.stop();
  const whole = await run(['audit', 'verify', '--data-dir', folder]);
  assert.equal(whole.code, 0, whole.stdout + whole.stderr);
  assert.match(whole.stdout, /audit\.ndjson: OK, [1-9]/);
  const file = join(folder, 'audit.ndjson');
  await writeFile(file, (await readFile(file, 'utf8')).replace('spec.email', 'spec.phone'));
  const changed = await run(['audit', 'verify', '--data-dir', folder]);
  assert.equal(changed.code, 1);
  assert.match(changed.stdout, /audit\.ndjson: BROKEN/);
});
