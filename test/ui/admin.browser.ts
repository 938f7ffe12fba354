import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { ROLES } from '../../src/access/roles.ts';
import { RealService, temporaryFolder } from '../e2e/real-service.ts';
import { askHttp } from '../e2e/ways-in.ts';
import { assertAccessible } from './axe.ts';
import { startBrowser } from './browser.ts';
import { openPage, type OpenPage } from './open-page.ts';

const TOKENS = { token: 'token-of-the-test', adminToken: 'admin-token-of-the-test' };

describe('administrators deal with keys, in a browser', () => {
  let browser: Browser;
  let service: RealService;
  before(async () => {
    browser = await startBrowser();
    service = await RealService.start({
      dataDir: await temporaryFolder(),
      flags: ['--auth', JSON.stringify(TOKENS)],
    });
  });
  after(async () => {
    await browser.close();
    await service.stop();
  });

  const open = (path: string, token: string): Promise<OpenPage> =>
    openPage(browser, `${service.readers}${path}#access_token=${token}`);

  const statusWith = async (key: string): Promise<number> =>
    (await askHttp(service, 'GET', '/api/me', { 'x-api-key': key })).status;

  /** With keys alone: a name, then what is asked for. */
  const make = async (page: Page, name: string, also: (page: Page) => Promise<void>): Promise<string> => {
    await page.getByRole('button', { name: 'New key' }).press('Enter');
    await page.keyboard.type(name);
    await also(page);
    await page.keyboard.press('Enter');
    return shownKey(page);
  };

  /** Told once, and where the keyboard is. */
  const shownKey = async (page: Page): Promise<string> => {
    const box = page.getByTestId('key-shown');
    const key = await box.locator('code').innerText();
    assert.equal(await box.evaluate((element) => element === element.ownerDocument.activeElement), true);
    await assertAccessible(page, 'a key that is shown');
    await box.getByRole('button', { name: 'Done' }).press('Enter');
    assert.ok(!(await page.content()).includes(key), 'it is shown once');
    return key;
  };

  test('[UI32] keys are made, listed, rotated and revoked, by the keyboard alone, and are shown once', async () => {
    const { page, problems } = await open('/', TOKENS.adminToken);
    await page.getByRole('link', { name: 'Keys' }).press('Enter');
    await page.getByText('There are no keys.').waitFor();
    await page.getByRole('button', { name: 'New key' }).press('Enter');
    await assertAccessible(page, 'the form');
    for (const role of ROLES) await page.getByRole('checkbox', { name: role }).waitFor();
    await page.keyboard.press('Escape');
    const key = await make(page, 'web agents', async () => {
      await page.getByLabel('reader').press('Space');
      await page.getByLabel('Project').fill('shop');
      await page.getByLabel('Days until it expires').fill('30');
    });
    assert.equal(await statusWith(key), 200);
    await page.reload();
    const row = page.getByRole('row').filter({ hasText: 'web agents' });
    await row.waitFor();
    assert.match(await row.innerText(), /sender, reader\s+shop\s+\S+\s+\d+ (?:s|min) ago/);

    await row.getByRole('button', { name: 'Rotate web agents' }).press('Enter');
    await row.getByLabel('The former goes on for').fill('0');
    await page.keyboard.press('Enter');
    const rotated = await shownKey(page);
    assert.deepEqual([await statusWith(key), await statusWith(rotated)], [401, 200]);

    await row.getByRole('button', { name: 'Revoke web agents' }).press('Enter');
    await assertAccessible(page, 'asked before it is revoked');
    assert.equal(await statusWith(rotated), 200);
    await page.keyboard.press('Enter');
    await page.getByText('There are no keys.').waitFor();
    assert.equal(await statusWith(rotated), 401);

    const bound = { name: 'bound', roles: ['sender'], capabilities: [{ kind: 'reasoning/*' }] };
    const made = await askHttp(
      service,
      'POST',
      '/api/keys',
      { 'x-api-key': TOKENS.adminToken },
      JSON.stringify(bound),
    );
    assert.equal(made.status, 201, made.text);
    await page.reload();
    await page.getByTestId('capabilities').getByText('{"kind":"reasoning/*"}').waitFor();
    await page.getByRole('button', { name: 'Revoke bound' }).press('Enter');
    await page.keyboard.press('Enter');
    await page.getByText('There are no keys.').waitFor();

    await page.getByRole('button', { name: 'New key' }).press('Enter');
    await page.keyboard.type('nobody');
    await page.getByLabel('Project').fill('No Project');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('project must have').waitFor();
    assert.deepEqual(
      problems.filter((problem) => !problem.includes('400')),
      [],
    );
    await page.context().close();
  });

  test('[UI32] what is on record is read by pages, and by what, outcome and who', async () => {
    for (let n = 0; n < 120; n++)
      await askHttp(service, 'POST', '/api/prune', { 'x-api-key': TOKENS.token }, '{"olderThanMinutes": 5}');
    await askHttp(service, 'GET', '/api/keys', { 'x-api-key': TOKENS.token });
    const { page, problems } = await open('/admin?show=record', TOKENS.adminToken);
    const rows = page.getByTestId('record').locator('tr[data-seq]');
    await rows.first().waitFor();
    await assertAccessible(page, 'what is on record');
    await page.getByLabel('What', { exact: true }).selectOption('prune');
    await rows.filter({ hasNotText: 'prune' }).first().waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Older ones' }).press('Enter');
    await page.getByRole('button', { name: 'Older ones' }).waitFor({ state: 'detached' });
    assert.equal(await rows.count(), 120);
    await page.getByLabel('What', { exact: true }).selectOption('');
    await page.getByLabel('Outcome').selectOption('refused');
    await rows
      .filter({ hasText: 'GET /api/keys' })
      .getByRole('button', { name: 'auth.token' })
      .press('Enter');
    assert.equal(new URL(page.url()).search, '?show=record&outcome=refused&who=auth.token');
    await rows
      .first()
      .filter({ hasText: /denied\s*refused\s*auth\.token/ })
      .waitFor();
    await page.getByRole('button', { name: 'Remove who: auth.token' }).press('Enter');
    await page.getByLabel('Outcome').selectOption('');
    await page.getByLabel('What', { exact: true }).selectOption('login');
    await rows
      .first()
      .filter({ hasText: /login\s*done\s*auth\.adminToken/ })
      .waitFor();
    assert.deepEqual(problems, []);
    await page.context().close();
  });

  test('[UI32] who is no administrator is not led there, and told so', async () => {
    const { page, problems } = await open('/', TOKENS.token);
    await page.getByTestId('who').waitFor();
    assert.equal(await page.getByRole('link', { name: 'Keys' }).count(), 0);
    await page.goto(`${service.readers}/admin`);
    await page.getByRole('alert').getByText('needs the right').waitFor();
    assert.equal(await page.getByRole('button', { name: 'New key' }).count(), 0);
    assert.deepEqual(problems, []);
    await page.context().close();
  });

  test('[UI32] the head names the project where it is not the default one', async () => {
    const body = '{"name": "of the shop", "roles": ["reader"], "project": "shop"}';
    const made = await askHttp(service, 'POST', '/api/keys', { 'x-api-key': TOKENS.adminToken }, body);
    const { key } = JSON.parse(made.text) as { readonly key: string };
    const { page, problems } = await open('/', key);
    const who = page.getByTestId('who');
    await who.waitFor();
    assert.match(await who.innerText(), /of the shop\s*shop/);
    assert.deepEqual(problems, []);
    await page.context().close();
  });
});
