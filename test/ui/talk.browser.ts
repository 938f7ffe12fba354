import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { RealService, temporaryFolder } from '../e2e/real-service.ts';
import { startBrowser } from './browser.ts';
import { openPage } from './open-page.ts';

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
});
