import { BoundaryError } from '../../base/boundary-error.ts';
import { wholeInTurns, type IsOver, type Work } from '../../base/in-turns.ts';
import { isObject } from '../../base/json.ts';
import type { Turns } from '../../base/pace.ts';
import type { CotRecord, EventRecord } from '../../model/records.ts';
import { Bounds } from '../../receivers/bounds.ts';
import { DEFAULT_RECEIVER_LIMITS } from '../../receivers/config.ts';
import { parseCot } from '../../receivers/events/parse-cot.ts';
import { parseEvent } from '../../receivers/events/parse-event.ts';
import { itemsIn, type Item } from '../../receivers/events/split-items.ts';
import { cellOfEvent, cellOfThought, type Routing } from './choose.ts';
import type { Part } from './items.ts';
import { attributeKey, traceKey } from './keys.ts';
import { written } from './split-json.ts';

export type EntrySignal = 'cot' | 'event';

/** What was posted to `/api/cot` or `/api/events`. */
export interface PostedEntries {
  readonly body: Buffer;
  readonly contentType: string;
}

export interface EntryPart extends Part {
  readonly contentType: string;
  /** The place of each of its entries in the body; undefined when it is the body itself. */
  readonly indexes: readonly number[] | undefined;
}

export interface SharedEntries {
  readonly parts: readonly EntryPart[];
  /** Places of lines that are no JSON and were sent to nobody. */
  readonly unreadable: readonly number[];
}

/**
 * Shares out entries of thoughts, or events, among the cells. All of one thought go to one: where it is already, else by
 * the first trace that it names here, else by its request. What all goes to one cell, or cannot be read, is
 * passed on as it is; parts of it are arrays in JSON.
 * @returns at least one part; the same for the same body, cells and known streams
 * @throws BoundaryError UNSUPPORTED_MEDIA_TYPE, TOO_LARGE; UNAVAILABLE when a thought goes on whose cell is away for good
 */
export async function splitEntries(
  signal: EntrySignal,
  posted: PostedEntries,
  routing: Routing,
  turns: Turns,
): Promise<SharedEntries> {
  return wholeInTurns(
    splitting(signal, posted, routing, () => turns.isOver),
    turns,
  );
}

function* splitting(
  signal: EntrySignal,
  posted: PostedEntries,
  routing: Routing,
  isOver: IsOver,
): Work<SharedEntries> {
  const whole = (cell: string): SharedEntries => ({
    parts: [{ cell, ...posted, indexes: undefined }],
    unreadable: [],
  });
  const items = yield* itemsIn(posted.body, posted.contentType, isOver);
  if (items === undefined) return whole(routing.ring.of(''));
  const cells = yield* signal === 'cot'
    ? cellsOfThoughts(items, routing, isOver)
    : cellsOfEvents(items, routing, isOver);
  // What cannot be read has no cell of its own: where it is refused may not depend on what cells there are.
  const first = cells.find((cell) => cell !== undefined) ?? routing.ring.of('');
  const shares = new Map<string, number[]>();
  const unreadable: number[] = [];
  for (const [index, item] of items.entries()) {
    if ('problem' in item) unreadable.push(index);
    else share(shares, cells[index] ?? first).push(index);
  }
  if (shares.size <= 1) return whole(first);
  const parts: EntryPart[] = [];
  for (const [cell, indexes] of shares) {
    const body = written(indexes.map((index) => valueOf(items[index])));
    parts.push({ cell, indexes, contentType: 'application/json', body });
    if (isOver()) yield;
  }
  return { parts, unreadable };
}

function share(shares: Map<string, number[]>, cell: string): number[] {
  let indexes = shares.get(cell);
  if (!indexes) shares.set(cell, (indexes = []));
  return indexes;
}

function* cellsOfThoughts(
  items: readonly Item[],
  routing: Routing,
  isOver: IsOver,
): Work<readonly (string | undefined)[]> {
  const entries: (CotRecord | undefined)[] = [];
  const keys = new Map<string, Buffer | string>();
  for (const item of items) {
    const entry = tryParse(item, parseCot);
    entries.push(entry);
    const key = entry && (givenKey(routing, item) ?? traceKey(entry.traceId));
    if (entry && key !== undefined && !keys.has(entry.requestId)) keys.set(entry.requestId, key);
    if (isOver()) yield;
  }
  const cells: (string | undefined)[] = [];
  for (const entry of entries) {
    cells.push(entry && cellOfThought(routing, entry, keys.get(entry.requestId)));
    if (isOver()) yield;
  }
  return cells;
}

function* cellsOfEvents(
  items: readonly Item[],
  routing: Routing,
  isOver: IsOver,
): Work<readonly (string | undefined)[]> {
  const cells: (string | undefined)[] = [];
  for (const item of items) {
    const event = tryParse(item, parseEvent);
    const key = givenKey(routing, item);
    cells.push(event && (key === undefined ? cellOfEvent(routing, event) : routing.ring.of(key)));
    if (isOver()) yield;
  }
  return cells;
}

/** Undefined for what its cell will refuse. */
function tryParse<T extends CotRecord | EventRecord>(
  item: Item,
  parse: (value: unknown, bounds: Bounds) => T,
): T | undefined {
  if ('problem' in item) return undefined;
  try {
    return parse(item.value, new Bounds(DEFAULT_RECEIVER_LIMITS));
  } catch (error) {
    if (error instanceof BoundaryError && error.code === 'INVALID_ARGUMENT') return undefined;
    throw error;
  }
}

/** The key by the attribute that routing goes by, if the entry or its payload has a field of that name. */
function givenKey({ routeBy }: Routing, item: Item): string | undefined {
  const entry = valueOf(item);
  if (routeBy === 'traceID' || !isObject(entry)) return undefined;
  const payload = isObject(entry['payload']) ? entry['payload'] : {};
  const value = entry[routeBy] ?? payload[routeBy];
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? attributeKey(routeBy, value)
    : undefined;
}

function valueOf(item: Item | undefined): unknown {
  return item && 'value' in item ? item.value : undefined;
}
