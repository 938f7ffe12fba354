import { useState, type ReactNode } from 'react';
import { useQuery } from '@tanstack/react-query';
import { logIn } from '../../connection/session.ts';
import { ROOT } from '../../state/root.ts';
import { ThemeSwitch } from '../../widgets/theme-switch.tsx';

interface Ways {
  readonly token: boolean;
  readonly oidc: boolean;
  readonly ldap: boolean;
}

/** Until the service says it. */
const NO_WAYS: Ways = { token: false, oidc: false, ldap: false };

/** Why a provider led back with nobody, in the words of AC53. */
const REFUSED: Readonly<Record<string, string>> = {
  state: 'That log-in was not begun in this browser, is over ten minutes old, or was used already.',
  cancelled: 'The provider did not log you in.',
  answer: 'The answer of the provider was not right.',
  unreachable: 'The provider cannot be reached at the moment.',
  role: 'You are known, and in no group that may use this service. Ask who runs it.',
};

/** Shown where the service asks who is there. */
export function Login() {
  const { data: ways = NO_WAYS } = useQuery({
    queryKey: ['ways'],
    queryFn: async () => (await fetch(new URL('login/ways', ROOT))).json() as Promise<Ways>,
  });
  const refused = REFUSED[new URLSearchParams(location.search).get('refused') ?? ''];
  const isForPeople = ways.oidc || ways.ldap;
  return (
    <main className="login" data-testid="login">
      <div className="card">
        <div className="row">
          <h1>ExplainabilityAgent</h1>
          <span className="grow" />
          <ThemeSwitch />
        </div>
        {refused !== undefined && (
          <p className="problem" role="alert">
            {refused}
          </p>
        )}
        {ways.oidc && (
          <a className="button primary" href={oidcUrl()}>
            Log in by single sign-on
          </a>
        )}
        {ways.ldap && <NameForm />}
        {isForPeople ? (
          <details>
            <summary>With a token or key</summary>
            <TokenForm />
          </details>
        ) : (
          ways.token && <TokenForm />
        )}
      </div>
    </main>
  );
}

function NameForm() {
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  return (
    <LoginForm way="ldap" typed={{ name, password }} isReady={name !== '' && password !== ''}>
      <label htmlFor="name">Name</label>
      <input
        id="name"
        autoComplete="username"
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
      <label htmlFor="password">Password</label>
      <input
        id="password"
        type="password"
        autoComplete="current-password"
        value={password}
        onChange={(event) => setPassword(event.target.value)}
      />
    </LoginForm>
  );
}

function TokenForm() {
  const [token, setToken] = useState('');
  return (
    <LoginForm way="token" typed={{ token }} isReady={token !== ''}>
      <label htmlFor="token">Access token</label>
      <input
        id="token"
        type="password"
        autoComplete="off"
        value={token}
        onChange={(event) => setToken(event.target.value)}
      />
      <p className="muted">A key, or the token of the setting “auth”. It is kept nowhere.</p>
    </LoginForm>
  );
}

interface LoginFormProps {
  readonly way: 'ldap' | 'token';
  readonly typed: object;
  readonly isReady: boolean;
  readonly children: ReactNode;
}

function LoginForm({ way, typed, isReady, children }: LoginFormProps) {
  const [problem, say] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const enter = async (): Promise<void> => {
    setBusy(true);
    say(undefined);
    say(await logIn(way, typed));
    setBusy(false);
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (isReady && !isBusy) void enter();
      }}
    >
      {children}
      {problem !== undefined && (
        <p className="problem" role="alert">
          {problem}
        </p>
      )}
      <button type="submit" className="button primary" disabled={isBusy}>
        {isBusy ? 'One moment …' : 'Log in'}
      </button>
    </form>
  );
}

/** Afterwards the page is where it was. */
function oidcUrl(): string {
  const path = `/${location.href.slice(ROOT.href.length)}`.replace(/#.*$/, '');
  const url = new URL('login/oidc', ROOT);
  if (!/^\/login(?:[?/]|$)/.test(path)) url.searchParams.set('to', path);
  return url.href;
}
