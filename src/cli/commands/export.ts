import { setTimeout } from 'node:timers/promises';
import type { Client } from '../../client/client.ts';
import { spanMaker } from '../../exporters/otlp/graph-spans.ts';
import { byStart } from '../../model/node-order.ts';
import type { SpanRecord } from '../../model/records.ts';
import type { OtlpSender } from '../../telemetry/otlp-sender.ts';
import { failure, wrongUsage } from '../cli-error.ts';
import { EXIT } from '../exit-codes.ts';
import { assertKnownTasks } from '../known-tasks.ts';
import { nodeDetails } from '../node-details.ts';
import { print } from '../output.ts';
import { readerCommand } from '../reader-command.ts';
import { withClient } from '../reader-options.ts';
import { plainText } from '../terminal/plain-text.ts';

/** As many as the SDKs' batches have. */
const BATCH_SPANS = 512;
/** About a minute in all: somebody waits. */
const MAX_ATTEMPTS = 7;
const FIRST_RETRY_MS = 1000;
const MAX_RETRY_MS = 20_000;
const MAX_TASKS = 100;

export const exportTasks = readerCommand({
  name: 'export',
  summary: 'send tasks on as OTLP',
  usage: 'TASK… --to URL [options]',
  about: [
    'Every step of the task, archived ones included, as a span with its texts, redacted as they are shown. To send what ends from now on, set "forward" in the configuration of the service.',
    'URL is grpc://HOST:PORT (grpcs:// with TLS), or http(s)://HOST:PORT, to which /v1/traces is added; port 4317 without a path speaks gRPC.',
  ],
  options: [
    {
      title: 'Options',
      options: [
        { name: 'to', value: 'URL', help: 'the receiver of OTLP' },
        { name: 'header', value: 'NAME=VALUE', many: true, help: 'sent along, such as authorization=…' },
      ],
    },
  ],
  examples: [
    {
      line: 'explainability-agent export T012 --to http://127.0.0.1:4318',
      what: 'to a Collector, or another service',
    },
  ],
  maxWords: MAX_TASKS,
  run: async (args, target) => {
    if (args.positionals.length === 0) throw wrongUsage('say which task: its id ("tasks" lists them)');
    const endpoint = args.text('to');
    if (endpoint === undefined) throw wrongUsage('say where to: --to URL');
    const headers = headersOf(args.list('header'));
    const { OtlpSender: Sender } = await import('../../telemetry/otlp-sender.ts');
    let sender: OtlpSender;
    try {
      sender = new Sender({ endpoint, headers });
    } catch {
      throw wrongUsage('--to must be a URL such as http://127.0.0.1:4318 or grpc://127.0.0.1:4317');
    }
    try {
      await withClient(target, async (client) => {
        await assertKnownTasks(client, args.positionals);
        const receiver = { sender, hasAnswered: false };
        for (const task of args.positionals) await exportTask(client, task, receiver);
      });
    } finally {
      sender.close();
    }
    return EXIT.ok;
  },
});

interface Receiver {
  readonly sender: OtlpSender;
  hasAnswered: boolean;
}

async function exportTask(client: Client, task: string, receiver: Receiver): Promise<void> {
  const graph = await client.getGraph({ filters: { taskIds: [task] }, collapse: 'none' });
  const spanOf = spanMaker(graph);
  let batch: SpanRecord[] = [];
  let taken = 0;
  for await (const detail of nodeDetails(client, graph.nodes.toSorted(byStart))) {
    batch.push(spanOf(detail));
    if (batch.length < BATCH_SPANS) continue;
    taken += await sendBatch(receiver, batch);
    batch = [];
  }
  if (batch.length > 0) taken += await sendBatch(receiver, batch);
  await print(`${plainText(task)}: ${taken} ${taken === 1 ? 'span' : 'spans'} sent\n`);
  if (taken < graph.nodes.length)
    throw failure(
      `${graph.nodes.length - taken} of ${graph.nodes.length} spans were refused by the receiver`,
    );
}

/**
 * @returns how many were taken
 * @throws CliError when it is refused, not taken within about a minute, or nobody ever answered
 */
async function sendBatch(receiver: Receiver, batch: readonly SpanRecord[]): Promise<number> {
  for (let attempt = 1; ; attempt++) {
    const sent = await receiver.sender.send(batch);
    if (sent.outcome !== 'later' || sent.isSilent !== true) receiver.hasAnswered = true;
    if (sent.outcome === 'taken') return batch.length - sent.rejected;
    const says = sent.outcome === 'refused' && sent.says !== undefined ? ` (${plainText(sent.says)})` : '';
    const problem = `the receiver at --to does not take the spans: ${sent.reason}${says}`;
    if (sent.outcome === 'refused' || !receiver.hasAnswered || attempt === MAX_ATTEMPTS)
      throw failure(problem);
    const waitMs = Math.min(MAX_RETRY_MS, Math.max(sent.afterMs ?? 0, FIRST_RETRY_MS * 2 ** (attempt - 1)));
    process.stderr.write(
      `${problem}; trying again in ${Math.ceil(waitMs / 1000)} s (attempt ${attempt + 1} of ${MAX_ATTEMPTS})\n`,
    );
    await setTimeout(waitMs);
  }
}

function headersOf(given: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    given.map((text) => {
      const [, name, value] = /^([A-Za-z0-9_.-]+)=([\x20-\x7e]*)$/.exec(text) ?? [];
      if (name === undefined || value === undefined) throw wrongUsage('--header must be NAME=VALUE');
      return [name.toLowerCase(), value];
    }),
  );
}
