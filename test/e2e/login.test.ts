import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { once } from 'node:events';
import { join } from 'node:path';
import { WebSocket } from 'ws';
import { TestCertificates } from '../support/test-certificates.ts';
import { CLIENT, TestProvider } from '../support/login/provider.ts';
import { fetchWith } from '../../src/client/node-fetch.ts';
import { Browser } from '../support/login/cookie-browser.ts';
import { GROUPS_BASE, LOOKS_UP, PEOPLE_BASE, Slapd, SLAPD_MISSING } from '../support/login/slapd.ts';
import { BOUNDED } from '../support/until.ts';
import { RealService, temporaryFolder } from './real-service.ts';

const TOKENS = { token: 'token-of-the-test', adminToken: 'admin-token-of-the-test' };
const ROLES = {
  operators: { roles: ['operator'] },
  analysts: { roles: ['analyst'] },
  readers: { roles: ['reader'] },
};

/** What an upgrade is answered, or the first frame. */
function upgrade(
  service: RealService,
  headers: object,
  protocols: readonly string[] = [],
): Promise<WebSocket | number> {
  const socket = new WebSocket(`${service.readers.replace('http', 'ws')}/explain`, [...protocols], {
    headers: { ...headers },
  });
  return new Promise((resolve) => {
    socket.on('error', () => undefined);
    socket.once('open', () => resolve(socket));
    socket.once('unexpected-response', (_, response) => resolve(response.statusCode ?? 0));
  });
}

describe('log-in by OpenID Connect', () => {
  let provider: TestProvider;
  let service: RealService;
  before(async () => {
    provider = await TestProvider.start();
    const people = { oidc: { issuer: provider.issuer, clientId: CLIENT.id, roles: ROLES } };
    service = await RealService.start({
      dataDir: await temporaryFolder(),
      flags: ['--people', JSON.stringify(people), '--oidc-client-secret', CLIENT.secret],
    });
    provider.leadsBackTo(`${service.readers}/login/callback`, `${service.readers}/login`);
  });
  after(async () => {
    await service.stop();
    await provider.stop();
  });

  /** Somebody who goes all the way through the provider. */
  const logIn = async (name: string, to?: string): Promise<{ browser: Browser; last: Response }> => {
    const browser = new Browser(service.readers);
    const begun = await browser.get(
      `/login/oidc${to === undefined ? '' : `?${new URLSearchParams({ to }).toString()}`}`,
    );
    assert.equal(begun.status, 303);
    const back = await provider.logIn(new URL(begun.headers.get('location') ?? ''), name);
    return { browser, last: await browser.get(back.pathname + back.search) };
  };

  test('[AC50] the cookie of a session is for our own pages only, and no script reads it', async () => {
    const { last } = await logIn('ada');
    const cookies = last.headers.getSetCookie();
    const session = cookies.find((cookie) => cookie.startsWith('explain='));
    assert.match(session ?? '', /^explain=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/);
    assert.ok(cookies.some((cookie) => /^explain-login=; .*Max-Age=0/.test(cookie)));
  });

  test('[AC53] [AC59] who logged in is told who it is and what it may, and sees by it', async () => {
    const { browser } = await logIn('rea');
    const me = await browser.json('/api/me');
    assert.deepEqual(
      { ...me, csrf: '' },
      {
        by: 'person',
        name: 'Rea Reader',
        roles: ['reader'],
        rights: ['see'],
        project: 'default',
        csrf: '',
      },
    );
    assert.equal((await browser.get('/api/tasks')).status, 200);
    assert.equal((await browser.get('/api/adaptations')).status, 403);
    assert.equal((await fetch(`${service.readers}/api/me`)).status, 401);
    assert.equal((await fetch(`${service.readers}/api/tasks`)).status, 401);
  });

  test('[AC54] the way back leads to paths of ours, and nowhere else', async () => {
    for (const [to, location] of [
      ['/t/x?sel=1', '../t/x?sel=1'],
      ['//evil.example/', '../'],
      ['/\\evil.example/', '../'],
      ['https://evil.example/', '../'],
      ['javascript:alert(1)', '../'],
      ['/x\r\nset-cookie: a=b', '../'],
      ['', '../'],
    ] as const) {
      const { last } = await logIn('ada', to);
      assert.equal(last.status, 303);
      assert.equal(last.headers.get('location'), location);
    }
  });

  test('[AC53] a way back that was not begun here, or is used again, leads to a page that says so', async () => {
    const browser = new Browser(service.readers);
    const begun = await browser.get('/login/oidc');
    const back = await provider.logIn(new URL(begun.headers.get('location') ?? ''), 'ada');
    const other = await new Browser(service.readers).get(back.pathname + back.search);
    assert.equal(other.headers.get('location'), '../login?refused=state');
    assert.equal((await browser.get(back.pathname + back.search)).headers.get('location'), '../');
    const again = await browser.get(back.pathname + back.search);
    assert.equal(again.headers.get('location'), '../login?refused=state');
    assert.match(service.log, /"reason":"state"/);
    assert.doesNotMatch(service.log, new RegExp(back.searchParams.get('code') ?? '-'));
  });

  test('[AC52] a change by cookie needs our own page and the token of the session', async () => {
    const { browser } = await logIn('ada');
    const { csrf } = await browser.json('/api/me');
    const own = { origin: service.readers, 'sec-fetch-site': 'same-origin', 'x-explain-csrf': String(csrf) };
    const prune = async (headers: Record<string, string>): Promise<number> =>
      (
        await browser.post(
          '/mcp',
          { jsonrpc: '2.0', id: 1, method: 'ping' },
          { accept: 'application/json, text/event-stream', ...headers },
        )
      ).status;
    assert.equal(await prune(own), 200);
    for (const [what, headers] of Object.entries({
      'no token': { ...own, 'x-explain-csrf': '' },
      'the token of another': { ...own, 'x-explain-csrf': 'A'.repeat(String(csrf).length) },
      'a token that is longer in bytes': { ...own, 'x-explain-csrf': 'é'.repeat(String(csrf).length) },
      'no Origin': { ...own, origin: '' },
      'a page of another site': { ...own, origin: 'https://evil.example' },
      'another port of this machine': { ...own, origin: 'http://127.0.0.1:1' },
      'a page of the same site': { ...own, 'sec-fetch-site': 'same-site' },
    })) {
      const given = Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== ''));
      assert.equal(await prune(given), 403, what);
    }
  });

  test('[AC52] nothing is sent into the graph by cookie', async () => {
    const { browser } = await logIn('ada');
    const { csrf } = await browser.json('/api/me');
    const own = { origin: service.readers, 'x-explain-csrf': String(csrf) };
    assert.equal((await browser.post('/v1/traces', { resourceSpans: [] }, own)).status, 401);
  });

  test(
    '[AC51] the WebSocket takes the cookie from our own page, and ends with the session',
    BOUNDED,
    async () => {
      const { browser } = await logIn('ada');
      const { cookie } = browser;
      assert.equal(await upgrade(service, { cookie }), 403);
      assert.equal(await upgrade(service, { cookie, origin: 'http://127.0.0.1:1' }), 403);
      const socket = await upgrade(service, { cookie, origin: service.readers });
      assert.ok(socket instanceof WebSocket);
      const closed = new Promise((resolve) => socket.once('close', resolve));
      const { csrf } = await browser.json('/api/me');
      const out = await browser.post(
        '/logout',
        {},
        { origin: service.readers, 'x-explain-csrf': String(csrf) },
      );
      assert.equal(out.status, 200);
      assert.equal(await closed, 1008);
      const { next } = (await out.json()) as { next: string };
      assert.equal(new URL(next).origin, provider.issuer);
      assert.equal(await upgrade(service, { cookie, origin: service.readers }), 401);
      assert.equal((await fetch(`${service.readers}/api/me`, { headers: { cookie } })).status, 401);
    },
  );

  test('[AC57] a log-out needs our own page as well', async () => {
    const { browser } = await logIn('ada');
    const { csrf } = await browser.json('/api/me');
    for (const headers of [{}, { origin: 'https://evil.example' }, { origin: service.readers }] as const)
      assert.equal((await browser.post('/logout', {}, headers)).status, 403);
    assert.equal((await browser.get('/logout')).status, 405);
    assert.equal((await browser.get('/api/me')).status, 200);
    const own = { origin: service.readers, 'x-explain-csrf': String(csrf) };
    assert.equal((await browser.post('/logout', {}, own)).status, 200);
  });

  test('[AC50] without auth nobody is let in without a log-in, where people log in', async () => {
    assert.equal(
      (
        await fetch(`${service.otlpHttp}/v1/traces`, {
          method: 'POST',
          body: '{}',
          headers: { 'content-type': 'application/json' },
        })
      ).status,
      401,
    );
    assert.deepEqual(await new Browser(service.readers).json('/login/ways'), {
      token: true,
      oidc: true,
      ldap: false,
    });
    const ldap = await new Browser(service.readers).post(
      '/login/ldap',
      { name: 'a', password: 'b' },
      { origin: service.readers },
    );
    assert.equal(ldap.status, 404);
  });
});

describe('log-in by token', () => {
  let service: RealService;
  before(async () => {
    service = await RealService.start({
      dataDir: await temporaryFolder(),
      flags: ['--auth', JSON.stringify(TOKENS), '--host', '127.0.0.1', '--allowed-hosts', 'explain.example'],
    });
  });
  after(() => service.stop());

  test('[AC58] a token is posted once and becomes a session with its rights', async () => {
    const browser = new Browser(service.readers);
    const origin = service.readers;
    assert.equal((await browser.post('/login/token', { token: 'wrong-token' }, { origin })).status, 401);
    assert.equal((await browser.post('/login/token', { token: TOKENS.adminToken }, {})).status, 403);
    assert.equal((await browser.post('/login/token', { token: 7 }, { origin })).status, 400);
    assert.equal((await browser.post('/login/token', { token: TOKENS.adminToken }, { origin })).status, 200);
    const me = await browser.json('/api/me');
    assert.deepEqual([me['by'], me['roles']], ['token', ['admin']]);
    assert.equal((await browser.post('/login/token', { token: TOKENS.token }, { origin })).status, 200);
    assert.deepEqual((await browser.json('/api/me'))['roles'], ['sender', 'operator']);
  });

  test('[AC50] who logs in anew has another session, and the one before is over', async () => {
    const browser = new Browser(service.readers);
    const origin = service.readers;
    await browser.post('/login/token', { token: TOKENS.token }, { origin });
    const before = browser.cookie;
    await browser.post('/login/token', { token: TOKENS.token }, { origin });
    assert.notEqual(browser.cookie, before);
    assert.equal((await fetch(`${service.readers}/api/me`, { headers: { cookie: before } })).status, 401);
  });

  test('[AC50] over https the cookie is Secure and of this host alone; plain only on this machine', async () => {
    const host = 'explain.example';
    const post = (origin: string) =>
      new Browser(service.readers).post('/login/token', { token: TOKENS.token }, { host, origin });
    const [cookie = ''] = (await post(`https://${host}`)).headers.getSetCookie();
    assert.match(cookie, /^__Host-explain=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Secure$/);
    const plain = await post(`http://${host}`);
    assert.equal(plain.status, 409);
    assert.match(await plain.text(), /https/);
  });
});

test('[AC50] over our own TLS the cookie is Secure and of this host alone, and WebSockets take it', async (t) => {
  const dataDir = await temporaryFolder(t);
  const certificates = new TestCertificates(join(dataDir, 'tls'));
  const { certFile, keyFile } = await certificates.write();
  const ca = certificates.ca.cert;
  const service = await RealService.start({
    dataDir,
    flags: ['--auth', JSON.stringify(TOKENS), '--tls', JSON.stringify({ certFile, keyFile })],
  });
  t.after(() => service.stop());
  const origin = service.readers.replace(/^http:/, 'https:');
  const browser = new Browser(origin, ca);
  const entered = await browser.post('/login/token', { token: TOKENS.token }, { origin });
  assert.match(
    entered.headers.getSetCookie().join(),
    /^__Host-explain=[\w-]{43}; .*SameSite=Strict; Secure$/,
  );
  assert.deepEqual((await browser.json('/api/me'))['by'], 'token');
  const socket = new WebSocket(`${origin.replace('https', 'wss')}/explain`, {
    ca,
    headers: { origin, cookie: browser.cookie },
  });
  await once(socket, 'open');
  socket.terminate();
  // As a page of another port of this machine could have set it.
  const plain = browser.cookie.replace('__Host-', '');
  const planted = (path: string, method: string) =>
    fetchWith({ ca })(origin + path, { method, headers: { cookie: plain, origin } });
  assert.equal((await planted('/api/me', 'GET')).status, 401);
  assert.equal((await planted('/logout', 'POST')).status, 200);
  assert.deepEqual((await browser.json('/api/me'))['by'], 'token', 'nor does it log out');
});

test('[AC53] the address of the setting is a host that the service answers to', async (t) => {
  const provider = await TestProvider.start();
  t.after(() => provider.stop());
  const people = {
    url: 'https://explain.example/team',
    oidc: { issuer: provider.issuer, clientId: CLIENT.id, roles: ROLES },
  };
  const service = await RealService.start({
    dataDir: await temporaryFolder(t),
    flags: ['--people', JSON.stringify(people)],
  });
  t.after(() => service.stop());
  provider.leadsBackTo(`${people.url}/login/callback`, `${people.url}/login`);
  const host = 'explain.example';
  const begun = await new Browser(service.readers).get('/login/oidc', { host });
  const url = new URL(begun.headers.get('location') ?? '');
  assert.equal(url.searchParams.get('redirect_uri'), 'https://explain.example/team/login/callback');
  assert.match(begun.headers.getSetCookie().join(), /^__Host-explain-login=.*Secure$/);
});

describe('log-in by LDAP', { skip: SLAPD_MISSING ?? false }, () => {
  let slapd: Slapd;
  let service: RealService;
  before(async () => {
    slapd = await Slapd.start();
    const ldap = {
      url: slapd.url,
      startTls: true,
      caFile: slapd.caFile,
      bindDn: LOOKS_UP.bindDn,
      searchBase: PEOPLE_BASE,
      groupBase: GROUPS_BASE,
      roles: ROLES,
    };
    service = await RealService.start({
      dataDir: await temporaryFolder(),
      flags: ['--people', JSON.stringify({ ldap }), '--ldap-password', LOOKS_UP.password],
    });
  });
  after(async () => {
    await service.stop();
    await slapd.stop();
  });

  test('[AC55] who knows the password comes in; all others are told the same', async () => {
    const browser = new Browser(service.readers);
    const origin = service.readers;
    const answers = new Set<string>();
    for (const [name, password] of [
      ['ada', 'wrong'],
      ['nobody', 'wrong'],
      ['ada', ''],
      ['*', 'correct horse'],
    ] as const) {
      const answer = await browser.post('/login/ldap', { name, password }, { origin });
      assert.equal(answer.status, 401);
      answers.add(await answer.text());
    }
    assert.equal(answers.size, 1);
    const none = await browser.post('/login/ldap', { name: 'bob', password: 'battery staple' }, { origin });
    assert.equal(none.status, 403);
    assert.equal(
      (await browser.post('/login/ldap', { name: 'ada', password: 'correct horse' }, { origin })).status,
      200,
    );
    const me = await browser.json('/api/me');
    assert.deepEqual([me['name'], me['roles']], ['Ada Byron', ['operator', 'analyst']]);
    assert.doesNotMatch(service.log, /correct horse|battery staple|Ada Byron|directory-secret/);
  });
});
