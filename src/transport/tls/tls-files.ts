import { X509Certificate, createPrivateKey, type KeyObject } from 'node:crypto';
import { open } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import { BoundaryError } from '../../base/boundary-error.ts';

/** The files that one port speaks TLS with, PEM each. */
export interface TlsFiles {
  /** The certificate of the port, and the intermediate ones above it. */
  readonly certFile: string;
  readonly keyFile: string;
  /** Whose client certificates are taken. */
  readonly caFile?: string | undefined;
  readonly clientCertificates?: 'optional' | 'required' | undefined;
}

/** SHA-256 of each certificate in `caFile`. */
export type Authorities = ReadonlySet<string>;

/** What the files hold, checked. */
export interface TlsMaterial {
  readonly cert: Buffer;
  readonly key: Buffer;
  readonly ca: Buffer | undefined;
  readonly authorities: Authorities;
  /** Of the certificate and of those above it in the file, what holds for all; wall clock, milliseconds. */
  readonly validFrom: number;
  readonly validTo: number;
}

/** The oldest version that is spoken: older ones are broken (RFC 8996). */
export const MIN_TLS_VERSION = 'TLSv1.2';
/** A file with all authorities that browsers trust has a quarter of this. */
const MAX_FILE_BYTES = 1024 * 1024;
const PEM_CERTIFICATE = /-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g;

/** @throws BoundaryError FAILED_PRECONDITION that names the file and says what is wrong with it */
export async function readTlsFiles(files: TlsFiles): Promise<TlsMaterial> {
  const { certFile, keyFile, caFile } = files;
  const [cert, key, ca] = await Promise.all([
    readFileOf('certFile', certFile),
    readFileOf('keyFile', keyFile),
    caFile === undefined ? undefined : readFileOf('caFile', caFile),
  ]);
  const chain = certificatesIn('certFile', certFile, cert);
  if (!chain[0]?.checkPrivateKey(privateKeyIn(keyFile, key)))
    throw wrong('keyFile', keyFile, 'is not the key of the certificate in certFile');
  const authorities = caFile !== undefined && ca !== undefined ? certificatesIn('caFile', caFile, ca) : [];
  try {
    createSecureContext({ cert, key, ca, minVersion: MIN_TLS_VERSION });
  } catch (error) {
    throw wrong('certFile', certFile, `cannot be used for TLS (${codeOf(error)})`, error);
  }
  return {
    cert,
    key,
    ca,
    authorities: new Set(authorities.map(({ fingerprint256 }) => fingerprint256)),
    validFrom: Math.max(...chain.map(({ validFrom }) => Date.parse(validFrom))),
    validTo: Math.min(...chain.map(({ validTo }) => Date.parse(validTo))),
  };
}

async function readFileOf(name: keyof TlsFiles, path: string): Promise<Buffer> {
  try {
    const file = await open(path, 'r');
    try {
      const { size } = await file.stat();
      if (size > MAX_FILE_BYTES) throw wrong(name, path, `is larger than ${MAX_FILE_BYTES} bytes`);
      return await file.readFile();
    } finally {
      await file.close();
    }
  } catch (error) {
    if (error instanceof BoundaryError) throw error;
    throw wrong(name, path, `cannot be read (${codeOf(error)})`, error);
  }
}

function certificatesIn(name: keyof TlsFiles, path: string, pem: Buffer): X509Certificate[] {
  const blocks = pem.toString('latin1').match(PEM_CERTIFICATE) ?? [];
  try {
    if (blocks.length > 0) return blocks.map((block) => new X509Certificate(block));
  } catch (error) {
    throw wrong(name, path, 'holds a certificate that cannot be read', error);
  }
  throw wrong(name, path, 'holds no certificate in PEM form ("-----BEGIN CERTIFICATE-----")');
}

function privateKeyIn(path: string, pem: Buffer): KeyObject {
  try {
    return createPrivateKey(pem);
  } catch (error) {
    const isLocked = codeOf(error) === 'ERR_MISSING_PASSPHRASE' || pem.includes('ENCRYPTED');
    const problem = isLocked
      ? 'is locked by a passphrase, which the service does not ask for: give it an open key that only its user may read'
      : 'holds no private key in PEM form ("-----BEGIN PRIVATE KEY-----")';
    throw wrong('keyFile', path, problem, error);
  }
}

function wrong(name: keyof TlsFiles, path: string, problem: string, cause?: unknown): BoundaryError {
  return new BoundaryError('FAILED_PRECONDITION', `tls: ${name} ${path} ${problem}`, { cause });
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'unknown';
}
