import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import type { TaskPage } from '../../src/client/browser.ts';
import { RealService, temporaryFolder } from '../e2e/real-service.ts';
import { untilPasses } from '../support/until.ts';
import { untilTableShows } from './assert-table.ts';
import { startBrowser } from './browser.ts';
import { openPage } from './open-page.ts';
import { requestOf, type PlayedSpan } from './play.ts';

/** More than the page asks for at once. */
const RUNS = 319;

describe('many runs in a browser', () => {
  let browser: Browser;
  let service: RealService;
  before(async () => {
    browser = await startBrowser();
    service = await RealService.start({ dataDir: await temporaryFolder() });
    const all = Array.from({ length: RUNS }, (_, run) => requestOf(`run-${run}`, stepsOf(run), [0, 1]));
    const response = await fetch(`${service.otlpHttp}/v1/traces`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ resourceSpans: all.flatMap(({ resourceSpans }) => resourceSpans) }),
    });
    assert.equal(response.status, 200);
    await service.flush();
  });
  after(async () => {
    await browser.close();
    await service.stop();
  });

  const open = (query: string) => openPage(browser, `${service.readers}/${query}`);
  const expected = async (query: string): Promise<readonly string[]> =>
    ((await service.json(`/api/tasks?limit=1000&${query}`)) as TaskPage).tasks.map(({ taskId }) => taskId);

  test(`[UI19] ${RUNS} runs are read to the end by keys alone, as the service sorts them, each by what it was asked`, async () => {
    const { page, problems } = await open('');
    await page.getByTestId('run').first().waitFor();
    const titles = await page.getByTestId('run').locator('.run-title').allInnerTexts();
    assert.deepEqual(
      titles.filter((title) => !/^Question \d+ of a user\?$/.test(title)),
      [],
    );
    await page.getByTestId('run').first().getByRole('link').focus();
    const seen = new Map<number, string>();
    await untilPasses(async () => {
      for (const [place, id] of await rowsOf(page)) seen.set(place, id);
      await page.keyboard.press('PageDown');
      assert.equal(seen.size, RUNS);
    });
    const order = [...seen].sort(([a], [b]) => a - b).map(([, id]) => id);
    assert.deepEqual(order, await expected(''));
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/t\/run-/);
    assert.deepEqual(problems, []);
    await page.context().close();
  });

  test('[UI19] runs are filtered and sorted by the service, grouped by session and user, and found by what they say', async () => {
    const { page, problems } = await open('');
    const runs = page.getByTestId('run');
    const first = async (query: string): Promise<void> => {
      const ids = await expected(query);
      const most = Math.min(ids.length, 5);
      await untilPasses(async () =>
        assert.deepEqual(
          (await rowsOf(page)).slice(0, most).map(([, id]) => id),
          ids.slice(0, most),
        ),
      );
    };
    await runs.first().waitFor();
    await page.getByLabel('Sort').selectOption('tokens');
    await first('sort=tokens');
    await page.getByLabel('Status').selectOption('failed');
    await first('sort=tokens&status=ERROR');
    assert.match(page.url(), /status=failed/);
    await page.getByTestId('search').fill('question 100 of');
    await first('sort=tokens&status=ERROR&text=question+100+of');
    assert.equal(await runs.count(), 1);
    assert.match(await runs.first().innerText(), /1 error/);
    await page.goto(`${service.readers}/`);
    await page.getByLabel('Group').selectOption('session');
    const head = page.locator('.run-group').filter({ hasText: 'talk-3' });
    await untilPasses(async () => {
      await page
        .locator('.runs-scroller')
        .evaluate((list: { scrollBy(x: number, y: number): void }) => list.scrollBy(0, 300));
      assert.equal(await head.count(), 1);
    });
    await head.getByRole('button').click();
    await page.locator('[data-filter=sessionId]').waitFor();
    await first('sessionId=talk-3');
    await page.locator('[data-filter=sessionId]').click();
    await page.goto(`${service.readers}/?userId=somebody-1`);
    await first('userId=somebody-1');
    assert.deepEqual(problems, []);
    await page.context().close();
  });

  test('[UI19] on a phone each run shows what it was asked', async () => {
    const { page, problems } = await openPage(browser, service.readers, {
      viewport: { width: 320, height: 640 },
    });
    await page.getByTestId('run').first().waitFor();
    const cut = (await page.evaluate(`[...document.querySelectorAll('.run-title')]
      .filter((title) => title.scrollWidth > title.clientWidth || title.scrollHeight > title.clientHeight + 1)
      .map(({ textContent }) => textContent)`)) as readonly string[];
    assert.deepEqual(cut, []);
    assert.deepEqual(problems, []);
    await page.context().close();
  });

  test('[UI19] runs that left memory are in the list and are shown like others', async () => {
    const response = await fetch(`${service.readers}/api/prune`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ olderThanMinutes: 0 }),
    });
    assert.equal(response.status, 200);
    const { page, problems } = await open('?text=question+100+of');
    const run = page.getByTestId('run');
    await run.getByText('archived').waitFor();
    await run.getByRole('link').press('Enter');
    await page.getByRole('button', { name: 'Table' }).press('Enter');
    await page.locator('tr[data-status=ERROR]').waitFor();
    await untilTableShows(page, await service.graph('taskIds=run-100&include=archived'));
    assert.deepEqual(problems, []);
    await page.context().close();
  });
});

/** A question of a user in one of seven sessions, and a call; each tenth fails. */
function stepsOf(run: number): readonly PlayedSpan[] {
  const whose = { 'session.id': `talk-${run % 7}`, 'user.id': `somebody-${run % 3}` };
  const question = [{ role: 'user', parts: [{ type: 'text', content: `Question ${run} of a user?` }] }];
  return [
    {
      name: 'invoke_agent planner',
      start: run * 1000,
      end: run * 1000 + 900,
      agent: 'planner',
      attributes: whose,
    },
    {
      name: 'chat small',
      start: run * 1000 + 100,
      end: run * 1000 + 800,
      parent: 0,
      agent: 'planner',
      ...(run % 10 === 0 && { error: 'it broke' }),
      attributes: {
        ...whose,
        'gen_ai.operation.name': 'chat',
        'gen_ai.request.model': 'gpt-4o',
        'gen_ai.usage.output_tokens': 100 + ((run * 7919) % 1000),
        'gen_ai.input.messages': JSON.stringify(question),
      },
    },
  ];
}

/** The runs that are drawn, by their place in the list. */
async function rowsOf(page: Page): Promise<readonly (readonly [place: number, taskId: string])[]> {
  return (await page.evaluate(`[...document.querySelectorAll('[data-testid=run]')]
    .map((run) => [Number(run.closest('li').getAttribute('aria-posinset')), run.dataset.taskId])
    .sort(([a], [b]) => a - b)`)) as [number, string][];
}
