import { join } from 'node:path';
import type { MarkerOriginals } from '../../model/facts.ts';
import { seal, unseal } from './sealed.ts';
import { type DataKey, VaultKeys } from './vault-keys.ts';

const BOUND = 'override';

/**
 * Seals what overrides show, each under a key of its own that is kept as those of tasks are. It opens as long as the
 * override stands, also when the originals of its task are gone with what left memory. Without its key it is lost for good.
 */
export class OverrideSeals {
  private readonly keys: VaultKeys;
  private readonly bySource = new Map<string, DataKey>();
  private written: Promise<void> = Promise.resolve();

  private constructor(keys: VaultKeys) {
    this.keys = keys;
  }

  /**
   * @param folder of the vault; it is there
   * @throws BoundaryError FAILED_PRECONDITION when the master key is not the one that the vault was made with
   */
  static async open(folder: string, masterKey: Uint8Array): Promise<OverrideSeals> {
    const seals = new OverrideSeals(new VaultKeys(join(folder, 'overrides.ndjson'), masterKey));
    for (const key of await seals.keys.load()) seals.bySource.set(key.task, key);
    return seals;
  }

  /**
   * Resolves when the key is on the disk.
   * @param source key of the record that will hold it
   * @throws Error of the file system
   */
  async seal(source: string, originals: MarkerOriginals): Promise<string> {
    const known = this.bySource.get(source);
    const key = known ?? this.keys.make(source);
    this.bySource.set(source, key);
    const sealed = seal(key.key, [BOUND, source], Buffer.from(JSON.stringify(originals)));
    // One that failed to be written is written with all others.
    await this.write(() => (known ? this.keys.rewrite(this.bySource.values()) : this.keys.add([key])));
    return sealed;
  }

  /** undefined when its key is gone, or it was changed since. */
  open(source: string, sealed: string): MarkerOriginals | undefined {
    const key = this.bySource.get(source);
    const opened = key && unseal(key.key, [BOUND, source], sealed);
    return opened && (JSON.parse(opened.toString('utf8')) as MarkerOriginals);
  }

  /** What was sealed for these opens no more. @throws Error of the file system */
  async forget(sources: Iterable<string>): Promise<void> {
    let isOther = false;
    for (const source of sources) isOther = this.bySource.delete(source) || isOther;
    if (isOther) await this.write(() => this.keys.rewrite(this.bySource.values()));
  }

  /** Forgets all but these. */
  async retain(sources: ReadonlySet<string>): Promise<void> {
    await this.forget([...this.bySource.keys()].filter((source) => !sources.has(source)));
  }

  /** One after the other: they write one file. */
  private write(work: () => Promise<void>): Promise<void> {
    const written = this.written.then(work);
    this.written = written.catch(() => {});
    return written;
  }
}
