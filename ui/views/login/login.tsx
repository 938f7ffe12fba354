import { useState } from 'react';
import { useSession } from '../../connection/session.ts';
import { ThemeSwitch } from '../../widgets/theme-switch.tsx';

/** Shown where the service asks for a token. It is kept for this tab only. */
export function Login() {
  const { signIn, token } = useSession();
  const [value, setValue] = useState('');
  return (
    <main className="login" data-testid="login">
      <form
        className="card"
        onSubmit={(event) => {
          event.preventDefault();
          if (value !== '') signIn(value);
        }}
      >
        <h1>ExplainabilityAgent</h1>
        <p>This service asks for its access token: the one of its setting “auth”.</p>
        <label htmlFor="token">Access token</label>
        <input
          id="token"
          type="password"
          autoComplete="off"
          value={value}
          onChange={(event) => setValue(event.target.value)}
        />
        {token !== undefined && (
          <p className="problem" role="alert">
            The token given before is not the right one.
          </p>
        )}
        <div className="row">
          <button type="submit" className="button primary">
            Connect
          </button>
          <ThemeSwitch />
        </div>
        <p className="muted">It stays in this tab and goes with it.</p>
      </form>
    </main>
  );
}
