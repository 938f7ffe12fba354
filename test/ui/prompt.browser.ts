import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { RealService, temporaryFolder } from '../e2e/real-service.ts';
import { assertAccessible } from './axe.ts';
import { startBrowser } from './browser.ts';
import { openPage } from './open-page.ts';
import { playTask } from './play.ts';

function message(role: string, content: string): object {
  return { role, parts: [{ type: 'text', content }] };
}

describe('what a prompt was made of, in a browser', () => {
  let browser: Browser;
  let service: RealService;
  before(async () => {
    browser = await startBrowser();
    service = await RealService.start({ dataDir: await temporaryFolder() });
    await playTask(service, 'bill', [
      { name: 'invoke_agent support', start: 0, end: 900, agent: 'support' },
      {
        name: 'chat small',
        start: 100,
        end: 800,
        parent: 0,
        agent: 'support',
        attributes: {
          'gen_ai.operation.name': 'chat',
          'gen_ai.request.model': 'gpt-4o',
          'gen_ai.system_instructions': JSON.stringify([{ type: 'text', content: 'Answer about bills.' }]),
          'gen_ai.input.messages': JSON.stringify([
            message('user', 'Hello'),
            message('assistant', 'What can I do?'),
            message('user', 'Why is my bill so high?'),
          ]),
          'gen_ai.output.messages': JSON.stringify([message('assistant', 'You called abroad.')]),
          'explain.adaptations': '["support.tone@2","safety@1"]',
        },
      },
    ]);
  });
  after(async () => {
    await browser.close();
    await service.stop();
  });

  test('[UI23] each part of a prompt stands with where it came from, and adaptations by name', async () => {
    const { nodes } = await service.graph('taskIds=bill');
    const call = nodes.find(({ type }) => type === 'LLM_CALL');
    const { page, problems } = await openPage(
      browser,
      `${service.readers}/t/bill?view=graph&sel=${encodeURIComponent(call?.id ?? '')}`,
    );
    const panel = page.getByTestId('panel');
    await panel.getByRole('tab', { name: 'Prompt' }).press('Enter');
    await panel.getByTestId('prompt').waitFor();
    const parts = await panel.getByTestId('prompt-part').allInnerTexts();
    const plain = parts.map((part) => part.replaceAll(/\s+/g, ' '));
    assert.equal(plain.length, 4, plain.join('\n'));
    assert.match(plain[0] ?? '', /^system from gen_ai\.system_instructions.*Answer about bills\.$/);
    assert.match(plain[1] ?? '', /^history as user, from gen_ai\.input\.messages, no\. 1 Hello$/);
    assert.match(
      plain[3] ?? '',
      /^user as user, from gen_ai\.input\.messages, no\. 3 Why is my bill so high\?$/,
    );
    assert.match(await panel.getByTestId('prompt').innerText(), /Adapted by\s+support\.tone@2\s*safety@1/);
    await assertAccessible(page, 'the parts of a prompt');
    const shot = process.env['UI_SHOT'];
    if (shot !== undefined) await page.screenshot({ path: shot });
    assert.deepEqual(problems, []);
    await page.context().close();
  });
});
