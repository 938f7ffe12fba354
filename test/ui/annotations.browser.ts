import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser } from 'playwright-core';
import type { ApprovalState } from '../../src/model/approval.ts';
import { Party } from '../e2e/parties.ts';
import { RealService, temporaryFolder } from '../e2e/real-service.ts';
import { assertAccessible } from './axe.ts';
import { startBrowser } from './browser.ts';
import { openPage } from './open-page.ts';

describe('annotations in a browser', () => {
  let browser: Browser;
  let service: RealService;
  let party: Party;
  before(async () => {
    browser = await startBrowser();
    service = await RealService.start({ dataDir: await temporaryFolder() });
    party = new Party(service.readers, '');
    await party.send('/api/cot', {
      requestId: 'r1',
      taskId: 'T1',
      agent: 'CoderAgent',
      text: 'I deploy it.',
      final: true,
      timestamp: Date.now(),
    });
  });
  after(async () => {
    await browser.close();
    await service.stop();
  });

  test('[AT23] a step is annotated by keyboard, others see it at once, and its author withdraws it', async () => {
    const url = `${service.readers}/t/T1?sel=req%3Ar1`;
    const { page, problems } = await openPage(browser, url);
    const other = await openPage(browser, url);
    const panel = page.getByTestId('panel');
    await panel.getByRole('button', { name: 'Say something of it …' }).press('Enter');
    // The form has the focus.
    await page.keyboard.type('it is wrong');
    await page.keyboard.press('Tab');
    await page.keyboard.type('it never ran, says ada@example.com');
    await assertAccessible(page, 'the form');
    await page.keyboard.press('Control+Enter');
    for (const one of [page, other.page]) {
      const said = one.getByTestId('panel').getByRole('region', { name: 'What people said' });
      await said.getByText('wrong', { exact: true }).waitFor();
      await said.getByText('it never ran, says').waitFor();
      assert.equal(await one.getByText('ada@example.com').count(), 0);
    }
    await page.getByTestId('node').getByText('✎ 1').waitFor();
    await assertAccessible(page, 'what was said');
    await page.screenshot({ path: process.env['ANNOT_SHOT'] ?? '/dev/null', type: 'png' });
    await panel.getByRole('button', { name: 'Withdraw', exact: true }).click();
    await panel.getByRole('button', { name: 'Withdraw', exact: true }).waitFor({ state: 'detached' });
    assert.deepEqual([problems, other.problems], [[], []]);
    await page.context().close();
    await other.page.context().close();
  });

  test('[AT23] an agent that waits is answered in the panel of its step; who is too late is told who was first', async () => {
    const ask = async (id: string): Promise<ApprovalState> => {
      const given = { question: 'May I deploy?', agent: 'CoderAgent', taskId: 'T1', id };
      const answer = await party.post('/api/control/approvals', { ...given, options: ['staging', 'all'] });
      return JSON.parse(answer.text) as ApprovalState;
    };
    const { id, nodeId } = await ask('one');
    const { page, problems } = await openPage(
      browser,
      `${service.readers}/t/T1?sel=${encodeURIComponent(nodeId)}`,
    );
    const panel = page.getByTestId('panel');
    const form = panel.getByRole('form', { name: 'Answer the agent' });
    await form.getByText(/CoderAgent waits for an answer until/).waitFor();
    await form.getByLabel('Option').selectOption('staging');
    await form.getByLabel('Message').fill('not the database');
    await assertAccessible(page, 'what an agent asks');
    await page.screenshot({ path: process.env['ANNOT_SHOT2'] ?? '/dev/null', type: 'png' });
    await form.getByRole('button', { name: 'Approve' }).click();
    await panel.getByText('approved: staging', { exact: true }).waitFor();
    const state = JSON.parse((await party.get(`/api/control/approvals/${id}`)).text) as ApprovalState;
    assert.deepEqual([state.state, state.option, state.text], ['approved', 'staging', 'not the database']);
    assert.equal(await form.count(), 0);
    assert.equal(await panel.getByRole('button', { name: 'Withdraw', exact: true }).count(), 0, 'it stands');
    assert.deepEqual(problems, []);
    await page.context().close();
  });

  test('[AT23] above every view, on a phone as well, stands how many approvals wait, and leads from one to the next', async () => {
    for (const id of ['first', 'second']) {
      const asked = await party.post('/api/control/approvals', { question: `${id}?`, taskId: 'T3', id });
      assert.ok(asked.status < 300, asked.text);
    }
    const { page, problems } = await openPage(browser, service.readers, {
      viewport: { width: 360, height: 700 },
    });
    const run = page.locator('[data-testid=run][data-task-id=T3]');
    await run.getByText('2 approvals waiting').waitFor();
    await assertAccessible(page, 'the list with a task that waits');
    await page.screenshot({ path: process.env['LIST_SHOT'] ?? '/dev/null', type: 'png' });
    await page.goto(`${service.readers}/t/T3?view=table`);
    const waiting = page.getByRole('button', { name: '2 approvals waiting' });
    const panel = page.getByTestId('panel');
    for (const question of ['first?', 'second?', 'first?']) {
      await waiting.click();
      await panel.getByRole('heading', { name: question }).waitFor();
    }
    await assertAccessible(page, 'a task with approvals that wait');
    // Enter answers nothing: the question is still there to be denied.
    await panel.getByLabel('Message').fill('not today');
    await panel.getByLabel('Message').press('Enter');
    await panel.getByRole('button', { name: 'Deny' }).click();
    await panel.getByText('denied', { exact: true }).waitFor();
    await page.getByRole('button', { name: '1 approval waiting' }).click();
    await panel.getByRole('heading', { name: 'second?' }).waitFor();
    await panel.getByRole('button', { name: 'Approve' }).click();
    await page.getByTestId('waiting-agents').waitFor({ state: 'detached' });
    assert.deepEqual(problems, []);
    await page.context().close();
  });
});
