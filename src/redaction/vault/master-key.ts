import { readFile } from 'node:fs/promises';
import { BoundaryError } from '../../base/boundary-error.ts';
import { KEY_BYTES } from './sealed.ts';

/** Hex digits, or base64 with its padding. */
const WRITTEN_KEY = /^(?:[0-9a-fA-F]{64}|[A-Za-z0-9+/]{43}=)$/;

export interface VaultKeySource {
  readonly vaultKey?: string | undefined;
  readonly vaultKeyFile?: string | undefined;
}

/**
 * The key that opens the vault; undefined when none is set, and then there is no vault.
 * @throws BoundaryError FAILED_PRECONDITION naming the setting, never what it holds
 */
export async function loadVaultKey({ vaultKey, vaultKeyFile }: VaultKeySource): Promise<Buffer | undefined> {
  if (vaultKey !== undefined) return readWritten(vaultKey, 'vaultKey');
  if (vaultKeyFile === undefined) return undefined;
  let bytes: Buffer;
  try {
    bytes = await readFile(vaultKeyFile);
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code ?? 'unknown';
    throw new BoundaryError(
      'FAILED_PRECONDITION',
      `vaultKeyFile cannot be read (${code}): make one, or correct the path`,
      {
        cause,
      },
    );
  }
  return bytes.length === KEY_BYTES ? bytes : readWritten(bytes.toString('latin1').trim(), 'vaultKeyFile');
}

function readWritten(text: string, setting: string): Buffer {
  if (!WRITTEN_KEY.test(text))
    throw new BoundaryError(
      'FAILED_PRECONDITION',
      `${setting} must hold ${KEY_BYTES} bytes: as 64 hex digits or in base64 (openssl rand -hex 32 makes them)`,
    );
  return Buffer.from(text, text.length === KEY_BYTES * 2 ? 'hex' : 'base64');
}
