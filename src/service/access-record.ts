import { httpCredentials, tokenOf } from '../access/credentials.ts';
import type { Principal } from '../access/principal.ts';
import type { Clock } from '../base/clock.ts';
import type { AuditLog } from '../redaction/audit-log.ts';
import type { Refusal } from '../servers/http/route.ts';
import type { Logger } from '../telemetry/logger.ts';

/** Who asked for what behind the markers, when and why; never what was found there. */
export interface Access {
  readonly action:
    'reveal' | 'override' | 'revoke' | 'erase' | 'refused' | 'key-create' | 'key-revoke' | 'key-rotate';
  readonly node: string;
  readonly role: string;
  /** The id of the principal; of who is not known a keyed fingerprint of the token: the same token has the same one. */
  readonly who: string;
  /** The reason given, redacted, or that of the refusal. */
  readonly why: string;
  readonly field?: string;
  /** Markers whose original was given, or is shown from now on. */
  readonly values?: number;
}

/** Refused attempts written in a minute; more are counted, so that a flood does not push out what matters. */
const MAX_REFUSALS = 60;
const REFUSAL_WINDOW_MS = 60_000;

/** Writes accesses to the audit log of their own, and says each in the service's log. */
export class AccessRecord {
  private readonly log: AuditLog | undefined;
  private readonly clock: Clock;
  private readonly logger: Logger;
  private readonly fingerprint: (token: string) => string;
  private windowStart = -Infinity;
  private refusals = 0;

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
  async granted(access: Access): Promise<void> {
    if (!this.log) throw new Error('there is no audit log');
    await this.log.record({ ...access, time: this.clock.now() });
    this.logger.info(
      { action: access.action, values: access.values ?? 0 },
      'an administrator did what only they may',
    );
  }

  /** What is on record, the newest first, without what chains it. */
  async page(limit: number, before?: number): Promise<readonly object[]> {
    const entries = (await this.log?.page(limit, before)) ?? [];
    return entries.map((entry) => {
      const { prev: _, ...said } = entry;
      return said;
    });
  }

  askerOf({ principal, raw }: Refusal): Pick<Access, 'role' | 'who'> {
    if (principal) return { role: rolesOf(principal), who: principal.id };
    const token = tokenOf(httpCredentials(raw));
    return { role: 'unknown', who: token === undefined ? 'no token' : this.fingerprint(token) };
  }

  async refused(access: Access): Promise<void> {
    const now = this.clock.monotonic();
    let passedOver = 0;
    if (now - this.windowStart >= REFUSAL_WINDOW_MS) {
      passedOver = Math.max(this.refusals - MAX_REFUSALS, 0);
      this.windowStart = now;
      this.refusals = 0;
    }
    if (++this.refusals > MAX_REFUSALS) return;
    this.logger.warn({}, 'an attempt to do what only administrators may was refused');
    const entry = { ...access, time: this.clock.now(), ...(passedOver > 0 && { refusedBefore: passedOver }) };
    // The refusal stands whether or not it can be written; the audit log tells its own failure.
    await this.log?.record(entry).catch(() => undefined);
  }
}

export function rolesOf({ roles }: Principal): string {
  return roles.join('+');
}
