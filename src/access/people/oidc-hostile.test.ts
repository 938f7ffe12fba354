import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { systemClock } from '../../base/clock.ts';
import { LyingProvider, type Lie } from '../../../test/support/login/lying-provider.ts';
import { OidcLogin } from './oidc.ts';
import type { LoggedIn } from './person.ts';

const CALLBACK = 'http://127.0.0.1:9000/login/callback';

describe('a provider that lies', () => {
  let provider: LyingProvider;
  let login: OidcLogin;
  before(async () => {
    provider = await LyingProvider.start();
    login = await OidcLogin.load(
      {
        issuer: provider.issuer,
        clientId: 'explain',
        scopes: 'openid',
        rolesClaim: 'groups',
        roles: { analysts: { roles: ['analyst'] } },
      },
      systemClock,
    );
  });
  after(() => provider.stop());

  const logInWith = async (lie: Lie): Promise<LoggedIn> => {
    const { pending } = await login.begin(CALLBACK, '/');
    provider.lie = lie;
    provider.nonce = pending.nonce;
    return login.finish(new URLSearchParams({ code: 'any', state: pending.state }), pending);
  };

  test('[AC53] a token that is right, and one whose clock differs by less than half a minute, is taken', async () => {
    assert.deepEqual((await logInWith({})).person.roles, ['analyst']);
    await logInWith({ seconds: { exp: -1 } });
    await logInWith({ seconds: { iat: 25 } });
  });

  for (const [what, lie] of Object.entries<Lie>({
    'alg none': { header: { alg: 'none' }, signedBy: 'nobody' },
    'no signature': { signedBy: 'nobody' },
    'the signature of another': { signedBy: 'other' },
    'a key of its own': { header: { kid: 'two' }, signedBy: 'other' },
    'an algorithm of secrets': { header: { alg: 'HS256' } },
    'another issuer': { claims: { iss: 'https://id.example' } },
    'another audience': { claims: { aud: 'other' } },
    'no audience': { claims: { aud: undefined } },
    'several audiences and no authorized party': { claims: { aud: ['explain', 'other'] } },
    'another authorized party': { claims: { aud: ['explain', 'other'], azp: 'other' } },
    'another nonce': { claims: { nonce: 'other' } },
    'no nonce': { claims: { nonce: undefined } },
    'a time that is over': { seconds: { exp: -120 } },
    'a time that has not begun': { seconds: { nbf: 120 } },
    'no time': { claims: { exp: undefined } },
    'no subject': { claims: { sub: undefined } },
  }))
    test(`[AC53] a token with ${what} is refused`, async () => {
      await assert.rejects(logInWith(lie), { name: 'LoginRefused', reason: 'answer' });
    });

  test('[AC53] groups that are no list of texts give nothing', async () => {
    for (const groups of [
      undefined,
      null,
      7,
      {},
      { analysts: true },
      [['analysts']],
      [],
      'analyst',
      'analysts,x',
    ])
      await assert.rejects(logInWith({ claims: { groups } }), { name: 'LoginRefused', reason: 'role' });
    assert.equal((await logInWith({ claims: { groups: 'analysts' } })).person.id, 'oidc:ada');
  });

  test('[AC53] a subject longer than any is nobody, and a name is one line', async () => {
    await assert.rejects(logInWith({ claims: { sub: 'x'.repeat(256) } }), { reason: 'role' });
    const { person } = await logInWith({ claims: { name: ` Ada\n\u202eByron ${'x'.repeat(500)}` } });
    assert.match(person.name, /^Ada {2}Byron x+$/);
    assert.equal(person.name.length, 200);
  });

  test('[AC53] an answer of megabytes is not read', async () => {
    provider.padding = 2 * 1024 * 1024;
    await assert.rejects(logInWith({}), { reason: 'answer' });
    provider.padding = 0;
  });
});
