import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { RealService, temporaryFolder } from '../e2e/real-service.ts';
import { untilPasses } from '../support/until.ts';
import { startBrowser } from './browser.ts';
import { openPage } from './open-page.ts';

test('[UI10] the page opens without the service, and keeps the files of its last build only', async (t) => {
  const browser = await startBrowser();
  t.after(() => browser.close());
  const service = await RealService.start({ dataDir: await temporaryFolder(t) });
  let isStopped = false;
  const stop = async (): Promise<void> => {
    if (!isStopped) await service.stop();
    isStopped = true;
  };
  t.after(stop);
  const { page } = await openPage(browser, service.readers);
  await page.evaluate('navigator.serviceWorker.ready.then(() => undefined)');
  await page.reload();
  await page.getByTestId('empty-state').waitFor();
  await untilPasses(async () => assert.ok((await kept(page)).length > 1, 'scripts and styles are kept'));
  const assets = await kept(page);

  // As after an update of the service: what is kept is not what its document names.
  await page.evaluate(`caches.open('shell-1').then(async (cache) => {
    await cache.put('./assets/of-before.js', new Response(''));
    await cache.delete(${JSON.stringify(assets[0])});
  })`);
  await page.reload();
  await page.getByTestId('empty-state').waitFor();
  await untilPasses(async () => assert.deepEqual(await kept(page), assets));

  await stop();
  await page.reload();
  await page.getByRole('heading', { name: 'ExplainabilityAgent' }).waitFor();
  await page.locator('[data-testid=connection-state][data-state=waiting]').waitFor();
});

async function kept(page: Page): Promise<readonly string[]> {
  return (await page.evaluate(
    `caches.open('shell-1').then((cache) => cache.keys()).then((all) => all.map(({ url }) => url).filter((url) => url.includes('/assets/')).sort())`,
  )) as string[];
}
