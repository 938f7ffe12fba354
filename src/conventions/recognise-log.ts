import { MAX_NAME_CHARS } from '../model/one-line.ts';
import { assert } from '../base/assert.ts';
import type { LogRecord } from '../model/records.ts';
import { namesOf, type LogConvention } from './log-convention.ts';

/** Programs log under some hundreds of scopes and event names. */
const MAX_REMEMBERED_NAMES = 4096;

/**
 * Finds the convention of a log record by its scope and its event name. Most records are nobody's, so what a name
 * gives away is worked out once.
 */
export class LogRecogniser {
  private readonly scopes = new Map<string, number>();
  private readonly events = new Map<string, number>();
  private readonly conventions: readonly LogConvention[];

  /** @param conventions in order of precedence, at most 30 */
  constructor(conventions: readonly LogConvention[]) {
    assert(conventions.length <= 30, 'conventions are bits of a 32-bit mask');
    this.conventions = conventions;
  }

  /** The strongest convention that the record gives signs of: it alone knows whether the record tells of a step. */
  of(log: LogRecord): LogConvention | undefined {
    const [name, body] = namesOf(log);
    let mask = this.maskOf(this.scopes, 'scopePrefixes', log.scope.name);
    if (name !== '') mask |= this.maskOf(this.events, 'eventPrefixes', name);
    if (mask === 0 && body !== '') mask = this.look('eventPrefixes', body);
    // The lowest bit is the strongest convention.
    return mask === 0 ? undefined : this.conventions[31 - Math.clz32(mask & -mask)];
  }

  private maskOf(seen: Map<string, number>, field: keyof LogConvention['signs'], text: string): number {
    const known = seen.get(text);
    if (known !== undefined) return known;
    const mask = this.look(field, text);
    if (text.length > MAX_NAME_CHARS) return mask;
    if (seen.size >= MAX_REMEMBERED_NAMES) seen.clear();
    seen.set(text, mask);
    return mask;
  }

  private look(field: keyof LogConvention['signs'], text: string): number {
    let mask = 0;
    this.conventions.forEach(({ signs }, index) => {
      if (signs[field]?.some((prefix) => text.startsWith(prefix)) === true) mask |= 1 << index;
    });
    return mask;
  }
}
