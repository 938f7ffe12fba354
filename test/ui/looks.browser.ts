import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { RealService, temporaryFolder } from '../e2e/real-service.ts';
import { untilPasses } from '../support/until.ts';
import { assertAccessible } from './axe.ts';
import { startBrowser } from './browser.ts';
import { openPage } from './open-page.ts';
import { SHORT_RUN, playTask, type PlayedSpan } from './play.ts';

const STEPS = 10_000;
/** Few elements, however many steps: lists and the graph draw what is on the screen. */
const MOST_ELEMENTS = 4_000;

describe('how the page looks, whatever the screen', () => {
  let browser: Browser;
  let service: RealService;
  before(async () => {
    browser = await startBrowser();
    service = await RealService.start({ dataDir: await temporaryFolder() });
    await playTask(service, 'large', largeRun());
  });
  after(async () => {
    await browser.close();
    await service.stop();
  });

  test('[UI21] a run of ten thousand steps: every view draws what is on the screen, from 320 pixels to 4K', async () => {
    for (const viewport of [
      { width: 320, height: 640 },
      { width: 3840, height: 2160 },
    ]) {
      const { page, problems } = await openPage(browser, `${service.readers}/t/large?view=graph`, {
        viewport,
      });
      for (const [key, item] of [
        ['1', '[data-testid=graph] .step-card'],
        ['2', '[data-testid=waterfall-row]'],
        ['3', '[data-testid=conversation-item]'],
      ] as const) {
        await page.keyboard.press(key);
        await page.locator(item).first().waitFor();
        const { wide, elements } = (await page.evaluate(`({
          wide: document.documentElement.scrollWidth - innerWidth,
          elements: document.querySelectorAll('*').length,
        })`)) as { readonly wide: number; readonly elements: number };
        assert.ok(wide <= 0, `view ${key} is ${wide} px wider than ${viewport.width}`);
        assert.ok(elements < MOST_ELEMENTS, `view ${key} has ${elements} elements`);
      }
      await page.keyboard.press('End');
      await page.keyboard.press('2');
      await page.locator('[data-testid=waterfall-row][tabindex="0"]').press('End');
      const { nodes } = await service.graph('taskIds=large');
      await page.locator(`[data-testid=waterfall-row][data-index="${nodes.length - 1}"]`).waitFor();
      assert.deepEqual(problems, []);
      await page.context().close();
    }
  });

  test('[UI21] no tool of a task covers another, whatever the width', async () => {
    for (const width of [360, 600, 641, 1280]) {
      const { page } = await openPage(browser, `${service.readers}/t/large?view=table`, {
        viewport: { width, height: 700 },
      });
      await page.getByRole('button', { name: '+ filter' }).waitFor();
      const covered = await page.evaluate(`(() => {
        const tools = [...document.querySelectorAll('.task-tools button, .task-tools input')];
        const boxes = tools.map((tool) => [tool.textContent, tool.getBoundingClientRect()]);
        return boxes.flatMap(([a, one], index) => boxes.slice(index + 1)
          .filter(([, { left, right, top, bottom }]) =>
            left < one.right - 1 && right > one.left + 1 && top < one.bottom - 1 && bottom > one.top + 1)
          .map(([b]) => a + ' and ' + b));
      })()`);
      assert.deepEqual(covered, [], `at ${width} px`);
      await page.context().close();
    }
  });

  test('[UI21] on a phone the head is one line, all figures of a task are read, and no button covers a bar', async () => {
    await playTask(service, 'short');
    const at = (path: string, width: number) =>
      openPage(browser, service.readers + path, { viewport: { width, height: 812 } });
    const runs = (await at('/', 375)).page;
    await runs.getByTestId('run').first().waitFor();
    const head = await runs.locator('.app-bar').boundingBox();
    assert.ok(head && head.height < 60, `the head is ${head?.height} px high`);
    await runs.context().close();

    const short = (await at('/t/short', 320)).page;
    await short.locator('.task-figures').getByText('tok').waitFor();
    const hidden = await short.evaluate(`(() => {
      const { scrollWidth, clientWidth } = document.querySelector('.task-figures');
      return scrollWidth - clientWidth;
    })()`);
    assert.equal(hidden, 0, 'pixels of figures that are cut off');
    await short.context().close();

    const waterfall = (await at('/t/large?view=waterfall', 320)).page;
    const button = waterfall.locator('.waterfall-step .open-summary').first();
    const [open, track] = [
      await button.boundingBox(),
      await waterfall.locator('.waterfall-track').first().boundingBox(),
    ];
    assert.ok(
      open && track && open.x + open.width <= track.x,
      `it ends at ${open?.x} + ${open?.width} of ${track?.x}`,
    );
    await waterfall.context().close();

    const [root, call] = SHORT_RUN;
    assert.ok(root && call);
    const late = { start: 300_000, end: 400_000 };
    await playTask(service, 'long', [
      { ...root, end: 400_000 },
      { ...call, ...late },
    ]);
    const bars = (await at('/t/long?view=waterfall', 375)).page;
    await bars.getByTestId('waterfall-row').first().waitFor();
    const cut = await bars.evaluate(`[...document.querySelectorAll('.waterfall-length')]
      .filter((length) => length.getBoundingClientRect().right > innerWidth).map((length) => length.innerText)`);
    assert.deepEqual(cut, [], 'figures that are cut off');
    await bars.context().close();
  });

  test('[UI21] on a phone the words of an edge have the whole width of the table, and so have the columns of steps', async () => {
    await playTask(service, 'edges');
    const viewport = { width: 390, height: 844 };
    const { page } = await openPage(browser, `${service.readers}/t/edges?view=table`, { viewport });
    for (const last of ['[data-testid=node] td:nth-child(4)', '[data-testid=edge] td:last-child']) {
      const box = await page.locator(last).first().boundingBox();
      assert.ok(
        box && box.width > 40 && box.x + box.width > 388,
        `${last} ends at ${box?.x} + ${box?.width}`,
      );
    }
    await page.context().close();
  });

  test('[UI21] colours are switched by a key press, and stay after a reload', async () => {
    const { page, problems } = await openPage(browser, service.readers, { colorScheme: 'light' });
    const colours = async (): Promise<string> =>
      String(await page.evaluate('getComputedStyle(document.body).color'));
    await page.getByTestId('run').first().waitFor();
    const light = await colours();
    const button = page.getByRole('button', { name: /^Colours/ });
    await button.press('Enter');
    await button.press('Enter');
    await page.getByRole('button', { name: 'Colours: dark. Change to auto' }).waitFor();
    const dark = await colours();
    assert.notEqual(dark, light);
    await page.reload();
    await page.getByTestId('run').first().waitFor();
    assert.equal(await colours(), dark);
    await page.keyboard.press('Control+k');
    await page.getByTestId('palette').waitFor();
    await assertAccessible(page, 'the palette, dark');
    assert.deepEqual(problems, []);
    await page.context().close();
  });

  test('[UI10] it can be installed as an app: a manifest, an icon, a worker for its shell', async () => {
    const { page } = await openPage(browser, service.readers);
    const manifest = (await page.evaluate(`(async () => {
      const { href } = document.querySelector('link[rel=manifest]');
      const told = await (await fetch(href)).json();
      const icons = await Promise.all(told.icons.map(({ src }) => fetch(new URL(src, href))));
      await navigator.serviceWorker.ready;
      return { start: new URL(told.start_url, href).href, display: told.display, icons: icons.map(({ status }) => status) };
    })()`)) as { readonly start: string; readonly display: string; readonly icons: readonly number[] };
    assert.deepEqual(manifest, { start: `${service.readers}/`, display: 'standalone', icons: [200] });
    await page.context().close();
  });

  test('[UI9] what the empty page tells to send is copied by a press', async (t) => {
    const empty = await RealService.of(t);
    const { page, problems } = await openPage(browser, empty.readers);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    const state = page.getByTestId('empty-state');
    const shown = await state.locator('pre').innerText();
    await state.getByRole('button', { name: /^Copy/ }).press('Enter');
    await untilPasses(async () =>
      assert.equal(String(await page.evaluate('navigator.clipboard.readText()')).trim(), shown.trim()),
    );
    assert.deepEqual(problems, []);
    await page.context().close();
  });
});

/** A root, ten agents and their calls: one in five is slow, one in a hundred fails. */
function largeRun(): readonly PlayedSpan[] {
  return Array.from({ length: STEPS }, (_, index) => {
    const agent = `agent-${index % 10}`;
    const start = index * 10;
    if (index <= 10)
      return {
        name: `invoke_agent ${agent}`,
        start: 0,
        end: STEPS * 10,
        agent,
        ...(index > 0 && { parent: 0 }),
      };
    return {
      name: `execute_tool number-${index % 9}`,
      start,
      end: start + (index % 5 === 0 ? 400 : 5),
      agent,
      parent: 1 + (index % 10),
      ...(index % 100 === 99 && { error: 'it broke' }),
      attributes: { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': `number-${index % 9}` },
    };
  });
}
