import type { StepCause } from '../model/facts.ts';
import type { Redacted } from '../model/pipeline.ts';
import type { LogRecord } from '../model/records.ts';
import type { PartialStep } from './convention.ts';

/** Log conventions, like those of spans, read only what has passed the redaction door. */
export type SafeLog = Redacted<LogRecord>;

/**
 * One way of telling steps by log records. It stands in the file of the convention whose spans tell of the same
 * steps, where there is one, and takes one line in log-registry.ts.
 */
export interface LogConvention {
  readonly name: string;
  /** What gives the convention away. One sign is enough: `interpret` is called for the records that have one. */
  readonly signs: LogSigns;
  /** Undefined for a record that tells of no step. Pure and total, as `Convention.interpret`. */
  readonly interpret: (log: SafeLog) => PartialLogStep | undefined;
}

export interface LogSigns {
  /** Beginnings of the instrumentation scope's name. */
  readonly scopePrefixes?: readonly string[];
  /** Beginnings of the event's name, wherever it stands (`eventOf`). */
  readonly eventPrefixes?: readonly string[];
}

export interface PartialLogStep extends PartialStep {
  /** Steps that led to this one. */
  readonly causes?: readonly StepCause[] | undefined;
}

/** Longer bodies are messages, not names. */
const MAX_EVENT_CHARS = 128;

/**
 * The name of the event that a record is: its own, or that of the attribute `event.name` (the receiver has put it
 * there), or, in some senders, its whole body.
 */
export function namesOf(log: LogRecord): readonly [name: string, body: string] {
  const { body } = log;
  return [log.eventName, typeof body === 'string' && body.length <= MAX_EVENT_CHARS ? body : ''];
}

/** The event's name without the prefix of its product, which some senders leave out themselves. */
export function eventOf(log: LogRecord, prefix: string): string {
  const [name, body] = namesOf(log);
  const own = name === '' && body.startsWith(prefix) ? body : name;
  return own.startsWith(prefix) ? own.slice(prefix.length) : own;
}
