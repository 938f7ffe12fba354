import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import type { ExplanationGraph } from '../../src/model/node.ts';
import { until } from '../support/until.ts';
import { temporaryFolder } from './real-service.ts';
import { SpawnedService } from './spawned-service.ts';

const PROCESSES = ['cell-0', 'cell-1', 'cell-2', 'gateway'];
const TRACES = 12;

function tracesOf(round: number): readonly string[] {
  return Array.from({ length: TRACES }, (_, index) =>
    (index + 1 + round * TRACES).toString(16).padStart(32, 'a'),
  );
}

function spansOf(traceId: string): object {
  const spans = ['1', '2'].map((digit) => ({
    traceId,
    spanId: digit.repeat(16),
    ...(digit === '2' && { parentSpanId: '1'.repeat(16) }),
    name: `step ${digit}`,
    startTimeUnixNano: `${Date.now()}000000`,
    endTimeUnixNano: `${Date.now() + 5}000000`,
    status: { code: 2, message: 'failed' },
  }));
  return { resourceSpans: [{ scopeSpans: [{ spans }] }] };
}

/** Its processes by name; they are its children, and of children nobody else has. */
function processesOf(service: SpawnedService): ReadonlyMap<string, number> {
  return processesBelow(service.process.pid ?? 0);
}

function processesBelow(parent: number): ReadonlyMap<string, number> {
  const listed = execFileSync('ps', ['-e', '-o', 'pid=,ppid=,args='], { encoding: 'utf8' });
  const found = [
    ...listed.matchAll(
      /^ *(\d+) +(\d+) .*process-of-cells (\S+)|^ *(\d+) +(\d+) explainability-agent (\S+)/gm,
    ),
  ];
  return new Map(
    found.flatMap(([, pid, ppid, name, titledPid, titledPpid, title]) =>
      Number(ppid ?? titledPpid) === parent ? [[name ?? title ?? '', Number(pid ?? titledPid)]] : [],
    ),
  );
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function started(
  t: TestContext,
  dataDir: string,
  flags: readonly string[] = [],
): Promise<SpawnedService> {
  const service = await SpawnedService.ready(t, dataDir, ['--cells', '3', ...flags]);
  const pids = [...processesOf(service).values()];
  t.after(() => {
    for (const pid of pids) if (isRunning(pid)) process.kill(pid, 'SIGKILL');
  });
  return service;
}

async function idsIn(service: SpawnedService): Promise<readonly string[]> {
  const { nodes } = (await service.get('/api/graph?collapse=none')) as ExplanationGraph;
  return nodes.map(({ id }) => id).sort();
}

async function send(service: SpawnedService, traces: readonly string[]): Promise<readonly string[]> {
  for (const traceId of traces) {
    // A cell that was killed is away for a moment: senders are told to come again.
    await until(
      'the spans are taken',
      async () => (await service.post('/v1/traces', spansOf(traceId))).status === 200,
    );
  }
  return traces.flatMap((traceId) => ['1', '2'].map((digit) => `${traceId}:${digit.repeat(16)}`));
}

test('[MP1] [MP2] [MP4] three cells: what is sent is seen, a cell that is killed has its spans again, and all end together', async (t) => {
  const dataDir = await temporaryFolder(t);
  const service = await started(t, dataDir);
  const before = processesOf(service);
  assert.deepEqual([...before.keys()].sort(), PROCESSES);
  assert.deepEqual((await readdir(join(dataDir, 'cells'))).filter((name) => /^\d+$/.test(name)).sort(), [
    '0',
    '1',
    '2',
  ]);
  const commands = execFileSync('ps', ['-e', '-o', 'args='], { encoding: 'utf8' });
  assert.doesNotMatch(commands, /gatewayToken|unusedToken/);

  const first = await send(service, tracesOf(0));
  await until('all is seen', async () => (await idsIn(service)).length === first.length);
  assert.deepEqual(await idsIn(service), first.toSorted());

  const killed = before.get('cell-1') ?? 0;
  process.kill(killed, 'SIGKILL');
  await until('it runs again', () => {
    const pid = processesOf(service).get('cell-1');
    return pid !== undefined && pid !== killed;
  });
  await until('its spans are there again', async () => (await idsIn(service)).length === first.length);
  const second = await send(service, tracesOf(1));
  await until(
    'what came after it, too',
    async () => (await idsIn(service)).length === first.length + second.length,
  );

  const now = processesOf(service);
  assert.deepEqual([...now.keys()].sort(), PROCESSES);
  // As a terminal does: all of them, and again.
  for (const pid of [...now.values(), service.process.pid ?? 0]) process.kill(pid, 'SIGINT');
  service.process.kill('SIGTERM');
  assert.equal(await service.exit(), 0, service.stderr);
  assert.deepEqual(
    [...now].filter(([, pid]) => isRunning(pid)),
    [],
  );
  assert.match(service.stderr, /"cell":"cell-1"/);
});

test('[MP4] when the supervisor is killed its processes end, and the folder is free', async (t) => {
  const dataDir = await temporaryFolder(t);
  const service = await started(t, dataDir);
  const sent = await send(service, tracesOf(0));
  const processes = processesOf(service);
  assert.equal(processes.size, PROCESSES.length);
  service.process.kill('SIGKILL');
  await until('all have ended', () => [...processes.values()].every((pid) => !isRunning(pid)));

  const again = await started(t, dataDir);
  await until('what was sent is there', async () => (await idsIn(again)).length === sent.length);
  again.process.kill('SIGTERM');
  assert.equal(await again.exit(), 0, again.stderr);
});

test('[MP1] [MP5] [MP9] keys are asked for by the gateway alone; a cell that cannot start is named, and the others serve', async (t) => {
  const dataDir = await temporaryFolder(t);
  await mkdir(join(dataDir, 'cells'), { recursive: true, mode: 0o700 });
  await writeFile(join(dataDir, 'cells', '1'), 'no folder');
  const token = 'a-token-of-the-settings';
  const service = await started(t, dataDir, ['--auth', JSON.stringify({ token })]);
  assert.match(
    service.stderr,
    /"cell":"cell-1","why":"dataDir \S+1 cannot be used: .*a process cannot start/,
  );
  const bearer = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const asked = (path: string, headers: Record<string, string> = bearer, body?: object): Promise<Response> =>
    fetch(`http://${path === '/v1/traces' ? service.otlpHttp : service.readers}${path}`, {
      headers,
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
    });

  const { 'content-type': json } = bearer;
  const sent = (headers: Record<string, string>, traceId: string): Promise<Response> =>
    asked('/v1/traces', headers, spansOf(traceId));
  assert.equal((await sent({ 'content-type': json }, 'a'.repeat(32))).status, 401);
  const statuses = new Set<number>();
  // Which traces a cell gets follows from its port: of any twelve it may get none.
  for (let round = 0; round < 20 && statuses.size < 2; round++)
    for (const traceId of tracesOf(round)) statuses.add((await sent(bearer, traceId)).status);
  // Those of the cell that is not there are to be sent again.
  assert.deepEqual([...statuses].sort(), [200, 503]);
  await until('/readyz names it', async () => (await (await asked('/readyz')).text()).includes('cell-1'));

  const metrics = await (await asked('/metrics')).text();
  const up = [...metrics.matchAll(/^explain_cell_up\{cell="(.*)"\} (\d)$/gm)].map(
    ([, name, value]) => `${name} ${value}`,
  );
  assert.deepEqual(up, ['cell-0 1', 'cell-1 0', 'cell-2 1']);
  for (const name of ['gateway', 'cell-0', 'cell-2'])
    assert.ok(metrics.includes(`explain_nodes_in_memory{cell="${name}"} `), metrics);
  assert.equal(metrics.match(/^# TYPE explain_nodes_in_memory /gm)?.length, 1);

  service.process.kill('SIGTERM');
  assert.equal(await service.exit(), 0, service.stderr);
});

test('[MP5] [MP7] what is wrong is said once, with exit code 2, and nothing is left running', async (t) => {
  const dataDir = await temporaryFolder(t);
  const flags = ['--port', '0', '--otlp-grpc-port', '0', '--otlp-http-port', '0', '--data-dir', dataDir];
  const first = await SpawnedService.ready(t, dataDir, ['--cells', '2']);
  first.process.kill('SIGTERM');
  assert.equal(await first.exit(), 0);
  const wrong: readonly (readonly [flags: readonly string[], line: RegExp])[] = [
    [
      ['--cells', '0'],
      /^The configuration has problems:\n {2}--cells: must be a whole number from 1 to 64, not 0\n$/,
    ],
    [
      ['--cells', '1', ...flags],
      /^\S+ cannot start: dataDir \S+ was used by more than 1 cells,.*start with --cells 2, or move \S+ away\n$/,
    ],
    [flags, /^\S+ cannot start: dataDir \S+ holds the history of cells: start with --cells 2,.*\n$/],
    [
      ['--cells', '2', '--role', 'gateway', '--gateway', '{"cells":["a:1"]}'],
      /--cells: starts cells and a gateway of its own/,
    ],
  ];
  for (const [given, line] of wrong) {
    const service = new SpawnedService(t, dataDir, ['serve', ...given]);
    assert.equal(await service.exit(), 2, service.stderr);
    assert.match(service.stderr, line);
    assert.equal(service.stdout, '');
  }
});
