import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { UnreliableLine } from '../client/unreliable-line.ts';
import { RealService, temporaryFolder } from '../e2e/real-service.ts';
import { untilPasses } from '../support/until.ts';
import { untilTableShows } from './assert-table.ts';
import { startBrowser } from './browser.ts';
import { openPage } from './open-page.ts';
import { SHORT_RUN, playTask } from './play.ts';

describe('the connection of the page', () => {
  let browser: Browser;
  before(async () => {
    browser = await startBrowser();
  });
  after(() => browser.close());

  const isLive = (page: Page) => page.locator('[data-testid=connection-state][data-state=live]').waitFor();

  test('[UI7] a service that goes is said to be gone, and its graph after it came back is shown', async (t) => {
    const first = await RealService.start({ dataDir: await temporaryFolder(t) });
    await playTask(first, 'moving');
    const { page } = await openPage(browser, `${first.readers}/t/moving?view=table`);
    const rows = page.locator('tr[data-node-id]');
    await rows.first().waitFor();
    const said = await listenTo(page);
    const before = await rows.count();
    await first.stop();
    await page.locator('[data-testid=connection-state][data-state=waiting]').waitFor();
    assert.equal(await rows.count(), before, 'what was known stays');
    const second = await RealService.start({
      dataDir: await temporaryFolder(t),
      flags: ['--port', new URL(first.readers).port],
    });
    t.after(() => second.stop());
    await playTask(second, 'moving', SHORT_RUN.slice(0, 2));
    const expected = await second.graph('taskIds=moving');
    await isLive(page);
    await rows.nth(expected.nodes.length).waitFor({ state: 'detached' });
    await untilTableShows(page, expected);
    await untilPasses(async () => assert.ok((await said()).includes('live, a fresh graph was taken')));
    assert.ok((await said()).some((words) => words.startsWith('reconnecting')));
    await page.keyboard.press('1');
    await page.getByTestId('graph').waitFor();
    await page.keyboard.press('0');
    const shown = page.getByTestId('node');
    await untilPasses(async () => assert.equal(await shown.count(), expected.nodes.length));
    await page.context().close();
  });

  test('[UI7] a service that goes takes neither the title of the run nor the answer to why', async (t) => {
    const service = await RealService.start({ dataDir: await temporaryFolder(t) });
    await playTask(service, 'titled');
    const { page } = await openPage(browser, `${service.readers}/t/titled?view=table&ask=why`);
    const title = page.getByRole('heading', { level: 1, name: 'Weather in Atlantis?' });
    await Promise.all([title.waitFor(), page.getByTestId('why-candidate').first().waitFor()]);
    await listenToTitle(page);
    await service.stop();
    await page.locator('[data-testid=connection-state][data-state=waiting]').waitFor();
    // Every key draws the head anew.
    for (const view of ['2', '3', '4', '2']) {
      await page.keyboard.press(view);
      await page.waitForTimeout(700);
    }
    assert.deepEqual(await page.evaluate('window.titles'), []);
    assert.ok((await page.getByTestId('why-candidate').count()) > 0, 'what was answered stays');
    await page.context().close();
  });

  test('[UI7] a connection that breaks is taken up where it was, and that is said', async (t) => {
    const service = await RealService.of(t);
    const line = await UnreliableLine.to(service.service.addresses.readers.port);
    t.after(() => line.close());
    await playTask(service, 'broken-off', SHORT_RUN.slice(0, 2));
    const { page } = await openPage(browser, `${line.url}/t/broken-off?view=table`);
    await isLive(page);
    await page.locator('tr[data-node-id]').first().waitFor();
    const said = await listenTo(page);
    line.cut();
    await playTask(service, 'broken-off');
    await untilTableShows(page, await service.graph('taskIds=broken-off'));
    await untilPasses(async () => assert.ok((await said()).includes('live, resumed')));
    await page.context().close();
  });
});

/** @returns all that was said of the connection since */
async function listenTo(page: Page): Promise<() => Promise<readonly string[]>> {
  await page.evaluate(`globalThis.saidOfIt = [];
    new MutationObserver(() => saidOfIt.push(document.querySelector('[data-testid=connection-state] [role=status]')?.textContent))
      .observe(document.body, { subtree: true, childList: true, characterData: true })`);
  return async () => (await page.evaluate('[...new Set(saidOfIt)]')) as string[];
}

/** Has the page note every other title of the run that it shows. */
async function listenToTitle(page: Page): Promise<void> {
  await page.evaluate(`
    window.titles = [];
    const head = document.querySelector('h1');
    new MutationObserver(() => window.titles.push(head.innerText))
      .observe(head, { characterData: true, childList: true, subtree: true });
  `);
}
