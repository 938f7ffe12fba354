import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { cpuSecondsOf } from '../../../bench/support/cpu-seconds.ts';
import type { ExplanationGraph } from '../../../src/model/node.ts';
import { SpawnedService } from '../../e2e/spawned-service.ts';
import { endWithUs } from '../collector/end-with-us.ts';
import { freePorts } from '../collector/free-ports.ts';
import { Report } from '../collector/report.ts';
import { waitFor, waitForNone } from '../collector/wait.ts';
import { contentOf, openFollowers, type Follower } from './followers.ts';

/**
 * Very many readers over two gateways with three cells, while spans come, a cell is killed and comes back, and a gateway is
 * killed and comes back: all have the same graph in the end, and neither process takes more memory than it may.
 * Usage: node test/integration/gateway-crowd/run.ts [READERS, 10,000 if absent]
 * Two sockets of a reader are open at the same time, in different processes: `ulimit -n` has to be above READERS.
 */
const READERS = Number(process.argv[2] ?? 10_000);
const ROUNDS = 30;
const TRACES_A_ROUND = 2;
const ROUND_MS = 500;
const START_LIMIT_MS = 60_000;
/** On two cores some 10,000 readers take a fresh graph within half a minute. */
const ARRIVAL_LIMIT_MS = 180_000;
/** Of a gateway with 5,000 readers of one view. */
const MAX_RSS_BYTES = 1_000_000_000;

interface Process {
  readonly ports: readonly number[];
  readonly readers: string;
  pid(): number;
  start(): Promise<void>;
  kill(): Promise<void>;
}

const report = new Report();
const folder = await mkdtemp(join(tmpdir(), 'gateway-crowd-'));
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
const started: Process[] = [];
let followers: readonly Follower[] = [];
try {
  await report.test(`[GV8] ${READERS} readers over two gateways have one graph, whatever is killed`, play);
} finally {
  for (const follower of followers) follower.close();
  await Promise.all(started.map((one) => one.kill()));
  await rm(folder, { recursive: true, force: true });
}
process.exit(report.end() ? 0 : 1);

async function play(): Promise<void> {
  const cells: Process[] = [];
  for (let n = 0; n < 3; n++) cells.push(await startOne(`cell-${n}`, []));
  const known = cells.map(({ ports: [port = 0] }, n) => ({
    name: `cell-${n}`,
    address: `127.0.0.1:${port}`,
  }));
  const flags = [
    '--role=gateway',
    `--gateway=${JSON.stringify({ cells: known })}`,
    `--max-connections=${READERS}`,
    `--max-subscriptions=${READERS}`,
  ];
  const gateways: Process[] = [];
  for (let n = 0; n < 2; n++) gateways.push(await startOne(`gateway-${n}`, flags));
  const [first, second] = gateways as [Process, Process];
  for (let round = 0; round < 5; round++) await send(first, round);

  const opening = performance.now();
  const half = Math.floor(READERS / 2);
  followers = (
    await Promise.all(
      [half, READERS - half].map((count, n) => openFollowers(`ws://${gateways[n]?.readers}/explain`, count)),
    )
  ).flat();
  report.note(`${followers.length} readers opened in ${((performance.now() - opening) / 1000).toFixed(1)} s`);
  await tellMemory('with all readers', gateways);

  const cpu = gateways.map((one) => cpuSecondsOf(one.pid()));
  let peak = 0;
  for (let round = 5; round < ROUNDS; round++) {
    const next = performance.now() + ROUND_MS;
    await send(first, round);
    if (round === 10) await cells[1]?.kill();
    if (round === 15) await cells[1]?.start();
    if (round === 20) {
      report.note(
        `processor time of gateways in ${round - 5} rounds: ${gateways.map((one, n) => (cpuSecondsOf(one.pid()) - (cpu[n] ?? 0)).toFixed(1)).join(' s, ')} s`,
      );
      await second.kill();
      await second.start();
    }
    for (const one of gateways) peak = Math.max(peak, await rssOf(one));
    await sleep(Math.max(0, next - performance.now()));
  }
  const settling = performance.now();
  await waitForNone(ARRIVAL_LIMIT_MS, () => whatDiffers(gateways));
  report.note(
    `all have the same graph ${((performance.now() - settling) / 1000).toFixed(1)} s after the last spans`,
  );
  for (const one of gateways) peak = Math.max(peak, await rssOf(one));
  await tellMemory('in the end', gateways);
  report.note(`at most ${Math.round(peak / 1e6)} MB in a gateway`);
  const messages = followers.reduce((sum, { messages: more }) => sum + more, 0);
  const fresh = followers.reduce((sum, { fresh: more }) => sum + more, 0);
  report.note(`${messages} messages, ${fresh} graphs from the beginning`);
  if (peak > MAX_RSS_BYTES) throw new Error(`a gateway took ${Math.round(peak / 1e6)} MB`);
}

/** Readers whose graph is not that of a fresh answer, by gateway. */
async function whatDiffers(gateways: readonly Process[]): Promise<readonly string[]> {
  const answers = await Promise.all(gateways.map((one) => graphOf(one)));
  const [expected = '', other] = answers.map(contentOf);
  const unfolded = await graphOf(gateways[0] as Process, 'collapse=none');
  const sent = ROUNDS * TRACES_A_ROUND * 3;
  if (unfolded.nodes.length !== sent) return [`${unfolded.nodes.length} of ${sent} steps are there`];
  if (expected !== other) return ['the gateways differ'];
  const wrong = followers.filter(({ content }) => content !== expected).length;
  return wrong === 0 ? [] : [`${wrong} readers have another graph`];
}

async function graphOf({ readers }: Process, query = ''): Promise<ExplanationGraph> {
  const response = await fetch(`http://${readers}/api/graph?${query}`);
  return (await response.json()) as ExplanationGraph;
}

/** Some traces of three spans; repeated until they are taken, as a Collector does. */
async function send({ ports: [, , otlp = 0] }: Process, round: number): Promise<void> {
  const spans = Array.from({ length: TRACES_A_ROUND }, (_, n) => traceOf(round * TRACES_A_ROUND + n)).flat();
  const body = JSON.stringify({ resourceSpans: [{ resource: {}, scopeSpans: [{ scope: {}, spans }] }] });
  void (async () => {
    for (;;) {
      const headers = { 'content-type': 'application/json' };
      const answer = await fetch(`http://127.0.0.1:${otlp}/v1/traces`, {
        method: 'POST',
        headers,
        body,
      }).catch(() => undefined);
      if (answer?.ok === true) return;
      await sleep(ROUND_MS);
    }
  })();
}

function traceOf(n: number): readonly object[] {
  const traceId = (n + 1).toString(16).padStart(32, '0');
  const nanos = (ms: number): string => `${BigInt(1_750_000_000_000 + n * 1000 + ms) * 1_000_000n}`;
  return [1, 2, 3].map((span) => ({
    traceId,
    spanId: `${span}`.padStart(16, '0'),
    ...(span > 1 && { parentSpanId: '1'.padStart(16, '0') }),
    name: `step ${span}`,
    startTimeUnixNano: nanos(span),
    endTimeUnixNano: nanos(span + 100),
    attributes: [{ key: 'taskID', value: { stringValue: `task-${n}` } }],
  }));
}

async function startOne(name: string, flags: readonly string[]): Promise<Process> {
  const ports = await freePorts(3);
  const [readers = 0, otlpGrpc = 0, otlpHttp = 0] = ports;
  const dataDir = join(folder, name);
  const args = ['serve', `--port=${readers}`, `--otlp-grpc-port=${otlpGrpc}`, `--otlp-http-port=${otlpHttp}`];
  let spawned: SpawnedService | undefined;
  const one: Process = {
    ports,
    readers: `127.0.0.1:${readers}`,
    pid: () => spawned?.process.pid ?? 0,
    async start() {
      const service = new SpawnedService({ after() {} }, dataDir, [
        ...args,
        `--data-dir=${dataDir}`,
        ...flags,
      ]);
      spawned = service;
      endWithUs(service.process);
      await waitFor(`${name} is ready`, START_LIMIT_MS, () => {
        if (service.process.exitCode !== null) throw new Error(service.stderr);
        return service.stdout.endsWith('ready\n');
      });
    },
    async kill() {
      spawned?.process.kill('SIGKILL');
      await spawned?.exit();
    },
  };
  started.push(one);
  await one.start();
  return one;
}

async function tellMemory(when: string, gateways: readonly Process[]): Promise<void> {
  const all = await Promise.all(gateways.map(rssOf));
  report.note(`resident ${when}: ${all.map((bytes) => `${Math.round(bytes / 1e6)} MB`).join(', ')}`);
}

/** Resident bytes (Linux). */
async function rssOf(one: Process): Promise<number> {
  const status = await readFile(`/proc/${one.pid()}/status`, 'utf8').catch(() => '');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024;
}
