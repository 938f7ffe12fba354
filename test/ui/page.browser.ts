import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import type { TaskSummary } from '../../src/model/summary.ts';
import { RealService, temporaryFolder } from '../e2e/real-service.ts';
import { untilTableShows } from './assert-table.ts';
import { assertAccessible } from './axe.ts';
import { startBrowser } from './browser.ts';
import { openPage } from './open-page.ts';
import { SHORT_RUN, playTask } from './play.ts';

describe('the page in a browser', () => {
  let browser: Browser;
  let service: RealService;
  before(async () => {
    browser = await startBrowser();
    service = await RealService.start({ dataDir: await temporaryFolder() });
    await playTask(service, 'short');
  });
  after(async () => {
    await browser.close();
    await service.stop();
  });

  test('[UI2] what is shown live equals the graph of the API, and what a reload shows', async () => {
    const { page, problems } = await openPage(browser, `${service.readers}/t/growing?view=table`);
    for (let index = 1; index <= 10; index += 1) {
      const more = Array.from({ length: index }, (_, at) => ({
        name: `execute_tool number-${at}`,
        start: 2000 + at * 100,
        end: 2050 + at * 100,
        parent: 0,
        agent: at % 2 === 0 ? 'planner' : 'forecaster',
        ...(at % 3 === 0 && { error: `broke at ${at}` }),
        attributes: { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': `number-${at}` },
      }));
      await playTask(service, 'growing', [...SHORT_RUN, ...more]);
    }
    const expected = await service.graph('taskIds=growing');
    await untilTableShows(page, expected);
    await page.reload();
    await untilTableShows(page, expected);
    assert.deepEqual(problems, []);
    await page.context().close();
  });

  test('[UI3] texts of others are shown as text, whatever they are', async () => {
    const html = '<img src=x onerror="document.title=1"><script>document.title=2</script>';
    const long = `begin ${'lorem ipsum '.repeat(85_000)}end`;
    await playTask(service, 'hostile', [
      { name: html, start: 0, end: 5000, agent: '<b>agent</b>', error: html },
      {
        name: 'chat',
        start: 100,
        end: 900,
        parent: 0,
        agent: '\u202Eتخطيط\u202C',
        attributes: {
          'gen_ai.operation.name': 'chat',
          'gen_ai.request.model': 'm',
          'gen_ai.input.messages': JSON.stringify([
            { role: 'user', parts: [{ type: 'text', content: long }] },
          ]),
        },
      },
    ]);
    const { page, problems } = await openPage(browser, `${service.readers}/t/hostile?view=table`);
    const root = page.locator('tr[data-status=ERROR]').first();
    await root.click();
    await page.getByTestId('panel').getByText('<img src=x').first().waitFor();
    await page.locator('tr[data-type=LLM_CALL]').first().click();
    await page.getByTestId('panel').getByRole('tab', { name: 'Texts' }).click();
    await page.getByTestId('panel').getByText('begin lorem').first().waitFor();
    assert.ok(
      (await page.getByTestId('panel').innerText()).length < 100_000,
      'a megabyte is drawn piece by piece',
    );
    assert.equal(await page.locator('img, main b').count(), 0);
    assert.equal(await page.title(), 'ExplainabilityAgent');
    assert.deepEqual(problems, []);
    await page.context().close();
  });

  test('[UI4] filters are chips, the URL and the subscription', async () => {
    const { page } = await openPage(browser, `${service.readers}/t/short?view=table&status=ERROR`);
    const rows = page.locator('[data-testid=graph-table] tr[data-node-id]');
    await page.locator('tr[data-status=ERROR]').first().waitFor();
    const failed = await service.graph('taskIds=short&status=ERROR');
    assert.equal(await rows.count(), failed.nodes.length);
    await page.getByTestId('filter-chip').click();
    const all = await service.graph('taskIds=short');
    await rows.nth(all.nodes.length - 1).waitFor();
    assert.doesNotMatch(page.url(), /status=/);
    await page.getByText('+ filter').click();
    await page.getByLabel('What to filter by').selectOption('agentNames');
    await page.getByLabel('Value').selectOption('forecaster');
    await page.getByRole('button', { name: 'Add' }).click();
    await page.locator('[data-filter=agentNames]').waitFor();
    assert.match(page.url(), /agentNames=forecaster/);
    const ofAgent = await service.graph('taskIds=short&agentNames=forecaster');
    await rows.nth(ofAgent.nodes.length).waitFor({ state: 'detached' });
    assert.equal(await rows.count(), ofAgent.nodes.length);
    await page.goBack();
    await rows.nth(all.nodes.length - 1).waitFor();
    await page.context().close();
  });

  test('[UI4] what is no filter is said to be none', async () => {
    const { page } = await openPage(browser, `${service.readers}/t/short?view=table&atMost=7`);
    const refused = page.getByTestId('refused-filter');
    await refused.filter({ hasText: 'atMost=7' }).click();
    await refused.waitFor({ state: 'detached' });
    assert.doesNotMatch(page.url(), /atMost/);
    await page.context().close();
  });

  test('[UI4] a filter whose value is none is refused once, in words, until it is taken away', async () => {
    const { page } = await openPage(browser, `${service.readers}/t/short?view=table&minCostUsd=x`);
    await page.locator('[data-testid=connection-state][data-state=closed]').waitFor();
    await page.getByRole('alert').filter({ hasText: 'minCostUsd' }).waitFor();
    // Longer than it takes until a connection that is away is said to be.
    await page.waitForTimeout(1500);
    const text = await page.locator('body').innerText();
    assert.equal(text.split('minCostUsd').length - 1, 1, text);
    assert.doesNotMatch(text, /tried again|Loading/);
    await page.getByTestId('filter-chip').click();
    await page.locator('[data-testid=connection-state][data-state=live]').waitFor();
    await page.locator('[data-testid=graph-table] tr[data-node-id]').first().waitFor();
    assert.equal(await page.getByRole('alert').count(), 0);
    await page.context().close();
  });

  test('[UI15] a task in words: the sentences of the API, which lead to their steps', async () => {
    const { page, problems } = await openPage(browser, `${service.readers}/t/short?view=table`);
    await page.getByRole('button', { name: 'In words' }).click();
    const said = page.locator('.summary li');
    await said.first().waitFor();
    const response = await fetch(`${service.readers}/api/summary?taskId=short`);
    const { sentences } = (await response.json()) as TaskSummary;
    assert.deepEqual(
      await said.locator('p').allInnerTexts(),
      sentences.map(({ text }) => text),
    );
    const failed = said.filter({ hasText: 'failed' }).first();
    await failed.getByRole('button').first().click();
    await page.getByTestId('panel').waitFor();
    const id = sentences.find(({ text }) => text.includes('failed'))?.nodeIds[0];
    assert.equal(new URL(page.url()).searchParams.get('sel'), id);
    assert.deepEqual(problems, []);
    await assertAccessible(page, 'a task in words');
    await page.context().close();
  });

  test('[UI22] the palette takes questions in words, and says which it takes', async () => {
    const response = await fetch(`${service.otlpHttp}/v1/traces`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: tested('T012'),
    });
    assert.equal(response.status, 200);
    await service.flush();
    const { page, problems } = await openPage(browser, service.readers);
    const ask = async (words: string): Promise<void> => {
      await page.keyboard.press('Control+k');
      await page.getByTestId('palette').waitFor();
      await page.keyboard.type(words);
      await page.keyboard.press('Enter');
    };
    await page.getByTestId('run').first().waitFor();
    await ask('Show me why this test failed');
    await page.waitForURL(/\/t\/T012\?why=/);
    const id = `${'e'.repeat(32)}:${'2'.repeat(16)}`;
    assert.equal(new URL(page.url()).searchParams.get('why'), id);
    await page.getByTestId('why').getByText('What led to').waitFor();
    assert.equal(await page.getByTestId('why-error').count(), 0, 'its title says why it failed');
    await ask('which steps cost the most?');
    await page.getByRole('heading', { name: 'Spikes' }).waitFor();
    await ask('forget nodes older than 5 minutes');
    await page.getByLabel('Nodes of all runs older than').waitFor();
    assert.equal(await page.getByLabel('Nodes of all runs older than').inputValue(), '5');
    assert.equal(
      await page.getByTestId('refused-filter').count(),
      0,
      'minutes are no filter that is refused',
    );
    await ask('What happened?');
    await page.getByText('1 test run').waitFor();
    await ask('Expand reasoning for task T012');
    await page.waitForURL(({ searchParams }) => !searchParams.has('ask'));
    await ask('make me a sandwich');
    const palette = page.getByTestId('palette');
    await palette.getByRole('button', { name: 'What happened in this run?' }).waitFor();
    assert.doesNotMatch(await palette.innerText(), /T012/, 'an example names no run');
    await palette.getByRole('button', { name: 'Show me why this test failed' }).click();
    await palette.getByText('why?').waitFor();
    await page.keyboard.press('Escape');
    await ask('Which tools fail most?');
    await page.getByTestId('patterns').waitFor();
    assert.equal(new URL(page.url()).searchParams.get('kind'), 'tool');
    assert.deepEqual(problems, []);
    await page.context().close();
  });

  test('[UI5] from the list to why, by keys alone', async () => {
    const { page } = await openPage(browser, service.readers);
    await page.getByTestId('run').first().waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('short');
    await page.locator('[data-testid=run][data-task-id=hostile]').waitFor({ state: 'detached' });
    await page.keyboard.press('Tab');
    for (let left = 8; left > 0 && (await focused(page)) !== 'short'; left -= 1)
      await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/t\/short/);
    await page.locator('[data-testid=connection-state][data-state=live]').waitFor();
    await page.getByRole('button', { name: 'Table' }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByTestId('palette').waitFor();
    await page.keyboard.type('why did');
    await page.keyboard.press('Enter');
    await page.getByTestId('why-candidate').first().waitFor();
    await page.keyboard.press('Escape');
    await page.getByTestId('why').waitFor({ state: 'detached' });
    await page.context().close();
  });

  test('[UI1] a run that made good what failed is told from one that failed', async () => {
    const again = {
      name: 'execute_tool get_weather',
      start: 2000,
      end: 2500,
      parent: 0,
      agent: 'forecaster',
    };
    await playTask(service, 'made-good', [...SHORT_RUN, again]);
    const { page, problems } = await openPage(browser, service.readers);
    const runOf = (task: string) => page.locator(`[data-testid=run][data-task-id=${task}]`);
    await runOf('made-good').getByText('1 error, recovered').waitFor();
    await runOf('made-good').locator('.status.recovered').waitFor();
    await runOf('short').getByText('1 error', { exact: true }).waitFor();
    await runOf('short').locator('.status.error').waitFor();
    await runOf('made-good').getByRole('link').click();
    await page.getByText('1 error, recovered').waitFor();
    await assertAccessible(page, 'a run that recovered');
    assert.deepEqual(problems, []);
    await page.context().close();
  });

  test('[UI5] a key lists all keys, on every page', async () => {
    for (const path of ['/', '/t/short?view=graph', '/compare', '/patterns']) {
      const { page, problems } = await openPage(browser, service.readers + path);
      await page.locator('[data-testid=connection-state][data-state=live]').waitFor();
      await page.keyboard.press('?');
      await page.getByTestId('keys').getByText('next failure').waitFor();
      if (path === '/') await assertAccessible(page, 'the list of keys');
      await page.keyboard.press('Escape');
      await page.getByTestId('keys').waitFor({ state: 'detached' });
      assert.deepEqual(problems, []);
      await page.context().close();
    }
  });

  test('[UI11] what stands in a text only is found from the list of runs', async () => {
    const { page } = await openPage(browser, `${service.readers}/?text=ask+the+weather+tool`);
    await page.locator('.found a').first().click();
    await page.getByTestId('panel').getByText('I ask the weather tool.').first().waitFor();
    await page.context().close();
  });

  test('[UI6] where a token is asked for there is a login, and a wrong one leads back to it', async (t) => {
    const flags = ['--auth', JSON.stringify({ token: 'right-token' })];
    const guarded = await RealService.of(t, flags);
    const { page } = await openPage(browser, guarded.readers);
    await page.getByTestId('login').waitFor();
    await page.getByLabel('Access token').fill('wrong');
    await page.keyboard.press('Enter');
    await page.getByText('token is not right').waitFor();
    await page.getByLabel('Access token').fill('right-token');
    await page.keyboard.press('Enter');
    await page.getByTestId('empty-state').waitFor();
    await page.locator('[data-testid=connection-state][data-state=live]').waitFor();
    await page.context().close();
  });

  test('[UI9] the empty page says where to send, with the real address, and plays a demo', async (t) => {
    const empty = await RealService.of(t);
    const { page, problems } = await openPage(browser, empty.readers);
    const state = page.getByTestId('empty-state');
    for (const way of ['Environment', 'Python', 'JavaScript', 'curl']) {
      await state.getByRole('tab', { name: way }).click();
      assert.ok((await state.locator('pre').innerText()).includes(empty.readers), way);
    }
    await state.getByRole('button', { name: 'Play the demo run' }).click();
    await page.waitForURL(/\/t\/demo-/);
    await page.goto(`${page.url()}?view=table`);
    await page.locator('tr[data-node-id]').first().waitFor();
    assert.deepEqual(problems, []);
    await page.context().close();
  });

  test('[UI5] axe finds nothing serious on any page, light and dark', async () => {
    for (const colorScheme of ['light', 'dark'] as const) {
      for (const path of ['/', '/t/short?view=table', '/t/short?view=table&ask=why', '/t/nothing']) {
        const { page } = await openPage(browser, service.readers + path, { colorScheme });
        await page.getByTestId('connection-state').waitFor();
        await page.waitForTimeout(500);
        await assertAccessible(page, `${path} ${colorScheme}`);
        await page.context().close();
      }
    }
  });
});

async function focused(page: Page): Promise<string | null> {
  return (await page.evaluate(
    "document.activeElement?.closest('[data-task-id]')?.getAttribute('data-task-id') ?? null",
  )) as string | null;
}

/** A run whose test failed. */
function tested(taskID: string): string {
  const text = (key: string, stringValue: string) => ({ key, value: { stringValue } });
  const span = (n: number, name: string, more: object) => ({
    traceId: 'e'.repeat(32),
    spanId: String(n).repeat(16),
    name,
    startTimeUnixNano: `175000000${n}000000000`,
    endTimeUnixNano: '1750000009000000000',
    ...more,
  });
  const spans = [
    span(1, 'run', { attributes: [text('taskID', taskID)] }),
    span(2, 'unit tests', {
      parentSpanId: '1'.repeat(16),
      attributes: [text('test.name', 'unit tests')],
      status: { code: 2, message: '2 tests failed' },
    }),
  ];
  return JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] });
}
