import type { Clock } from '../base/clock.ts';
import type { ServiceConfig } from '../config/schema.ts';
import { TLS_PORTS, tlsOfPort, type TlsPort } from '../config/tls.ts';
import type { Logger } from '../telemetry/logger.ts';
import { Certificates } from '../transport/tls/certificates.ts';
import { TlsEntrance } from '../transport/tls/tls-entrance.ts';
import type { TlsFiles } from '../transport/tls/tls-files.ts';

/** TLS of all ports, as the configuration has it. Ports with the same files share what is read of them. */
export class PortsTls {
  private readonly entrances = new Map<TlsPort, TlsEntrance>();
  private readonly certificates = new Map<string, Certificates>();

  constructor(
    tls: ServiceConfig['tls'],
    { clock, logger }: { readonly clock: Clock; readonly logger: Logger },
  ) {
    for (const port of TLS_PORTS) {
      const files = filesOf(tls, port);
      if (files === undefined) continue;
      const key = JSON.stringify(files);
      const certificates = this.certificates.get(key) ?? new Certificates({ files, clock, logger });
      this.certificates.set(key, certificates);
      this.entrances.set(port, new TlsEntrance({ certificates, clock, logger }));
    }
  }

  /** Those that speak TLS. */
  get ports(): ReadonlySet<TlsPort> {
    return new Set(this.entrances.keys());
  }

  /** Undefined where the port speaks plain text. */
  of(port: TlsPort): TlsEntrance | undefined {
    return this.entrances.get(port);
  }

  /** Reads all files. @throws BoundaryError FAILED_PRECONDITION that says what is wrong with which */
  async start(): Promise<void> {
    for (const certificates of this.certificates.values()) await certificates.start();
  }

  stop(): void {
    for (const certificates of this.certificates.values()) certificates.stop();
  }

  /** What somebody should see to. */
  warnings(): readonly string[] {
    return Array.from(this.certificates.values(), (one) => one.warnings()).flat();
  }
}

function filesOf(tls: ServiceConfig['tls'], port: TlsPort): TlsFiles | undefined {
  const setting = tlsOfPort(tls, port);
  if (setting === undefined || setting === 'terminated') return undefined;
  const { certFile, keyFile, caFile, clientCertificates = 'none' } = setting;
  if (certFile === undefined || keyFile === undefined) return undefined;
  return clientCertificates === 'none'
    ? { certFile, keyFile }
    : { certFile, keyFile, caFile, clientCertificates };
}
