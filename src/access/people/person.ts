import { DEFAULT_PROJECT } from '../../model/project-name.ts';
import type { Role } from '../roles.ts';
import type { GroupGrants } from './settings.ts';

/** Somebody whom a provider or a directory knows, and who may do something here. */
export interface Person {
  /** Stable: which way in, and what that calls the person. */
  readonly id: string;
  readonly name: string;
  readonly roles: readonly Role[];
  readonly project: string;
}

/** Why a log-in was refused. What was sent is in none of them. */
export const LOGIN_REFUSALS = {
  state: 'this log-in was not begun in this browser, is over ten minutes old, or was used already',
  cancelled: 'the provider did not log you in',
  answer: 'the answer of the provider was not right',
  unreachable: 'who checks log-ins cannot be reached at the moment',
  role: 'you are known, and in no group that may use this service',
  credentials: 'the name or the password is not right',
  token: 'the token is not right',
  pace: 'too many wrong log-ins come from where you are',
} as const;
export type LoginRefusal = keyof typeof LOGIN_REFUSALS;

/** A log-in that led to nobody. */
export class LoginRefused extends Error {
  override readonly name = 'LoginRefused';
  readonly reason: LoginRefusal;

  /** @param cause for the log, by its class only: its text may quote what was sent */
  constructor(reason: LoginRefusal, cause?: unknown) {
    super(LOGIN_REFUSALS[reason], cause === undefined ? undefined : { cause });
    this.reason = reason;
  }
}

/** Somebody who just logged in, and how it is known later who that is now. */
export interface LoggedIn {
  readonly person: Person;
  /**
   * Asks anew. Undefined where nobody can be asked: what was said at the log-in holds for an hour.
   * @returns undefined when the person is known no more
   * @throws when nobody answers
   */
  readonly renew?: () => Promise<Person | undefined>;
  /** Says there as well that the person is gone. @returns where the browser goes next */
  readonly logOut?: (back: string) => URL | undefined;
}

/**
 * What the groups of somebody give. The first group of the configuration that somebody is in says which project; the
 * roles of all of his groups with that project are his.
 * @param isIn compares as the source of the groups does
 * @returns undefined when none of them gives anything
 */
export function granted(
  grants: GroupGrants,
  isIn: (group: string) => boolean,
): Pick<Person, 'roles' | 'project'> | undefined {
  const mine = Object.entries(grants)
    .filter(([group]) => isIn(group))
    .map(([, { roles, project = DEFAULT_PROJECT }]) => ({ roles, project }));
  const project = mine[0]?.project;
  if (project === undefined) return undefined;
  const roles = mine.filter((grant) => grant.project === project).flatMap((grant) => grant.roles);
  return { roles: [...new Set(roles)], project };
}

/** Names of people come from elsewhere: one line, as long as a page shows. */
export function plainName(name: unknown, otherwise: string): string {
  const text = typeof name === 'string' ? name : '';
  // oxlint-disable-next-line no-control-regex -- what would break a line, or turn its direction, is no part of a name
  const line = text.replace(/[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g, ' ').trim();
  return (line === '' ? otherwise : line).slice(0, MAX_NAME);
}

const MAX_NAME = 200;
