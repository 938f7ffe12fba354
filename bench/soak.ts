import { setTimeout as sleep } from 'node:timers/promises';
import { GrpcSender } from './support/grpc-sender.ts';
import { smallSpanRequest } from './support/payload.ts';
import { writeSection } from './support/page.ts';
import { startServer, type ServerProcess } from './support/server-process.ts';

/**
 * Small spans without an end to them, against small limits: what the service holds must stay what it was after the
 * first minute, and its disk within `maxStoreBytes`. This process is the load. It ends with 0 when all holds.
 * Usage: soak.ts [MINUTES] [MILLIONS OF SPANS]
 */
const minutes = Number(process.argv[2] ?? 10);
const spans = Number(process.argv[3] ?? 2) * 1e6;
/** A shorter run says less than the page promises. */
const FULL_MINUTES = 10;
const SPANS_PER_REQUEST = 512;
const CONNECTIONS = 2;
const MAX_MEMORY_BYTES = 192 * 2 ** 20;
const MAX_STORE_BYTES = 512 * 2 ** 20;
/** Heap in use swings with collections: the least of a minute's samples is what is held. */
const SAMPLE_MS = 2000;
/** What is held may grow by so much from after the first minute to the end. */
const MAX_GROWTH = 1.15;
/** Upkeep looks at the store once a second, and what is written meanwhile is above. */
const MAX_STORE_EXCESS = 1.05;
/** Of the load that was asked for, so much has to pass: less says nothing. */
const MIN_SENT = 0.95;

interface Minute {
  readonly minute: number;
  readonly spans: number;
  readonly heapMiB: number;
  readonly residentMiB: number;
  readonly storeMiB: number;
  readonly diskMiB: number;
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
let refused = 0;
/** What ended the load before its time. */
let failure: unknown;
const over = new AbortController();
const rows: Minute[] = [];
try {
  const load = Promise.all(Array.from({ length: CONNECTIONS }, () => sendUntilOver(server))).catch(
    (error: unknown) => (failure = error),
  );
  for (let minute = 1; minute <= minutes; minute++) {
    rows.push(await measureMinute(server, minute));
    console.log(JSON.stringify(rows.at(-1)));
    if (failure !== undefined) break;
  }
  over.abort();
  await load;
} catch (error) {
  failure ??= error;
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
      await sendUntilTaken(sender, request.body);
      mine += SPANS_PER_REQUEST;
      sent += SPANS_PER_REQUEST;
      const ahead = (mine / perSecond) * 1000 - (performance.now() - start);
      if (ahead > 0) await sleep(Math.min(ahead, 1000));
    }
  } finally {
    sender.close();
  }
}

/** OTLP's answers that ask to come again, as gRPC numbers them: they are no failure. */
const COME_AGAIN = /^(?:8|14): /;
const RETRY_MS = 1000;

async function sendUntilTaken(sender: GrpcSender, body: Buffer): Promise<void> {
  while (!over.signal.aborted) {
    try {
      return await sender.send(body);
    } catch (error) {
      if (!(error instanceof Error && COME_AGAIN.test(error.message))) throw error;
      refused++;
      await sleep(RETRY_MS);
    }
  }
}

async function measureMinute(target: ServerProcess, minute: number): Promise<Minute> {
  const end = performance.now() + 60_000;
  let heap = Infinity;
  let disk = 0;
  while (performance.now() < end) {
    await sleep(SAMPLE_MS);
    disk = Math.max(disk, target.diskBytes());
    heap = Math.min(heap, await target.metric('explain_process_heap_used'));
  }
  const mebi = (bytes: number): number => Math.round(bytes / 2 ** 20);
  return {
    minute,
    spans: sent,
    heapMiB: mebi(heap),
    residentMiB: mebi(target.residentBytes()),
    storeMiB: mebi(await target.metric('explain_store_bytes')),
    diskMiB: mebi(disk),
    nodes: await target.metric('explain_nodes_in_memory'),
  };
}

function report(): void {
  console.table(rows);
  if (failure !== undefined) console.error(failure);
  const mebi = (bytes: number): string => `${Math.round(bytes / 2 ** 20)} MiB`;
  const [, second] = rows;
  const last = rows.at(-1);
  const disk = Math.max(...rows.map((row) => row.diskMiB)) * 2 ** 20;
  const checks: [what: string, holds: boolean][] = [
    ['the service lived through it', failure === undefined],
    [`${sent} of ${spans} spans passed, ${refused} requests had to come again`, sent >= spans * MIN_SENT],
    [`disk: at most ${mebi(disk)} of ${mebi(MAX_STORE_BYTES)}`, disk <= MAX_STORE_BYTES * MAX_STORE_EXCESS],
  ];
  if (second && last && last !== second) {
    const what = `heap: ${second.heapMiB} MiB after the first minute, ${last.heapMiB} MiB at the end`;
    checks.push([what, last.heapMiB <= second.heapMiB * MAX_GROWTH]);
  } else console.log('  heap: too short to say whether it grows; that takes three minutes');
  for (const [what, holds] of checks) console.log(`${holds ? '✓' : '✗'} ${what}`);
  const failed = checks.filter(([, holds]) => !holds).length;
  if (minutes >= FULL_MINUTES) writeSection('Soak', sectionText(checks));
  console.log(
    failed === 0 ? `passed: ${checks.length} checks` : `FAILED: ${failed} of ${checks.length} checks`,
  );
  if (failed > 0) process.exitCode = 1;
}

function sectionText(checks: readonly (readonly [what: string, holds: boolean])[]): string {
  const mebi = (bytes: number): number => bytes / 2 ** 20;
  return `Made by \`npm run soak\`: ${spans / 1e6} million spans of 300 bytes in ${minutes} minutes, with \`maxMemoryBytes\` ${mebi(MAX_MEMORY_BYTES)} MiB and
\`maxStoreBytes\` ${mebi(MAX_STORE_BYTES)} MiB. The least heap of each minute, and the most that the store took on disk.

| minute | spans | heap | resident | disk | nodes in memory |
|---|---|---|---|---|---|
${rows
  .map(
    (row) =>
      `| ${row.minute} | ${row.spans} | ${row.heapMiB} MiB | ${row.residentMiB} MiB | ${row.diskMiB} MiB | ${row.nodes} |`,
  )
  .join('\n')}

${checks.map(([what, holds]) => `- ${holds ? 'holds' : 'does not hold'}: ${what}`).join('\n')}`;
}
