import type { OwnMetrics } from '../telemetry/own-metrics.ts';
import type { AuditSink } from './audit-log.ts';

/** Told of everything that is hidden, never of what it was. */
export interface RedactionReport {
  hidden(rule: string, length: number): void;
}

/** Counts findings of one batch and writes the audit entries. The walker sets node, part and field. */
export class BatchReport implements RedactionReport {
  /** Id of the node the record belongs to. */
  node = '';
  /** The part of the record, such as `events.attributes`. */
  field = '';
  /** The redacted name of the attribute or member in it, or ''. */
  member = '';
  private readonly counts = new Map<string, number>();
  private errors = 0;
  private readonly audit: AuditSink;
  private readonly now: () => number;

  constructor(audit: AuditSink, now: () => number) {
    this.audit = audit;
    this.now = now;
  }

  hidden(rule: string, length: number): void {
    this.counts.set(rule, (this.counts.get(rule) ?? 0) + 1);
    const field = this.member === '' ? this.field : `${this.field}.${this.member}`;
    this.audit.write({ time: this.now(), rule, node: this.node, field, length });
  }

  failed(): void {
    this.errors++;
  }

  /** Hands the sums to the metrics and starts over. @returns how many fields were withheld */
  flush(metrics: OwnMetrics): number {
    const { errors } = this;
    for (const [rule, count] of this.counts) metrics.redactions(rule, count);
    if (errors > 0) metrics.redactionErrors(errors);
    this.counts.clear();
    this.errors = 0;
    return errors;
  }
}
