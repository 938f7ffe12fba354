import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { recordedSpans } from '../recordings/recording-spans.ts';
import type { Recording } from '../recordings/load-recordings.ts';
import { Application } from './application.ts';
import {
  cellsConfigs,
  KEYS,
  onCellsStage,
  RESOLVERS,
  withHosts,
  type Cells,
  type CellsStage,
} from './cells-stage.ts';
import { whatIsWrong } from './check-delivery.ts';
import { validateConfig, type CollectorProcess } from './collector-process.ts';
import { apartRecordings } from './doctor.ts';
import { kindsOf } from './one-trace.ts';
import { sendTraces } from './otlp-request.ts';
import { whatIsApart } from './meeting.ts';
import type { Report } from './report.ts';
import { ServiceProcess } from './service-process.ts';
import { whatDiffers } from './union.ts';
import { waitFor, waitForNone } from './wait.ts';

/** Longer than the longest pause between two attempts of the Collector (max_interval, 5 s) many times: the machine may be busy. */
const ARRIVAL_LIMIT_MS = 180_000;
/** How long agents run before, in and after each loss. */
const ACT_MS = 2_000;
/** Of hashes that did not agree, one in three would be in the right cell by luck. */
const MANY_RUNS = 300;
const FEW_RUNS = 30;

/** Three services behind a Collector that shares traces out to them, found by each of its ways. */
export async function checkCells(
  binary: string,
  recordings: readonly Recording[],
  report: Report,
): Promise<void> {
  for (const resolver of RESOLVERS)
    for (const key of KEYS)
      await report.test(`[CT8] cells.yaml with cells-${resolver}.yaml is valid, by ${key}`, () =>
        inFolder((folder) => validateConfig(binary, cellsConfigs(resolver, key), folder, {})),
      );
  for (const resolver of ['static', 'dns', 'gateway'] as const) {
    report.start(`cells by ${resolver}`);
    if (resolver === 'dns' && (await withHosts()) === undefined) {
      report.note('NOT RUN: no process can have an /etc/hosts of its own here (unshare)');
      continue;
    }
    await report.test('three cells and a Collector start', () =>
      onCellsStage(binary, { resolver, key: 'trace' }, async (stage) => {
        const sent = resolver === 'dns' ? [] : recordings;
        if (sent.length > 0) await checkUnion(stage, sent, report);
        // What a gateway does with the traces of a cell that is away is its own affair.
        if (resolver !== 'gateway') await checkLosses(stage, sent, report);
        // Last, as what comes before looks at all that is in the cells.
        await checkMeeting(stage, resolver === 'static' ? MANY_RUNS : FEW_RUNS, report);
      }),
    );
  }
  report.start('cells by attribute');
  await report.test('three cells and a Collector start', () =>
    onCellsStage(binary, { resolver: 'static', key: 'attribute' }, async (stage) => {
      await checkMeeting(stage, FEW_RUNS, report);
      await report.test('[CT8] what has one value of the attribute is in one cell', async () => {
        const graphs = await Promise.all(stage.cells.all.map((cell) => cell.graph()));
        assert.equal(graphs.filter(({ nodes }) => nodes.length > 0).length, 1);
      });
    }),
  );
}

async function checkMeeting({ cells, collector }: CellsStage, count: number, report: Report): Promise<void> {
  const application = new Application(collector, 'grpc');
  await report.test(`[CT8] spans and log records of each of ${count} traces are in one cell`, async () => {
    await application.runWhile(() =>
      waitFor(`${count} runs`, ARRIVAL_LIMIT_MS, () => application.runs.length >= count),
    );
    await waitForNone(ARRIVAL_LIMIT_MS, () => whatIsApart(cells, application.runs));
  });
  await application.shutdown();
}

async function checkUnion(
  { cells, collector, gateway }: CellsStage,
  recordings: readonly Recording[],
  report: Report,
): Promise<void> {
  await inFolder(async (folder) => {
    const one = await ServiceProcess.start(folder);
    try {
      for (const [index, { requests }] of recordings.entries())
        for (const request of requests) {
          await sendTraces(collector, index % 2 === 0 ? 'http' : 'grpc', request);
          await sendTraces(one.urls, 'grpc', request);
        }
      const { ofOneTrace, others } = kindsOf(recordings, await one.graph());
      report.note(`${ofOneTrace.length} recordings are of tasks of one trace each`);
      if (others.length > 0) report.note(`${others.length} are not: ${others.join(', ')}`);
      await report.test('[CT9] three cells together show what one service shows', () =>
        waitForNone(ARRIVAL_LIMIT_MS, () => whatDiffers(one, cells)),
      );
      await report.test('[CT11] a gateway shows what one service shows', () =>
        waitForNone(ARRIVAL_LIMIT_MS, () => whatDiffers(one, gateway)),
      );
      await report.test(
        '[CT12] doctor names each recording that comes out otherwise, and no other',
        async () => {
          const apart = await apartRecordings({ one, gateway }, recordings);
          for (const { name, differs, named } of apart) {
            report.note(`${name}: ${differs.length} differences; ${named.join('; ')}`);
            assert.ok(others.includes(name), `${name} is of tasks of one trace each: ${differs.join('; ')}`);
            assert.ok(named.length > 0, `doctor says nothing of ${name}: ${differs.join('; ')}`);
          }
        },
      );
      await report.test('[CT9] each cell has its share of the traces', async () => {
        for (const cell of cells.all) assert.ok((await cell.graph()).nodes.length > 0);
      });
    } finally {
      await one.kill();
    }
  });
}

/** @param recordings what the cells have so far */
async function checkLosses(
  { cells, collector }: CellsStage,
  recordings: readonly Recording[],
  report: Report,
): Promise<void> {
  const spans = recordings.flatMap(({ requests }) => recordedSpans(requests));
  // A Collector that was killed makes up its batches anew, of which some cells had their part already.
  const application = new Application(collector, 'grpc', { isNumbered: true });
  await report.test('[CT10] each cell is killed under load: nothing is lost, or in two cells', async () => {
    await application.runWhile(async () => {
      for (const cell of cells.all) {
        await setTimeout(ACT_MS);
        await cell.kill();
        await setTimeout(ACT_MS);
        await cell.start();
      }
      await setTimeout(ACT_MS);
    });
    await allIsThere(cells, application, spans);
    await nothingGivenUp(collector);
  });
  await report.test('[CT10] the Collector is killed while a cell is away: its queue survives', async () => {
    await application.runWhile(async () => {
      await cells.all[1]?.kill();
      await setTimeout(ACT_MS);
      await collector.kill();
      await collector.start();
      await setTimeout(ACT_MS);
    });
    // The application is content: from here on all depends on what the Collector has on disk.
    await cells.all[1]?.start();
    await allIsThere(cells, application, spans);
    await nothingGivenUp(collector);
  });
  await application.shutdown();
  report.note(`${application.runs.flatMap(({ recorded }) => recorded).length} spans of agents`);
}

async function allIsThere(
  cells: Cells,
  { runs }: Application,
  spans: ReturnType<typeof recordedSpans>,
): Promise<void> {
  await waitForNone(ARRIVAL_LIMIT_MS, () => whatIsWrong(cells, { spans, runs }));
}

async function nothingGivenUp(collector: CollectorProcess): Promise<void> {
  // The exporters of the cells count every attempt that failed; what counts is what left the queue before them.
  assert.doesNotMatch(collector.log, /Dropping data|no more retries left/);
}

async function inFolder(use: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'test-collector-'));
  try {
    await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
