import { setTimeout as sleep } from 'node:timers/promises';
import { GrpcSender } from './support/grpc-sender.ts';
import { smallSpanRequest } from './support/payload.ts';
import { startServer, type ServerProcess } from './support/server-process.ts';

/**
 * Small spans without an end to them, against small limits: what the service holds must stay what it was after the
 * first minute. Usage: soak.ts [MINUTES] [MILLIONS OF SPANS]
 */
const minutes = Number(process.argv[2] ?? 10);
const spans = Number(process.argv[3] ?? 2) * 1e6;
const SPANS_PER_REQUEST = 512;
const CONNECTIONS = 2;
const MAX_MEMORY_BYTES = 192 * 2 ** 20;
const MAX_STORE_BYTES = 512 * 2 ** 20;
/** Heap in use swings with collections: the least of a minute's samples is what is held. */
const SAMPLE_MS = 2000;
/** What is held may grow by so much from the second minute to the last. */
const MAX_GROWTH = 1.15;

interface Minute {
  readonly minute: number;
  readonly spans: number;
  readonly heapMiB: number;
  readonly residentMiB: number;
  readonly storeMiB: number;
  readonly nodes: number;
}

const server = await startServer([
  '--max-memory-bytes',
  String(MAX_MEMORY_BYTES),
  '--max-store-bytes',
  String(MAX_STORE_BYTES),
  '--max-cached-text-bytes',
  String(16 * 2 ** 20),
]);
let sent = 0;
const over = new AbortController();
const rows: Minute[] = [];
try {
  const load = Promise.all(Array.from({ length: CONNECTIONS }, () => sendUntilOver(server)));
  for (let minute = 1; minute <= minutes; minute++) {
    rows.push(await measureMinute(server, minute));
    console.log(JSON.stringify(rows.at(-1)));
  }
  over.abort();
  await load;
} finally {
  over.abort();
  await server.stop();
}
report();

/** Spread over the time, as fast as it must be and no faster. */
async function sendUntilOver({ grpcPort }: ServerProcess): Promise<void> {
  const sender = new GrpcSender(grpcPort);
  const request = smallSpanRequest(SPANS_PER_REQUEST);
  const start = performance.now();
  const perSecond = spans / (minutes * 60) / CONNECTIONS;
  let mine = 0;
  try {
    while (!over.signal.aborted) {
      request.renew();
      await sender.send(request.body);
      mine += SPANS_PER_REQUEST;
      sent += SPANS_PER_REQUEST;
      const ahead = (mine / perSecond) * 1000 - (performance.now() - start);
      if (ahead > 0) await sleep(Math.min(ahead, 1000));
    }
  } finally {
    sender.close();
  }
}

async function measureMinute(target: ServerProcess, minute: number): Promise<Minute> {
  const end = performance.now() + 60_000;
  let heap = Infinity;
  while (performance.now() < end) {
    await sleep(SAMPLE_MS);
    heap = Math.min(heap, await target.metric('explain_process_heap_used'));
  }
  const mebi = (bytes: number): number => Math.round(bytes / 2 ** 20);
  return {
    minute,
    spans: sent,
    heapMiB: mebi(heap),
    residentMiB: mebi(target.residentBytes()),
    storeMiB: mebi(await target.metric('explain_store_bytes')),
    nodes: await target.metric('explain_nodes_in_memory'),
  };
}

function report(): void {
  console.table(rows);
  const [first, last] = [rows[1], rows.at(-1)];
  const isFlat = first && last && last.heapMiB <= first.heapMiB * MAX_GROWTH;
  const isWithin = rows.every((row) => row.storeMiB * 2 ** 20 <= MAX_STORE_BYTES * 1.05);
  console.log(
    `heap is ${isFlat ? 'flat' : 'NOT flat'}; the store is ${isWithin ? 'within' : 'NOT within'} its limit`,
  );
  console.log(`${Number(isFlat) + Number(isWithin)} passed, ${Number(!isFlat) + Number(!isWithin)} failed`);
  if (!isFlat || !isWithin) process.exitCode = 1;
}
