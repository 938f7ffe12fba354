import { attribute, bytesField, fixed64Field, numberField, textField } from './support/wire.ts';
import { GrpcSender } from './support/grpc-sender.ts';
import { startServer, type ServerProcess } from './support/server-process.ts';

/**
 * Tasks of one span each, without an end to them: what the service holds must stay bounded, and it must go on
 * answering. `node bench/many-tasks.ts [THOUSANDS OF TASKS]`
 */
const TASKS = Number(process.argv[2] ?? 1000) * 1000;
const STEPS = 10;
const SPANS_PER_REQUEST = 500;
const CONNECTIONS = 2;
const MAX_MEMORY_BYTES = 128 * 2 ** 20;
const MAX_STORE_BYTES = 512 * 2 ** 20;
/** The share of the tasks after which memory has to be full, so that the rest shows whether it grows. */
const FULL_AFTER = 0.3;
const MAX_GROWTH = 1.2;
/** An answer that takes longer is none for somebody who waits. */
const MAX_ANSWER_MS = 2000;
/** Heap in use swings with collections: the least of a step's samples is what is held. */
const SAMPLE_MS = 500;

interface Row {
  readonly tasks: number;
  readonly heapMiB: number;
  readonly residentMiB: number;
  readonly storeMiB: number;
  readonly nodesInMemory: number;
  readonly cpuSeconds: number;
  readonly perSecond: number;
  readonly tasksAnswerMs: number;
}

const server = await startServer([
  '--max-memory-bytes',
  String(MAX_MEMORY_BYTES),
  '--max-store-bytes',
  String(MAX_STORE_BYTES),
]);
const rows: Row[] = [];
let sent = 0;
try {
  for (let step = 1; step <= STEPS; step++) {
    const start = performance.now();
    let isSending = true;
    const heap = leastHeap(server, () => isSending);
    await Promise.all(Array.from({ length: CONNECTIONS }, () => sendUpTo((TASKS * step) / STEPS)));
    isSending = false;
    rows.push(await measure(server, await heap, (performance.now() - start) / 1000));
    console.log(JSON.stringify(rows.at(-1)));
  }
  await report(server);
} finally {
  await server.stop();
}

async function sendUpTo(count: number): Promise<void> {
  const sender = new GrpcSender(server.grpcPort);
  try {
    while (sent < count) {
      const from = sent;
      sent += SPANS_PER_REQUEST;
      await sender.send(requestFrom(from));
    }
  } finally {
    sender.close();
  }
}

/** Each span is a trace, and a task, of its own. */
function requestFrom(first: number): Buffer {
  const now = BigInt(Date.now()) * 1_000_000n;
  const spans = Array.from({ length: SPANS_PER_REQUEST }, (_, index) => {
    const id = Buffer.alloc(16, 7);
    id.writeUInt32BE(first + index, 0);
    return bytesField(
      2,
      Buffer.concat([
        bytesField(1, id),
        bytesField(2, id.subarray(0, 8)),
        textField(5, 'chat gpt-4o'),
        numberField(6, 1),
        fixed64Field(7, now),
        fixed64Field(8, now + 120_000_000n),
        attribute(9, 'gen_ai.operation.name', 'chat'),
        attribute(9, 'gen_ai.request.model', 'gpt-4o'),
        attribute(9, 'task.id', `task-${first + index}`),
      ]),
    );
  });
  const scope = bytesField(1, textField(1, 'many-tasks'));
  return bytesField(1, bytesField(2, Buffer.concat([scope, ...spans])));
}

async function leastHeap(target: ServerProcess, goesOn: () => boolean): Promise<number> {
  let least = Infinity;
  do {
    least = Math.min(least, await target.metric('explain_process_heap_used'));
    await new Promise((done) => setTimeout(done, SAMPLE_MS));
  } while (goesOn());
  return least;
}

async function measure(target: ServerProcess, heap: number, seconds: number): Promise<Row> {
  const start = performance.now();
  const answer = await fetch(`http://127.0.0.1:${target.port}/api/tasks`);
  await answer.arrayBuffer();
  const mebi = (bytes: number): number => Math.round(bytes / 2 ** 20);
  return {
    tasks: sent,
    heapMiB: mebi(heap),
    residentMiB: mebi(target.residentBytes()),
    storeMiB: mebi(await target.metric('explain_store_bytes')),
    nodesInMemory: await target.metric('explain_nodes_in_memory'),
    cpuSeconds: Math.round(target.cpuSeconds()),
    perSecond: Math.round(TASKS / STEPS / seconds),
    tasksAnswerMs: Math.round(performance.now() - start),
  };
}

async function report(target: ServerProcess): Promise<void> {
  console.table(rows);
  const full = rows[Math.floor(STEPS * FULL_AFTER)];
  const last = rows.at(-1);
  const ready = await fetch(`http://127.0.0.1:${target.port}/readyz`);
  const graph = await answerMs(target, '/api/graph?taskIds=task-1');
  const checks = {
    'the heap stays flat': full && last && last.heapMiB <= full.heapMiB * MAX_GROWTH,
    'the store stays within maxStoreBytes': rows.every(
      (row) => row.storeMiB * 2 ** 20 <= MAX_STORE_BYTES * 1.05,
    ),
    'it is ready': ready.status === 200,
    'it answers for one task in time': graph <= MAX_ANSWER_MS,
  };
  for (const [what, holds] of Object.entries(checks)) console.log(`${holds ? '✓' : '✗'} ${what}`);
  const failed = Object.values(checks).filter((holds) => !holds).length;
  console.log(failed === 0 ? 'passed' : `${failed} failed`);
  if (failed > 0) process.exitCode = 1;
}

async function answerMs({ port }: ServerProcess, path: string): Promise<number> {
  const start = performance.now();
  const answer = await fetch(`http://127.0.0.1:${port}${path}`);
  await answer.arrayBuffer();
  return answer.ok ? performance.now() - start : Infinity;
}
