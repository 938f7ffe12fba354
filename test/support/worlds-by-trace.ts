import { createHash } from 'node:crypto';
import type { SafeRecord } from '../../src/model/pipeline.ts';
import { safe } from './world.ts';

/** Ids of `world.ts` that another trace may have as well. */
const IDS = /(^|[:"\s])(r[1-3]|t[1-3]|s[12]|m[12]|m12|c[12]|e[1-3]|p1|q[12]|u[12])(?=$|[:"/\s])/g;
const TRACE = /^(?:a{32}|b{32}|c{32})(?=$|:)/;
const SPAN = /(?<![0-9a-f])(?:([0-9])\1{15}|0{13}[0-9a-f]{3})(?![0-9a-f])/g;
const OWN_EVENT = /(annotation|approval):([a-d])\2{31}/g;

/** The trace of the nth of several worlds. */
export function traceOf(n: number): string {
  return createHash('md5').update(`trace ${n}`).digest('hex');
}

/** The records of the nth of several worlds: of one trace, which they all name, and with no id that another world has. */
export function inOwnTrace(records: readonly SafeRecord[], n: number): readonly SafeRecord[] {
  const trace = traceOf(n);
  const own = (value: unknown): unknown => {
    if (typeof value === 'string')
      return value
        .replace(TRACE, trace)
        .replace(SPAN, (id) => `${n + 1}${id.slice(1)}`.replace(/^(.)(.)/, '$1f'))
        .replace(IDS, `$1$2w${n}`)
        .replace(OWN_EVENT, (_, kind: string, letter: string) => `${kind}:${letter.repeat(31)}${n}`);
    if (Array.isArray(value)) return value.map(own);
    if (value instanceof Map) return new Map([...value].map(([key, item]) => [key as unknown, own(item)]));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, own(item)]));
  };
  return records.map((record) => {
    const renamed = own(record) as { kind: string; payload?: object };
    if (renamed.kind !== 'event') return safe({ ...renamed, traceId: trace }) as unknown as SafeRecord;
    return safe({ ...renamed, payload: { ...renamed.payload, traceId: trace } }) as unknown as SafeRecord;
  });
}
