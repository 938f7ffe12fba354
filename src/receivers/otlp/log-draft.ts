import type { AttributeValue, Attributes } from '../../model/attributes.ts';
import type { NanoTime } from './nano-time.ts';

/** A log record as it was sent. Both encodings make one. */
export interface LogDraft {
  readonly time: NanoTime;
  readonly observedTime: NanoTime;
  readonly severityNumber: number;
  readonly severityText: string;
  readonly body: AttributeValue;
  readonly attributes: Attributes;
  /** Lower-case hex of whatever was sent; empty when nothing was. */
  readonly traceId: string;
  readonly spanId: string;
  /** The record's event_name; older SDKs put it into the attribute `event.name`. */
  readonly eventName: string;
}
