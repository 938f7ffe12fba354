import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { RealService, temporaryFolder } from '../e2e/real-service.ts';
import { startBrowser } from './browser.ts';
import { openPage } from './open-page.ts';
import { playTask, type PlayedSpan } from './play.ts';

const AT = '2026-03-02T09:00:00.000Z';
/** All at one time; each depends on the one before it, and by type and id the order would be another. */
const LABELS = ['policy.snapshot', 'tool_call', 'context.preamble', 'assistant_call', 'user_message'];

describe('a session of ThoughtFlow as a conversation, in a browser', () => {
  let browser: Browser;
  let service: RealService;
  before(async () => {
    browser = await startBrowser();
    service = await RealService.start({ dataDir: await temporaryFolder() });
    const steps = LABELS.map((label, n) => ({
      step_id: `z${9 - n}`,
      label,
      started_at: AT,
      ended_at: AT,
      payload_started: { text: `says ${n}` },
      ...(n > 0 && { depends_on: `z${10 - n}` }),
    }));
    const body = JSON.stringify({ session_id: 'flow', conversations: [{ conversation_id: 'c', steps }] });
    const answer = await fetch(`${service.readers}/thoughtflow`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
    assert.equal(answer.status, 202);
  });
  after(async () => {
    await browser.close();
    await service.stop();
  });

  test('[UI12] steps of one time stand in the order of their causes, with their labels', async () => {
    const { page, problems } = await openPage(browser, `${service.readers}/t/flow?view=talk`);
    const items = page.getByTestId('conversation-item');
    await items.nth(LABELS.length - 1).waitFor();
    const types = await items.evaluateAll((all) => all.map((item) => item.getAttribute('data-type')));
    assert.deepEqual(types, ['OTHER', 'TOOL_CALL', 'OTHER', 'LLM_CALL', 'USER_QUERY']);
    const texts = await items.allInnerTexts();
    assert.match(texts[0] ?? '', /policy\.snapshot/);
    assert.match(texts[2] ?? '', /context\.preamble/);
    const shot = process.env['UI_SHOT'];
    if (shot !== undefined) await page.screenshot({ path: shot });
    assert.deepEqual(problems, []);
    await page.context().close();
  });

  test('[UI12] what went wrong is to be read also where it stands last in a long trace, and not twice where it stands first; [UI20] what is inside a step is listed in order', async () => {
    const frames = '  File "run.py", line 3, in run\n'.repeat(40);
    const failed = (nth: number, stack: string): PlayedSpan => ({
      name: `execute_tool read ${nth}`,
      start: nth * 100,
      end: nth * 100 + 50,
      parent: 0,
      error: 'ValueError: no digits',
      attributes: {
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.name': 'read',
        'gen_ai.tool.call.arguments': `{"page":"p${nth}"}`,
        'exception.stacktrace': stack,
      },
    });
    await playTask(service, 'traced', [
      { name: 'run', start: 0, end: 900 },
      failed(3, `ValueError: no digits\n${frames}`),
      failed(1, `Traceback (most recent call last):\n${frames}ValueError: no digits\n`),
      failed(2, 'Traceback (most recent call last):\nValueError: no digits\n'),
    ]);
    const { page, problems } = await openPage(browser, `${service.readers}/t/traced?view=talk`);
    const items = page.getByTestId('conversation-item');
    const traces = page.locator('.said-error');
    await traces.nth(2).waitFor();
    const tools = (await items.allInnerTexts()).filter((text) => /ValueError|Traceback/.test(text));
    assert.deepEqual(
      tools.map((text) => text.split('ValueError: no digits').length - 1),
      [1, 1, 1],
    );
    await items.first().getByRole('button').first().click();
    await page.getByTestId('panel').getByText('Part of').locator('..').getByRole('button').click();
    const inside = page.getByTestId('panel').getByText('Contains').locator('..').getByRole('listitem');
    await inside.nth(2).waitFor();
    assert.deepEqual(
      (await inside.allInnerTexts()).map((text) => /p\d/.exec(text)?.[0]),
      ['p1', 'p2', 'p3'],
    );
    assert.deepEqual(problems, []);
    await page.context().close();
  });
});
