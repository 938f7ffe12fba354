import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LyingProvider } from '../../../test/support/login/lying-provider.ts';
import { untilPasses } from '../../../test/support/until.ts';
import { ManualClock } from '../../base/clock.ts';
import { People } from './people.ts';

test('[AC53] of many wrong ways back from the provider few are looked at, and those of others at once', async (t) => {
  const provider = await LyingProvider.start();
  t.after(() => provider.stop());
  const refused: string[] = [];
  const oidc = {
    issuer: provider.issuer,
    clientId: 'explain',
    scopes: 'openid',
    rolesClaim: 'groups',
    roles: { analysts: { roles: ['analyst'] } },
  } as const;
  const people = new People({
    settings: { oidc },
    clock: new ManualClock(),
    audit: { loggedIn() {}, loggedOut() {}, loginRefused: (reason) => void refused.push(reason) },
    byToken: () => assert.fail('nobody gives a token'),
  });
  await people.load();
  t.after(() => people.stop());
  provider.nonce = 'of nobody';
  const comeBack = async (source: string): Promise<unknown> => {
    const { url, kept } = await people.beginOidc('http://127.0.0.1:9000/login/callback', '/', source);
    const state = url.searchParams.get('state') ?? '';
    if (source === '10.0.0.2') provider.nonce = url.searchParams.get('nonce') ?? '';
    return people.finishOidc(source, new URLSearchParams({ code: 'guessed', state }), kept);
  };
  // Those that are looked at, or wait, are answered when time goes by.
  for (let n = 0; n < 100; n++) void comeBack('10.0.0.1').catch(() => undefined);
  await untilPasses(() => assert.equal(refused.length, 100 - 11 - 8));
  assert.deepEqual([...new Set(refused)], ['pace']);
  assert.match(((await comeBack('10.0.0.2')) as { cookie: string }).cookie, /^[\w-]{43}$/);
});
