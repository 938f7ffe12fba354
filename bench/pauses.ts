import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { writeSection } from './support/page.ts';
import { spanRequest } from './support/payload.ts';
import { systemClock } from '../src/base/clock.ts';
import { Pace } from '../src/base/pace.ts';
import type { RecordBatch } from '../src/model/pipeline.ts';
import type { SpanRecord } from '../src/model/records.ts';
import { epochMs } from '../src/model/time.ts';
import { DEFAULT_RECEIVER_LIMITS } from '../src/receivers/config.ts';
import { decodeInPieces } from '../src/receivers/otlp/decode.ts';
import { noAudit } from '../src/redaction/audit-log.ts';
import { RedactionDoor } from '../src/redaction/door.ts';
import { createRedactor } from '../src/redaction/redactor.ts';
import { saveSnapshot } from '../src/storage/json/graph-snapshot.ts';
import { openSqliteStore, type SqliteStore } from '../src/storage/sqlite/sqlite-store.ts';
import type { ServerFrame } from '../src/model/reader-messages.ts';
import { encodeFrame } from '../src/servers/websocket/encode-frame.ts';
import type { SubscriptionHandle } from '../src/subscriptions/reader-api.ts';
import { silentLogger } from '../src/telemetry/logger.ts';
import { noMetrics } from '../src/telemetry/own-metrics.ts';
import { makeEngine, type TestEngine } from '../test/support/make-engine.ts';
import { makeSpan } from '../test/support/world.ts';
import { Turns } from './pauses/turns.ts';

/**
 * How long nothing else runs while a large graph is taken in, read, stored, restored and taken out of memory, and which
 * steps that goes to: `node bench/pauses.ts [NODES [SHAPE]]`, a shape being `many` (tasks of 500), `one` (task of
 * all, each step with ten below it) or `flat` (one task, all below its root); without one all three. Spans come as they
 * end: those below first.
 */
setFlagsFromString('--no-parallel-scavenge');

const NODES = Number(process.argv[2] ?? 100_000);
const BATCH = 250;
const LARGE_BATCH = 5000;
interface Shape {
  readonly name: string;
  readonly size: number;
  /** Children of a step. */
  readonly branches: number;
}
const SHAPES: readonly Shape[] = [
  { name: 'many', size: 500, branches: 10 },
  { name: 'one', size: NODES, branches: 10 },
  { name: 'flat', size: NODES, branches: NODES },
];
const START = Date.now();
const REDACTION = { userPatterns: [], maxCodeSnippetChars: 2000, disabledRules: [] };
const turns = new Turns();
const pace = new Pace(systemClock);

type Engine = TestEngine['engine'];

function open(dataDir: string): Promise<SqliteStore> {
  const settings = { durability: 'log', maxBytes: 1e10, persistRetentionDays: 7 } as const;
  return openSqliteStore({ dataDir, ...settings, pace, logger: silentLogger });
}

function engineOn(store: SqliteStore, maxMemoryBytes = 1e10): Engine {
  const { engine } = makeEngine({
    clock: systemClock,
    pace,
    journal: store,
    maxMemoryBytes,
  });
  engine.onLeaving((nodes) => {
    const taskId = nodes[0]?.node.taskId;
    if (taskId !== undefined) void store.archive(taskId, nodes);
  });
  turns.watch(engine, 'flush', 'flush');
  turns.watch(engine, 'takeChanges', 'taking changes');
  turns.watch(engine, 'takeOut', 'taking out');
  turns.watch(engine.reader, 'publish', 'publishing');
  turns.watch(engine.reader, 'subscribe', 'subscribing');
  const { folds, correlator } = engine as unknown as { [name: string]: object };
  turns.watch(folds ?? {}, 'settle', 'following folds');
  turns.watch(folds ?? {}, 'foldAnew', 'folding');
  turns.watch(correlator ?? {}, 'read', 'reading records');
  turns.watch(correlator ?? {}, 'take', 'taking records');
  turns.watch(correlator ?? {}, 'settle', 'settling nodes');
  turns.watch(store, 'append', 'appending');
  turns.watch(store, 'archive', 'archiving');
  return engine;
}

function doorTo(engine: Engine): RedactionDoor {
  const redaction = createRedactor({ key: Buffer.alloc(32, 1), ...REDACTION });
  const door = new RedactionDoor({
    next: engine.correlator,
    redactor: redaction,
    metrics: noMetrics,
    audit: noAudit,
    logger: silentLogger,
    clock: systemClock,
    pace,
    reorderWindowMs: 100,
    enabled: true,
  });
  turns.watch(door, 'consume', 'taking in, first step');
  turns.watch(door, 'redact', 'redacting');
  return door;
}

const lines: string[] = [];

function say(line: string): void {
  lines.push(line);
  console.log(line);
}

async function measured(what: string, work: () => Promise<void>): Promise<void> {
  const { cpu, longest, longestCollection, longestOwn, ownSteps } = await turns.during(work);
  const figures = [
    (cpu / 1000).toFixed(1),
    longestOwn.toFixed(0),
    longest.toFixed(0),
    longestCollection.toFixed(0),
  ];
  say(`| ${[what, ...figures, ownSteps.join(', ')].join(' | ')} |`);
}

/** The spans from so many on, counted from the end, a task after the other. */
function spans(from: number, count: number, { size: sizeOfTask, branches }: Shape): SpanRecord[] {
  return Array.from({ length: count }, (_, index) => {
    const n = NODES - 1 - from - index;
    // Those beyond are the children of the last ones.
    const inTask = n < 0 ? sizeOfTask - n : n % sizeOfTask;
    const first = n < 0 ? 0 : n - inTask;
    const isRoot = inTask === 0;
    const start = epochMs(START + inTask);
    return makeSpan({
      traceId: (1 + Math.floor(Math.max(0, n) / sizeOfTask)).toString(16).padStart(32, '0'),
      spanId: idOf(n < 0 ? NODES - n : n),
      parentSpanId: isRoot ? undefined : idOf(first + Math.floor((inTask - 1) / branches)),
      name: isRoot ? 'invoke_agent coder' : 'chat gpt-4o',
      start,
      end: epochMs(start + (n % 97 === 0 ? 400 : 20)),
      durationMs: n % 97 === 0 ? 400 : 20,
      status: n % 499 === 0 ? 'ERROR' : 'OK',
      attrs: {
        'gen_ai.operation.name': isRoot ? 'invoke_agent' : 'chat',
        'gen_ai.request.model': 'gpt-4o',
        'gen_ai.agent.name': `coder ${n % 7}`,
        'gen_ai.usage.input_tokens': 1200 + (n % 100),
        'gen_ai.input.messages': `[{"role":"user","parts":[{"type":"text","content":"look at file ${n}"}]}]`,
      },
    });
  });
}

function idOf(n: number): string {
  return (1 + n).toString(16).padStart(16, '0');
}

function batchOf(records: readonly SpanRecord[]): RecordBatch {
  return { receivedAt: performance.now(), source: 'otlp-grpc', records };
}

async function published(engine: Engine): Promise<void> {
  const state = engine as unknown as { timer: unknown };
  while (state.timer) await setTimeout(2);
}

async function takeIn(engine: Engine, shape: Shape): Promise<void> {
  const door = doorTo(engine);
  for (let done = 0; done < NODES; done += BATCH) {
    const some = spans(done, Math.min(BATCH, NODES - done), shape);
    await setTimeout(2);
    await door.consume(batchOf(some));
    // A reader comes while all goes on.
    if (done === Math.floor(NODES / 2 / BATCH) * BATCH) subscribe(engine);
  }
  await published(engine);
}

/** A reader of the WebSocket, as far as this process goes. */
function subscribe(engine: Engine, request: object = {}, onComplete?: () => void): SubscriptionHandle {
  const write = (frame: ServerFrame): void => {
    encodeFrame(frame);
    if ('complete' in frame) onComplete?.();
  };
  return engine.reader.subscribe(request, { write, close() {}, writable: true });
}

/** What shows much: everything, other filters, a whole task. */
async function showMuch(engine: Engine): Promise<void> {
  let complete = (): void => {};
  const completed = (act: () => unknown) => (): Promise<void> =>
    new Promise((resolve) => {
      complete = resolve;
      act();
    });
  let id: string | undefined;
  const come = (): void => {
    id = subscribe(engine, { collapse: 'none' }, () => complete()).subscriptionId;
  };
  await measured('a reader of everything comes', completed(come));
  const filters = { status: ['ERROR'] };
  await measured(
    'it changes its filters',
    completed(() => engine.reader.updateFilters(id, filters)),
  );
  const { subscriptionId } = subscribe(engine, {}, () => complete());
  const openTask = async (): Promise<void> => {
    const [taskId] = engine.graph.taskIds();
    await engine.reader.expandTask(subscriptionId, taskId);
  };
  await measured('a task is expanded', completed(openTask));
  engine.reader.closeAll('measured');
}

async function restore(store: SqliteStore, engine: Engine): Promise<void> {
  for await (const facts of store.restore()) await engine.replay(facts);
  engine.flush();
}

async function measure(dataDir: string, shape: Shape): Promise<void> {
  say(`\n${NODES} steps, ${shape.name}\n`);
  say(
    '| what | CPU seconds | longest of ours, ms | longest in all, ms | garbage, ms | longest of ours: what |',
  );
  say('|---|---|---|---|---|---|');
  let store = await open(dataDir);
  let engine = engineOn(store);
  await measured('batches of 250 are taken in, a reader comes', () => takeIn(engine, shape));
  const same = spans(NODES, LARGE_BATCH, shape);
  await measured('one request of 5,000 spans of the same tasks', async () => {
    await doorTo(engine).consume(batchOf(same));
    await published(engine);
  });
  const request = spanRequest(LARGE_BATCH, 1);
  request.renew();
  await measured('one request of 5,000 spans of 1.7 KB', async () => {
    const limits = DEFAULT_RECEIVER_LIMITS;
    const { records } = await decodeInPieces('traces', 'protobuf', request.body, limits, Date.now(), pace);
    await doorTo(engine).consume({ receivedAt: 0, source: 'otlp-grpc', records });
    await published(engine);
  });
  await measured('readable snapshot', async () => {
    const everything = turns.step('collecting all', () => engine.graph.everything());
    await saveSnapshot(dataDir, { ...everything, lastUpdated: new Date().toISOString() }, 1e10);
  });
  await measured('first snapshot of a reader', async () => void subscribe(engine));
  await showMuch(engine);
  engine.stop();
  await store.close();

  await measured('the log is opened', async () => {
    store = await open(dataDir);
  });
  engine = engineOn(store);
  await measured('restore and first update', () => restore(store, engine));
  await measured('first snapshot after it', async () => void subscribe(engine));
  await measured('prune: all leave memory', async () => {
    await engine.reader.prune(0);
    while (engine.graph.nodeCount > 0) await setTimeout(2);
    await published(engine);
  });
  engine.stop();
  await store.close();
}

for (const shape of SHAPES.filter(({ name }) => name === (process.argv[3] ?? name))) {
  const dataDir = mkdtempSync(join(tmpdir(), 'pauses-'));
  try {
    await measure(dataDir, shape);
  } finally {
    rmSync(dataDir, { recursive: true });
  }
}

if (process.argv.length === 2)
  writeSection(
    'Turns of the event loop',
    `Made by \`npm run measure:pauses\`. "Ours" is the processor time of the main thread in one turn of its event loop, without
collections of garbage; "in all" is by the clock, with whatever else the machine does. The shapes: \`many\` tasks of 500 steps,
\`one\` task with ten steps below each, \`flat\`: one task, all below its root. Spans come as they end, those below first.
${lines.join('\n')}`,
  );
