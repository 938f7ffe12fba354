import type { RedactionReport } from './report.ts';

/**
 * Counts each hidden value of a stream once, although the unfinished end of the stream is redacted again with every
 * entry.
 */
export class OnceReport implements RedactionReport {
  private readonly target: RedactionReport;
  private readonly reported = new Map<string, number>();
  private readonly certain = new Map<string, number>();
  private atEnd: Map<string, number> | undefined;

  constructor(target: RedactionReport) {
    this.target = target;
  }

  /** Values reported from now on are in the unfinished end. */
  beginEnd(): void {
    this.atEnd = new Map(this.certain);
  }

  /** Values reported from now on are final. */
  endEnd(): void {
    this.atEnd = undefined;
  }

  hidden(rule: string, length: number): void {
    const seen = this.atEnd ?? this.certain;
    const count = (seen.get(rule) ?? 0) + 1;
    seen.set(rule, count);
    if (count <= (this.reported.get(rule) ?? 0)) return;
    this.reported.set(rule, count);
    this.target.hidden(rule, length);
  }
}
