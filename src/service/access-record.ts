import { httpCredentials, tokenOf } from '../access/credentials.ts';
import { networkOf } from '../access/network-of.ts';
import type { Credentials, Principal } from '../access/principal.ts';
import { speakerOf } from '../access/with-gateways.ts';
import type { Clock, Timer } from '../base/clock.ts';
import type { AuditLog } from '../redaction/audit-log.ts';
import type { AuditValues } from '../servers/http/audit-route.ts';
import type { Refusal } from '../servers/http/route.ts';
import type { Logger } from '../telemetry/logger.ts';

/** What needs an administrator: it is on record before it is done, or not done. */
type AdminAction = 'reveal' | 'override' | 'revoke' | 'erase' | 'key-create' | 'key-revoke' | 'key-rotate';
/** What is on record as it happens. */
type NotedAction =
  'login' | 'logout' | 'prune' | 'adaptation' | 'replay' | 'interrupt' | 'annotate' | 'guard';
/** Of what needs an administrator, of what those asked for who may, of a way in, of a log-in. */
type RefusedAction = 'refused' | 'failed' | 'denied' | 'login-refused';

/** Who asked for what, when and why; never what was found there, nor what was sent. */
export interface Access extends Asker {
  readonly action: AdminAction | NotedAction | RefusedAction;
  /** What it was about: a node, a task, a key, an adaptation, a way in. */
  readonly node: string;
  /** The reason given, redacted, or that of the refusal. */
  readonly why: string;
  readonly field?: string;
  /** Markers whose original was given, or is shown from now on; nodes that were erased or pruned. */
  readonly values?: number;
}

export interface Asker {
  readonly role: string;
  /** The id of the principal; of who is not known a keyed fingerprint of the token: the same token has the same one. */
  readonly who: string;
  readonly name?: string;
  /** The id of the gateway that asked for them. */
  readonly via?: string;
  /** How it was known who it is. */
  readonly by?: Principal['by'];
  /** The network it came from. */
  readonly from?: string;
}

/**
 * Refusals written in a minute, of each kind; more are counted, so that a flood does not push out what matters: of those
 * at the ways in the log holds five days and more.
 */
const MAX_REFUSALS = { refused: 60, failed: 60, denied: 10, 'login-refused': 10 };
/** A company comes at nine; whoever may operate and does it without an end is bounded as well. */
const MAX_NOTED = 600;
const WINDOW_MS = 60_000;

interface Window {
  readonly begunAt: number;
  readonly outcome: 'done' | 'refused';
  readonly most: number;
  count: number;
  /** There is something to say at its end. */
  end?: Timer;
}

/** Writes accesses to the audit log of their own, and says each in the service's log. */
export class AccessRecord {
  private readonly log: AuditLog | undefined;
  private readonly clock: Clock;
  private readonly logger: Logger;
  private readonly fingerprint: (token: string) => string;
  /** One for each kind: of many of one kind none of another goes unwritten. */
  private readonly windows = new Map<Access['action'], Window>();

  /** @param log undefined where nothing is written to disk */
  constructor(
    log: AuditLog | undefined,
    clock: Clock,
    logger: Logger,
    fingerprint: (token: string) => string,
  ) {
    this.log = log;
    this.clock = clock;
    this.logger = logger;
    this.fingerprint = fingerprint;
  }

  /** Resolves when it is on the disk. @throws Error when it could not be put there: then nothing may be revealed */
  async granted(access: Access & { readonly action: AdminAction }): Promise<void> {
    if (!this.log) throw new Error('there is no audit log');
    await this.log.record({ ...access, outcome: 'done', time: this.clock.now() });
    this.logger.info(
      { action: access.action, values: access.values ?? 0 },
      'an administrator did what only they may',
    );
  }

  /** What was done. It stands, whether or not it can be written; the audit log tells its own failure. */
  async noted(access: Access & { readonly action: NotedAction }): Promise<void> {
    if (await this.bounded(access, 'done', MAX_NOTED))
      this.logger.info({ action: access.action }, 'somebody did what is on record');
  }

  /** Somebody was refused. That stands, too. */
  async refused(access: Access & { readonly action: RefusedAction }): Promise<void> {
    const { action, why, node, who, from } = access;
    if (await this.bounded(access, 'refused', MAX_REFUSALS[action]))
      this.logger.warn(
        { action, why, node, who, ...(from !== undefined && { from }) },
        'somebody was refused',
      );
  }

  /** What is on record, the newest first of those with these values, without what chains it. */
  async page(limit: number, before?: number, values?: AuditValues): Promise<readonly object[]> {
    const entries = (await this.log?.page(limit, before, values)) ?? [];
    return entries.map((entry) => {
      const { prev: _, ...said } = entry;
      return said;
    });
  }

  /** Nothing more comes: what was not written is said now. */
  async close(): Promise<void> {
    for (const [action, window] of this.windows) await this.endWindow(action, window);
  }

  askerOf({ principal, raw, error }: Refusal): Asker {
    const known = principal ?? speakerOf(error);
    return known ? askerOf(known) : this.strangerOf(httpCredentials(raw));
  }

  /** Of who is not known. */
  strangerOf(credentials: Credentials): Asker {
    const token = tokenOf(credentials);
    const { address } = credentials;
    return {
      role: 'unknown',
      who: token === undefined ? 'no token' : this.fingerprint(token),
      ...(address !== undefined && { from: networkOf(address) }),
    };
  }

  /** @returns whether it is written, and not one too many */
  private async bounded(access: Access, outcome: 'done' | 'refused', most: number): Promise<boolean> {
    const { action } = access;
    const now = this.clock.monotonic();
    let window = this.windows.get(action);
    if (!window || now - window.begunAt >= WINDOW_MS) {
      if (window) await this.endWindow(action, window);
      window = { begunAt: now, outcome, most, count: 0 };
      this.windows.set(action, window);
    }
    if (++window.count > most) {
      const ended = window;
      window.end ??= this.clock.after(window.begunAt + WINDOW_MS - now, () => {
        void this.endWindow(action, ended);
      });
      return false;
    }
    await this.write({ ...access, outcome });
    return true;
  }

  /** Says how many were not written, if any. */
  private async endWindow(action: Access['action'], { count, most, outcome, end }: Window): Promise<void> {
    end?.cancel();
    this.windows.delete(action);
    const notWrittenBefore = count - most;
    if (notWrittenBefore <= 0) return;
    const several = { node: 'several', why: 'more than are written', role: 'unknown', who: 'several' };
    await this.write({ action, outcome, ...several, notWrittenBefore });
  }

  private async write(line: object): Promise<void> {
    await this.log?.record({ ...line, time: this.clock.now() }).catch(() => undefined);
  }
}

/** As it stands on record. */
export function askerOf({ id, name, by, roles, from, via }: Principal): Asker {
  return {
    role: roles.join('+'),
    who: id,
    name,
    by,
    ...(via && { via: via.id }),
    ...(from !== undefined && { from }),
  };
}
