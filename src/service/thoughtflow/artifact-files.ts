import { hash } from 'node:crypto';
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { hasCode } from '../../base/file-system.ts';

const OWNER_ONLY_FOLDER = 0o700;
const OWNER_ONLY_FILE = 0o600;
/** Tasks that files are kept of: the ones written longest ago go. A busy year of sessions; each takes two names. */
export const MAX_ARTIFACT_TASKS = 1_000;
/** Of all files: a quarter of what the store may take on the defaults. */
export const MAX_ARTIFACT_BYTES = 256 * 1024 * 1024;
/** Characters that are written at once: a step has a hundred. */
const BLOCK_CHARS = 64 * 1024;
/** Of one: larger sessions are read over HTTP. */
const MAX_FILE_BYTES = 64 * 1024 * 1024;

const KINDS = ['json', 'd2'] as const;
export type ArtifactKind = (typeof KINDS)[number];

const PLAIN = /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}(?:\.[A-Za-z0-9_-]{1,100}){0,4}$/;
/** What systems take for devices, whatever follows the dot. */
const DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;
const MAX_ENCODED_CHARS = 200;

/**
 * A name that is safe on every system, and by which the task is found again where it is not too long: plain ids stand as
 * they are, others in hex behind a tilde, so that ids that differ by case alone are two files.
 */
export function artifactStem(taskId: string): string {
  if (PLAIN.test(taskId) && taskId === taskId.toLowerCase() && !DEVICE.test(taskId)) return taskId;
  const hex = Buffer.from(taskId, 'utf8').toString('hex');
  return hex.length <= MAX_ENCODED_CHARS ? `~${hex}` : `~~${hash('sha256', taskId, 'hex')}`;
}

/** The task of a file; undefined where its name does not say it. */
function taskOfStem(stem: string): string | undefined {
  if (stem.startsWith('~~')) return undefined;
  return stem.startsWith('~') ? Buffer.from(stem.slice(1), 'hex').toString('utf8') : stem;
}

interface Found {
  readonly stem: string;
  readonly changedAt: number;
  readonly bytes: number;
}

async function* blocksOf(pieces: Iterable<string> | AsyncIterable<string>): AsyncGenerator<string> {
  let block = '';
  for await (const piece of pieces) {
    block += piece;
    if (block.length < BLOCK_CHARS) continue;
    yield block;
    block = '';
  }
  yield block;
}

/** The files of sessions that are over, in a folder of their own. */
export class ArtifactFiles {
  private readonly folder: string;

  /** @param folder is made when the first file is written */
  constructor(folder: string) {
    this.folder = folder;
  }

  /**
   * Writes a file in the place of the one before; whoever reads sees one or the other.
   * @returns false when it would be too large: then there is none
   */
  async write(
    taskId: string,
    kind: ArtifactKind,
    pieces: Iterable<string> | AsyncIterable<string>,
  ): Promise<boolean> {
    await mkdir(this.folder, { recursive: true, mode: OWNER_ONLY_FOLDER });
    const path = join(this.folder, `${artifactStem(taskId)}.${kind}`);
    const half = `${path}.half`;
    const file = await open(half, 'w', OWNER_ONLY_FILE);
    let bytes = 0;
    try {
      for await (const block of blocksOf(pieces)) {
        bytes += Buffer.byteLength(block);
        if (bytes > MAX_FILE_BYTES) break;
        await file.write(block);
      }
    } finally {
      await file.close();
    }
    if (bytes <= MAX_FILE_BYTES) await rename(half, path);
    else await Promise.all([half, path].map((name) => rm(name, { force: true })));
    return bytes <= MAX_FILE_BYTES;
  }

  async remove(taskIds: readonly string[]): Promise<void> {
    for (const taskId of taskIds) await this.removeStem(artifactStem(taskId));
  }

  /**
   * Takes away what is too old, too much, half written, or of a task that is not there any more.
   * @param since epoch ms: files that changed before it go
   */
  async sweep(since: number, isKnown: (taskId: string) => Promise<boolean>): Promise<void> {
    const found = (await this.list()).sort((a, b) => b.changedAt - a.changedAt);
    let bytes = 0;
    for (const [place, file] of found.entries()) {
      bytes += file.bytes;
      const taskId = taskOfStem(file.stem);
      const isGone = taskId !== undefined && !(await isKnown(taskId));
      const isTooMuch = place >= MAX_ARTIFACT_TASKS || bytes > MAX_ARTIFACT_BYTES;
      if (isTooMuch || isGone || file.changedAt < since) await this.removeStem(file.stem);
    }
  }

  private async removeStem(stem: string): Promise<void> {
    const names = KINDS.flatMap((kind) => [`${stem}.${kind}`, `${stem}.${kind}.half`]);
    await Promise.all(names.map((name) => rm(join(this.folder, name), { force: true })));
  }

  /** By task; files of other programs are left alone. */
  private async list(): Promise<Found[]> {
    let names: readonly string[];
    try {
      names = await readdir(this.folder);
    } catch (error) {
      if (hasCode(error, 'ENOENT')) return [];
      throw error;
    }
    const found = new Map<string, Found>();
    for (const name of names) {
      const [, stem] = /^(.+)\.(?:json|d2)(?:\.half)?$/s.exec(name) ?? [];
      if (stem === undefined) continue;
      const { mtimeMs, size } = await stat(join(this.folder, name));
      const before = found.get(stem);
      found.set(stem, {
        stem,
        changedAt: Math.max(mtimeMs, before?.changedAt ?? 0),
        bytes: size + (before?.bytes ?? 0),
      });
    }
    return [...found.values()];
  }
}
