import type { CotText } from '../model/facts.ts';
import type { CotRecord } from '../model/records.ts';
import type { EpochMs } from '../model/time.ts';
import type { Engine, RedactionReport } from './engine.ts';
import { looksLikeJson } from './json-text.ts';
import { LiveText } from './live-text.ts';
import { entriesBeforeGap, insertEntry, joinEntries, Joiner } from './stream-entries.ts';

/** Counts each hidden value of a stream once, however often the stream is redacted anew. */
class OnceReport implements RedactionReport {
  private readonly target: RedactionReport;
  private readonly reported = new Map<string, number>();
  private readonly seen = new Map<string, number>();

  constructor(target: RedactionReport) {
    this.target = target;
  }

  restart(): void {
    this.seen.clear();
  }

  hidden(rule: string, length: number): void {
    const count = (this.seen.get(rule) ?? 0) + 1;
    this.seen.set(rule, count);
    if (count <= (this.reported.get(rule) ?? 0)) return;
    this.reported.set(rule, count);
    this.target.hidden(rule, length);
  }
}

/** The fields of CotText that any entry may bring; the first one in order that has it wins. */
const SHARED_FIELDS = ['summary', 'agent', 'model', 'taskId', 'traceId', 'spanId'] as const;
export type SharedField = (typeof SHARED_FIELDS)[number];

/** The raw entries of one open stream and the redacted text that can be shown of them. */
export class CotStream {
  readonly requestId: string;
  readonly part: number;
  /** The redacted request id under which it was shown last. */
  shownAs: string | undefined;
  /** Clock.monotonic() of the last entry. */
  lastActivity: number;
  /** Raw characters held, with a fixed sum for each entry. */
  size = 0;
  /** Something changed that nobody has taken yet. */
  isDirty = false;
  /** Quiet for long enough: everything is shown. */
  isReleased = false;

  private readonly engine: Engine | undefined;
  private readonly report: OnceReport;
  private readonly entries: CotRecord[] = [];
  /** Gaps in front of this sequence are no longer waited for. */
  private releasedTo = -Infinity;
  private live: LiveText | undefined;
  private joiner = new Joiner();
  /** Entries that `live` and `joiner` hold. */
  private liveCount = 0;
  private readonly sharedCache = new Map<SharedField, { readonly raw: string; readonly safe: string }>();

  /** @param engine undefined: nothing is redacted and nothing held back */
  constructor(
    requestId: string,
    part: number,
    engine: Engine | undefined,
    report: RedactionReport,
    now: number,
  ) {
    this.requestId = requestId;
    this.part = part;
    this.engine = engine;
    this.report = new OnceReport(report);
    this.lastActivity = now;
  }

  /** @returns false for a duplicate */
  add(entry: CotRecord, size: number, now: number): boolean {
    const index = insertEntry(this.entries, entry);
    if (index < 0) return false;
    this.lastActivity = now;
    this.size += size;
    this.isDirty = true;
    this.isReleased = false;
    if (index < this.liveCount) this.live = undefined;
    return true;
  }

  hasGap(): boolean {
    return this.joined() < this.entries.length;
  }

  /** Stops waiting for what is missing now. */
  releaseGap(): void {
    this.releasedTo = this.entries.findLast((entry) => entry.sequence !== undefined)?.sequence ?? -Infinity;
    this.isDirty = true;
  }

  /** Shows everything, the held-back end included. @returns whether that changes anything */
  release(): boolean {
    if (this.isReleased) return false;
    this.releaseGap();
    this.isReleased = true;
    this.isDirty = true;
    return true;
  }

  /**
   * The state to be shown.
   * @param redactShared redacts one of the shared fields and the request's id
   * @throws whatever the engine throws
   */
  show(requestId: string, redactShared: (value: string, field: SharedField) => string): CotText {
    const count = this.joined();
    const entries = this.entries.slice(0, count);
    const frame = this.frame(requestId, entries);
    const shared: { [field in SharedField]?: string } = {};
    for (const field of SHARED_FIELDS) {
      const raw = entries.find((entry) => entry[field] !== undefined)?.[field];
      if (raw !== undefined) shared[field] = this.shared(field, raw, redactShared);
    }
    return { ...frame, text: this.text(entries, frame.final), ...shared };
  }

  /** The state without any of its text, for when it can't be redacted. */
  withheld(requestId: string, text: string): CotText {
    const entries = this.entries.slice(0, this.joined());
    return { ...this.frame(requestId, entries), text };
  }

  private joined(): number {
    return entriesBeforeGap(this.entries, this.releasedTo);
  }

  private frame(requestId: string, entries: readonly CotRecord[]): Omit<CotText, 'text'> {
    const start = entries[0]?.time ?? (0 as EpochMs);
    return {
      kind: 'cot',
      requestId,
      part: this.part,
      revision: entries.length,
      final: entries.some((entry) => entry.final),
      first: entries.reduce((least, { time }) => (time < least ? time : least), start),
      last: entries.reduce((most, { time }) => (time > most ? time : most), start),
    };
  }

  private shared(
    field: SharedField,
    raw: string,
    redact: (value: string, field: SharedField) => string,
  ): string {
    if (field === 'traceId' || field === 'spanId' || !this.engine) return raw;
    const known = this.sharedCache.get(field);
    if (known?.raw === raw) return known.safe;
    const safe = redact(raw, field);
    this.sharedCache.set(field, { raw, safe });
    return safe;
  }

  private text(entries: readonly CotRecord[], isFinal: boolean): string {
    if (!this.engine) return joinEntries(entries);
    if (isFinal || this.isReleased) return this.wholeText(joinEntries(entries), isFinal);
    if (!this.live || this.liveCount > entries.length) this.restartLive();
    const live = this.live as LiveText;
    for (const entry of entries.slice(this.liveCount)) live.append(this.joiner.add(entry));
    this.liveCount = entries.length;
    return live.text();
  }

  private restartLive(): void {
    this.report.restart();
    this.live = new LiveText(this.engine as Engine, this.report);
    this.joiner = new Joiner();
    this.liveCount = 0;
  }

  /** Of a stream that only fell silent, a secret whose end is missing is hidden from its beginning on. */
  private wholeText(joined: string, isFinal: boolean): string {
    const engine = this.engine as Engine;
    this.live = undefined;
    this.report.restart();
    if (!isFinal && !looksLikeJson(joined) && engine.findings(joined).at(-1)?.end !== joined.length) {
      const open = engine.openSecret(joined);
      if (open !== undefined && open < joined.length) {
        const before = engine.redactText(joined.slice(0, open), this.report);
        return before + engine.hide('SECRET', joined.slice(open));
      }
    }
    return engine.redactText(joined, this.report);
  }
}
