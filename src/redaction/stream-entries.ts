import type { CotRecord } from '../model/records.ts';

/**
 * Order of the entries of one request: those with a sequence by it, then those without by their time. Entries
 * that are equal in this stay in the order of arrival.
 */
function compareEntries(a: CotRecord, b: CotRecord): number {
  if (a.sequence !== undefined && b.sequence !== undefined) return a.sequence - b.sequence;
  if (a.sequence !== undefined) return -1;
  if (b.sequence !== undefined) return 1;
  return a.time - b.time;
}

/**
 * Puts an entry at its place in the ordered list.
 * @returns its index, or -1 when it is a duplicate: the same sequence, or, without one, the same time and text
 */
export function insertEntry(entries: CotRecord[], entry: CotRecord): number {
  let low = 0;
  let high = entries.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (compareEntries(entries[middle] as CotRecord, entry) <= 0) low = middle + 1;
    else high = middle;
  }
  for (let i = low - 1; i >= 0; i--) {
    const other = entries[i] as CotRecord;
    if (compareEntries(other, entry) !== 0) break;
    if (entry.sequence !== undefined || sameContent(other, entry)) return -1;
  }
  entries.splice(low, 0, entry);
  return low;
}

function sameContent(a: CotRecord, b: CotRecord): boolean {
  return (
    a.text === b.text &&
    a.final === b.final &&
    (a.tokens?.length ?? -1) === (b.tokens?.length ?? -1) &&
    (a.tokens ?? []).every((token, i) => token === b.tokens?.[i])
  );
}

/**
 * How many entries stand before the first known gap: two neighbours whose sequences are more than one apart.
 * Gaps before `releasedTo` were waited for long enough.
 */
export function entriesBeforeGap(entries: readonly CotRecord[], releasedTo: number): number {
  const last = entries.at(-1);
  const first = entries[0];
  if (first?.sequence === undefined || last === undefined) return entries.length;
  for (let i = 1; i < entries.length; i++) {
    const before = entries[i - 1]?.sequence;
    const sequence = entries[i]?.sequence;
    if (before === undefined || sequence === undefined) return entries.length;
    if (sequence > before + 1 && sequence > releasedTo) return i;
  }
  return entries.length;
}

/**
 * Joins entries to one text. Deltas follow each other without a separator; whole texts are steps on lines of
 * their own; a whole text that equals or extends the deltas directly before it stands for them.
 */
export class Joiner {
  /** Deltas since the last whole text; undefined when the last entry was none. */
  private run: string | undefined;
  private isEmpty = true;

  /** @returns what the entry adds to the end of the text so far */
  add(entry: CotRecord): string {
    let added = '';
    if (entry.tokens !== undefined && entry.tokens.length > 0) {
      const delta = entry.tokens.join('');
      added = this.run === undefined ? this.separator() + delta : delta;
      this.run = (this.run ?? '') + delta;
      this.isEmpty = false;
    }
    if (entry.text !== undefined) {
      added +=
        this.run !== undefined && entry.text.startsWith(this.run)
          ? entry.text.slice(this.run.length)
          : this.separator() + entry.text;
      this.run = undefined;
      this.isEmpty = false;
    }
    return added;
  }

  private separator(): string {
    return this.isEmpty ? '' : '\n';
  }
}

export function joinEntries(entries: readonly CotRecord[]): string {
  const joiner = new Joiner();
  return entries.map((entry) => joiner.add(entry)).join('');
}
