import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startBrowser } from './browser.ts';
import { playTask } from './play.ts';
import { openPage } from './open-page.ts';
import { RealService } from '../e2e/real-service.ts';

test('[UI1] a browser shows a run that is under way, its failure and why it failed', async (t) => {
  const service = await RealService.of(t);
  const browser = await startBrowser();
  t.after(() => browser.close());
  const { page, problems } = await openPage(browser, service.readers);
  await page.getByTestId('empty-state').waitFor();
  await playTask(service, 'smoke');
  const run = page.locator('[data-testid=run][data-task-id=smoke]');
  await run.getByRole('link').click();
  const failed = page.locator('[data-testid=node][data-status=ERROR]');
  await failed.first().click();
  await page.getByTestId('panel').getByRole('button', { name: 'Why?' }).click();
  await page.getByTestId('why-candidate').first().waitFor();
  assert.equal(await page.getByTestId('connection-state').getAttribute('data-state'), 'live');
  assert.deepEqual(problems, []);
});
