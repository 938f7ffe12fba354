import { randomBytes, timingSafeEqual } from 'node:crypto';
import { join } from 'node:path';
import { BoundaryError, invalid } from '../base/boundary-error.ts';
import type { Clock, Timer } from '../base/clock.ts';
import type { Logger } from '../telemetry/logger.ts';
import { readKeyFile, writeKeyFile } from './key-file.ts';
import { readNewKey, type KeyInfo, type KeyRecord } from './key-record.ts';
import { digestOf, newKeyText } from './key-text.ts';
import { NOBODY, type Principal } from './principal.ts';
import { Watchers } from './watchers.ts';

const FILE = 'keys.json';
/** More than a person looks through; each change writes them all. */
const MAX_KEYS = 1_000;
const ID_BYTES = 6;
const MINUTE_MS = 60_000;
/** Longer waits go beyond what timers can. */
const MAX_WAIT_MS = 86_400_000;
const MAX_GRACE_MINUTES = 7 * 24 * 60;
/** Of the hash, by which a key is looked up; then the whole is compared. */
const INDEX_CHARS = 16;

/** A key as its maker is shown it, this once. */
export interface ShownKey extends KeyInfo {
  readonly key: string;
}

export interface KeysOptions {
  readonly dataDir: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** False where nothing is written to disk: then keys are those that the file has, and cannot be changed. */
  readonly isKept: boolean;
}

interface Known {
  readonly hash: Buffer;
  readonly record: KeyRecord;
  readonly principal: Principal;
  /** Milliseconds since the epoch. */
  readonly endsAt: number;
}

/** The keys of a service, in a file beside its store. Of each only a hash is kept. */
export class Keys {
  private readonly options: KeysOptions;
  private readonly path: string;
  private readonly watchers = new Watchers();
  private records = new Map<string, KeyRecord>();
  private known = new Map<string, Known>();
  private isFileThere = false;
  private changing: Promise<unknown> = Promise.resolve();
  private nextEnd: Timer | undefined;
  private nextWrite: Timer | undefined;

  private constructor(options: KeysOptions) {
    this.options = options;
    this.path = join(options.dataDir, FILE);
  }

  /** @throws BoundaryError FAILED_PRECONDITION when the file cannot be read */
  static async open(options: KeysOptions): Promise<Keys> {
    const keys = new Keys(options);
    const records = await readKeyFile(keys.path);
    keys.isFileThere = records !== undefined;
    keys.take(new Map(records?.map((record) => [record.id, record])));
    return keys;
  }

  /** Were there ever any? Then everybody must show one, also when the last one is gone. */
  get areAsked(): boolean {
    return this.isFileThere;
  }

  get projects(): ReadonlySet<string> {
    return new Set([...this.records.values()].map(({ project }) => project));
  }

  /** Whose key it is. `expired`: it was one. */
  find(text: string): Principal | 'expired' | undefined {
    const digest = digestOf(text);
    const known = this.known.get(digest.toString('hex').slice(0, INDEX_CHARS));
    if (!known || !timingSafeEqual(known.hash, digest)) return undefined;
    const now = this.options.clock.now();
    if (known.endsAt <= now) return 'expired';
    this.used(known.record.id, now);
    return known.principal;
  }

  /** @param project whose, all if absent */
  list(project?: string): readonly KeyInfo[] {
    return [...this.records.values()].filter((record) => isOf(record, project)).map(infoOf);
  }

  /** @throws BoundaryError NOT_FOUND */
  get(id: string, project?: string): KeyInfo {
    return infoOf(this.recordOf(id, project));
  }

  /** @param request unchecked @throws BoundaryError INVALID_ARGUMENT, RESOURCE_EXHAUSTED, FAILED_PRECONDITION */
  create(
    request: unknown,
    project?: string,
    ensureProject: (name: string) => Promise<void> = () => Promise.resolve(),
  ): Promise<ShownKey> {
    return this.change(async () => {
      const now = this.options.clock.now();
      const wanted = readNewKey(request, now);
      if (project !== undefined && wanted.project !== project)
        throw new BoundaryError(
          'PERMISSION_DENIED',
          'keys of other projects are made by their administrators',
        );
      if (this.records.size >= MAX_KEYS)
        throw new BoundaryError('RESOURCE_EXHAUSTED', `there are ${MAX_KEYS} keys: revoke some first`);
      // Else administrators of one project could keep those of all others from making any.
      if (project !== undefined && this.list(project).length >= MAX_KEYS - this.records.size)
        throw new BoundaryError(
          'RESOURCE_EXHAUSTED',
          'this project has as many keys as are left for all: revoke some first',
        );
      await ensureProject(wanted.project);
      const key = newKeyText();
      const record: KeyRecord = {
        id: `key-${randomBytes(ID_BYTES).toString('hex')}`,
        ...wanted,
        createdAt: new Date(now).toISOString(),
        hash: digestOf(key).toString('hex'),
      };
      await this.keep(new Map(this.records).set(record.id, record));
      return { ...infoOf(record), key };
    });
  }

  /** Whatever is open by it ends. @throws BoundaryError NOT_FOUND, FAILED_PRECONDITION */
  revoke(id: string, project?: string): Promise<KeyInfo> {
    return this.change(async () => {
      const record = this.recordOf(id, project);
      const left = new Map(this.records);
      left.delete(id);
      await this.keep(left);
      this.watchers.end(id, 'the key was revoked');
      return infoOf(record);
    });
  }

  /**
   * Another text for the same key.
   * @param graceMinutes how long the former goes on; without it, what is open by it ends
   * @throws BoundaryError NOT_FOUND, INVALID_ARGUMENT, FAILED_PRECONDITION
   */
  rotate(id: string, graceMinutes: unknown = 0, project?: string): Promise<ShownKey> {
    return this.change(async () => {
      const { before: _, ...record } = this.recordOf(id, project);
      if (typeof graceMinutes !== 'number' || !(graceMinutes >= 0 && graceMinutes <= MAX_GRACE_MINUTES))
        throw invalid(`graceMinutes must be 0 to ${MAX_GRACE_MINUTES}`);
      const until = new Date(this.options.clock.now() + graceMinutes * MINUTE_MS).toISOString();
      const key = newKeyText();
      const rotated: KeyRecord = {
        ...record,
        hash: digestOf(key).toString('hex'),
        ...(graceMinutes > 0 && { before: { hash: record.hash, until } }),
      };
      await this.keep(new Map(this.records).set(id, rotated));
      if (graceMinutes === 0) this.watchers.end(id, 'the key was replaced by another');
      return { ...infoOf(rotated), key };
    });
  }

  /** @param id of a key, or of nobody, whose time is over when there are keys @param onEnd told once @returns stops that */
  watch(id: string, onEnd: (reason: string) => void): () => void {
    return this.watchers.add(id, onEnd);
  }

  /** Writes when each was used last. */
  async stop(): Promise<void> {
    this.nextEnd?.cancel();
    if (!this.nextWrite) return;
    await this.change(() => this.writeUses());
  }

  private recordOf(id: string, project?: string): KeyRecord {
    const record = this.records.get(id);
    if (record && isOf(record, project)) return record;
    throw new BoundaryError('NOT_FOUND', 'there is no key with this id: list them');
  }

  /** One change after the other. */
  private change<T>(make: () => Promise<T>): Promise<T> {
    const made = this.changing.then(make);
    this.changing = made.catch(() => undefined);
    return made;
  }

  private async keep(records: Map<string, KeyRecord>): Promise<void> {
    if (!this.options.isKept)
      throw new BoundaryError('FAILED_PRECONDITION', 'durability is "memory": keys cannot be changed');
    await writeKeyFile(this.path, [...records.values()]);
    const isFirst = !this.isFileThere;
    this.isFileThere = true;
    this.take(records);
    if (isFirst) this.watchers.end(NOBODY.id, 'there are keys now: come again with one');
  }

  private take(records: Map<string, KeyRecord>): void {
    const former = new Map([...this.known.values()].map((one) => [one.record.id, one.principal]));
    this.records = records;
    this.known = new Map();
    for (const record of records.values()) {
      // One principal as long as there is the key.
      const principal = former.get(record.id) ?? principalOf(record);
      const endsAt = timeOf(record.expiresAt);
      const add = (hash: string, end: number): void =>
        void this.known.set(hash.slice(0, INDEX_CHARS), {
          hash: Buffer.from(hash, 'hex'),
          record,
          principal,
          endsAt: Math.min(end, endsAt),
        });
      add(record.hash, Infinity);
      if (record.before) add(record.before.hash, Date.parse(record.before.until));
    }
    this.endExpired();
  }

  /** Ends what is open by keys that are past their end, now and when the next one is. */
  private endExpired(): void {
    this.nextEnd?.cancel();
    const { clock } = this.options;
    const now = clock.now();
    let next = Infinity;
    for (const { id, expiresAt, before } of this.records.values()) {
      const end = timeOf(expiresAt);
      const formerEnd = timeOf(before?.until);
      if (end <= now) this.watchers.end(id, 'the key has expired');
      else if (formerEnd <= now) this.forgetFormer(id);
      next = Math.min(next, ...[end, formerEnd].filter((one) => one > now));
    }
    if (next < Infinity)
      this.nextEnd = clock.after(Math.min(next - now, MAX_WAIT_MS), () => this.endExpired());
  }

  /** Who came with the former text cannot be told from who came with the new one: all connect again. */
  private forgetFormer(id: string): void {
    const { before: _, ...record } = this.recordOf(id);
    this.records.set(id, record);
    this.watchers.end(id, 'the key was replaced by another');
  }

  private used(id: string, now: number): void {
    const record = this.records.get(id);
    const last = record?.lastUsedAt === undefined ? 0 : Date.parse(record.lastUsedAt);
    if (!record || now - last < MINUTE_MS) return;
    this.records.set(id, { ...record, lastUsedAt: new Date(now).toISOString() });
    if (!this.options.isKept) return;
    this.nextWrite ??= this.options.clock.after(MINUTE_MS, () => void this.change(() => this.writeUses()));
  }

  private async writeUses(): Promise<void> {
    this.nextWrite = undefined;
    await writeKeyFile(this.path, [...this.records.values()]).catch((error: unknown) =>
      this.options.logger.error({ err: error }, 'when keys were used last is not written'),
    );
  }
}

function isOf(record: KeyRecord, project: string | undefined): boolean {
  return project === undefined || record.project === project;
}

function principalOf({ id, name, roles, project, limits, capabilities }: KeyRecord): Principal {
  return {
    by: 'key',
    id,
    name,
    roles,
    project,
    ...(limits && { limits }),
    ...(capabilities && { capabilities }),
  };
}

function infoOf(record: KeyRecord): KeyInfo {
  const { hash: _, before: __, ...info } = record;
  return info;
}

function timeOf(iso: string | undefined): number {
  return iso === undefined ? Infinity : Date.parse(iso);
}
