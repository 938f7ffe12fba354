import { Popover } from 'radix-ui';
import { useState } from 'react';
import { logOut, useSession } from '../connection/session.ts';
import { DEFAULT_PROJECT } from '../../src/model/project-name.ts';
import { ROLE_WORDS } from '../state/role-words.ts';

/** Who is logged in, what that allows, and the way out. Nothing where nobody is asked. */
export function Who() {
  const me = useSession((session) => session.me);
  const [problem, say] = useState<string>();
  if (!me || me.by === 'nobody') return null;
  const project = me.project === DEFAULT_PROJECT ? '' : me.project;
  const leave = (): void => void logOut().catch(() => say('the service does not answer'));
  return (
    <Popover.Root>
      <Popover.Trigger
        className="button who"
        data-testid="who"
        aria-label={`Logged in as ${me.name}${project && `, project ${project}`}`}
      >
        <span dir="auto">{me.name}</span>
        {project && <span className="muted">{project}</span>}
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
                {role} <span className="muted">{ROLE_WORDS[role]}</span>
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
