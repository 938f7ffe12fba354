import type { CotRecord } from '../model/records.ts';

/** Bound of the entries held for reordering; far more than arrives within a reorder window. */
const MAX_HELD_CHARS = 1024 * 1024;
/** What an entry takes besides its text, roughly. */
const ENTRY_CHARS = 64;

/** An entry and its position: its sequence, or that of the entry it arrived after. */
interface Placed {
  readonly at: number;
  readonly entry: CotRecord;
}

/**
 * The order of a stream's entries: by sequence; those without one stay behind the entry they arrived after. Holds the
 * entries that a late one may precede, and those that wait behind a gap. A stream without sequences needs neither.
 */
export class EntryOrder {
  /** Characters held, with a constant per entry. */
  size = 0;
  /** In order, since the last `forget`. */
  private placed: Placed[] = [];
  /** Behind a gap, by sequence. */
  private readonly waiting: Placed[] = [];
  private highest: number | undefined;
  /** Entries up to this sequence are no longer held. */
  private forgotten: number | undefined;

  /** @param highest the highest sequence of an earlier stream of the same thought */
  constructor(highest: number | undefined) {
    this.highest = highest;
    this.forgotten = highest;
  }

  /** An entry with a sequence has been placed. */
  get hasSequences(): boolean {
    return this.highest !== undefined;
  }

  get hasGap(): boolean {
    return this.waiting.length > 0;
  }

  get isFull(): boolean {
    return this.size > MAX_HELD_CHARS;
  }

  get placedEntries(): readonly CotRecord[] {
    return this.placed.map(({ entry }) => entry);
  }

  get waitingEntries(): readonly CotRecord[] {
    return this.waiting.map(({ entry }) => entry);
  }

  /** No entry is missing before this one. */
  isNext({ sequence }: CotRecord): boolean {
    return sequence === undefined || this.highest === undefined || sequence <= this.highest + 1;
  }

  /** Its position is among entries that are no longer held. */
  isLate({ sequence }: CotRecord): boolean {
    return sequence !== undefined && sequence <= (this.forgotten ?? -Infinity);
  }

  /** @returns whether it is last; else the text behind its position is stale */
  place(entry: CotRecord): boolean {
    const at = entry.sequence ?? this.placed.at(-1)?.at ?? -Infinity;
    this.highest = Math.max(this.highest ?? -Infinity, at);
    return this.insert(this.placed, at, entry) === this.placed.length - 1;
  }

  /** Holds an entry until the gap before it is closed. */
  wait(sequence: number, entry: CotRecord): void {
    this.insert(this.waiting, sequence, entry);
  }

  /** Removes the first waiting entry when nothing is missing before it any more. */
  takeNext(): CotRecord | undefined {
    const [first] = this.waiting;
    return first && this.isNext(first.entry) ? this.waiting.shift()?.entry : undefined;
  }

  /** Removes all waiting entries: the gaps stay. */
  takeWaiting(): readonly CotRecord[] {
    return this.waiting.splice(0).map(({ entry }) => entry);
  }

  /** Releases the placed entries; from now on an earlier one is late. */
  forget(): void {
    this.forgotten = this.highest;
    this.placed = [];
    this.size = this.waiting.reduce((sum, { entry }) => sum + sizeOf(entry), 0);
  }

  /** @returns its index, after those at the same position */
  private insert(list: Placed[], at: number, entry: CotRecord): number {
    let low = 0;
    let high = list.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((list[middle] as Placed).at <= at) low = middle + 1;
      else high = middle;
    }
    list.splice(low, 0, { at, entry });
    this.size += sizeOf(entry);
    return low;
  }
}

function sizeOf({
  tokens = [],
  text = '',
  summary = '',
  agent = '',
  model = '',
  taskId = '',
}: CotRecord): number {
  const texts = [...tokens, text, summary, agent, model, taskId];
  return texts.reduce((sum, { length }) => sum + length, ENTRY_CHARS);
}
