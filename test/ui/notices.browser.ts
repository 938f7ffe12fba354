import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { federation } from '../e2e/federation.ts';
import { RealService } from '../e2e/real-service.ts';
import { untilPasses } from '../support/until.ts';
import { assertAccessible } from './axe.ts';
import { startBrowser } from './browser.ts';
import { openPage } from './open-page.ts';
import { SHORT_RUN, playTask, sendSpans } from './play.ts';

describe('the page of a gateway', () => {
  let browser: Browser;
  before(async () => {
    browser = await startBrowser();
  });
  after(() => browser.close());

  test('[UI24] what is shown lacks something, and that is said above it until it is over', async (t) => {
    const { cells, url } = await federation(t, 2);
    const [first, second] = cells as [RealService, RealService];
    await playTask(first, 'in-one');
    await playTask(second, 'elsewhere', SHORT_RUN.slice(0, 2));
    const runs = await openPage(browser, url);
    const task = await openPage(browser, `${url}/t/in-one?view=table`);
    await runs.page.getByTestId('run').nth(1).waitFor();
    await task.page.locator('tr[data-node-id]').first().waitFor();
    const said = [runs, task].map(({ page }) => page.getByTestId('notices'));
    for (const place of said) {
      assert.equal(await place.getAttribute('role'), 'status');
      assert.equal(await place.innerText(), '');
    }

    const rows = await task.page.locator('tr[data-node-id]').count();
    const { port } = new URL(second.readers);
    await second.stop();
    for (const place of said)
      await untilPasses(async () =>
        assert.match(await place.innerText(), /not answer.*cell-1|cell-1.*not answer/),
      );
    for (const { page } of [runs, task]) {
      await assertAccessible(page, 'a cell is away');
      if (process.env['SHOTS'] !== undefined)
        await page.screenshot({
          path: `${process.env['SHOTS']}/${page === runs.page ? 'runs' : 'task'}.png`,
        });
    }
    assert.equal(await task.page.locator('tr[data-node-id]').count(), rows, 'what is there is shown');

    await RealService.of(t, ['--port', port]);
    for (const place of said) await untilPasses(async () => assert.equal(await place.innerText(), ''));
    await runs.page.context().close();
    await task.page.context().close();
    assert.deepEqual([...runs.problems, ...task.problems], []);
  });

  test('[UI24] a run that several cells have says so, in the list and above its views', async (t) => {
    const { cells, url } = await federation(t, 2);
    const [first, second] = cells as [RealService, RealService];
    await sendSpans(first.otlpHttp, 'in-two', SHORT_RUN, [0, 1]);
    await sendSpans(second.otlpHttp, 'in-two', SHORT_RUN, [2]);
    const { page, problems } = await openPage(browser, url);
    const run = page.locator('[data-task-id=in-two]');
    await run.waitFor();
    const badge = run.getByTestId('run-cells');
    assert.equal(await badge.innerText(), '2 cells');
    assert.equal(await badge.getAttribute('title'), 'Parts of it are in cell-0, cell-1');
    await run.getByRole('link').click();
    await untilPasses(async () => assert.match(await page.getByTestId('notices').innerText(), /in-two/));
    await assertAccessible(page, 'a task in two cells');
    assert.deepEqual(problems, []);
    await page.context().close();
  });
});
