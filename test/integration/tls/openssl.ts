import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Certificates as an administrator makes them: by openssl, with RSA keys and an intermediate authority. */
export class OpensslFolder {
  private readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  /** @returns undefined where there is no openssl */
  static async make(folder: string): Promise<OpensslFolder | undefined> {
    try {
      await run('openssl', ['version']);
    } catch {
      return undefined;
    }
    const made = new OpensslFolder(folder);
    await made.signed('ca', 'Example Root', undefined, 'basicConstraints=critical,CA:true');
    await made.signed('middle', 'Example Intermediate', 'ca', 'basicConstraints=critical,CA:true,pathlen:0');
    const names = 'subjectAltName=DNS:localhost,IP:127.0.0.1';
    await made.signed('server', 'explain.example', 'middle', `extendedKeyUsage=serverAuth\n${names}`);
    const uri = 'subjectAltName=URI:spiffe://example.org/collector';
    await made.signed('client', 'collector', 'ca', `extendedKeyUsage=clientAuth\n${uri}`);
    return made;
  }

  at(name: string): string {
    return join(this.folder, name);
  }

  private async signed(
    name: string,
    commonName: string,
    by: string | undefined,
    extensions: string,
  ): Promise<void> {
    const [key, request, extensionFile] = ['key', 'csr', 'ext'].map((ending) =>
      this.at(`${name}.${ending}`),
    ) as [string, string, string];
    await writeFile(extensionFile, extensions);
    await run('openssl', [
      'req',
      '-newkey',
      'rsa:2048',
      '-nodes',
      '-keyout',
      key,
      '-out',
      request,
      '-subj',
      `/O=Example/CN=${commonName}`,
    ]);
    const signer =
      by === undefined
        ? ['-signkey', key]
        : ['-CA', this.at(`${by}.crt`), '-CAkey', this.at(`${by}.key`), '-CAcreateserial'];
    await run('openssl', [
      'x509',
      '-req',
      '-in',
      request,
      '-days',
      '2',
      '-extfile',
      extensionFile,
      '-out',
      this.at(`${name}.crt`),
      ...signer,
    ]);
  }
}
