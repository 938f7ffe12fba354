import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import type { ExplanationNode } from '../../src/model/node.ts';
import { RealService, temporaryFolder } from '../e2e/real-service.ts';
import { untilPasses } from '../support/until.ts';
import { assertAccessible } from './axe.ts';
import { startBrowser } from './browser.ts';
import { openPage } from './open-page.ts';
import { SHORT_RUN, playTask, sendSpans, type PlayedSpan } from './play.ts';

/** A question with private data, two agents, a cost, a failure, and a tool that takes most of the time. */
const TRIP: readonly PlayedSpan[] = [
  { name: 'invoke_agent planner', start: 0, end: 9000, agent: 'planner' },
  call(
    'planner',
    100,
    900,
    'Plan a trip for jane.doe@example.com',
    'I ask get_weather for {"city":"Atlantis"}.',
    900,
  ),
  tool('get_weather', 1000, 1400, { parent: 0, error: 'no such city: Atlantis' }),
  call('planner', 1500, 2000, 'The tool failed', 'I take Lisbon.', 20),
  tool('book_room', 2100, 8800, { parent: 0, agent: 'booker' }),
];

function call(
  agent: string,
  start: number,
  end: number,
  asked: string,
  said: string,
  out: number,
): PlayedSpan {
  const message = (role: string, content: string) =>
    JSON.stringify([{ role, parts: [{ type: 'text', content }] }]);
  return {
    name: 'chat small',
    start,
    end,
    parent: 0,
    agent,
    attributes: {
      'gen_ai.operation.name': 'chat',
      'gen_ai.request.model': 'gpt-4o',
      'gen_ai.usage.input_tokens': 100,
      'gen_ai.usage.output_tokens': out,
      'gen_ai.input.messages': message('user', asked),
      'gen_ai.output.messages': message('assistant', said),
    },
  };
}

function tool(name: string, start: number, end: number, more: Partial<PlayedSpan>): PlayedSpan {
  const attributes = {
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': name,
    'gen_ai.tool.call.arguments': '{"city":"Atlantis"}',
  };
  return { name: `execute_tool ${name}`, start, end, agent: 'planner', attributes, ...more };
}

describe('the steps of a run in a browser', () => {
  let browser: Browser;
  let service: RealService;
  before(async () => {
    browser = await startBrowser();
    service = await RealService.start({ dataDir: await temporaryFolder() });
    await playTask(service, 'trip', TRIP);
  });
  after(async () => {
    await browser.close();
    await service.stop();
  });

  const open = (path: string, options: BrowserContextOptions = {}) =>
    openPage(browser, `${service.readers}/t/${path}`, options);
  const stepOf = async (words: string): Promise<ExplanationNode> => {
    const { nodes } = await service.graph('taskIds=trip');
    const found = nodes.find(({ name, title }) => `${name} ${title}`.includes(words));
    assert.ok(found, words);
    return found;
  };
  const ask = async (page: Page, words: string): Promise<void> => {
    await page.keyboard.press('Control+k');
    await page.getByTestId('palette').waitFor();
    await page.keyboard.type(words);
    await page.keyboard.press('Enter');
    await page.getByTestId('palette').waitFor({ state: 'detached' });
  };

  test('[UI20] the panel tells of a step what was said, what it cost, what led to it and where from, and gives it away', async () => {
    const { id } = await stepOf('execute_tool get_weather');
    const { page, problems } = await open(`trip?view=graph&sel=${encodeURIComponent(id)}`);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    const panel = page.getByTestId('panel');
    await panel.getByText('no such city: Atlantis').first().waitFor();
    await panel.getByRole('tab', { name: 'Texts' }).press('Enter');
    await panel.getByText('{"city":"Atlantis"}').waitFor();
    await panel.getByRole('tab', { name: 'Raw' }).press('Enter');
    await panel.getByText('gen_ai.tool.name').waitFor();
    await panel.getByRole('tab', { name: 'Summary' }).press('Enter');
    await panel.getByRole('button', { name: 'Copy JSON' }).press('Enter');
    await untilPasses(async () => {
      const copied = (await page.evaluate('navigator.clipboard.readText()')) as string;
      assert.equal((JSON.parse(copied) as { node: ExplanationNode }).node.id, id);
    });
    await assertAccessible(page, 'the panel');
    const cause = panel.locator('section').filter({ hasText: 'Part of' }).getByRole('button');
    assert.equal(await panel.getByText('Caused by').count(), 0, 'what holds a step is no cause');
    const words = await cause.locator('span[dir=auto]').innerText();
    await cause.press('Enter');
    await panel.getByRole('heading', { level: 2, name: words }).waitFor();
    assert.notEqual(new URL(page.url()).searchParams.get('sel'), id);
    await page.goto(page.url());
    await panel.getByRole('heading', { level: 2, name: words }).waitFor();
    const { id: costly } = await stepOf('I ask get_weather');
    await page.goto(`${service.readers}/t/trip?sel=${encodeURIComponent(costly)}`);
    await panel.getByText('gpt-4o').first().waitFor();
    assert.match(await panel.locator('.figures').innerText(), /Cost\s+\$0\.\d+ \(\w+\)/);
    assert.deepEqual(problems, []);
    await page.context().close();
  });

  test('[UI20] questions from the palette are answered by keys alone, in words and on the view', async () => {
    const { page, problems } = await open('trip?view=graph');
    await page.getByTestId('graph').waitFor();
    const answer = page.getByTestId('answer');
    await ask(page, 'slowest path');
    await answer.getByText('book_room').waitFor();
    await page.keyboard.press('2');
    const slowest = page.locator('[data-testid=waterfall-row].critical');
    await untilPasses(async () =>
      assert.match((await slowest.allInnerTexts()).join(), /planner.*book_room/s),
    );
    assert.doesNotMatch((await slowest.allInnerTexts()).join(), /get_weather/);
    await ask(page, 'cost spikes');
    await answer
      .getByText(/far above/)
      .first()
      .waitFor();
    await page.keyboard.press('Escape');
    await answer.waitFor({ state: 'detached' });
    await ask(page, 'what did booker do');
    await page.locator('[data-testid=filter-chip][data-filter=agentNames]').waitFor();
    const ofBooker = await service.graph('taskIds=trip&agentNames=booker');
    await untilPasses(async () =>
      assert.equal(await page.getByTestId('waterfall-row').count(), ofBooker.nodes.length),
    );
    const chips = page.getByTestId('filter-chip');
    await page.goBack();
    await chips.waitFor({ state: 'detached' });
    await ask(page, 'only errors');
    // Rows alone do not tell whether the question was taken: another filter may show as many.
    await page.locator('[data-testid=filter-chip][data-filter=status]').waitFor();
    const failed = await service.graph('taskIds=trip&status=ERROR');
    await untilPasses(async () =>
      assert.equal(await page.getByTestId('waterfall-row').count(), failed.nodes.length),
    );
    await page.goBack();
    await chips.waitFor({ state: 'detached' });
    await page.keyboard.press('1');
    await page.keyboard.press('w');
    await page.getByTestId('why-candidate').first().waitFor();
    assert.ok((await page.locator('[data-testid=edge].lit').count()) > 0, 'the way back is marked');
    assert.ok((await page.locator('[data-testid=node].dimmed').count()) > 0, 'all else is dimmed');
    await page.locator('.by-evidence').first().waitFor();
    await assertAccessible(page, 'an answer beside the graph');
    assert.deepEqual(problems, []);
    await page.context().close();
  });

  test('[UI20] a step that is chosen in one view is chosen in the others; what was hidden is a chip in what was said', async () => {
    const { id } = await stepOf('book_room');
    const { page, problems } = await open('trip?view=waterfall');
    await page.locator(`[data-testid=waterfall-row][data-node-id="${id}"]`).click();
    await page.keyboard.press('1');
    await page.locator(`[data-testid=graph] [data-node-id="${id}"][aria-pressed=true]`).waitFor();
    await page.keyboard.press('4');
    await page.locator(`tr[data-node-id="${id}"][aria-selected=true]`).waitFor();
    await page.keyboard.press('3');
    await page.locator(`[data-testid=conversation-item][data-node-id="${id}"][aria-current=true]`).waitFor();
    const talk = page.getByRole('region', { name: 'Conversation' });
    await talk.locator('.marker').filter({ hasText: 'EMAIL' }).first().waitFor();
    assert.doesNotMatch(await talk.innerText(), /jane\.doe/);
    assert.deepEqual(problems, []);
    await page.context().close();
  });

  test('[UI8] in every view e leads to the next step that failed, and brings it onto the screen', async () => {
    const steps = Array.from({ length: 60 }, (_, index) =>
      tool(`number_${index}`, 1000 + index * 100, 1050 + index * 100, {
        parent: 0,
        ...((index === 40 || index === 55) && { error: `broke at ${index}` }),
      }),
    );
    await playTask(service, 'breaks', [...TRIP.slice(0, 2), ...steps]);
    for (const view of ['waterfall', 'talk', 'table', 'graph']) {
      const { page } = await open(`breaks?view=${view}`);
      await page
        .locator('main')
        .getByText(/number_/)
        .filter({ visible: true })
        .first()
        .waitFor();
      for (const failure of ['broke at 40', 'broke at 55', 'broke at 40']) {
        await page.keyboard.press('e');
        await page.getByTestId('panel').getByText(failure).first().waitFor();
        const shown = page
          .locator('main')
          .getByText(/number_(?:40|55)/)
          .filter({ visible: true });
        await untilPasses(async () => {
          const boxes = await Promise.all(
            (await shown.all()).map((one) => one.boundingBox({ timeout: 500 })),
          );
          assert.ok(
            boxes.some((box) => box && box.y > 0 && box.y + box.height < 900),
            `${view}: ${failure}`,
          );
        });
      }
      await page.context().close();
    }
  });

  test('[UI8] a query that comes when its run ends is a new step, to which the button leads', async () => {
    await sendSpans(service.otlpHttp, 'asked-late', SHORT_RUN, [1]);
    await service.flush();
    const { page } = await open('asked-late?view=graph');
    const call = page.locator('[data-testid=node][data-type=LLM_CALL]');
    await call.waitFor();
    const before = await call.boundingBox();
    await sendSpans(service.otlpHttp, 'asked-late', SHORT_RUN, [0, 2]);
    const button = page.getByTestId('new-steps');
    await button.filter({ hasText: '1 new step' }).waitFor();
    assert.deepEqual(await call.boundingBox(), before);
    await button.click();
    const query = page.locator('[data-testid=node][data-type=USER_QUERY]');
    await query.waitFor();
    await button.waitFor({ state: 'detached' });
    const [asked, answered] = [await query.boundingBox(), await call.boundingBox()];
    assert.ok(asked && answered && asked.x + asked.width < answered.x, 'it stands before what it led to');
    assert.equal(asked.y, answered.y, 'in the lane of its agent');
    await page.context().close();
  });

  test('[UI20] why of a run in which nothing failed is answered: with its warning, or that there is none', async () => {
    await playTask(service, 'well', SHORT_RUN.slice(0, 2));
    const { page, problems } = await open('well?view=graph');
    await page.locator('[data-testid=graph] .step-card').first().waitFor();
    await page.keyboard.press('w');
    await page.getByText('No step that is shown failed.').waitFor();
    await page.keyboard.press('w');
    await page.goBack();
    await page.getByText('No step that is shown failed.').waitFor({ state: 'detached' });
    const event = {
      agent: 'guard',
      taskId: 'warned',
      requestId: 'r',
      eventType: 'GuardFired',
      component: 'guard',
    };
    const response = await fetch(`${service.readers}/api/events`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        ...event,
        timestamp: Date.now(),
        payload: { taskId: 'warned', status: 'WARNING', summary: 'six times' },
      }),
    });
    assert.ok(response.ok, await response.text());
    await service.flush();
    const [warned] = (await service.graph('taskIds=warned')).nodes;
    assert.equal(warned?.status, 'WARNING');
    await page.goto(`${service.readers}/t/warned?view=graph&ask=why`);
    await page.waitForURL(({ searchParams }) => searchParams.get('why') === warned.id);
    await page.getByTestId('why').getByText('What led to').waitFor();
    assert.deepEqual(problems, []);
    await page.context().close();
  });

  test('[UI20] further out cards are letters; cost and time colour them; Tidy is done and undone by keys', async () => {
    const { page, problems } = await open('trip?view=graph');
    const cards = page.locator('[data-testid=graph] .step-card');
    await cards.first().waitFor();
    await page.getByLabel('Colour by').selectOption('time');
    await page.locator('.step-card.heat-5').filter({ hasText: 'book_room' }).waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('2');
    const hottest = page.getByTestId('waterfall-row').filter({ has: page.locator('.heat-5') });
    await hottest.filter({ hasText: 'book_room' }).waitFor();
    await page.keyboard.press('1');
    await cards.first().waitFor();
    const placesOf = async (): Promise<unknown> =>
      page.evaluate(
        `[...document.querySelectorAll('.react-flow__node')].map(({ style, dataset }) => [dataset.id, style.transform])`,
      );
    const before = await placesOf();
    const worker = page.waitForEvent('worker');
    await page.keyboard.press('t');
    assert.match((await worker).url(), /tidy\.worker/);
    await page.getByRole('button', { name: 'Undo' }).waitFor();
    await page.keyboard.press('z');
    await page.getByRole('button', { name: 'Undo' }).waitFor({ state: 'detached' });
    assert.deepEqual(await placesOf(), before);
    for (let press = 0; press < 6; press += 1) await page.keyboard.press('-');
    await page.locator('.step-card.far').first().waitFor();
    assert.match((await cards.first().getAttribute('aria-label')) ?? '', /planner/);
    assert.deepEqual(problems, []);
    await page.context().close();
  });

  test('[UI8] a Tidy that is not done in two seconds is given up: all stays where it is, and that is said', async () => {
    const { page, problems } = await open('trip?view=graph', { serviceWorkers: 'block' });
    await page.route(/tidy\.worker/, () => new Promise(() => undefined));
    const cards = page.locator('[data-testid=graph] .step-card');
    await cards.first().waitFor();
    const before = await cards.first().boundingBox();
    await page.keyboard.press('t');
    await page.getByText('Tidy took too long').waitFor();
    assert.deepEqual(await cards.first().boundingBox(), before);
    assert.equal(await page.getByRole('button', { name: 'Undo' }).count(), 0);
    assert.deepEqual(
      problems.filter((problem) => !problem.includes('Service Worker')),
      [],
    );
    await page.context().close();
  });

  test('[UI20] what runs pulses, unless motion is unwelcome; following ends with the first gesture', async () => {
    await playTask(service, 'under-way', SHORT_RUN.slice(1, 2));
    await announce('under-way', 'execute_tool slow_tool', 'planner');
    for (const reducedMotion of ['no-preference', 'reduce'] as const) {
      const { page, problems } = await open('under-way?view=graph', { reducedMotion });
      await page.locator('.step-card.running').first().waitFor();
      const times = await styleOf(page, '.step-card.running', 'animationIterationCount');
      assert.equal(times, reducedMotion === 'reduce' ? '1' : 'infinite');
      const follow = page.getByTestId('follow-live');
      assert.equal(await follow.getAttribute('aria-pressed'), 'true', 'what runs is followed');
      await page.mouse.move(700, 600);
      await page.mouse.wheel(40, 0);
      await page.locator('[data-testid=follow-live][aria-pressed=false]').waitFor();
      assert.deepEqual(problems, []);
      await page.context().close();
    }
  });

  test('[UI20] edges over hidden steps are dashed, and every edge says what it is known by', async () => {
    const failed = { error: 'it broke' };
    await playTask(service, 'bridged', [
      tool('outer', 0, 3000, failed),
      tool('hidden', 100, 2000, { parent: 0 }),
      tool('inner', 200, 1000, { ...failed, parent: 1 }),
    ]);
    const { page, problems } = await open('bridged?view=graph&status=ERROR');
    const bridged = page.locator('[data-testid=edge].bridged');
    await bridged.waitFor();
    assert.match(
      (await bridged.locator('title').textContent()) ?? '',
      /known by \w+\nsteps between are hidden/,
    );
    const dashes = await styleOf(page, '.cause.bridged path', 'strokeDasharray');
    assert.notEqual(dashes, 'none');
    assert.deepEqual(problems, []);
    await page.context().close();
  });

  async function announce(task: string, name: string, agent: string): Promise<void> {
    const attribute = (key: string, stringValue: string) => ({ key, value: { stringValue } });
    const record = {
      traceId: createHash('sha256').update(task).digest('hex').slice(0, 32),
      spanId: 'f'.repeat(16),
      timeUnixNano: `${Date.parse('2026-03-01T10:00:02Z')}000000`,
      attributes: [
        attribute('event.name', 'span.start'),
        attribute('span.name', name),
        attribute('span.start_time_unix_nano', `${Date.parse('2026-03-01T10:00:02Z')}000000`),
        attribute('span.attributes.task.id', task),
        attribute('span.attributes.gen_ai.agent.name', agent),
        attribute('span.attributes.gen_ai.operation.name', 'execute_tool'),
        attribute('span.attributes.gen_ai.tool.name', 'slow_tool'),
      ],
    };
    const response = await fetch(`${service.otlpHttp}/v1/logs`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        resourceLogs: [{ resource: { attributes: [] }, scopeLogs: [{ logRecords: [record] }] }],
      }),
    });
    assert.equal(response.status, 200);
    await service.flush();
  }
});

async function styleOf(page: Page, selector: string, property: string): Promise<string> {
  return String(await page.evaluate(`getComputedStyle(document.querySelector('${selector}')).${property}`));
}
