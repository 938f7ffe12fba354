import { stat } from 'node:fs/promises';
import { BoundaryError } from '../../base/boundary-error.ts';
import type { Clock, Timer } from '../../base/clock.ts';
import type { Logger } from '../../telemetry/logger.ts';
import { readTlsFiles, type TlsFiles, type TlsMaterial } from './tls-files.ts';

/**
 * Between two looks at the files. Looked at, not watched: a watch on a file ends when another takes its name, and one on
 * its folder does not see a link further up being turned, as Kubernetes does.
 */
const LOOK_EVERY_MS = 2_000;
const DAY_MS = 86_400_000;
/** A certificate that expires within this time is warned of; of one that lives for days only, within a fifth of its life. */
const EXPIRES_SOON_MS = 14 * DAY_MS;
const SOON_PART = 1 / 5;

export interface CertificatesOptions {
  readonly files: TlsFiles;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** A certificate, its key and the authorities of clients, as they are in their files: read again when these change. */
export class Certificates {
  readonly files: TlsFiles;
  private readonly options: CertificatesOptions;
  private readonly listeners: ((material: TlsMaterial) => void)[] = [];
  private readonly lookers: ((material: TlsMaterial) => void)[] = [];
  private current: TlsMaterial | undefined;
  private seen = '';
  private problem: string | undefined;
  private timer: Timer | undefined;
  private isStopped = false;

  constructor(options: CertificatesOptions) {
    this.options = options;
    this.files = options.files;
  }

  /** Reads the files, and looks at them from then on. @throws BoundaryError FAILED_PRECONDITION that says what is wrong with which */
  async start(): Promise<void> {
    this.seen = await this.look();
    this.take(await readTlsFiles(this.files));
    this.lookLater();
  }

  stop(): void {
    this.isStopped = true;
    this.timer?.cancel();
  }

  /** Told of what is to be used: at once if it is there, and whenever it changes. */
  onMaterial(listener: (material: TlsMaterial) => void): void {
    this.listeners.push(listener);
    if (this.current !== undefined) listener(this.current);
  }

  /** Told of what is used whenever the files were looked at, changed or not. */
  onLook(looker: (material: TlsMaterial) => void): void {
    this.lookers.push(looker);
  }

  /** What somebody should see to: files that cannot be used, a certificate that expires soon. */
  warnings(): readonly string[] {
    const warnings: string[] = [];
    if (this.problem !== undefined)
      warnings.push(`changed files of TLS are not used, the ones of before stay: ${this.problem}`);
    const validity = this.current && this.validityWarning(this.current);
    if (validity !== undefined) warnings.push(validity);
    return warnings;
  }

  private validityWarning({ validFrom, validTo }: TlsMaterial): string | undefined {
    const now = this.options.clock.now();
    const { certFile } = this.files;
    if (now < validFrom)
      return `the certificate in ${certFile} is not valid before ${new Date(validFrom).toISOString()}`;
    if (now >= validTo) return `the certificate in ${certFile} expired at ${new Date(validTo).toISOString()}`;
    if (validTo - now > Math.min(EXPIRES_SOON_MS, (validTo - validFrom) * SOON_PART)) return undefined;
    return `the certificate in ${certFile} expires at ${new Date(validTo).toISOString()}`;
  }

  private lookLater(): void {
    if (this.isStopped) return;
    this.timer = this.options.clock.after(LOOK_EVERY_MS, () => void this.lookAgain());
  }

  private async lookAgain(): Promise<void> {
    const seen = await this.look();
    if (seen !== this.seen) {
      this.seen = seen;
      await this.reload();
    }
    if (this.current && !this.isStopped) for (const looker of this.lookers) looker(this.current);
    this.lookLater();
  }

  private async reload(): Promise<void> {
    const { logger } = this.options;
    try {
      const material = await readTlsFiles(this.files);
      if (this.isStopped) return;
      this.take(material);
      this.problem = undefined;
      logger.info({ expires: new Date(material.validTo).toISOString() }, 'new certificate for TLS is used');
    } catch (error) {
      this.problem = BoundaryError.from(error).message;
      logger.warn({ problem: this.problem }, 'changed files of TLS are not used, the ones of before stay');
    }
  }

  private take(material: TlsMaterial): void {
    this.current = material;
    const warning = this.validityWarning(material);
    if (warning !== undefined) this.options.logger.warn({}, warning);
    for (const listener of this.listeners) listener(material);
  }

  /** What tells one state of the files from another; follows links. */
  private async look(): Promise<string> {
    const { certFile, keyFile, caFile } = this.files;
    const paths = [certFile, keyFile, ...(caFile === undefined ? [] : [caFile])];
    const states = await Promise.all(
      paths.map(async (path) => {
        try {
          const { dev, ino, size, mtimeNs, ctimeNs } = await stat(path, { bigint: true });
          return [dev, ino, size, mtimeNs, ctimeNs].join(':');
        } catch {
          return 'none';
        }
      }),
    );
    return states.join(' ');
  }
}
