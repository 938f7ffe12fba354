import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { RealService, temporaryFolder } from '../e2e/real-service.ts';
import { untilPasses } from '../support/until.ts';
import { untilTableShows } from './assert-table.ts';
import { assertAccessible } from './axe.ts';
import { startBrowser } from './browser.ts';
import { openPage } from './open-page.ts';
import { playTask, type PlayedSpan } from './play.ts';

const QUICK = 190;
/** A slow call, then so many quick ones that they are one SUMMARY, and a slow call at the end. */
const SPANS: readonly PlayedSpan[] = [
  { name: 'invoke_agent planner', start: 0, end: 9000, agent: 'planner' },
  call('first', 100, 900),
  ...Array.from({ length: QUICK }, (_, index) =>
    call(`quick-${index}`, 1000 + index * 10, 1005 + index * 10),
  ),
  call('last', 8000, 8900),
];

function call(name: string, start: number, end: number): PlayedSpan {
  const attributes = { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': name };
  return { name: `execute_tool ${name}`, start, end, parent: 0, agent: 'planner', attributes };
}

describe('summaries in the graph', () => {
  let browser: Browser;
  let service: RealService;
  before(async () => {
    browser = await startBrowser();
    service = await RealService.start({ dataDir: await temporaryFolder() });
    await playTask(service, 'routine', SPANS);
  });
  after(async () => {
    await browser.close();
    await service.stop();
  });

  const open = () => openPage(browser, `${service.readers}/t/routine?view=graph`);

  test('[UI13] two presses open a summary, also where the panel would come under the second', async () => {
    const { page } = await open();
    const summary = page.locator('[data-testid=graph] [data-type=SUMMARY]');
    await summary.waitFor();
    const { x, width } = (await summary.boundingBox()) ?? { x: 0, width: 0 };
    await page.mouse.move(700, 600);
    // The picture moves half as far as the wheel.
    await page.mouse.wheel(-2 * (1420 - width - x), 0);
    await untilPasses(async () => assert.ok(((await summary.boundingBox())?.x ?? 0) > 1440 - width - 60));
    await summary.dblclick();
    await page.waitForURL(/open=/);
    await summary.waitFor({ state: 'detached' });
    await page.context().close();
  });

  test('[UI13] one press on a summary shows it in the panel', async () => {
    const { page } = await open();
    await page.locator('[data-testid=graph] [data-type=SUMMARY]').click();
    await page.getByTestId('panel').getByText(`Open ${QUICK} steps in place`).waitFor();
    await page.context().close();
  });

  test('[UI13] members of a summary that is opened are no new steps, and Fit shows all of them', async () => {
    const { page, problems } = await open();
    const summary = page.locator('[data-testid=graph] [data-type=SUMMARY]');
    await summary.dblclick();
    await page.getByRole('button', { name: 'Close summaries' }).waitFor();
    // Its steps are there when it has gone.
    await summary.waitFor({ state: 'detached' });
    await page.keyboard.press('0');
    const cards = page.locator('[data-testid=graph] .step-card');
    await untilPasses(async () => assert.equal(await cards.count(), QUICK + 2));
    const [first, last] = [cards.first(), cards.last()];
    for (const card of [first, last]) {
      const { x = -1, width = 0 } = (await card.boundingBox()) ?? {};
      assert.ok(x >= 0 && x + width <= 1440, `a card stands at ${x}`);
    }
    assert.equal(await page.getByTestId('new-steps').count(), 0);
    // What comes by itself is new.
    await page.getByRole('button', { name: 'Zoom in' }).click({ clickCount: 5 });
    await playTask(service, 'routine', [...SPANS, call('later', 9000, 9900)]);
    await page.getByTestId('new-steps').getByText('1 new step').waitFor();
    assert.deepEqual(problems, []);
    await page.context().close();
  });

  test('[UI13] a summary that was opened is closed again from one of its steps, by keys', async () => {
    const { page, problems } = await open();
    await page.locator('[data-testid=graph] [data-type=SUMMARY]').waitFor();
    await page.locator('[data-testid=graph] [data-type=SUMMARY]').focus();
    await page.keyboard.press('o');
    await page.locator('[data-testid=graph] [data-type=SUMMARY]').waitFor({ state: 'detached' });
    await page.locator('[data-testid=node]').filter({ hasText: 'quick-1' }).first().click();
    await page.getByTestId('panel').waitFor();
    await page.keyboard.press('o');
    await page.waitForURL(({ searchParams }) => !searchParams.has('open'));
    await page.locator('[data-testid=graph] [data-type=SUMMARY]').waitFor();
    assert.equal(
      await page.locator('[data-testid=graph] .step-card').filter({ hasText: 'quick-' }).count(),
      0,
    );
    assert.deepEqual(problems, []);
    await page.context().close();
  });

  test('[UI13] how many steps are folded is said in every view; a press shows all of them, also after a reload', async () => {
    const { page, problems } = await openPage(browser, `${service.readers}/t/routine?view=waterfall`);
    const folded = page.getByTestId('folded-steps');
    await page.locator('[data-testid=waterfall-row][data-type=SUMMARY] .open-summary').click();
    await page.waitForURL(/open=/);
    await folded.waitFor({ state: 'detached' });
    await page.goBack();
    for (const view of ['1', '2', '3', '4']) {
      await page.keyboard.press(view);
      await folded.filter({ hasText: `${QUICK} steps folded: show all` }).waitFor();
    }
    await folded.press('Enter');
    await page.waitForURL(/all=1/);
    const all = await service.graph('taskIds=routine&collapse=none');
    await untilTableShows(page, all);
    await page.reload();
    await untilTableShows(page, all);
    await folded.press('Enter');
    await untilTableShows(page, await service.graph('taskIds=routine'));
    await page.keyboard.press('2');
    await page.getByTestId('waterfall-row').first().waitFor();
    await assertAccessible(page, 'a waterfall with a summary');
    assert.deepEqual(problems, []);
    await page.context().close();
  });
});
