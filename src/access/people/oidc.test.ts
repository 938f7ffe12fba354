import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { ManualClock } from '../../base/clock.ts';
import { CLIENT, TestProvider } from '../../../test/support/login/provider.ts';
import { OidcLogin } from './oidc.ts';
import type { LoginRefusal } from './person.ts';
import type { OidcSettings } from './settings.ts';

const CALLBACK = 'http://127.0.0.1:9000/login/callback';
const SETTINGS: Omit<OidcSettings, 'issuer'> = {
  clientId: CLIENT.id,
  clientSecret: CLIENT.secret,
  scopes: 'openid profile',
  rolesClaim: 'groups',
  roles: {
    operators: { roles: ['operator'], project: 'alpha' },
    analysts: { roles: ['analyst'], project: 'alpha' },
    readers: { roles: ['reader'] },
  },
};

function refusedFor(reason: LoginRefusal): object {
  return { name: 'LoginRefused', reason };
}

describe('a real OpenID provider', () => {
  let provider: TestProvider;
  let login: OidcLogin;
  const clock = new ManualClock(Date.now());
  before(async () => {
    provider = await TestProvider.start();
    provider.leadsBackTo(CALLBACK, 'http://127.0.0.1:9000/login');
    login = await OidcLogin.load({ ...SETTINGS, issuer: provider.issuer }, clock);
  });
  after(() => provider.stop());

  test('[AC53] who logs in there comes in with the roles of the groups', async () => {
    const { url, pending } = await login.begin(CALLBACK, '/t/x');
    assert.equal(url.searchParams.get('code_challenge_method'), 'S256');
    assert.equal(url.searchParams.get('response_type'), 'code');
    const back = await provider.logIn(url, 'ada');
    const { person } = await login.finish(back.searchParams, pending);
    assert.deepEqual(person, {
      id: 'oidc:ada',
      name: 'Ada Byron',
      roles: ['operator', 'analyst'],
      project: 'alpha',
    });
  });

  test('[AC53] who is in none of the groups is told so', async () => {
    const { url, pending } = await login.begin(CALLBACK, '/');
    const back = await provider.logIn(url, 'bob');
    await assert.rejects(login.finish(back.searchParams, pending), refusedFor('role'));
  });

  test('[AC53] what was begun comes back once, whether it was right or wrong', async () => {
    const { url, pending } = await login.begin(CALLBACK, '/');
    const back = await provider.logIn(url, 'ada');
    await login.finish(back.searchParams, pending);
    await assert.rejects(login.finish(back.searchParams, pending), refusedFor('state'));
    const other = await login.begin(CALLBACK, '/');
    const good = (await provider.logIn(other.url, 'ada')).searchParams;
    const guessed = new URLSearchParams(good);
    guessed.set('code', 'guessed');
    await assert.rejects(login.finish(guessed, other.pending), refusedFor('answer'));
    await assert.rejects(login.finish(good, other.pending), refusedFor('state'));
  });

  test('[AC53] what was begun elsewhere, with another state, verifier or nonce, or long ago, is refused', async () => {
    const begin = async () => {
      const { url, pending } = await login.begin(CALLBACK, '/');
      return { query: (await provider.logIn(url, 'ada')).searchParams, pending };
    };
    const one = await begin();
    const other = await begin();
    await assert.rejects(login.finish(one.query, other.pending), refusedFor('state'));
    await assert.rejects(login.finish(new URLSearchParams(), one.pending), refusedFor('state'));
    const mixed = new URLSearchParams(one.query);
    mixed.set('state', other.pending.state);
    await assert.rejects(login.finish(mixed, other.pending), refusedFor('answer'), 'the verifier of another');
    const nonce = await begin();
    const forged = { ...nonce.pending, nonce: other.pending.nonce };
    await assert.rejects(login.finish(nonce.query, forged), refusedFor('answer'), 'the nonce of another');
    const doubled = await begin();
    doubled.query.append('code', 'another');
    await assert.rejects(login.finish(doubled.query, doubled.pending), refusedFor('answer'));
    const late = await begin();
    clock.advance(10 * 60_000 + 1);
    await assert.rejects(login.finish(late.query, late.pending), refusedFor('state'));
  });

  test('[AC53] what the provider refuses is told as that', async () => {
    const { pending } = await login.begin(CALLBACK, '/');
    const query = new URLSearchParams({ error: 'access_denied', state: pending.state });
    await assert.rejects(login.finish(query, pending), refusedFor('cancelled'));
  });

  test('[AC56] a group that is taken away is gone when the provider is asked again, and so is the person', async () => {
    const { url, pending } = await login.begin(CALLBACK, '/');
    const { renew } = await login.finish((await provider.logIn(url, 'ada')).searchParams, pending);
    const ada = provider.accounts.get('ada');
    assert.ok(ada && renew);
    assert.deepEqual((await renew())?.roles, ['operator', 'analyst']);
    ada.groups = ['readers'];
    const reader = await renew();
    assert.deepEqual([reader?.roles, reader?.project], [['reader'], 'default']);
    ada.groups = [];
    assert.equal(await renew(), undefined);
    ada.groups = ['analysts', 'operators'];
    provider.accounts.delete('ada');
    assert.equal(await renew(), undefined);
    provider.accounts.set('ada', ada);
  });

  test('[AC57] a log-out is told to the provider, which leads back', async () => {
    const { url, pending } = await login.begin(CALLBACK, '/');
    const { logOut } = await login.finish((await provider.logIn(url, 'ada')).searchParams, pending);
    const next = logOut?.('http://127.0.0.1:9000/login');
    assert.equal(next?.origin, provider.issuer);
    assert.equal(next.searchParams.get('post_logout_redirect_uri'), 'http://127.0.0.1:9000/login');
    assert.ok(next.searchParams.has('id_token_hint'));
  });
});

test('[AC53] a provider that is not there keeps nothing from starting, and is asked anew each time', async () => {
  const gone = await TestProvider.start();
  const login = await OidcLogin.load({ ...SETTINGS, issuer: gone.issuer }, new ManualClock(Date.now()));
  await gone.stop();
  await assert.rejects(login.begin(CALLBACK, '/'), refusedFor('unreachable'));
  await assert.rejects(login.begin(CALLBACK, '/'), refusedFor('unreachable'));
});
