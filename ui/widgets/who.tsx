import { Popover } from 'radix-ui';
import { useState } from 'react';
import { logOut, useSession } from '../connection/session.ts';

/** What the roles may do, in a few words. */
const ROLES: Readonly<Record<string, string>> = {
  sender: 'sends steps and thoughts',
  reader: 'sees structure, status, times and costs',
  analyst: 'reads texts',
  operator: 'prunes, replays, adapts prompts, interrupts agents',
  admin: 'looks behind markers, erases, makes keys',
};

/** Who is logged in, what that allows, and the way out. Nothing where nobody is asked. */
export function Who() {
  const me = useSession((session) => session.me);
  const [problem, say] = useState<string>();
  if (!me || me.by === 'nobody') return null;
  const leave = (): void => void logOut().catch(() => say('the service does not answer'));
  return (
    <Popover.Root>
      <Popover.Trigger className="button who" data-testid="who" aria-label={`Logged in as ${me.name}`}>
        <span dir="auto">{me.name}</span>
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content
          className="popover who-card"
          sideOffset={6}
          align="end"
          aria-label="Who is logged in"
        >
          <p dir="auto">
            <strong>{me.name}</strong>
          </p>
          <ul>
            {me.roles.map((role) => (
              <li key={role}>
                {role} <span className="muted">{ROLES[role]}</span>
              </li>
            ))}
          </ul>
          <p className="muted">Project {me.project}</p>
          {me.csrf !== undefined && (
            <button type="button" className="button" onClick={leave}>
              Log out
            </button>
          )}
          {problem !== undefined && <p role="alert">{problem}</p>}
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}
