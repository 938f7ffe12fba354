import type { CotText } from '../model/facts.ts';
import type { CotRecord } from '../model/records.ts';
import type { EpochMs } from '../model/time.ts';
import { isSpace } from './characters.ts';
import type { ContextSeal } from './context-seal.ts';
import { EntryOrder } from './entry-order.ts';
import type { Redactor } from './redactor.ts';
import type { RedactionReport } from './report.ts';
import { OnceReport } from './once-report.ts';
import { RecentRequests } from './recent-requests.ts';
import { SeenSequences } from './seen-sequences.ts';
import { Joiner, JOIN_START, type JoinState } from './stream-entries.ts';
import { ThoughtText, type TextState } from './thought-text.ts';

/**
 * A part is complete when this many characters are final and stored. Each state is written whole, so without parts a
 * long thought would be written again with every word.
 */
export const PART_CHARS = 4096;
/** Estimated bytes of a stream without its text. */
const FIXED_BYTES = 2048;

/** The fields of CotText that any entry may bring; the first one in order that has it wins. */
const SHARED_FIELDS = ['summary', 'agent', 'model', 'taskId', 'traceId', 'spanId', 'of'] as const;
export type SharedField = (typeof SHARED_FIELDS)[number];
type Shared = { [field in SharedField]?: string };

/** The state of a stream that is a function of its entries in order. */
interface Progress {
  readonly join: JoinState;
  readonly text: TextState;
  /** Redacted. */
  readonly shared: Readonly<Shared>;
  readonly final: boolean;
  readonly first: EpochMs;
  readonly last: EpochMs;
}

/** What is sealed. */
type Context = Pick<Progress, 'join' | 'text'>;

export interface StreamOptions {
  /** undefined: nothing is redacted and nothing held back. */
  readonly redactor: Redactor | undefined;
  /** Present with a redactor. */
  readonly seal: ContextSeal | undefined;
  readonly report: RedactionReport;
  /** Redacts one of the shared fields. */
  readonly redactShared: (value: string, field: SharedField) => string;
}

/** Where a stream begins. */
export interface StreamStart {
  readonly requestId: string;
  /** The id without secrets. */
  readonly safeId: string;
  /** Clock.now(). */
  readonly now: number;
  /** The last state of the same thought, if there was one. */
  readonly before: CotText | undefined;
  /** The end of `before` is held back, though nothing may come any more. */
  readonly isHeld: boolean;
  /** Earlier text is lost; it may have ended in the middle of a secret. */
  readonly isCutOff: boolean;
}

/**
 * One open chain of thought. Holds the final text redacted, and raw text only as far as redaction needs it to continue.
 * Entries count in order of arrival, those with a sequence by sequence: they are held while their part is open, so that
 * a late one can be inserted.
 */
export class CotStream {
  readonly requestId: string;
  readonly safeId: string;
  /** Clock.monotonic() of the last entry. */
  lastActivity = 0;
  /** Changed since its state was last taken. */
  isDirty = false;
  /** Nothing has come since it was opened, and nothing is held back from before. */
  isEmpty: boolean;
  /** Silent for long enough that the held-back end is shown as well. */
  isReleased = false;
  /** The state shown last, possibly before a silence or a restart. */
  shown: CotText | undefined;

  private readonly options: StreamOptions;
  private readonly report: OnceReport;
  private readonly requests: RecentRequests;
  private readonly seen: SeenSequences;
  private part: number;
  private follows: number | undefined;
  private revision = 0;
  /** Characters of the part that are final and stored. */
  private kept = 0;
  /** The part's text as shown in the last silence. It stays shown as long as it is a prefix of the new text. */
  private stood: string;
  /** `keep` ignores states up to this revision: their final text is out of date. */
  private keptFrom = 0;
  private readonly order: EntryOrder;
  /** The state before the entries that `order` holds. */
  private base: Progress;
  /** A late entry was inserted: `text` and the fields below must be rebuilt from `base`. */
  private isStale = false;
  private joiner!: Joiner;
  private text!: ThoughtText;
  private shared!: Shared;
  private final!: boolean;
  private first!: EpochMs;
  private last!: EpochMs;

  constructor(options: StreamOptions, start: StreamStart) {
    const { requestId, safeId, now, before, isHeld, isCutOff } = start;
    this.options = options;
    this.shown = before;
    this.requestId = requestId;
    this.safeId = safeId;
    this.report = new OnceReport(options.report);
    this.requests = new RecentRequests(before?.requests);
    this.seen = new SeenSequences(before?.seen);
    this.order = new EntryOrder(this.seen.highest);
    const context = before && contextOf(before, options.seal);
    const goesOn = before !== undefined && context !== undefined;
    this.isEmpty = !(goesOn && isHeld);
    this.part = goesOn ? before.part : Math.max(now, (before?.part ?? 0) + 1);
    this.follows = goesOn ? before.follows : undefined;
    this.revision = goesOn ? before.revision : 0;
    this.stood = goesOn ? before.text : '';
    const none: Progress = {
      join: JOIN_START,
      text: ThoughtText.start(isCutOff),
      shared: {},
      final: false,
      first: Infinity as EpochMs,
      last: -Infinity as EpochMs,
    };
    this.base = goesOn
      ? { ...none, ...context, shared: sharedOf(before), first: before.first, last: before.last }
      : none;
    this.startFrom(this.base);
  }

  /** Bytes held, at two for each character. */
  get size(): number {
    return (
      FIXED_BYTES +
      2 * (this.text.size + this.order.size + this.stood.length + (this.shown?.text.length ?? 0)) +
      // In the raw id and the redacted one.
      4 * this.requestId.length
    );
  }

  /** Whether this request was joined before. It is remembered from now on. */
  isRepeated(request: string): boolean {
    return this.requests.isRepeated(request);
  }

  /** @returns false for a duplicate */
  add(entry: CotRecord, now: number): boolean {
    const { sequence } = entry;
    if (sequence !== undefined && this.seen.has(sequence)) return false;
    this.lastActivity = now;
    this.isEmpty = false;
    this.isDirty = true;
    this.isReleased = false;
    if (sequence !== undefined) this.seen.add(sequence);
    if (sequence === undefined || this.order.isNext(entry)) {
      this.join(entry);
      for (let next = this.order.takeNext(); next; next = this.order.takeNext()) this.join(next);
    } else this.order.wait(sequence, entry);
    if (this.order.isFull) this.freeze();
    return true;
  }

  hasGap(): boolean {
    return this.order.hasGap;
  }

  /** Stops waiting for the missing entries. */
  releaseGap(): void {
    if (!this.order.hasGap) return;
    for (const entry of this.order.takeWaiting()) this.join(entry);
    this.isDirty = true;
  }

  /** Shows everything, the held-back end included. @returns whether that changes anything */
  release(): boolean {
    if (this.isReleased || this.isEmpty) return false;
    if (this.final && !this.hasGap()) return false;
    this.releaseGap();
    this.isReleased = true;
    this.isDirty = true;
    return true;
  }

  /**
   * The state to be shown.
   * @throws whatever the redactor throws
   */
  show(): CotText {
    if (this.isStale) this.rebuild();
    this.text.settle();
    if (this.kept >= PART_CHARS) this.openPart();
    this.report.beginEnd();
    try {
      const { text, settled, end } = this.text.shown(this.final);
      const isWhole = this.final || this.isReleased;
      // Entries behind a gap were acknowledged, so the stored text contains them.
      const ahead = this.withWaiting();
      const kept = ahead.text === this.text ? end : ahead.text.shown(this.final).end;
      const whole = text + (isWhole ? end : kept);
      const shown = isWhole ? whole.length : this.standing(whole, settled);
      if (isWhole) this.stood = whole;
      return (this.shown = {
        ...this.frame(),
        ...this.shared,
        text: whole.slice(0, shown),
        settled,
        ...(shown < whole.length && { tail: whole.slice(shown) }),
        ...(!this.final && { context: this.sealed(ahead) }),
        // An unreadable context: if more comes, it is treated as the continuation of a secret.
        ...(this.final && this.text.isOpen && { context: '' }),
      });
    } finally {
      this.report.endEnd();
    }
  }

  /** The state without any of its text, for when it can't be redacted. */
  withheld(text: string): CotText {
    this.kept = 0;
    this.keptFrom = this.revision + 1;
    // An unreadable context: the last word may be part of a secret.
    return (this.shown = { ...this.frame(), text, ...(!this.final && { context: '' }) });
  }

  /** The next stage has stored this state, so its final text need not be sent again. */
  keep({ part, revision, settled = 0 }: CotText): void {
    if (part === this.part && revision > this.keptFrom) this.kept = Math.max(this.kept, settled);
  }

  /** Length of the text that is final, or was shown before and has not changed. */
  private standing(whole: string, settled: number): number {
    const { stood } = this;
    if (stood.length <= settled) return settled;
    let same = 0;
    while (same < stood.length && stood[same] === whole[same]) same++;
    if (same === stood.length) return same;
    // Do not cut a marker in two.
    while (same > settled && !isSpace(whole.charCodeAt(same - 1))) same--;
    return Math.max(same, settled);
  }

  private frame(): Omit<CotText, 'text'> {
    this.revision++;
    return {
      kind: 'cot',
      requestId: this.safeId,
      part: this.part,
      revision: this.revision,
      final: this.final,
      first: this.first === Infinity ? (0 as EpochMs) : this.first,
      last: this.last === -Infinity ? (0 as EpochMs) : this.last,
      ...(this.follows !== undefined && { follows: this.follows }),
      ...(this.seen.flat.length > 0 && { seen: this.seen.flat }),
      ...(this.requests.all !== '' && { requests: this.requests.all }),
    };
  }

  private join(entry: CotRecord): void {
    if (entry.sequence !== undefined || this.order.hasSequences) {
      // What came before the first sequence is not held, and stays in front.
      if (!this.order.hasSequences) this.base = this.progress();
      if (!this.order.place(entry)) this.isStale = true;
    }
    if (!this.isStale) this.apply(entry);
  }

  /** The held entries exceed their bound: entries that come late from now on are withheld. */
  private freeze(): void {
    this.releaseGap();
    if (this.isStale) this.rebuild();
    this.base = this.progress();
    this.order.forget();
  }

  private apply(entry: CotRecord): void {
    if (this.order.isLate(entry)) this.text.appendLate((entry.tokens?.join('') ?? '') + (entry.text ?? ''));
    else for (const { text, onNewLine } of this.joiner.add(entry)) this.text.append(text, onNewLine);
    for (const field of SHARED_FIELDS) {
      const value = entry[field];
      if (value !== undefined) this.shared[field] ??= this.options.redactShared(value, field);
    }
    if (entry.final) this.final = true;
    if (entry.time < this.first) this.first = entry.time;
    if (entry.time > this.last) this.last = entry.time;
  }

  private startFrom({ join, text, shared, final, first, last }: Progress): void {
    this.joiner = new Joiner(join);
    this.text = new ThoughtText(this.options.redactor, this.report, text);
    this.shared = { ...shared };
    this.final = final;
    this.first = first;
    this.last = last;
  }

  /** Applies all held entries again, in order, after a late one was inserted. */
  private rebuild(): void {
    this.isStale = false;
    this.kept = 0;
    this.keptFrom = this.revision;
    this.startFrom(this.base);
    for (const entry of this.order.placedEntries) this.apply(entry);
  }

  private openPart(): void {
    this.part++;
    this.follows = this.kept;
    this.text.dropSettled(this.kept);
    this.stood = this.stood.slice(this.kept);
    this.kept = 0;
    this.keptFrom = this.revision;
    this.base = this.progress();
    this.order.forget();
  }

  private progress(): Progress {
    const { shared, final, first, last } = this;
    return { join: this.joiner.state, text: this.text.state, shared: { ...shared }, final, first, last };
  }

  /** The text as it would be if the gap were given up now. */
  private withWaiting(): { readonly joiner: Joiner; readonly text: ThoughtText } {
    if (!this.order.hasGap) return { joiner: this.joiner, text: this.text };
    const joiner = new Joiner(this.joiner.state);
    const text = new ThoughtText(this.options.redactor, this.report, this.text.state);
    for (const entry of this.order.waitingEntries)
      for (const piece of joiner.add(entry)) text.append(piece.text, piece.onNewLine);
    return { joiner, text };
  }

  private sealed({ joiner, text }: { readonly joiner: Joiner; readonly text: ThoughtText }): string {
    const context: Context = { join: joiner.state, text: { ...text.state, settled: '' } };
    const json = JSON.stringify(context);
    return this.options.seal?.close(json, this.safeId) ?? json;
  }
}

/** undefined when there is none, or none that can be read: the thought goes on as a new part. */
function contextOf(before: CotText, seal: ContextSeal | undefined): Context | undefined {
  if (before.context === undefined || before.final) return undefined;
  const json = seal ? seal.open(before.context, before.requestId) : before.context;
  if (json?.startsWith('{') !== true) return undefined;
  const context = JSON.parse(json) as Context;
  return { ...context, text: { ...context.text, settled: before.text.slice(0, before.settled) } };
}

function sharedOf(before: CotText): Shared {
  const shared: Shared = {};
  for (const field of SHARED_FIELDS) {
    const value = before[field];
    if (value !== undefined) shared[field] = value;
  }
  return shared;
}
