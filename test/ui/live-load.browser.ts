import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import '../support/seeded.ts';
import { RealService } from '../e2e/real-service.ts';
import { untilTableShows } from './assert-table.ts';
import { startBrowser } from './browser.ts';
import { openPage } from './open-page.ts';
import { sendSpans, type PlayedSpan } from './play.ts';

/** `UI_LOAD_SECONDS=60` for a minute of it. */
const SECONDS = Number(process.env['UI_LOAD_SECONDS'] ?? 8);
const REQUESTS_PER_SECOND = 20;
const SPANS_A_REQUEST = 10;
const VIEWS = ['1', '2', '3', '4'];

test('[UI2] after live load, whatever was looked at meanwhile, the table shows the graph of the API', async (t) => {
  const browser = await startBrowser();
  t.after(() => browser.close());
  const service = await RealService.of(t);
  const spans = makeSpans(SECONDS * REQUESTS_PER_SECOND * SPANS_A_REQUEST);
  const { page, problems } = await openPage(browser, `${service.readers}/t/loaded?view=table`);
  // What ends first comes first, and of some the parents come last: a request takes its spans from near its place.
  const left = [...spans.keys()];
  const began = performance.now();
  for (let request = 0; left.length > 0; request += 1) {
    await sleep(Math.max(0, began + (request * 1000) / REQUESTS_PER_SECOND - performance.now()));
    const which = Array.from({ length: Math.min(SPANS_A_REQUEST, left.length) }, () =>
      left.splice(Math.floor(Math.random() * Math.min(left.length, 4 * SPANS_A_REQUEST)), 1),
    ).flat();
    await sendSpans(service.otlpHttp, 'loaded', spans, which);
    if (request % REQUESTS_PER_SECOND === 0) await page.keyboard.press(VIEWS[(request / 20) % 4] ?? '4');
  }
  await service.flush();
  await page.keyboard.press('4');
  const expected = await service.graph('taskIds=loaded');
  await untilTableShows(page, expected);
  await page.reload();
  await untilTableShows(page, expected);
  t.assert.deepEqual(problems, []);
});

/** Agents below a root, each with calls and tools: most are quick, some fail, some have no parent that ever comes. */
function makeSpans(count: number): readonly PlayedSpan[] {
  return Array.from({ length: count }, (_, index) => {
    const agent = `agent-${index % 4}`;
    const start = index * 20;
    if (index < 5)
      return {
        name: `invoke_agent ${agent}`,
        start: 0,
        end: count * 20,
        ...(index > 0 && { parent: 0 }),
        agent,
      };
    const isTool = Math.random() < 0.6;
    const isSlow = Math.random() < 0.1;
    return {
      name: isTool ? `execute_tool number-${index % 7}` : 'chat small',
      start,
      end: start + (isSlow ? 400 : 5),
      parent: Math.random() < 0.8 ? 1 + (index % 4) : Math.floor(Math.random() * index),
      agent,
      ...(Math.random() < 0.03 && { error: `broke at ${index}` }),
      attributes: isTool
        ? { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': `number-${index % 7}` }
        : {
            'gen_ai.operation.name': 'chat',
            'gen_ai.request.model': 'gpt-4o',
            'gen_ai.usage.output_tokens': index % 50,
          },
    };
  });
}
