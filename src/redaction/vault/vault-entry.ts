import type { Original } from './originals.ts';
import { seal, unseal } from './sealed.ts';
import type { DataKey } from './vault-keys.ts';

/** One line of the vault's file. All but the value is what the audit log says too. */
export interface VaultEntry {
  readonly marker: string;
  /** Id of the data key. */
  readonly group: string;
  readonly source: string;
  readonly field: string;
  readonly sealed: string;
}

/** The marker stands first, so that a search need not parse every line. */
const LINE_BEGIN = '{"marker":"';

/** A value opens only as what it was sealed as: this marker of this field of this record of this task. */
export function entryLine({ source, field, marker, value }: Original, key: DataKey): string {
  const sealed = seal(key.key, [key.task, source, field, marker], Buffer.from(value));
  return JSON.stringify({ marker, group: key.id, source, field, sealed } satisfies VaultEntry);
}

export function openEntry({ source, field, marker, sealed }: VaultEntry, key: DataKey): string | undefined {
  return unseal(key.key, [key.task, source, field, marker], sealed)?.toString('utf8');
}

export function markerOf(line: string): string | undefined {
  if (!line.startsWith(LINE_BEGIN)) return undefined;
  const end = line.indexOf('"', LINE_BEGIN.length);
  return end < 0 ? undefined : line.slice(LINE_BEGIN.length, end);
}

/** undefined when the line is damaged. */
export function readEntry(line: string): VaultEntry | undefined {
  try {
    const entry = JSON.parse(line) as Partial<VaultEntry>;
    const texts = [entry.marker, entry.group, entry.source, entry.field, entry.sealed];
    return texts.every((text) => typeof text === 'string') ? (entry as VaultEntry) : undefined;
  } catch {
    return undefined;
  }
}
