import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { RealService, temporaryFolder } from '../e2e/real-service.ts';
import { assertAccessible } from './axe.ts';
import { startBrowser } from './browser.ts';
import { openPage } from './open-page.ts';
import { SHORT_RUN, playTask, type PlayedSpan } from './play.ts';

/** The same run with another model and another answer, in which the tool was not called. */
const OTHER_RUN: readonly PlayedSpan[] = SHORT_RUN.slice(0, 2).map((span) => ({
  ...span,
  attributes: Object.fromEntries(
    Object.entries(span.attributes ?? {}).map(([key, value]) => [
      key,
      String(value)
        .replace('gpt-4o', 'gpt-4o-mini')
        .replace('I ask the weather tool', 'I know the weather by heart'),
    ]),
  ),
}));

describe('runs side by side in a browser', () => {
  let browser: Browser;
  let service: RealService;
  before(async () => {
    browser = await startBrowser();
    service = await RealService.start({ dataDir: await temporaryFolder() });
    await playTask(service, 'one');
    await playTask(service, 'other', OTHER_RUN);
  });
  after(async () => {
    await browser.close();
    await service.stop();
  });

  test('[UI16] two runs are chosen in the list, and what differs between them is marked', async () => {
    const { page, problems } = await openPage(browser, `${service.readers}/`);
    const button = (taskId: string) => page.locator(`[data-task-id=${taskId}] .compare-button`);
    await button('one').click();
    await page.locator('[data-filter=with]').waitFor();
    await button('one').and(page.locator('[aria-pressed=true]')).waitFor();
    await button('other').click();
    await page.getByTestId('compare').waitFor();
    assert.match(page.url(), /\/compare\?a=one&b=other$/);
    const rows = page.locator('.compared-row');
    await rows.nth(2).waitFor();
    const kinds = await rows.evaluateAll((all) => all.map((row) => row.getAttribute('data-kind')));
    assert.deepEqual(kinds, ['same', 'diverges', 'diverges']);
    assert.match(await rows.nth(1).innerText(), /model\s+gpt-4o\s+(→ )?gpt-4o-mini/);
    assert.match(await rows.nth(2).innerText(), /get_weather.*only in a/s);
    await rows.nth(1).getByRole('button', { name: 'Show texts' }).click();
    const marked = rows.nth(1).locator('mark');
    await marked.nth(1).waitFor();
    assert.deepEqual(
      (await marked.allInnerTexts()).map((text) => text.trim()),
      ['ask the weather tool.', 'know the weather by heart.'],
    );
    await page.getByRole('button', { name: 'divergences' }).click();
    await page.locator('.compared-row[data-kind=same]').waitFor({ state: 'detached' });
    assert.equal(await rows.count(), 2);
    await page.getByRole('button', { name: /^Swap/ }).click();
    await page.getByText('only in b', { exact: true }).waitFor();
    assert.match(page.url(), /a=other&b=one/);
    await rows.nth(1).getByRole('link').click();
    await page.getByTestId('panel').getByText('get_weather').first().waitFor();
    assert.match(page.url(), /\/t\/one\?sel=/);
    assert.deepEqual(problems, []);
    await page.context().close();
  });

  test('[UI16] by keys alone: from the list, by the palette, from one divergence to the next', async () => {
    const { page, problems } = await openPage(browser, `${service.readers}/`);
    await page.locator('[data-task-id=one]').waitFor();
    await page.keyboard.press('Control+K');
    await page.getByTestId('palette').waitFor();
    await page.keyboard.type('compare weather in atlantis');
    await page.keyboard.press('Enter');
    await page.locator('[data-filter=with]').waitFor();
    const chosen = new URL(page.url()).searchParams.get('with') ?? '';
    const left = chosen === 'one' ? 'other' : 'one';
    await page.locator(`[data-task-id=${left}] a`).focus();
    await page.keyboard.press('c');
    await page.getByTestId('compare').locator('.compared-row').nth(2).waitFor();
    await page.keyboard.press('n');
    const places: (string | null)[] = [];
    const place = async () => page.locator(':focus').getAttribute('data-place');
    places.push(await place());
    await page.keyboard.press('n');
    places.push(await place());
    await page.keyboard.press('p');
    places.push(await place());
    assert.deepEqual(places, ['1', '2', '1']);
    await page.keyboard.press('x');
    await page.waitForURL(/a=(one|other)&b=/);
    await page.getByRole('button', { name: /^They part here first/ }).focus();
    await page.keyboard.press('Enter');
    assert.equal(await place(), '1');
    assert.deepEqual(problems, []);
    await page.context().close();
  });

  test('[UI16] what cannot be compared is said', async () => {
    const { page } = await openPage(browser, `${service.readers}/compare?a=one&b=nobody`);
    await page.getByRole('alert').filter({ hasText: 'b: no task with this id' }).waitFor();
    await page.goto(`${service.readers}/compare?a=one&b=one`);
    await page.getByRole('alert').filter({ hasText: 'b: give another task' }).waitFor();
    await page.goto(`${service.readers}/compare`);
    await page.getByText('Choose two runs').waitFor();
    await page.context().close();
  });

  test('[UI17] patterns: kinds of steps over the runs, sorted and filtered', async () => {
    const { page, problems } = await openPage(browser, `${service.readers}/`);
    await page.getByRole('link', { name: 'Patterns' }).click();
    const rows = page.getByTestId('pattern');
    await rows.first().waitFor();
    await page.getByText('2 runs: 1 failed, 1 passed.').waitFor();
    await page.getByRole('group', { name: 'Kind' }).getByRole('button', { name: 'tool' }).click();
    await rows.nth(1).waitFor({ state: 'detached' });
    assert.match(await rows.first().innerText(), /get_weather\s.*1 \/ 1\s+0 \/ 1\s+1\s+1/s);
    await page.getByRole('button', { name: 'Mean time' }).click();
    await page.locator('th[aria-sort=descending]', { hasText: 'Mean time' }).waitFor();
    await page.goto(`${service.readers}/patterns?agentNames=planner&nope=1`);
    await page.getByText('2 runs: 1 failed, 1 passed.').waitFor();
    assert.equal(await page.locator('[data-name=get_weather]').count(), 0);
    await page.getByTestId('refused-filter').click();
    await page.getByTestId('filter-chip').click();
    await page.locator('[data-name=get_weather]').first().waitFor();
    assert.deepEqual(problems, []);
    await page.context().close();
  });

  for (const colorScheme of ['light', 'dark'] as const)
    for (const [path, isThere] of [
      ['/compare?a=one&b=other', '.compared-row'],
      ['/patterns', '[data-testid=pattern]'],
      ['/?with=one', '.compare-button'],
    ] as const)
      test(`[UI5] axe finds nothing serious, ${colorScheme}: ${path}`, async () => {
        const { page, problems } = await openPage(browser, service.readers + path, { colorScheme });
        await page.locator(isThere).first().waitFor();
        const texts = page.getByRole('button', { name: 'Show texts' });
        if (path.startsWith('/compare')) {
          await texts.first().click();
          await page.locator('.compared-texts mark').first().waitFor();
        }
        await assertAccessible(page, path);
        assert.deepEqual(problems, []);
        await page.context().close();
      });

  test('[UI5] 320 pixels are enough to compare, and to see patterns', async () => {
    for (const path of ['/compare?a=one&b=other', '/patterns', '/']) {
      const { page } = await openPage(browser, service.readers + path, {
        viewport: { width: 320, height: 640 },
      });
      await page.locator('.compared-row, [data-testid=pattern], .compare-button').first().waitFor();
      const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
      assert.ok(overflow <= 0, `${path}: ${overflow} px too wide`);
      const [heads, cells] = await Promise.all(
        ['th', 'tbody tr:first-child td'].map((cell) =>
          page.locator(`.patterns :is(${cell}):visible`).count(),
        ),
      );
      assert.equal(heads, cells, 'a head for each column');
      await page.context().close();
    }
  });
});
