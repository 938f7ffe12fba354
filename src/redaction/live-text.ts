import { openBlob } from './blobs.ts';
import { isSpace } from './characters.ts';
import type { Engine, RedactionReport } from './engine.ts';
import { hasEscapes } from './escapes.ts';
import { looksLikeJson } from './json-text.ts';
import { MAX_MATCH } from './rule.ts';
import type { Finding } from './scanner.ts';

/** So many characters at the end wait for what follows: no rule decides about a shorter value by more. */
const HELD_BACK = 256;
/** The same where characters are written as codes, of up to six characters each. */
const HELD_BACK_CODES = 1536;
/** More than any rule looks back, in codes too. */
const LOOK_BACK = 2048;
/** What was shown is cut off the window when it has grown by this much. */
const TRIM_AT = 4096;
/** A window that could not be shown is looked at again when it has grown by this share: the sum stays linear. */
const RETRY_SHARE = 8;

/**
 * The redacted text of a stream that still grows at its end. What is shown is the whole text's redaction up to a
 * place that nothing to come can change: before the last characters, between two words, outside of any match and
 * of any code whose end is missing. The stream itself is bounded, and so is what is held back.
 */
export class LiveText {
  private readonly engine: Engine;
  private readonly report: RedactionReport;
  /** Raw text from a little before the boundary on. */
  private window = '';
  /** Where in the window the part begins that is not shown yet. */
  private boundary = 0;
  /** Not looked at again before the window is so long. */
  private retryAt = 0;
  private shown = '';

  constructor(engine: Engine, report: RedactionReport) {
    this.engine = engine;
    this.report = report;
  }

  append(raw: string): void {
    this.window += raw;
  }

  /** The redacted text as far as it is safe to show. */
  text(): string {
    // JSON can only be walked when it is whole.
    if (this.shown === '' && looksLikeJson(this.window)) return '';
    const waiting = this.window.length - this.boundary;
    if (waiting > HELD_BACK && this.window.length >= this.retryAt) this.advance();
    return this.engine.cutCode(this.shown);
  }

  private advance(): void {
    const findings = this.engine.findings(this.window);
    const cut = safeCut(this.window, this.boundary, findings);
    if (cut <= this.boundary) {
      const waiting = this.window.length - this.boundary;
      this.retryAt = this.window.length + Math.floor(waiting / RETRY_SHARE);
      return;
    }
    this.shown += this.engine.render(this.window, findings, this.boundary, cut, this.report);
    this.boundary = cut;
    this.retryAt = 0;
    if (cut < TRIM_AT) return;
    this.window = this.window.slice(cut - LOOK_BACK);
    this.boundary = LOOK_BACK;
  }
}

function safeCut(text: string, from: number, findings: readonly Finding[]): number {
  const held = hasEscapes(text.slice(-HELD_BACK_CODES)) ? HELD_BACK_CODES : HELD_BACK;
  const limit = text.length - held;
  let cut = limit;
  while (cut > from && !isSpace(text.charCodeAt(cut - 1))) cut--;
  // A word longer than anything that is hidden as one need not be waited for, unless it may decode to text.
  const isEndless = text.length - from > MAX_MATCH + held && openBlob(text) === undefined;
  if (cut <= from) cut = isEndless ? limit : from;
  for (const finding of findings) {
    if (finding.start < cut && finding.end > cut) cut = finding.start;
  }
  return cut;
}
