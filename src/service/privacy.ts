import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../base/clock.ts';
import type { ServiceConfig } from '../config/schema.ts';
import type { MarkerOriginals, OverrideFacts } from '../model/facts.ts';
import { AUDIT_FILES, AuditLog, noAudit, type AuditSink } from '../redaction/audit-log.ts';
import { createRedactor, type Redactor } from '../redaction/redactor.ts';
import { redactorOptions } from '../redaction/redactor-options.ts';
import { MarkerMaker } from '../redaction/marker.ts';
import { ShownMarkers } from '../redaction/shown-markers.ts';
import { loadVaultKey } from '../redaction/vault/master-key.ts';
import { KeepingRedactor, Originals } from '../redaction/vault/originals.ts';
import { OverrideSeals } from '../redaction/vault/override-seals.ts';
import { Vault } from '../redaction/vault/vault.ts';
import { loadOrCreateKey } from '../storage/key-file.ts';
import { overrideKey } from '../storage/record-key.ts';
import type { Logger } from '../telemetry/logger.ts';
import { AccessRecord } from './access-record.ts';
import type { EraserOptions } from './eraser.ts';

export interface PrivacyOptions {
  readonly config: ServiceConfig;
  readonly clock: Clock;
  readonly logger: Logger;
  /** The store was opened with records that were redacted before. */
  readonly hasRecords: boolean;
  /** The task that a record, by its source key, belongs to now. */
  readonly taskOf: (source: string) => string | undefined;
}

/** What redaction needs beside its rules: keys, audit logs, the vault. */
export interface Privacy {
  readonly audit: AuditSink;
  readonly accesses: AccessRecord;
  /** For the door. */
  readonly redactor: Redactor;
  /** For what people write to the service itself; it keeps no originals. */
  readonly plainRedactor: Redactor;
  /** A text as the door would keep it; its originals are not kept. */
  readonly tagged: (text: string) => string;
  readonly markers: MarkerMaker;
  readonly shownMarkers: ShownMarkers;
  readonly vault: Vault | undefined;
  /** There with a vault. */
  readonly overrides: OverrideSeals | undefined;
  readonly originals: Originals | undefined;
  /** Everything is on the disk, or could not be put there. */
  flush(): Promise<void>;
}

/** @throws BoundaryError FAILED_PRECONDITION when a key is not one, or not that of the vault */
export async function openPrivacy(options: PrivacyOptions): Promise<Privacy> {
  const { config, clock, logger, taskOf } = options;
  const { dataDir } = config;
  const onDisk = config.durability !== 'memory';
  const key = onDisk ? await redactionKey(options) : randomBytes(32);
  const logs = onDisk
    ? AUDIT_FILES.map((file) => new AuditLog({ path: join(dataDir, file), key, logger }))
    : [];
  await Promise.all(logs.map((log) => log.open()));
  const [audit, access] = logs;
  const masterKey = onDisk ? await loadVaultKey(config) : undefined;
  const folder = join(dataDir, 'vault');
  const vault =
    masterKey &&
    (await Vault.open({
      folder,
      masterKey,
      maxBytes: config.maxVaultBytes,
      taskOf,
      logger,
    }));
  const overrides = masterKey && (await OverrideSeals.open(folder, masterKey));
  const originals = vault && new Originals(vault, config.vaultSecrets);
  const keyed = await redactorOptions(config, key);
  const tagging = { ...keyed, tags: true };
  const tagger = createRedactor(tagging);
  const markers = new MarkerMaker(key);
  const accesses = new AccessRecord(access, clock, logger, (token) => markers.make('SECRET', token));
  return {
    audit: audit ?? noAudit,
    accesses,
    redactor: originals ? new KeepingRedactor(tagging, originals) : tagger,
    plainRedactor: createRedactor(keyed),
    tagged: (text) => tagger.redactText(text),
    markers,
    shownMarkers: new ShownMarkers(key),
    vault,
    overrides,
    originals,
    async flush() {
      await vault?.flush();
      await accesses.close();
      await Promise.all(logs.map((log) => log.flush()));
    },
  };
}

function redactionKey({ config, logger, hasRecords }: PrivacyOptions): Promise<Uint8Array> {
  const path = join(config.dataDir, 'redaction.key');
  if (hasRecords && !existsSync(path))
    logger.warn(
      { path },
      'redaction.key is missing beside records that were redacted with it, and a new one is made: markers from now on differ from those before, and the audit logs of before cannot be verified; to undo this, stop the service and put the old key back',
    );
  return loadOrCreateKey(path);
}

/** What an override shows, while it can be opened. */
export function overrideOpener({
  overrides,
}: Privacy): (facts: OverrideFacts) => MarkerOriginals | undefined {
  return ({ nodeId, sealed }) =>
    sealed === undefined ? undefined : overrides?.open(overrideKey(nodeId), sealed);
}

/** All that a user's id may stand as in nodes of a task; what an earlier version kept has one marker in all tasks. */
export function usersOf({ plainRedactor, tagged, shownMarkers }: Privacy): EraserOptions['userIn'] {
  return (userId) => {
    const tag = tagged(userId);
    const everywhere = new Set([userId, plainRedactor.redactText(userId)]);
    return (taskId) =>
      tag === userId ? everywhere : new Set(everywhere).add(shownMarkers.shown(taskId, tag));
  };
}
