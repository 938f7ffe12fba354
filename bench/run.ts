import { writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { benchIngest } from './ingest.ts';
import { benchLatency } from './latency.ts';
import { benchYardstick } from './yardstick.ts';

const PAGE = new URL('../docs/benchmarks.md', import.meta.url);

const thousands = (value: number): string => `${(value / 1000).toFixed(1)} k`;
const ms = (value: number): string => `${value.toFixed(1)} ms`;

console.log('decoders …');
const yardstick = benchYardstick();
console.log('ingest …');
const ingest = await benchIngest();
console.log('latency at 500 spans/s and 100 CoT events/s …');
const latency = await benchLatency();

const rows: readonly (readonly [string, string, string])[] = [
  ['machine: spans decoded by protobufjs 7 per CPU-second', thousands(yardstick.protobufjs), ''],
  ['our reader, records ready, per CPU-second', thousands(yardstick.reader), ''],
  ['**ingest, everything on, spans per CPU-second**', thousands(ingest.spansPerCpuSecond), '≥ 10 k'],
  [
    '… as a share of what protobufjs decodes',
    (ingest.spansPerCpuSecond / yardstick.protobufjs).toFixed(3),
    '',
  ],
  ['ingest, spans per second (one core for the service)', thousands(ingest.spansPerSecond), ''],
  ['nodes in memory at the end', String(ingest.nodes), ''],
  ['resident memory at the end', `${ingest.residentMiB.toFixed(0)} MiB`, ''],
  [
    '**update latency p50 / p99, by the service**',
    `${ms(latency.updateP50)} / ${ms(latency.updateP99)}`,
    'p99 < 50 ms',
  ],
  ['sent → seen by a subscriber p50 / p99', `${ms(latency.seenP50)} / ${ms(latency.seenP99)}`, ''],
  ['processor of the service at that load', `${latency.cpuPercent.toFixed(0)} % of a core`, ''],
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
  subscriber of everything, own metrics, snapshots. Processor time is that of all threads of the service,
  garbage collection included; the load comes from another process on the other core.
- Latency: 500 spans/s and 100 chain-of-thought events/s for 20 s with 100 WebSocket subscribers, half of them
  with filters of their own; load and subscribers in one other process. "By the service" is
  \`explain.graph_update_latency\`; "seen" includes both network hops and the subscriber's own parsing.
- Machines differ, and a shared one differs from minute to minute: compare the ratio to the first row, not the
  figures. \`npm run bench:redaction\` and \`npm run bench:conventions\` measure these stages alone.
`;
writeFileSync(PAGE, page);
console.log(`\n${table}\n\nwritten to docs/benchmarks.md`);
