import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import Provider from 'oidc-provider';

export const CLIENT = { id: 'explain', secret: 'a-client-secret-of-the-test' } as const;

export interface Account {
  readonly name: string;
  groups: readonly string[];
}

/** A real OpenID provider on loopback, which takes whoever types a name; the accounts may be changed at any time. */
export class TestProvider {
  readonly issuer: string;
  readonly accounts: Map<string, Account>;
  private readonly server: Server;

  private constructor(issuer: string, accounts: Map<string, Account>, server: Server) {
    this.issuer = issuer;
    this.accounts = accounts;
    this.server = server;
  }

  static async start(): Promise<TestProvider> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const accounts = new Map<string, Account>([
      ['ada', { name: 'Ada Byron', groups: ['analysts', 'operators'] }],
      ['rea', { name: 'Rea Reader', groups: ['readers'] }],
      ['bob', { name: 'Bob Nobody', groups: ['cooks'] }],
    ]);
    return new TestProvider(issuer, accounts, server);
  }

  /** Opens it for one client. @param callback where log-ins lead back to @param out where log-outs do */
  leadsBackTo(callback: string, out: string): void {
    const { accounts } = this;
    // It warns of what is for development only, as these tests are.
    const said = silenced();
    const provider = new Provider(this.issuer, {
      clients: [
        {
          client_id: CLIENT.id,
          client_secret: CLIENT.secret,
          redirect_uris: [callback],
          post_logout_redirect_uris: [out],
          grant_types: ['authorization_code', 'refresh_token'],
          response_types: ['code'],
        },
      ],
      claims: { openid: ['sub'], profile: ['name', 'groups'] },
      conformIdTokenClaims: false,
      cookies: { keys: ['a-key-of-the-test'] },
      features: { revocation: { enabled: true } },
      issueRefreshToken: () => true,
      ttl: Object.fromEntries(
        ['Interaction', 'Session', 'Grant', 'AccessToken', 'RefreshToken', 'IdToken'].map((what) => [
          what,
          3600,
        ]),
      ),
      findAccount: (_: unknown, sub: string) => {
        const account = accounts.get(sub);
        return account && { accountId: sub, claims: () => ({ sub, ...account }) };
      },
    });
    said.restore();
    this.server.on('request', provider.callback());
  }

  /**
   * Goes to the provider as a browser would, types the name and agrees.
   * @returns where it leads back to
   */
  async logIn(url: URL, name: string): Promise<URL> {
    const jar = new Map<string, string>();
    let next = url;
    let form: Record<string, string> | undefined;
    for (let step = 0; step < 12; step++) {
      const response = await fetch(next, {
        redirect: 'manual',
        headers: { cookie: [...jar].map((pair) => pair.join('=')).join('; ') },
        ...(form && { method: 'POST', body: new URLSearchParams(form) }),
      });
      for (const cookie of response.headers.getSetCookie()) {
        const [, key = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
        jar.set(key, value);
      }
      const location = response.headers.get('location');
      form = undefined;
      if (location !== null) {
        next = new URL(location, next);
        if (next.origin !== this.issuer) return next;
        continue;
      }
      const page = await response.text();
      const action = /action="([^"]+)"/.exec(page)?.[1];
      if (action === undefined) throw new Error(`the provider answered ${response.status}`);
      next = new URL(action, next);
      form = page.includes('name="login"')
        ? { prompt: 'login', login: name, password: 'x' }
        : { prompt: 'consent' };
    }
    throw new Error('the provider leads nowhere');
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

function silenced(): { restore: () => void } {
  const before = { warn: console.warn, info: console.info };
  Object.assign(console, { warn: () => undefined, info: () => undefined });
  return { restore: () => void Object.assign(console, before) };
}
