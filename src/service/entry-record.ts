import { SlowedDown } from '../access/access.ts';
import type { LoginAudit } from '../access/people/access-audit.ts';
import type { Principal, RefusedEntry } from '../access/principal.ts';
import { speakerOf } from '../access/with-gateways.ts';
import { askerOf, type AccessRecord } from './access-record.ts';

/** The records of projects. */
export interface RecordsOf {
  /** @throws BoundaryError where the project is not open */
  of(name: string): { readonly accesses: AccessRecord };
}

/** Puts on record who came in, went, or was refused: of who is known in the log of their project. */
export class EntryRecord implements LoginAudit {
  private readonly projects: RecordsOf;
  private readonly main: AccessRecord;

  /** @param main of the default project, for who is not known, and for those whose project is not open */
  constructor(projects: RecordsOf, main: AccessRecord) {
    this.projects = projects;
    this.main = main;
  }

  /** A limit that somebody ran into, or a service that is not ready, is no refusal. */
  readonly refused = ({ way, error, credentials, principal: caller, wasLetIn }: RefusedEntry): void => {
    const { code } = error;
    const principal = caller ?? speakerOf(error);
    if (wasLetIn === true && principal && code !== 'RESOURCE_EXHAUSTED')
      return void this.of(principal).refused({
        action: 'failed',
        node: way,
        why: code,
        ...askerOf(principal),
      });
    const isRefusal = code === 'UNAUTHENTICATED' || code === 'PERMISSION_DENIED';
    if (!isRefusal && !(error instanceof SlowedDown)) return;
    const asker = principal ? askerOf(principal) : this.main.strangerOf(credentials);
    void this.of(principal).refused({ action: 'denied', node: way, why: code, ...asker });
  };

  loggedIn(principal: Principal): void {
    void this.of(principal).noted({
      action: 'login',
      node: 'session',
      why: 'logged in',
      ...askerOf(principal),
    });
  }

  loggedOut(principal: Principal, why: string): void {
    void this.of(principal).noted({ action: 'logout', node: 'session', why, ...askerOf(principal) });
  }

  loginRefused(reason: string, address: string, token?: string): void {
    const credentials = { address, ...(token !== undefined && { apiKey: token }) };
    const asker = this.main.strangerOf(credentials);
    void this.main.refused({ action: 'login-refused', node: 'session', why: reason, ...asker });
  }

  private of(principal: Principal | undefined): AccessRecord {
    try {
      return principal ? this.projects.of(principal.project).accesses : this.main;
    } catch {
      return this.main;
    }
  }
}
