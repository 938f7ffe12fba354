import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { RealService, temporaryFolder } from '../e2e/real-service.ts';
import { untilPasses } from '../support/until.ts';
import { untilTableShows } from './assert-table.ts';
import { startBrowser } from './browser.ts';
import { openPage } from './open-page.ts';
import { SHORT_RUN, playTask, type PlayedSpan } from './play.ts';

const HOUR = 3_600_000;
const DEEP = 50;

/** What clocks that disagree tell: a tool an hour before who called it, one an hour later, one that ended before it began. */
const SKEWED: readonly PlayedSpan[] = [
  ...SHORT_RUN,
  tool('early', -HOUR, -HOUR + 200, 1),
  tool('late', HOUR, HOUR + 200, 1),
  tool('backwards', 3000, 1000, 0),
];

const NESTED: readonly PlayedSpan[] = Array.from({ length: DEEP }, (_, depth) => ({
  name: depth === DEEP - 1 ? 'execute_tool at_the_bottom' : `level ${depth}`,
  start: depth * 10,
  end: 5000 - depth * 10,
  agent: ['planner', 'التخطيط والتنفيذ', 'writer'][depth % 3] ?? '',
  ...(depth > 0 && { parent: depth - 1 }),
  ...(depth === DEEP - 1 && { error: 'it is dark down here' }),
}));

function tool(name: string, start: number, end: number, parent: number): PlayedSpan {
  const attributes = { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': name };
  return { name: `execute_tool ${name}`, start, end, parent, agent: 'forecaster', attributes };
}

describe('runs of odd shapes in a browser', () => {
  let browser: Browser;
  let service: RealService;
  before(async () => {
    browser = await startBrowser();
    service = await RealService.start({ dataDir: await temporaryFolder() });
    await playTask(service, 'skewed', SKEWED);
    await playTask(service, 'nested', NESTED);
  });
  after(async () => {
    await browser.close();
    await service.stop();
  });

  for (const taskId of ['skewed', 'nested'])
    test(`[UI18] every view shows every step of a run that is ${taskId}, at a desk and on a phone`, async () => {
      const graph = await service.graph(`taskIds=${taskId}`);
      const ids = graph.nodes.map(({ id }) => id).sort();
      for (const viewport of [
        { width: 1440, height: 900 },
        { width: 320, height: 640 },
      ]) {
        const { page, problems } = await openPage(browser, `${service.readers}/t/${taskId}?view=table`, {
          viewport,
        });
        await untilTableShows(page, graph);
        assert.ok((await overflowOf(page)) <= 0, 'the table is not wider than the page');
        await page.keyboard.press('1');
        await page.getByTestId('graph').waitFor();
        await page.keyboard.press('0');
        await untilPasses(async () => assert.deepEqual(await idsOf(page, 'node'), ids));
        assert.ok((await overflowOf(page)) <= 0, 'the graph is not wider than the page');
        await page.keyboard.press('2');
        await untilPasses(async () => assert.ok((await idsOf(page, 'waterfall-row')).length > 5));
        for (const { left, right } of await barsOf(page))
          assert.ok(left >= -1 && right <= 1, `a bar reaches ${left} and ${right} px out of its track`);
        await page.keyboard.press('3');
        await page.getByTestId('conversation-item').first().waitFor();
        assert.ok((await overflowOf(page)) <= 0, 'the conversation is not wider than the page');
        assert.deepEqual(problems, []);
        await page.context().close();
      }
    });

  test('[UI18] what is fifty deep is said to be so', async () => {
    const { page } = await openPage(browser, `${service.readers}/t/nested?view=table`);
    const bottom = page.locator('tr[data-status=ERROR]').filter({ hasText: 'it is dark down here' });
    await bottom.waitFor();
    assert.equal(await bottom.getAttribute('aria-level'), String(DEEP));
    await page.context().close();
  });
});

async function idsOf(page: Page, testId: string): Promise<readonly string[]> {
  return (await page.evaluate(
    `[...document.querySelectorAll('[data-testid=${testId}]')].map(({ dataset }) => dataset.nodeId).sort()`,
  )) as string[];
}

/** How far the page is wider than its window, in pixels. */
async function overflowOf(page: Page): Promise<number> {
  return Number(await page.evaluate('document.documentElement.scrollWidth - innerWidth'));
}

/** How far every bar's ends are from those of its track: `left` < 0 and `right` > 0 are outside. */
async function barsOf(page: Page): Promise<readonly { readonly left: number; readonly right: number }[]> {
  return (await page.evaluate(`[...document.querySelectorAll('.waterfall-bar')].map((bar) => {
    const [inner, outer] = [bar, bar.parentElement].map((element) => element.getBoundingClientRect());
    return { left: inner.left - outer.left, right: inner.right - outer.right };
  })`)) as { left: number; right: number }[];
}
