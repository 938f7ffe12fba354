import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import type { ExplanationGraph, ExplanationNode } from '../../src/model/node.ts';
import { RealService, temporaryFolder } from '../e2e/real-service.ts';
import { untilPasses } from '../support/until.ts';
import { assertAccessible } from './axe.ts';
import { startBrowser } from './browser.ts';
import { openPage } from './open-page.ts';
import { SHORT_RUN, playTask } from './play.ts';

const RECORDED = join(import.meta.dirname, '../fixtures/telemetry');
const HOSTILE = '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>';
/** So high and wide that every step is drawn. */
const LARGE = { viewport: { width: 2200, height: 2400 } };

describe('the views of a task in a browser', () => {
  let browser: Browser;
  let service: RealService;
  /** The recording of which readers see most. */
  let taskId: string;
  before(async () => {
    browser = await startBrowser();
    service = await RealService.start({ dataDir: await temporaryFolder() });
    for (const file of readdirSync(RECORDED)) {
      const response = await fetch(`${service.otlpHttp}/v1/traces`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: readFileSync(join(RECORDED, file)),
      });
      assert.equal(response.status, 200);
    }
    await service.flush();
    const counts = Map.groupBy((await service.graph('')).nodes, (node) => node.taskId);
    const [largest] = [...counts].sort(([, a], [, b]) => b.length - a.length);
    taskId = largest?.[0] ?? '';
  });
  after(async () => {
    await browser.close();
    await service.stop();
  });

  const open = (path: string, options = {}) => openPage(browser, `${service.readers}/t/${path}`, options);
  const graphOf = (id: string): Promise<ExplanationGraph> =>
    service.graph(`taskIds=${encodeURIComponent(id)}`);

  test('[UI12] graph, waterfall and conversation show the steps of the graph of the API', async () => {
    const { nodes, edges } = await graphOf(taskId);
    assert.ok(nodes.length > 5, 'a recording with something in it');
    const all = nodes.map(({ id }) => id).sort();
    const { page, problems } = await open(`${encodeURIComponent(taskId)}?view=graph`, LARGE);
    await page.getByTestId('graph').waitFor();
    await page.keyboard.press('0');
    await untilPasses(async () => assert.deepEqual(await idsOf(page, 'node'), all));
    assert.ok((await page.getByTestId('edge').count()) > 0, 'there are arrows');
    await page.keyboard.press('2');
    await untilPasses(async () => assert.deepEqual(await idsOf(page, 'waterfall-row'), all));
    await page.keyboard.press('3');
    const holds = new Set(
      edges.filter(({ evidence }) => evidence === 'parentSpanId').map(({ from }) => from),
    );
    const led = new Set(edges.map(({ to }) => to));
    const hasQuery = nodes.some(({ type }) => type === 'USER_QUERY');
    const said = nodes.filter(
      ({ id, type, status, promptSummary }) =>
        type !== 'OTHER' ||
        !holds.has(id) ||
        status === 'ERROR' ||
        (!hasQuery && !led.has(id) && promptSummary !== undefined),
    );
    await untilPasses(async () =>
      assert.deepEqual(await idsOf(page, 'conversation-item'), said.map(({ id }) => id).sort()),
    );
    assert.deepEqual(problems, []);
    await page.context().close();
  });

  test('[UI8] over a hundred live updates no card on the screen moves by a pixel, and the lane of every agent is named', async () => {
    await playTask(service, 'growing');
    const { page, problems } = await open('growing?view=graph', LARGE);
    await page.getByTestId('graph').waitFor();
    const spans = [...SHORT_RUN];
    let compared = 0;
    let before = await placesOf(page);
    for (let index = 1; index <= 100; index += 1) {
      spans.push({
        name: `execute_tool number-${index}`,
        start: 2000 + index * 100,
        end: 2050 + index * (index % 3 === 0 ? 400 : 100),
        parent: index % 5 === 0 ? 2 : 0,
        agent: ['planner', 'forecaster', 'writer'][index % 3] ?? '',
        ...(index % 7 === 0 && { error: `broke at ${index}` }),
        attributes: { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': `number-${index}` },
      });
      await playTask(service, 'growing', spans);
      if (index % 10 === 0) {
        // What came stands to the right of the screen by and by.
        await page.keyboard.press('0');
        await untilPasses(async () => {
          const [one, other] = [
            await placesOf(page),
            await page.waitForTimeout(100).then(() => placesOf(page)),
          ];
          assert.deepEqual(one, other, 'the picture stands still');
          before = one;
        });
        const agents = new Set((await graphOf('growing')).nodes.map(({ agent }) => agent));
        await untilPasses(async () => assert.deepEqual(await laneNames(page), [...agents].sort()));
        continue;
      }
      const now = await placesOf(page);
      for (const [id, place] of Object.entries(before)) {
        if (now[id] === undefined) continue;
        compared += 1;
        assert.equal(now[id], place, `${id} moved with update ${index}`);
      }
      before = now;
    }
    const { nodes } = await graphOf('growing');
    await page.keyboard.press('0');
    await untilPasses(async () =>
      assert.deepEqual(await idsOf(page, 'node'), nodes.map(({ id }) => id).sort()),
    );
    assert.ok(compared > 1000, `only ${compared} places were compared`);
    assert.deepEqual(problems, []);
    await page.context().close();
  });

  test('[UI8] a run that failed is opened where it did, on a phone from its beginning, with a button that leads there', async () => {
    const spans = Array.from({ length: 40 }, (_, index) => ({
      name: `execute_tool number-${index}`,
      start: 2000 + index * 100,
      end: 2050 + index * 100,
      parent: 0,
      agent: 'planner',
      ...(index === 30 && { error: 'broke' }),
    }));
    await playTask(service, 'far-failure', [...SHORT_RUN.slice(0, 2), ...spans]);
    for (const [width, height] of [
      [320, 640],
      [390, 800],
      [1280, 800],
      [3840, 2160],
    ] as const) {
      const { page } = await open('far-failure?view=graph', { viewport: { width, height } });
      const failed = page.locator('[data-testid=node][data-status=ERROR]');
      if (width < 640) {
        await page.locator('[data-testid=node][data-type=USER_QUERY]').waitFor();
        assert.equal(await failed.count(), 0);
        await page.getByTestId('next-error').click();
      }
      await failed.waitFor();
      await page.waitForTimeout(600);
      const box = await failed.boundingBox();
      const names = await page.locator('.lane-name').first().boundingBox();
      assert.ok(box && names);
      assert.ok(
        box.x >= names.x + names.width && box.x + box.width <= width,
        `it stands at ${box.x} to ${box.x + box.width} of ${width}, beside names of ${names.width}`,
      );
      const graph = await page.getByTestId('graph').boundingBox();
      assert.ok(graph && graph.y < 200, `the picture begins at ${graph?.y} of ${height}`);
      assert.ok(box.y + box.height <= graph.y + graph.height, 'the panel covers nothing of it');
      await page.context().close();
    }
  });

  test('[UI8] Fit cuts the name of no lane', async () => {
    const agents = ['ReasoningAgent', 'reflexion_adapter', 'planner'];
    const steps = Array.from({ length: 30 }, (_, index) => ({
      name: `execute_tool number-${index}`,
      start: 2000 + index * 100,
      end: 2050 + index * 100,
      parent: 0,
      agent: agents[index % 3] ?? '',
    }));
    await playTask(service, 'fitted', [...SHORT_RUN.slice(0, 1), ...steps]);
    for (const width of [390, 1280, 1800]) {
      const { page } = await open('fitted?view=graph', { viewport: { width, height: 800 } });
      await page.locator('[data-testid=graph] .step-card').first().waitFor();
      await page.keyboard.press('0');
      await untilPasses(async () => assert.equal(await page.getByTestId('node').count(), 31));
      const cut =
        await page.evaluate(`[...document.querySelectorAll('.lane.base .lane-name')].flatMap((name) => {
        const [lane, text] = [name.getBoundingClientRect(), name.firstChild.getBoundingClientRect()];
        const fits = text.top >= lane.top - 1 && text.bottom <= lane.bottom + 1 && name.firstChild.scrollWidth <= name.clientWidth;
        return fits ? [] : [name.textContent];
      })`);
      assert.deepEqual(cut, [], `at ${width} px`);
      await page.context().close();
    }
  });

  test('[UI8] a small run is opened whole, from its first step on', async () => {
    await playTask(service, 'small');
    const { nodes } = await graphOf('small');
    const { page } = await open('small?view=graph', { viewport: { width: 1280, height: 800 } });
    const cards = page.locator('[data-testid=graph] .step-card');
    await cards.first().waitFor();
    assert.equal(await page.getByTestId('node').count(), nodes.length);
    const names = await page.locator('.lane-name').first().boundingBox();
    for (const card of await cards.all()) {
      const box = await card.boundingBox();
      assert.ok(
        box && names && box.x >= names.width && box.x + box.width <= 1280,
        `a card stands at ${box?.x}`,
      );
    }
    await page.context().close();
  });

  test('[UI8] on a phone a small run is opened at its first step, and one under way at its newest, uncut', async () => {
    const [root, ...steps] = SHORT_RUN;
    assert.ok(root);
    await playTask(service, 'small-on-phone');
    const before = Array.from({ length: 12 }, (_, index) => ({
      name: `execute_tool number-${index}`,
      start: 2000 + index * 100,
      end: 2050 + index * 100,
      parent: 0,
      agent: 'planner',
    }));
    const now = { name: 'execute_tool now', start: 4000, parent: 0, agent: 'planner' };
    await playTask(service, 'under-way', [{ ...root, end: undefined }, ...steps, ...before, now]);
    for (const [task, what] of [
      ['small-on-phone', ({ type }) => type === 'USER_QUERY'],
      ['under-way', ({ name }) => name === now.name],
    ] as const satisfies [string, (node: ExplanationNode) => boolean][]) {
      const id = (await graphOf(task)).nodes.find(what)?.id;
      const { page } = await open(`${task}?view=graph`, { viewport: { width: 375, height: 812 } });
      const card = page.locator(`[data-testid=node][data-node-id="${id}"]`);
      await untilPasses(async () => {
        const box = await card.boundingBox({ timeout: 1000 });
        const names = await page.locator('.lane-name').first().boundingBox();
        assert.ok(box && names);
        assert.ok(
          box.x >= names.x + names.width && box.x + box.width <= 375,
          `${id} of ${task} stands at ${box.x} to ${box.x + box.width}, beside names of ${names.width}`,
        );
      });
      await page.context().close();
    }
  });

  test('[UI12] a conversation begins with what was asked, also where only the outermost step tells', async () => {
    const asked = { 'prompt.summary': 'Write a README' };
    const [root, ...others] = SHORT_RUN.filter(({ name }) => !name.startsWith('chat'));
    assert.ok(root);
    await playTask(service, 'asked', [{ ...root, attributes: asked }, ...others]);
    const { page, problems } = await open('asked?view=talk');
    const items = page.getByTestId('conversation-item');
    await items.first().getByText('Write a README').waitFor();
    assert.equal(await items.count(), 2);
    assert.deepEqual(problems, []);
    await page.context().close();
  });

  test('[UI5] views are used by keys alone', async () => {
    await playTask(service, 'keys');
    const { page, problems } = await open('keys?view=graph');
    await page.locator('[data-testid=graph] [data-node-id][tabindex="0"]').focus();
    const first = await focused(page);
    await page.keyboard.press('ArrowRight');
    await untilPasses(async () => assert.notEqual(await focused(page), first));
    const second = await focused(page);
    await page.keyboard.press('Enter');
    await page.locator(`[data-testid=panel][data-node-id="${second}"]`).waitFor();
    await page.keyboard.press('Escape');
    await page.getByTestId('panel').waitFor({ state: 'detached' });
    await page.keyboard.press('f');
    assert.equal(await page.getByTestId('follow-live').getAttribute('aria-pressed'), 'true');
    await page.keyboard.press('e');
    await page.locator('[data-testid=panel]').waitFor();
    assert.equal(await page.getByTestId('follow-live').getAttribute('aria-pressed'), 'false');
    await page.keyboard.press('2');
    await page.locator('[data-testid=waterfall-row][tabindex="0"]').focus();
    await page.keyboard.press('Home');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    const row = await focused(page);
    await page.locator(`[data-testid=panel][data-node-id="${row}"]`).waitFor();
    assert.deepEqual(problems, []);
    await page.context().close();
  });

  test('[UI3] hostile texts are shown as text in every view', async () => {
    await playTask(service, 'hostile', [
      ...SHORT_RUN,
      { name: HOSTILE, start: 1600, end: 1700, parent: 0, agent: HOSTILE, error: HOSTILE },
    ]);
    const { page, problems } = await open('hostile?view=graph');
    for (const [key, item] of [
      ['1', 'node'],
      ['2', 'waterfall-row'],
      ['3', 'conversation-item'],
    ] as const) {
      await page.keyboard.press(key);
      await page.getByTestId(item).filter({ hasText: '<img src=x' }).first().waitFor();
    }
    assert.equal(await page.evaluate('window.hacked'), undefined);
    assert.deepEqual(problems, []);
    await page.context().close();
  });

  test('[UI5] axe finds nothing serious in any view, light and dark', async () => {
    for (const colorScheme of ['light', 'dark'] as const) {
      for (const view of ['graph', 'waterfall', 'talk']) {
        const { page } = await open(`${encodeURIComponent(taskId)}?view=${view}`, { colorScheme });
        await page.locator('[data-node-id]').first().waitFor();
        await page.waitForTimeout(500);
        await assertAccessible(page, `${view} ${colorScheme}`);
        await page.context().close();
      }
    }
  });
});

async function idsOf(page: Page, testId: string): Promise<readonly string[]> {
  return (await page.evaluate(
    `[...document.querySelectorAll('[data-testid=${testId}]')].map(({ dataset }) => dataset.nodeId).sort()`,
  )) as string[];
}

/** Where every card is on the screen, by id. */
async function placesOf(page: Page): Promise<Record<string, string>> {
  return (await page.evaluate(`Object.fromEntries([...document.querySelectorAll('[data-testid=node]')].map((card) => {
    const { x, y, width, height } = card.getBoundingClientRect();
    return [card.dataset.nodeId, [x, y, width, height].join(' ')];
  }))`)) as Record<string, string>;
}

/** The names of lanes as they stand at the left. */
async function laneNames(page: Page): Promise<readonly string[]> {
  return (await page.evaluate(
    `[...document.querySelectorAll('.lane.base .lane-name')].map(({ textContent }) => textContent).sort()`,
  )) as string[];
}

async function focused(page: Page): Promise<string> {
  return (await page.evaluate('document.activeElement?.dataset.nodeId ?? ""')) as string;
}
