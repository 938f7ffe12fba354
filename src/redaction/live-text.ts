import { isJson } from '../base/json.ts';
import { openBlob } from './blobs.ts';
import { isSpace } from './characters.ts';
import { CodeCutter, CUTTER_START, type CutterState } from './code-cutter.ts';
import type { Redactor } from './redactor.ts';
import type { RedactionReport } from './report.ts';
import { hasEscapes } from './escapes.ts';
import { looksLikeJson } from './json-text.ts';
import { WITHHELD } from './marker.ts';
import { MAX_AHEAD, MAX_MATCH } from './rule.ts';
import { openPrivateKey } from './rules/keys.ts';
import type { Finding } from './scanner.ts';

/** Characters held back at the end: no rule needs more of what follows a value to decide about it. */
const HELD_BACK = MAX_AHEAD;
/** The same where characters are written as codes, of up to six characters each. */
const HELD_BACK_CODES = 1536;
/** Further back no rule waits that has found nothing yet: values are that long. */
const LONGEST_OPEN = 1024;
/** More than any rule looks back, in codes too. */
const LOOK_BACK = 2048;
/** The same after a whole word in text without codes: see `Rule`. */
const LOOK_BACK_PLAIN = 512;
/** Emitted text is removed from the window once there is this much of it. */
const TRIM_AT = 4096;
/** A window that could emit nothing is scanned again after growing by this factor, which keeps the total cost linear. */
const RETRY_SHARE = 8;
/** An unfinished code longer than this is hidden whole, so that the text behind it need not wait. */
const MAX_HELD = 64 * 1024;
/** JSON is held until it is complete, because only then can it be walked; longer JSON is scanned as text. */
const MAX_JSON = 64 * 1024;
/** Where a hidden value certainly ends. Not at a line break: a key has many lines. */
const END_OF_HIDDEN = /[ \t"'`<>]/;

/** State from which a text can be continued. Plain JSON with raw text: it leaves the door only sealed. */
export interface LiveState {
  readonly window: string;
  readonly boundary: number;
  /** Places of line breaks between entries. */
  readonly breaks: readonly number[];
  /** Something was emitted, so the text is not treated as JSON. */
  readonly isText: boolean;
  /** The word that goes on is hidden. */
  readonly isHiding: boolean;
  /** A late piece was withheld; the next emitted text says so. */
  readonly isMissing?: boolean;
  readonly cutter: CutterState;
}

/**
 * Redacts a text that grows at its end. Emits the redaction of the whole text up to an offset that later text cannot
 * change: before the last characters, between two words, outside any match and any unfinished code. Keeps only a window
 * of the raw text, so the stream may have any length.
 */
export class LiveText {
  private readonly redactor: Redactor;
  private readonly report: RedactionReport;
  private readonly cutter: CodeCutter;
  /** Raw text, beginning shortly before the boundary. */
  private window = '';
  /** Offset in the window of the first character not yet emitted. */
  private boundary = 0;
  private breaks: number[] = [];
  private isText = false;
  private isHiding = false;
  private isMissing = false;
  /** Window length below which it is not scanned again. */
  private retryAt = 0;
  /** What was found in the window as it is. */
  private found: readonly Finding[] | undefined;

  /** The state of a text whose beginning is unknown: its first word may continue a secret and is hidden. */
  static readonly cutOff: LiveState = {
    window: '',
    boundary: 0,
    breaks: [],
    isText: true,
    isHiding: true,
    cutter: CUTTER_START,
  };

  constructor(redactor: Redactor, report: RedactionReport, state?: LiveState) {
    this.redactor = redactor;
    this.report = report;
    this.cutter = new CodeCutter(redactor.maxCodeSnippetChars, state?.cutter ?? CUTTER_START);
    if (!state) return;
    this.window = state.window;
    this.boundary = state.boundary;
    this.breaks = [...state.breaks];
    this.isText = state.isText;
    this.isHiding = state.isHiding;
    this.isMissing = state.isMissing ?? false;
  }

  /** Raw characters that are held. */
  get size(): number {
    return this.window.length;
  }

  get state(): LiveState {
    return {
      ...this.kept(this.lookBack()),
      isText: this.isText,
      isHiding: this.isHiding,
      ...(this.isMissing && { isMissing: true }),
      cutter: this.cutter.state,
    };
  }

  /** @param onNewLine a line break goes before it, which redaction reads as if it were not there */
  append(raw: string, onNewLine = false): void {
    let added = raw;
    if (this.isHiding) {
      const end = added.search(END_OF_HIDDEN);
      if (end < 0) return;
      added = added.slice(end);
      this.isHiding = false;
    } else if (onNewLine) {
      this.breaks.push(this.window.length);
      this.window += '\n';
    }
    this.window += added;
    this.found = undefined;
  }

  /**
   * A piece whose surrounding text is no longer held. It may be part of a secret, so it is withheld; the text before and
   * after it is scanned as if the piece were not there.
   */
  withhold(length: number): void {
    if (length === 0) return;
    this.report.hidden('late_piece', length);
    this.isMissing = true;
  }

  /** @returns what can be emitted since the last call */
  settle(): string {
    if (this.mayBeJson() && this.window.length <= MAX_JSON) return '';
    const waiting = this.window.length - this.boundary;
    if (waiting === 0 || this.window.length < this.retryAt) return '';
    // With a bracket behind it, white space begins JSON.
    if (!this.isText && waiting <= HELD_BACK && this.window.trimStart() === '') return '';
    if (this.isJson()) return this.later(waiting);
    const findings = this.findings();
    const cut = this.safeCut(findings);
    if (cut > this.boundary) return this.giveOut(cut, findings);
    if (waiting > MAX_HELD) return this.hideWord();
    return this.later(waiting);
  }

  /**
   * What remains to be emitted if the text ends here. If it only fell silent or was cut off, an unfinished secret is
   * hidden from its beginning on.
   */
  ended(isFinal: boolean): string {
    const cutter = new CodeCutter(this.redactor.maxCodeSnippetChars, this.cutter.state);
    return cutter.add(this.rest(isFinal) + this.missing()) + cutter.end();
  }

  /** Whether it ends inside a hidden value that may continue. */
  get isOpen(): boolean {
    if (this.isHiding) return true;
    if (this.isJson()) return false;
    const { length } = this.window;
    return this.open() < length || this.findings().at(-1)?.end === length;
  }

  /** How much of the emitted text has to stay in the window. */
  private lookBack(): number {
    const { window, boundary, redactor } = this;
    if (boundary <= LOOK_BACK_PLAIN || redactor.hasUserRules) return LOOK_BACK;
    if (!isSpace(window.charCodeAt(boundary - 1))) return LOOK_BACK;
    const behind = window.slice(Math.max(0, boundary - LOOK_BACK), boundary);
    const isPlain = Buffer.byteLength(behind) === behind.length && !hasEscapes(behind);
    return isPlain ? LOOK_BACK_PLAIN : LOOK_BACK;
  }

  private rest(isFinal: boolean): string {
    const { redactor, window, boundary } = this;
    if (this.isJson()) return redactor.redactText(window, this.report);
    const findings = this.findings();
    const open = isFinal ? window.length : this.open();
    if (open >= window.length) return redactor.render(window, findings, boundary, window.length, this.report);
    return (
      redactor.render(window, findings, boundary, open, this.report) +
      redactor.hide('SECRET', window.slice(open))
    );
  }

  /** Offset of an unfinished secret; the window's length if there is none. */
  private open(): number {
    const { redactor, window, boundary, breaks } = this;
    const member = this.mayBeJson() ? redactor.openMember(window) : undefined;
    const places = [
      member,
      redactor.openSecret(window, this.findings()),
      redactor.openValue(window, breaks, this.findings()),
      window.length,
    ].filter((place) => place !== undefined);
    return Math.max(Math.min(...places), boundary);
  }

  private mayBeJson(): boolean {
    return !this.isText && looksLikeJson(this.window);
  }

  private isJson(): boolean {
    return this.mayBeJson() && isJson(this.window);
  }

  private missing(): string {
    return this.isMissing ? ` ${WITHHELD} ` : '';
  }

  private later(waiting: number): string {
    const held = waiting - HELD_BACK;
    if (held > 0) this.retryAt = this.window.length + Math.floor(held / RETRY_SHARE);
    return '';
  }

  /** Up to where nothing changes any more, however the text goes on. */
  private safeCut(findings: readonly Finding[]): number {
    const { window, boundary, breaks } = this;
    const farthest = farthestCut(window, boundary);
    const decided = Math.max(boundary, farthest - LONGEST_OPEN);
    let cut = Math.max(farthest, this.redactor.openFrom(window, decided, breaks));
    // A rule has matched the beginning: everything up to the end is hidden.
    if (findings.length > 0) cut = Math.min(cut, Math.max(openPrivateKey(window) ?? cut, boundary));
    for (const finding of findings) {
      // One that reaches the end may go on, and what announces it may stand before the places that were asked.
      if (finding.start < cut && (finding.end > cut || finding.end === window.length)) cut = finding.start;
    }
    return cut;
  }

  private findings(): readonly Finding[] {
    const { redactor, window, breaks } = this;
    return (this.found ??= this.mayBeJson()
      ? redactor.findingsOfWhole(window, breaks)
      : redactor.findings(window, breaks));
  }

  private giveOut(cut: number, findings: readonly Finding[]): string {
    const shown = this.redactor.render(this.window, findings, this.boundary, cut, this.report);
    const missing = this.missing();
    this.isMissing = false;
    this.moveTo(cut);
    return this.cutter.add(shown + missing);
  }

  private hideWord(): string {
    const shown = this.redactor.hide('SECRET', this.window.slice(this.boundary));
    this.report.hidden('unfinished_code', this.window.length - this.boundary);
    this.isHiding = true;
    this.moveTo(this.window.length);
    return this.cutter.add(shown);
  }

  private moveTo(boundary: number): void {
    // What may be JSON was searched otherwise.
    if (!this.isText) this.found = undefined;
    this.boundary = boundary;
    this.isText = true;
    this.retryAt = 0;
    if (boundary < TRIM_AT) return;
    const kept = this.kept(LOOK_BACK);
    this.window = kept.window;
    this.boundary = kept.boundary;
    this.breaks = [...kept.breaks];
    this.found = undefined;
  }

  /** The text from so much before the boundary on, and the head of a table or list that goes on there. */
  private kept(lookBack: number): Pick<LiveState, 'window' | 'boundary' | 'breaks'> {
    const { window, boundary } = this;
    const from = Math.max(0, boundary - lookBack);
    const head = from > 0 ? this.redactor.openHead(window.slice(0, boundary)) : undefined;
    if (!head || head.start >= from) return this.without(from, from, from);
    const row = Math.max(head.end, window.lastIndexOf('\n', from) + 1);
    return boundary - head.start - (row - head.end) > MAX_MATCH
      ? this.without(from, from, from)
      : this.without(head.start, head.end, row);
  }

  /** The text from `start` on, without what lies between the other two. */
  private without(
    start: number,
    gap: number,
    gapEnd: number,
  ): Pick<LiveState, 'window' | 'boundary' | 'breaks'> {
    const { window, boundary, breaks } = this;
    const size = gapEnd - gap;
    return {
      window: window.slice(start, gap) + window.slice(gapEnd),
      boundary: boundary - start - size,
      breaks: breaks
        .filter((at) => at >= start && (at < gap || at >= gapEnd))
        .map((at) => at - start - (at < gap ? 0 : size)),
    };
  }
}

/** Up to where no rule looks that looks as far as any may. */
function farthestCut(text: string, from: number): number {
  const held = hasEscapes(text.slice(-HELD_BACK_CODES)) ? HELD_BACK_CODES : HELD_BACK;
  const limit = text.length - held;
  let cut = limit;
  while (cut > from && !isSpace(text.charCodeAt(cut - 1))) cut--;
  // A word longer than any single hidden value is not held back, unless it may decode to text.
  const isEndless = text.length - from > MAX_MATCH + held && openBlob(text) === undefined;
  return cut <= from && isEndless ? limit : Math.max(cut, from);
}
