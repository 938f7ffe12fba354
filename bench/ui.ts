import { gzipSync } from 'node:zlib';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser, CDPSession, Page } from 'playwright-core';
import type { ExplanationEdge, ExplanationNode } from '../src/model/node.ts';
import { startBrowser } from '../test/ui/browser.ts';
import { openPage } from '../test/ui/open-page.ts';
import { requestOf, sendSpans, type PlayedSpan } from '../test/ui/play.ts';
import { Placement } from '../ui/layout/place.ts';
import { placesOf, toPlace } from '../ui/layout/tidy.ts';
import { GraphStore } from '../ui/state/graph-store.ts';
import { writeSection } from './support/page.ts';
import { startServer, type ServerProcess } from './support/server-process.ts';

/** `npm run bench:ui`: the page in a headless Chromium against a service in another process. Writes its section. */

const ASSETS = new URL('../dist/ui/assets', import.meta.url).pathname;
const BATCH = 2_000;
const LARGE_SPANS = 100_000;
const TASKS = 100_000;
const CARDS = 480;
const SECONDS = 10;
const REPEATS = 5;
/** Of what is measured for many seconds; each is shown. */
const ROUNDS = 3;

type Row = readonly [what: string, figure: string, target: string];

const server = await startServer();
const browser = await startBrowser();
try {
  const rows: Row[] = [];
  const add = (...row: Row): void => {
    rows.push(row);
    console.log(row.join(' | '));
  };
  for (let task = 0; task < 319; task += 1) await send(`early-${task}`, smallTask());
  const paint = await median(async () => firstPaint(browser));
  add('first paint of the runs page after its document, 320 runs', ms(paint), '< 300 ms');
  const loaded = await weightOfRuns(browser);
  add('what the runs page loads, gzip', kib(loaded), '< 180 KB');
  add('all of the page, gzip', kib(weightOfAll()), '< 350 KB');
  await send('large', largeTask(LARGE_SPANS));
  add(
    `first graph of a task of ${LARGE_SPANS} spans`,
    ms(await median(() => firstGraph(browser, 'large'))),
    '< 1 s',
  );
  const rounds: (readonly Smoothness[])[] = [];
  for (let round = 0; round < ROUNDS; round += 1) rounds.push(await cards(browser, `cards-${round}`));
  for (const [index, what] of [`panning ${CARDS} cards`, '500 spans a second coming to them'].entries()) {
    const all = rounds.flatMap((round) => round[index] ?? []);
    const each = (of: (one: Smoothness) => number): readonly number[] => all.map(of).sort((a, b) => a - b);
    add(
      `${what}: scripting a frame`,
      each(({ perFrame }) => perFrame)
        .map((value) => value.toFixed(2))
        .join(', ') + ' ms',
      '< 2 ms',
    );
    const longest = each(({ longestMs }) => longestMs).map((value) =>
      value === 0 ? '< 50' : value.toFixed(0),
    );
    add(`${what}: longest task of the main thread, by the clock`, `${longest.join(', ')} ms`, '≤ 50 ms');
    const worked = each(({ workedMs }) => workedMs).map((value) => value.toFixed(0));
    add(`${what}: … in processor time`, `${worked.join(', ')} ms`, '');
  }
  for (const cards of [500, 2_000, 10_000])
    add(
      `places for ${cards} cards at once, as the worker of Tidy makes them (in Node)`,
      ms(await median(async () => placing(cards))),
      '',
    );
  for (let sent = 0; sent < TASKS; sent += BATCH) await sendTasks(sent);
  const { firstMs, rows: read, longest } = await pageThrough(browser);
  add(`runs page of ${TASKS} tasks: first rows`, ms(firstMs), '');
  add(
    `… ${read} rows read by scrolling to the end for ${2 * SECONDS} s: longest task of the main thread`,
    longest === 0 ? '< 50 ms' : ms(longest),
    '',
  );
  writeSection('The page', text(rows));
} finally {
  await browser.close();
  await server.stop();
}

function text(rows: readonly Row[]): string {
  return `Made by \`npm run bench:ui\`: a headless Chromium without a graphics card beside the service, on the same cores. Of what is opened
more than once, the middle of ${REPEATS}. Scripting and tasks are those of the page's main thread, by the browser's own count.

| what | figure | target |
|---|---|---|
${rows.map((row) => `| ${row.join(' | ')} |`).join('\n')}

"${CARDS} cards": a task of so many slow steps in the graph. Panned by the wheel for ${SECONDS} s; then 500 spans a second come to
that task for ${SECONDS} s while it is looked at; ${ROUNDS} rounds, each shown. Where tasks take longer by the clock than in processor
time, the main thread waited for a core that the service, the browser's other processes or somebody else on the machine had.`;
}

async function send(taskId: string, spans: readonly PlayedSpan[]): Promise<void> {
  for (let at = 0; at < spans.length; at += BATCH) {
    const which = Array.from({ length: Math.min(BATCH, spans.length - at) }, (_, index) => at + index);
    await sendSpans(otlp(server), taskId, spans, which);
  }
}

/** As many tasks of one step as there are spans in a batch, in one request. */
async function sendTasks(from: number): Promise<void> {
  const all = Array.from({ length: BATCH }, (_, index) =>
    requestOf(`many-${from + index}`, [call(0, 0, 100, 'writer')], [0]),
  );
  const response = await fetch(`${otlp(server)}/v1/traces`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ resourceSpans: all.flatMap(({ resourceSpans }) => resourceSpans) }),
  });
  if (!response.ok) throw new Error(await response.text());
}

function otlp({ httpPort }: ServerProcess): string {
  return `http://127.0.0.1:${httpPort}`;
}

function address(path: string): string {
  return `http://127.0.0.1:${server.port}${path}`;
}

function call(index: number, start: number, end: number, agent: string, parent?: number): PlayedSpan {
  return {
    name: `execute_tool number-${index % 9}`,
    start,
    end,
    agent,
    ...(parent !== undefined && { parent }),
    ...(index % 100 === 99 && { error: 'it broke' }),
    attributes: { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': `number-${index % 9}` },
  };
}

function smallTask(): readonly PlayedSpan[] {
  return [call(0, 0, 900, 'planner'), call(1, 100, 200, 'writer', 0), call(2, 300, 500, 'planner', 0)];
}

function slowSteps(count: number): readonly PlayedSpan[] {
  return Array.from({ length: count }, (_, index) =>
    call(
      index,
      index * 150,
      index * 150 + 300,
      `agent-${index % 5}`,
      index === 0 ? undefined : Math.max(0, index - 5),
    ),
  );
}

/** A root, a hundred agents below it, ten loops each, calls in them: a third is slow, one in a hundred fails. */
function largeTask(count: number): readonly PlayedSpan[] {
  return Array.from({ length: count }, (_, index) => {
    const start = index * 10;
    if (index === 0) return call(0, 0, count * 10, 'planner');
    if (index <= 100) return call(index, start, start + count, `agent-${index}`, 0);
    if (index <= 1_100)
      return call(index, start, start + count / 10, `agent-${index % 100}`, 1 + (index % 100));
    return call(
      index,
      start,
      start + (index % 3 === 0 ? 200 : 5),
      `agent-${index % 100}`,
      101 + (index % 1_000),
    );
  });
}

async function firstPaint(of: Browser): Promise<number> {
  const { page } = await openPage(of, address('/'));
  await page.getByTestId('run').first().waitFor();
  const took = await page.evaluate(`performance.getEntriesByName('first-contentful-paint')[0].startTime
    - performance.getEntriesByType('navigation')[0].responseEnd`);
  await page.context().close();
  return Number(took);
}

async function weightOfRuns(of: Browser): Promise<number> {
  const { page } = await openPage(of, address('/'));
  await page.getByTestId('run').first().waitFor();
  const names = (await page.evaluate(
    `performance.getEntriesByType('resource').map(({ name }) => name).filter((name) => name.includes('/assets/'))`,
  )) as string[];
  await page.context().close();
  return names.reduce((sum, name) => sum + zipped(name.slice(name.lastIndexOf('/') + 1)), 0);
}

function weightOfAll(): number {
  return readdirSync(ASSETS).reduce((sum, name) => sum + zipped(name), 0);
}

function zipped(name: string): number {
  return gzipSync(readFileSync(join(ASSETS, name))).length;
}

/** From opening the page's address to the first card that is drawn, by the page's clock. */
async function firstGraph(of: Browser, task: string): Promise<number> {
  return shownAfter(of, `/t/${task}?view=graph`, '[data-testid=graph] .step-card');
}

async function shownAfter(of: Browser, path: string, selector: string): Promise<number> {
  const { page } = await openPage(of, address(path));
  await page.locator(selector).first().waitFor();
  const took = Number(await page.evaluate('performance.now()'));
  await page.context().close();
  return took;
}

interface Smoothness {
  /** Milliseconds. */
  readonly perFrame: number;
  /** By the clock; 0 when none was longer than 50. */
  readonly longestMs: number;
  /** The longest in processor time of its thread. */
  readonly workedMs: number;
}

/** Panned, and then fed. */
async function cards(of: Browser, task: string): Promise<readonly Smoothness[]> {
  await send(task, slowSteps(CARDS));
  const { page } = await openPage(of, address(`/t/${task}?view=graph`));
  await page.locator('[data-testid=graph] .step-card').first().waitFor();
  await page.mouse.move(800, 500);
  await sleep(2_000);
  const panned = await measured(of, page, async () => {
    const until = performance.now() + SECONDS * 1000;
    for (let step = 0; performance.now() < until; step += 1) {
      await page.mouse.wheel(step % 200 < 100 ? 120 : -120, 0);
      await sleep(16);
    }
  });
  const spans = [
    ...slowSteps(CARDS),
    ...Array.from({ length: SECONDS * 500 }, (_, index) =>
      call(index, 80_000 + index * 2, 80_005 + index * 2, `agent-${index % 5}`, index % CARDS),
    ),
  ];
  const fed = await measured(of, page, async () => {
    const began = performance.now();
    for (let tick = 0; tick < SECONDS * 20; tick += 1) {
      await sleep(Math.max(0, began + tick * 50 - performance.now()));
      await sendSpans(
        otlp(server),
        task,
        spans,
        Array.from({ length: 25 }, (_, index) => CARDS + tick * 25 + index),
      );
    }
  });
  await page.context().close();
  return [panned, fed];
}

async function measured(of: Browser, page: Page, work: () => Promise<void>): Promise<Smoothness> {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('Performance.enable');
  await page.evaluate(`globalThis.longest = 0; globalThis.frames = 0;
    new PerformanceObserver((list) => { for (const { duration } of list.getEntries()) longest = Math.max(longest, duration); })
      .observe({ type: 'longtask' });
    (function count() { frames += 1; requestAnimationFrame(count); })();`);
  await of.startTracing(page, { categories: ['toplevel'] });
  const before = await scriptSeconds(cdp);
  await work();
  const script = (await scriptSeconds(cdp)) - before;
  const workedMs = longestWork((await of.stopTracing()).toString());
  const [frames = 1, longestMs = 0] = (await page.evaluate('[frames, longest]')) as number[];
  await cdp.detach();
  return { perFrame: (script * 1000) / frames, longestMs, workedMs };
}

interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  /** Microseconds of processor time. */
  readonly tdur?: number;
  readonly args?: { readonly name?: string };
}

/** The most processor time that one task of a page's main thread took, in milliseconds. */
function longestWork(trace: string): number {
  const { traceEvents } = JSON.parse(trace) as { readonly traceEvents: readonly TraceEvent[] };
  const mains = traceEvents.filter(
    ({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain',
  );
  const threads = new Set(mains.map(({ pid, tid }) => `${pid} ${tid}`));
  return traceEvents
    .filter(({ name, pid, tid }) => name.endsWith('RunTask') && threads.has(`${pid} ${tid}`))
    .reduce((most, { tdur = 0 }) => Math.max(most, tdur / 1000), 0);
}

async function scriptSeconds(cdp: CDPSession): Promise<number> {
  const { metrics } = await cdp.send('Performance.getMetrics');
  return metrics.find(({ name }) => name === 'ScriptDuration')?.value ?? 0;
}

async function pageThrough(of: Browser): Promise<{ firstMs: number; rows: number; longest: number }> {
  const firstMs = await median(() => shownAfter(of, '/?sort=oldest', '[data-testid=run]'));
  const { page } = await openPage(of, address('/?sort=oldest'));
  await page.getByTestId('run').first().waitFor();
  await page.evaluate(`globalThis.longest = 0; new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) longest = Math.max(longest, duration); }).observe({ type: 'longtask' })`);
  const until = performance.now() + 2 * SECONDS * 1000;
  while (performance.now() < until) {
    await page.evaluate(`document.querySelector('.runs-scroller').scrollTo({ top: 1e9 })`);
    await sleep(100);
  }
  const [rows = 0, longest = 0] = (await page.evaluate(
    `[Number(document.querySelector('.runs li')?.getAttribute('aria-setsize')), longest]`,
  )) as number[];
  await page.context().close();
  return { firstMs, rows, longest };
}

function placing(cards: number): number {
  const nodes = Array.from({ length: cards }, (_, index): ExplanationNode => ({
    id: `step-${index}`,
    timestamp: new Date(1_750_000_000_000 + index * 150).toISOString(),
    agent: `agent-${index % 7}`,
    type: 'TOOL_CALL',
    name: '',
    title: '',
    taskId: '',
    state: 'ENDED',
    status: 'OK',
    latencyMs: 300,
  }));
  const edges = nodes.slice(1).map((to, index): ExplanationEdge => {
    const from = `step-${Math.max(0, index - 4)}`;
    return { id: `edge-${index}`, from, to: to.id, relation: 'TRIGGERED', evidence: 'content' };
  });
  const store = new GraphStore();
  const nothing = { changed: [], removed: [] };
  store.apply([{ nodes: { ...nothing, added: nodes }, edges: { ...nothing, added: edges } }], true);
  const began = performance.now();
  new Placement().take(placesOf(toPlace(store)));
  return performance.now() - began;
}

async function median(measure: () => Promise<number>): Promise<number> {
  const all: number[] = [];
  for (let index = 0; index < REPEATS; index += 1) all.push(await measure());
  return all.sort((a, b) => a - b)[Math.floor(REPEATS / 2)] ?? 0;
}

function ms(value: number): string {
  return `${value.toFixed(0)} ms`;
}

function kib(bytes: number): string {
  return `${(bytes / 1000).toFixed(0)} KB`;
}
