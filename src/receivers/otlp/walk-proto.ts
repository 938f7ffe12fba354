import { BoundaryError } from '../../base/boundary-error.ts';
import type { Resource, Scope } from '../../model/records.ts';
import { boundText } from '../bounded-values.ts';
import { AttributeCollector } from './attribute-collector.ts';
import type { DecodeState } from './decode-state.ts';
import { NO_RESOURCE, NO_SCOPE } from './owners.ts';
import { readKeyValue } from './values-proto.ts';
import type { WireReader } from '../../base/wire-reader.ts';

/**
 * The Resource (field 1) of a ResourceSpans, ResourceLogs or ResourceMetrics. Read ahead of its records,
 * because protobuf lets fields come in any order.
 */
function readResource(reader: WireReader, end: number, state: DecodeState): Resource {
  const at = findMessage(reader, end);
  if (at === undefined) return NO_RESOURCE;
  const attributes = new AttributeCollector(state);
  const start = reader.pos;
  reader.pos = at.start;
  while (reader.pos < at.end) {
    const tag = reader.tag(at.end);
    if (tag === 10) readKeyValue(reader, reader.lengthEnd(at.end), state, attributes);
    else if (tag === 16) attributes.drop(reader.varint32(at.end));
    else reader.skip(tag, at.end);
  }
  reader.pos = start;
  return { attributes: attributes.finish() };
}

/** The InstrumentationScope (field 1) of a ScopeSpans, ScopeLogs or ScopeMetrics. */
function readScope(reader: WireReader, end: number, state: DecodeState): Scope {
  const at = findMessage(reader, end);
  if (at === undefined) return NO_SCOPE;
  const attributes = new AttributeCollector(state);
  const start = reader.pos;
  let name = '';
  let version = '';
  reader.pos = at.start;
  while (reader.pos < at.end) {
    const tag = reader.tag(at.end);
    if (tag === 10) name = boundText(reader.name(reader.lengthEnd(at.end)), state);
    else if (tag === 18) version = boundText(reader.name(reader.lengthEnd(at.end)), state);
    else if (tag === 26) readKeyValue(reader, reader.lengthEnd(at.end), state, attributes);
    else if (tag === 32) attributes.drop(reader.varint32(at.end));
    else reader.skip(tag, at.end);
  }
  reader.pos = start;
  return { name, version, attributes: attributes.finish() };
}

/** Bounds of the last message in field 1. Does not move the reader. */
function findMessage(
  reader: WireReader,
  end: number,
): { readonly start: number; readonly end: number } | undefined {
  const start = reader.pos;
  let found: { readonly start: number; readonly end: number } | undefined;
  while (reader.pos < end) {
    const tag = reader.tag(end);
    if (tag === 10) {
      const fieldEnd = reader.lengthEnd(end);
      found = { start: reader.pos, end: fieldEnd };
      reader.pos = fieldEnd;
    } else {
      reader.skip(tag, end);
    }
  }
  reader.pos = start;
  return found;
}

/** What the three levels are called in messages. */
export type ItemNames = readonly [resources: string, scopes: string, items: string];

/** The current index on each level, -1 before the first item. Mutated during the walk. */
export type Place = readonly number[];

/** `resourceSpans[0].scopeSpans[1].spans[2]` */
export function itemPath(names: ItemNames, place: Place): string {
  return names
    .flatMap((name, level) => {
      const index = place[level] ?? -1;
      return index < 0 ? [] : [`${name}[${index}]`];
    })
    .join('.');
}

/**
 * Walks request → resource → scope → item, which the three signals share: field 1, then 2, then 2; yields after each
 * item. Errors carry the path of the item.
 */
export function* walkItems(
  reader: WireReader,
  state: DecodeState,
  names: ItemNames,
  readItem: (end: number, resource: Resource, scope: Scope, place: Place) => void,
): Generator<void, void> {
  const place = [-1, -1, -1];
  try {
    for (const resourceEnd of messages(reader, reader.size, 10, place, 0)) {
      const resource = readResource(reader, resourceEnd, state);
      for (const scopeEnd of messages(reader, resourceEnd, 18, place, 1)) {
        const scope = readScope(reader, scopeEnd, state);
        for (const itemEnd of messages(reader, scopeEnd, 18, place, 2)) {
          readItem(itemEnd, resource, scope, place);
          yield;
        }
      }
    }
  } catch (error) {
    throw withPlace(error, names, place);
  }
}

/** Yields where each message ends. */
function* messages(
  reader: WireReader,
  end: number,
  wanted: number,
  place: number[],
  level: number,
): Generator<number, void> {
  while (reader.pos < end) {
    const tag = reader.tag(end);
    if (tag !== wanted) {
      reader.skip(tag, end);
      continue;
    }
    enter(place, level);
    const fieldEnd = reader.lengthEnd(end);
    yield fieldEnd;
    reader.pos = fieldEnd;
  }
}

function enter(place: number[], level: number): void {
  place[level] = (place[level] ?? -1) + 1;
  place.fill(-1, level + 1);
}

function withPlace(error: unknown, names: ItemNames, place: Place): unknown {
  if (!(error instanceof BoundaryError)) return error;
  const path = itemPath(names, place);
  return path === '' ? error : new BoundaryError(error.code, `${path}: ${error.message}`);
}
