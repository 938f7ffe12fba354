import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

/** A place in the chain: how many entries there are up to it, and the hash of the last of them. */
export interface ChainPlace {
  readonly seq: number;
  /** SHA-256 in hex of the entry's line, without its line break. */
  readonly hash: string;
}

/** Before the first entry of all. */
export const CHAIN_BEGIN: ChainPlace = { seq: 0, hash: '0'.repeat(64) };

/** Where the kept part of the chain begins (after what rotation dropped) and ends. */
export interface ChainHead {
  readonly start: ChainPlace;
  readonly end: ChainPlace;
}

/** Fields of an entry; `seq` and `prev` are added when it is chained. */
export type AuditRecord = { readonly [field: string]: string | number };

export interface ChainedLine {
  /** Without the line break. */
  readonly line: string;
  readonly place: ChainPlace;
}

/**
 * The entry as canonical JSON (members in the order of their names, no spaces) with the hash of the entry before
 * it, so that none can be changed, taken out or put in without every later one changing too.
 */
export function chained(record: AuditRecord, before: ChainPlace): ChainedLine {
  const seq = before.seq + 1;
  const members = Object.entries({ ...record, prev: before.hash, seq });
  members.sort(([a], [b]) => (a < b ? -1 : 1));
  const line = JSON.stringify(Object.fromEntries(members));
  return { line, place: { seq, hash: lineHash(line) } };
}

export function lineHash(line: string): string {
  return createHash('sha256').update(line).digest('hex');
}

/** Where a line says that it stands; undefined when it is no entry. */
export function readLine(
  line: string,
): { readonly seq: number; readonly prev: string; readonly event: unknown } | undefined {
  try {
    const { seq, prev, event } = JSON.parse(line) as { seq?: unknown; prev?: unknown; event?: unknown };
    return Number.isSafeInteger(seq) && typeof prev === 'string'
      ? { seq: seq as number, prev, event }
      : undefined;
  } catch {
    return undefined;
  }
}

/** The text of a head file: without the key nobody can make one that fits a shortened log. */
export function sealHead(key: Uint8Array, name: string, head: ChainHead): string {
  return `${JSON.stringify({ ...head, mac: macOf(key, name, head).toString('hex') })}\n`;
}

/** undefined when the text is no head, or was not made under this key for the log of this name. */
export function openHead(key: Uint8Array, name: string, text: string): ChainHead | undefined {
  try {
    const { start, end, mac } = JSON.parse(text) as ChainHead & { readonly mac: string };
    const given = Buffer.from(mac, 'hex');
    const right = macOf(key, name, { start, end });
    return given.length === right.length && timingSafeEqual(given, right) ? { start, end } : undefined;
  } catch {
    return undefined;
  }
}

function macOf(key: Uint8Array, name: string, { start, end }: ChainHead): Buffer {
  const said = JSON.stringify(['audit head', name, start.seq, start.hash, end.seq, end.hash]);
  return createHmac('sha256', key).update(said).digest();
}
