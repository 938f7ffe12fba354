import { createSecretKey, randomBytes, randomUUID, type KeyObject } from 'node:crypto';
import { BoundaryError } from '../../base/boundary-error.ts';
import { appendLines, readLines, replaceLines } from './lines-file.ts';
import { KEY_BYTES, seal, unseal } from './sealed.ts';

const FORMAT = 1;
const CHECKED = 'the vault';

/** A task's data key. */
export interface DataKey {
  readonly id: string;
  readonly task: string;
  /** Made once: a cipher takes three times as long with the bytes themselves. */
  readonly key: KeyObject;
  /** As it stands in the file: wrapping it anew for every rewriting would hold up the service. */
  readonly line: string;
}

/**
 * The file of the tasks' data keys, each wrapped by the master key. A key that is taken out of it opens nothing
 * any more: what it sealed is lost for good, wherever copies of it lie.
 */
export class VaultKeys {
  private readonly path: string;
  private readonly master: Uint8Array;

  constructor(path: string, master: Uint8Array) {
    this.path = path;
    this.master = master;
  }

  /** @throws BoundaryError FAILED_PRECONDITION when another master key made the vault */
  async load(): Promise<readonly DataKey[]> {
    const { lines } = await readLines(this.path);
    const [head, ...rest] = lines;
    if (head === undefined) {
      await this.rewrite([]);
      return [];
    }
    this.check(head);
    return rest.map((line) => this.unwrap(line)).filter((key) => key !== undefined);
  }

  make(task: string): DataKey {
    const id = randomUUID();
    const bytes = randomBytes(KEY_BYTES);
    const line = JSON.stringify({ id, task, key: seal(this.master, ['data key', id, task], bytes) });
    return { id, task, key: createSecretKey(bytes), line };
  }

  async add(keys: readonly DataKey[]): Promise<void> {
    await appendLines(
      this.path,
      keys.map(({ line }) => line),
    );
  }

  /** Leaves these keys and no other. */
  async rewrite(keys: Iterable<DataKey>): Promise<void> {
    const check = seal(this.master, [CHECKED], Buffer.from(CHECKED));
    const lines = [JSON.stringify({ format: FORMAT, check })];
    for (const { line } of keys) lines.push(line);
    await replaceLines(this.path, lines);
  }

  private check(head: string): void {
    const { format, check } = parse(head);
    if (format === FORMAT && typeof check === 'string' && unseal(this.master, [CHECKED], check)) return;
    throw new BoundaryError(
      'FAILED_PRECONDITION',
      'the vault in dataDir was made with another vaultKey: set that one again, or delete the folder "vault" and lose what is in it',
    );
  }

  private unwrap(line: string): DataKey | undefined {
    const { id, task, key: wrapped } = parse(line);
    if (typeof id !== 'string' || typeof task !== 'string' || typeof wrapped !== 'string') return undefined;
    const key = unseal(this.master, ['data key', id, task], wrapped);
    return key?.length === KEY_BYTES ? { id, task, key: createSecretKey(key), line } : undefined;
  }
}

function parse(line: string): { readonly [name: string]: unknown } {
  try {
    return JSON.parse(line) as { readonly [name: string]: unknown };
  } catch {
    return {};
  }
}
