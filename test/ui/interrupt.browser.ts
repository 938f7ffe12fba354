import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { Party } from '../e2e/parties.ts';
import { RealService, temporaryFolder } from '../e2e/real-service.ts';
import { waitOverWebSocket } from '../support/control-agent.ts';
import { startExampleAgent } from '../support/example-agent.ts';
import { until } from '../support/until.ts';
import { assertAccessible } from './axe.ts';
import { startBrowser } from './browser.ts';
import { openPage } from './open-page.ts';

describe('interrupts in a browser', () => {
  let browser: Browser;
  let service: RealService;
  let party: Party;
  const thought = { requestId: 'r1', taskId: 'T1', agent: 'CoderAgent', text: 'I go on.' };
  before(async () => {
    browser = await startBrowser();
    service = await RealService.start({ dataDir: await temporaryFolder() });
    party = new Party(service.readers, '');
    await party.send('/api/cot', { ...thought, timestamp: Date.now() });
  });
  after(async () => {
    await browser.close();
    await service.stop();
  });

  test('[IR20] the panel of a running step asks its agent to stop, and shows what it answers; the graph shows both', async () => {
    const agent = await waitOverWebSocket(service.readers, 'agent=CoderAgent');
    const { page, problems } = await openPage(browser, `${service.readers}/t/T1?sel=req%3Ar1`);
    const panel = page.getByTestId('panel');
    await panel.getByRole('button', { name: 'Interrupt …' }).click();
    await panel.getByLabel('Reason').selectOption('redirect');
    await panel.getByLabel('Message').fill('look at the parser');
    await assertAccessible(page, 'the form');
    await panel.getByRole('button', { name: 'Ask it to stop' }).click();
    const [told] = await agent.interrupts(1);
    assert.deepEqual([told?.reason, told?.message], ['redirect', 'look at the parser']);
    await panel.getByText('CoderAgent was told (control) …').waitFor();
    agent.send({ id: told?.id, status: 'stopping', message: 'at once' });
    await party.send('/api/cot', { ...thought, timestamp: Date.now(), final: true });
    await panel.getByText('CoderAgent stopping — at once').waitFor();
    await panel.getByText('UserInterrupt: redirect: look at the parser').waitFor();
    assert.deepEqual(problems, []);
    await page.context().close();
    agent.close();
  });

  test('[IR17] the example agent is stopped by the page, and the graph shows who asked and what it answered', async () => {
    const agent = startExampleAgent([process.execPath, 'agent.js'], service.readers);
    await agent.prints(/^count-\d+ runs$/m);
    const task = /^count-\d+/m.exec(agent.printed())?.[0] ?? '';
    await until('it thinks', async () => (await party.get(`/api/nodes/req:${task}`)).status === 200);
    const { page } = await openPage(browser, `${service.readers}/t/${task}?sel=req%3A${task}`);
    const panel = page.getByTestId('panel');
    await panel.getByRole('button', { name: 'Interrupt …' }).click();
    await panel.getByRole('button', { name: 'Ask it to stop' }).click();
    await panel.getByText('CounterAgent stopping — after this number').waitFor();
    assert.equal(await agent.exit, 0, agent.printed());
    assert.match(agent.printed(), /asked to stop by .*: user_request\nstopped\n$/);
    await panel.getByText('UserInterrupt: user_request').waitFor();
    await page.context().close();
    agent.kill();
  });

  test('[IR20] an agent that goes on is asked again, by keyboard alone; nothing is asked twice meanwhile', async () => {
    await party.send('/api/cot', { ...thought, requestId: 'r3', taskId: 'T3', timestamp: Date.now() });
    const agent = await waitOverWebSocket(service.readers, 'taskId=T3');
    const { page, problems } = await openPage(browser, `${service.readers}/t/T3?sel=req%3Ar3`);
    const panel = page.getByTestId('panel');
    const button = panel.getByRole('button', { name: 'Interrupt …' });
    for (const [index, message] of ['not now', 'still not'].entries()) {
      await button.press('Enter');
      // The form has the focus.
      await page.keyboard.press('Tab');
      await page.keyboard.type('enough');
      await page.keyboard.press('Enter');
      await panel.getByText('CoderAgent was told (control) …').waitFor();
      assert.equal(await button.count(), 0, 'it is asked already');
      const told = (await agent.interrupts(index + 1))[index];
      assert.equal(told?.message, 'enough');
      agent.send({ id: told?.id, status: 'continuing', message });
      await panel.getByText(`CoderAgent continuing — ${message}`).waitFor();
    }
    await button.waitFor();
    assert.deepEqual(problems, []);
    await page.context().close();
    agent.close();
  });

  test('[IR20] a step that has ended has no button', async () => {
    await party.send('/api/cot', {
      ...thought,
      requestId: 'r2',
      taskId: 'T2',
      final: true,
      timestamp: Date.now(),
    });
    const { page, problems } = await openPage(browser, `${service.readers}/t/T2?sel=req%3Ar2`);
    await page.getByTestId('panel').getByRole('button', { name: 'Why?' }).waitFor();
    assert.equal(await page.getByRole('button', { name: 'Interrupt …' }).count(), 0);
    assert.deepEqual(problems, []);
    await page.context().close();
  });
});
