import { cpus, totalmem } from 'node:os';
import { benchCells } from './cells.ts';
import { benchFanOut } from './fan-out.ts';
import { benchFlood } from './flood.ts';
import { benchGrowth } from './growth.ts';
import { benchIngest, benchResident } from './ingest.ts';
import { benchInterrupts } from './interrupts.ts';
import { benchLargeTask } from './large-task.ts';
import { benchLatency } from './latency.ts';
import { benchLiveThoughts } from './live-thoughts.ts';
import { benchMemory } from './memory.ts';
import { benchSecureIngest } from './secure-ingest.ts';
import { sectionOf, writePage } from './support/page.ts';
import { sourceLines } from './support/source-lines.ts';
import { benchYardstick } from './yardstick.ts';

// `npm run bench -- ingest`: decoders and ingest only, to compare two states of the code; `-- secure`: what TLS, and a token or
// a key, cost; `-- interrupts`, `-- flood`, `-- thoughts` and `-- cells` (what a gateway costs) alone. They write no page.

/** Sections of the page that other commands write. */
const MADE_ELSEWHERE = [
  'Soak',
  'Turns of the event loop',
  'What a span and a message cost',
  'Where the bytes of a node are',
  'The page',
];

const thousands = (value: number): string => `${(value / 1000).toFixed(1)} k`;
const ms = (value: number): string => `${value.toFixed(1)} ms`;

/** Says its figures at once: what comes after it takes long, and may fail. */
async function part<Figures>(title: string, run: () => Figures | Promise<Figures>): Promise<Figures> {
  console.log(`${title} …`);
  const figures = await run();
  console.log(figures);
  return figures;
}

const alone = new Map<string | undefined, () => Promise<unknown>>([
  ['secure', benchSecureIngest],
  ['interrupts', benchInterrupts],
  ['flood', benchFlood],
  ['thoughts', benchLiveThoughts],
  ['cells', benchCells],
]).get(process.argv[2]);
if (alone) {
  console.log(await alone());
  process.exit();
}
const yardstick = await part('decoders', benchYardstick);
const ingest = await part('ingest', () => benchIngest());
if (process.argv[2] === 'ingest') {
  console.log({ ratio: ingest.spansPerCpuSecond / yardstick.protobufjs });
  process.exit();
}
const residentMiB = await part('resident memory (MiB)', benchResident);
const secure = await part('ingest with TLS and a token', benchSecureIngest);
const growth = await part('cost of a span as the graph grows to a million nodes', () => benchGrowth());
const latency = await part('latency at 500 spans/s and 100 CoT events/s', benchLatency);
const interrupts = await part('interrupts at 500 spans/s', benchInterrupts);
const thoughts = await part('thoughts while they are written', benchLiveThoughts);
const flood = await part('a flood by another key', benchFlood);

const fanOuts = [
  await part('fan-out to 100', () => benchFanOut(100)),
  await part('fan-out to 1,000', () => benchFanOut(1000)),
];
const sizes = await part('memory and snapshots', () => benchMemory([1_000, 10_000, 50_000, 100_000]));
const largest = sizes.at(-1);
const tasks = [
  await part('one task of 10,000 spans', () => benchLargeTask(10_000)),
  await part('… of 100,000', () => benchLargeTask(100_000)),
  await part('… of 300,000', () => benchLargeTask(300_000)),
];

const share = (figure: number, of: number): string =>
  `${thousands(figure)} (${((figure / of) * 100).toFixed(0)} %)`;
const fanOutTable = [
  '| subscribers | bare `ws` broadcast | one view for all | a view each |',
  '|---|---|---|---|',
  ...fanOuts.map(
    ({ subscribers, bare, sameView, ownViews }) =>
      `| ${subscribers} | ${thousands(bare)} | ${share(sameView, bare)} | ${share(ownViews, bare)} |`,
  ),
].join('\n');
const sizeTable = [
  '| nodes | heap a node | by our estimate | snapshot | longest pause meanwhile | file |',
  '|---|---|---|---|---|---|',
  ...sizes.map(
    (size) =>
      `| ${size.nodes} | ${size.heapBytesPerNode.toFixed(0)} B | ${size.estimatedBytesPerNode.toFixed(0)} B | ${(size.snapshotMs / 1000).toFixed(1)} s | ${size.snapshotPauseMs.toFixed(0)} ms | ${(size.snapshotBytes / 2 ** 20).toFixed(0)} MiB |`,
  ),
].join('\n');

const growthTable = [
  '| nodes in memory | µs of processor time a span | against the first | resident memory |',
  '|---|---|---|---|',
  ...growth.map(
    ({ from, to, usPerSpan, residentMiB }) =>
      `| ${from / 1000} k to ${to / 1000} k | ${usPerSpan.toFixed(0)} | ${(usPerSpan / (growth[0]?.usPerSpan ?? NaN)).toFixed(2)} | ${residentMiB.toFixed(0)} MiB |`,
  ),
].join('\n');

const taskTable = [
  '| spans of one task | first snapshot | nodes shown | expand p50 / p99 | update of 25 spans | µs a span while it grows | longest flush of 512 |',
  '|---|---|---|---|---|---|---|',
  ...tasks.map(
    (task) =>
      `| ${task.spans} | ${ms(task.firstSnapshotMs)} | ${task.nodesShown} | ${ms(task.expandP50)} / ${ms(task.expandP99)} | ${ms(task.flushMs)} | ${task.usPerSpan.toFixed(0)} | ${task.longestStepMs.toFixed(0)} ms |`,
  ),
].join('\n');

const rows: readonly (readonly [string, string, string])[] = [
  ['machine: spans decoded by protobufjs 7 per CPU-second', thousands(yardstick.protobufjs), ''],
  ['our reader, records ready, per CPU-second', thousands(yardstick.reader), ''],
  ['**ingest, everything on, spans per CPU-second**', thousands(ingest.spansPerCpuSecond), '≥ 10 k'],
  [
    '… as a share of what protobufjs decodes',
    (ingest.spansPerCpuSecond / yardstick.protobufjs).toFixed(3),
    '',
  ],
  [
    'a Collector with three patterns, spans per CPU-second',
    ingest.collector ? thousands(ingest.collector.spansPerCpuSecond) : 'left out: no Go to build it',
    '',
  ],
  [
    '**… ingest against the Collector**',
    ingest.collector ? (ingest.spansPerCpuSecond / ingest.collector.spansPerCpuSecond).toFixed(2) : '',
    '≥ 1.2',
  ],
  ['**… with TLS and a token, against without**', secure.tokenShare.toFixed(2), '≥ 0.85'],
  ['**… with TLS and a key, against without**', secure.keyShare.toFixed(2), '≥ 0.85'],
  ['ingest, spans per second (one core for the service)', thousands(ingest.spansPerSecond), ''],
  [
    'cost of a span at 1 M nodes, against 10 k',
    ((growth.at(-1)?.usPerSpan ?? NaN) / (growth[0]?.usPerSpan ?? NaN)).toFixed(2),
    '< 1.1',
  ],
  ['nodes in memory at the end', String(ingest.nodes), ''],
  ['resident memory after 130,000 spans', `${residentMiB.toFixed(0)} MiB`, '≤ 477 MiB (500 MB)'],
  [
    'resident memory at 1 M nodes',
    `${((growth.at(-1)?.residentMiB ?? NaN) / 1024).toFixed(1)} GiB`,
    '≤ 2.3 GiB (2.5 GB)',
  ],
  [
    '**update latency p50 / p99, by the service**',
    `${ms(latency.updateP50)} / ${ms(latency.updateP99)}`,
    'p99 < 25 ms',
  ],
  ['sent → seen by a subscriber p50 / p99', `${ms(latency.seenP50)} / ${ms(latency.seenP99)}`, ''],
  [
    '**interrupt asked for → with an agent p50 / p99, server-sent events**',
    `${ms(interrupts.sseP50)} / ${ms(interrupts.sseP99)}`,
    'p99 < 50 ms',
  ],
  [
    '… WebSocket',
    `${ms(interrupts.webSocketP50)} / ${ms(interrupts.webSocketP99)}; p99 of the later one without waits for a processor ${ms(interrupts.withoutWaitsP99)}`,
    'p99 < 50 ms',
  ],
  [
    '**a word of a thought → with a reader p50 / p99**',
    `${ms(thoughts.p50)} / ${ms(thoughts.p99)}`,
    'p99 < 100 ms',
  ],
  ['a request of 256 spans p50 / p90, alone', `${ms(flood.aloneP50)} / ${ms(flood.aloneP90)}`, ''],
  [
    '… while another key sends as much as it can',
    `${ms(flood.floodedP50)} / ${ms(flood.floodedP90)}; p50 ${flood.slower.toFixed(2)}×, without waits for a processor ${flood.slowerWithoutWaits.toFixed(2)}×`,
    'p50 within 2×',
  ],
  ['processor of the service at that load', `${latency.cpuPercent.toFixed(0)} % of a core`, ''],
  [
    'messages to 1,000 subscribers of one view per CPU-second',
    thousands(fanOuts.at(-1)?.sameView ?? NaN),
    '',
  ],
  [
    'messages to 1,000 subscribers with a view each per CPU-second',
    thousands(fanOuts.at(-1)?.ownViews ?? NaN),
    '≥ 40 k',
  ],
  ['heap a node at 100 k nodes', `${largest?.heapBytesPerNode.toFixed(0)} B`, '≤ 1200 B'],
  [
    'task of 100,000 spans: first graph, expand p99',
    `${ms(tasks[1]?.firstSnapshotMs ?? NaN)}, ${ms(tasks[1]?.expandP99 ?? NaN)}`,
    '5 ms, 1.9 ms',
  ],
  ['lines of `src/` without tests', thousands(sourceLines()), '≤ 45 k'],
  ['snapshot of 100 k nodes', `${((largest?.snapshotMs ?? NaN) / 1000).toFixed(1)} s`, ''],
];

const table = [
  '| what | figure | target |',
  '|---|---|---|',
  ...rows.map((row) => `| ${row.join(' | ')} |`),
].join('\n');
const page = `# Benchmarks

Made by \`npm run bench\` on ${new Date().toISOString().slice(0, 10)}: Node ${process.versions.node}, ${cpus().length} × ${cpus()[0]?.model.trim() ?? 'unknown'}, ${(totalmem() / 2 ** 30).toFixed(0)} GiB.

${table}

- Ingest: ${ingest.spans} spans of ${ingest.bytesPerSpan.toFixed(0)} bytes (12 GenAI attributes, 1 KB of text), 512 a request, OTLP/gRPC
  over four connections, every answer checked. Everything is on: redaction, correlation, graph, folding, one
  subscriber of everything, own metrics, snapshots, and room in memory for all spans. Processor time is that of all threads of the service,
  garbage collection included; the load comes from another process on the other core. The Collector has the same spans in
  the same run, in turn with the service: OTLP in, \`redaction\` with three patterns, \`batch\`, \`nop\` (bench/collector).
- Latency: 500 spans/s and 100 chain-of-thought events/s for 20 s with 100 WebSocket subscribers, half of them
  with filters of their own; load and subscribers in one other process. "By the service" is
  \`explain.graph_update_latency\`; "seen" includes both network hops and the subscriber's own parsing.
- Thoughts: eight of prose at once, a word a request, 25 words a second, at 500 spans/s. A word may go on in the next one, so
  its time counts from before that is sent; "password" waits for what could be one behind it.
- Interrupts: ${interrupts.interrupts} of them at 500 spans/s, each from before its request until each of two agents has it; all but
  the service in one other process.

## Growth

${growthTable}

The same load and subscriber, until a million nodes are in memory: \`maxMemoryBytes\` and the heap limit are raised so
that nothing leaves it.

## Fan-out

Messages per CPU-second; in brackets the share of a bare broadcast of equal messages to as many, in the same run.

${fanOutTable}

An update changes ${fanOuts[0]?.spans} spans and is ${((fanOuts[0]?.bytesPerMessage ?? NaN) / 1024).toFixed(1)} KiB. Counted is what the service spends beyond taking
in the same spans without subscribers. "A view each": every subscriber has a filter that no other has, so each of them
has its view computed and encoded apart. The bare server has its message as bytes from the start and does nothing else.

## Memory and snapshots

${sizeTable}

Heap that stays after a collection: graph, facts, correlation, one view. Texts lie outside the heap, in at most
\`maxCachedTextBytes\`. Our estimate is what \`maxMemoryBytes\` goes by. A snapshot is written in slices; the pause is the
longest time that nothing else ran.

## One large task

${taskTable}

A root, agents, loops, calls and tools; one step in a hundred fails, a third is slow. One reader of everything with folding on.
Targets for 100,000 spans: first snapshot under 200 ms and 500 nodes, expand p99 under 50 ms. "While it grows" is correlation,
graph, folding and that reader's updates, of the last tenth.

${MADE_ELSEWHERE.map((title) => sectionOf(title)).join('')}## How to read them

- Machines differ, and a shared one differs from minute to minute: compare the ratio to the first row, not the
  figures. \`npm run bench:redaction\` and \`npm run bench:conventions\` measure these stages alone.
`;
writePage(page);
console.log(`\n${table}\n\nwritten to docs/benchmarks.md`);
