import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeCertificate, type CertificatePair, type CertificateRequest } from '../../src/base/x509.ts';

const DAY_MS = 86_400_000;

export const LOOPBACK_NAMES = ['localhost', '127.0.0.1', '::1'];

type Wanted = Partial<CertificateRequest> & Pick<CertificateRequest, 'use' | 'commonName'>;

/** A certificate that holds from yesterday to tomorrow. */
export function testCertificate(wanted: Wanted): CertificatePair {
  return makeCertificate({
    validFrom: new Date(Date.now() - DAY_MS),
    validTo: new Date(Date.now() + DAY_MS),
    ...wanted,
  });
}

/** An authority, a server of this machine and a client. */
export class TestCertificates {
  readonly ca = testCertificate({ use: 'authority', commonName: 'test authority' });
  readonly server = this.signed({ use: 'server', commonName: 'localhost', names: LOOPBACK_NAMES });
  readonly client = this.signed({ use: 'client', commonName: 'collector-1' });
  private readonly folder: string;

  constructor(folder: string) {
    this.folder = folder;
  }

  signed(wanted: Wanted): CertificatePair {
    return testCertificate({ signedBy: this.ca, ...wanted });
  }

  /** Writes the server's pair and the authority into the folder. @returns the paths, as `tls` takes them */
  async write(
    server: CertificatePair = this.server,
  ): Promise<{ certFile: string; keyFile: string; caFile: string }> {
    const [certFile, keyFile, caFile] = ['server.crt', 'server.key', 'ca.crt'].map((name) =>
      join(this.folder, name),
    ) as [string, string, string];
    await mkdir(this.folder, { recursive: true });
    await writeFile(keyFile, server.key, { mode: 0o600 });
    await writeFile(certFile, server.cert);
    await writeFile(caFile, this.ca.cert);
    return { certFile, keyFile, caFile };
  }
}
