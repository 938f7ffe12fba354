import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { Clock } from '../base/clock.ts';
import type { ServiceConfig } from '../config/schema.ts';
import { AUDIT_FILES, AuditLog, noAudit, type AuditSink } from '../redaction/audit-log.ts';
import { createEngine, type Engine } from '../redaction/engine.ts';
import { engineOptions } from '../redaction/engine-options.ts';
import { MarkerMaker } from '../redaction/marker.ts';
import { loadVaultKey } from '../redaction/vault/master-key.ts';
import { KeepingEngine, Originals } from '../redaction/vault/originals.ts';
import { Vault } from '../redaction/vault/vault.ts';
import { loadOrCreateKey } from '../storage/key-file.ts';
import type { Logger } from '../telemetry/logger.ts';
import { AccessRecord } from './access-record.ts';

export interface PrivacyOptions {
  readonly config: ServiceConfig;
  readonly clock: Clock;
  readonly logger: Logger;
  /** The task that a record, by its source key, belongs to now. */
  readonly taskOf: (source: string) => string | undefined;
}

/** What redaction needs beside its rules: keys, audit logs, the vault. */
export interface Privacy {
  readonly audit: AuditSink;
  readonly accesses: AccessRecord;
  /** For the door. */
  readonly engine: Engine;
  /** For what people write to the service itself; it keeps no originals. */
  readonly plainEngine: Engine;
  readonly markers: MarkerMaker;
  readonly vault: Vault | undefined;
  readonly originals: Originals | undefined;
  /** Everything is on the disk, or could not be put there. */
  flush(): Promise<void>;
}

/** @throws BoundaryError FAILED_PRECONDITION when a key is not one, or not that of the vault */
export async function openPrivacy({ config, clock, logger, taskOf }: PrivacyOptions): Promise<Privacy> {
  const { dataDir } = config;
  const onDisk = config.durability !== 'memory';
  const key = onDisk ? await loadOrCreateKey(join(dataDir, 'redaction.key')) : randomBytes(32);
  const logs = onDisk
    ? AUDIT_FILES.map((file) => new AuditLog({ path: join(dataDir, file), key, logger }))
    : [];
  await Promise.all(logs.map((log) => log.open()));
  const [audit, access] = logs;
  const masterKey = onDisk ? await loadVaultKey(config) : undefined;
  const vault =
    masterKey &&
    (await Vault.open({
      folder: join(dataDir, 'vault'),
      masterKey,
      maxBytes: config.maxVaultBytes,
      taskOf,
      logger,
    }));
  const originals = vault && new Originals(vault, config.vaultSecrets);
  const options = engineOptions(config, key);
  const plainEngine = createEngine(options);
  return {
    audit: audit ?? noAudit,
    accesses: new AccessRecord(access, clock, logger),
    engine: originals ? new KeepingEngine(options, originals) : plainEngine,
    plainEngine,
    markers: new MarkerMaker(key),
    vault,
    originals,
    async flush() {
      await vault?.flush();
      await Promise.all(logs.map((log) => log.flush()));
    },
  };
}
