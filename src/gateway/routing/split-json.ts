import { isObject, type JsonObject } from '../../base/json.ts';
import { BoundaryError } from '../../base/boundary-error.ts';
import type { IsOver, Work } from '../../base/in-turns.ts';
import type { CotRecord, EventRecord } from '../../model/records.ts';
import { FieldError, hexId } from '../../receivers/otlp/json-fields.ts';
import { parseJson } from '../../receivers/parse-json.ts';
import type { Choose, Item, Lane, Owner, Part } from './items.ts';
import type { KeyValue } from './keys.ts';
import { isHint, isNameHint, readTold } from './read-told.ts';

/** The field of each level in both spellings. */
export type LevelNames = readonly (readonly [camel: string, snake: string])[];

export const SPAN_LEVELS: LevelNames = [
  ['resourceSpans', 'resource_spans'],
  ['scopeSpans', 'scope_spans'],
  ['spans', 'spans'],
];
export const LOG_LEVELS: LevelNames = [
  ['resourceLogs', 'resource_logs'],
  ['scopeLogs', 'scope_logs'],
  ['logRecords', 'log_records'],
];

interface Group {
  readonly around: JsonObject;
  readonly name: string;
  readonly members: unknown[];
}

/**
 * The same as `splitProto` for a request in JSON. What is not as OTLP has it, on any level, is not shared out.
 * @returns none also when the body is no such request: the cell that gets it whole says why
 * @throws BoundaryError INVALID_ARGUMENT for what is no JSON; TOO_LARGE
 */
export function* splitJson(
  body: Buffer,
  levels: LevelNames,
  choose: Choose,
  isOver: IsOver,
): Work<readonly Part[]> {
  const [groups, scopes, items] = levels;
  const document = parseJson(body);
  const whole = groups && listIn(document, groups);
  if (!whole || !scopes || !items) return [];
  const lanes = new Map<string, { readonly lane: Lane; readonly groups: Group[]; scope: unknown }>();
  for (const group of whole.members) {
    const inGroup = listIn(group, scopes);
    if (!inGroup) return [];
    const resource = ownerOf(inGroup.around['resource']);
    const opened = new Map<string, Group>();
    for (const member of inGroup.members) {
      const inScope = listIn(member, items);
      if (!inScope) return [];
      const scope = ownerOf(inScope.around['scope']);
      const filled = new Map<string, Group>();
      for (const item of inScope.members) {
        const lane = choose(new JsonItem(item), scope, resource);
        const name = `${lane.cell}${lane.hasThoughts ? '\n' : ''}`;
        let target = filled.get(name);
        if (!target) {
          filled.set(name, (target = { ...inScope, members: [] }));
          let parent = opened.get(name);
          if (!parent) {
            opened.set(name, (parent = { ...inGroup, members: [] }));
            let held = lanes.get(name);
            if (!held) lanes.set(name, (held = { lane, groups: [], scope: undefined }));
            held.groups.push(parent);
          }
          parent.members.push(target);
        }
        target.members.push(item);
        if (isOver()) yield;
      }
    }
  }
  if (lanes.size <= 1) return [...lanes.values()].map(({ lane }) => ({ cell: lane.cell, body }));
  return [...lanes.values()].map(({ lane, groups: own }) => ({
    cell: lane.cell,
    body: written({ ...whole.around, [whole.name]: own.map(groupAsJson) }),
  }));
}

function groupAsJson({ around, name, members }: Group): JsonObject {
  return {
    ...around,
    [name]: (members as readonly Group[]).map((scope) => ({ ...scope.around, [scope.name]: scope.members })),
  };
}

/** The list in an object, and what is around it; undefined when it is no object, or the field is no list. */
function listIn(value: unknown, [camel, snake]: readonly [string, string]): Group | undefined {
  if (!isObject(value)) return undefined;
  const name = value[camel] === undefined || value[camel] === null ? snake : camel;
  const { [name]: list = [], ...around } = value;
  if (list !== null && !Array.isArray(list)) return undefined;
  return { around, name, members: (list ?? []) as unknown[] };
}

/** @throws BoundaryError INVALID_ARGUMENT for what is nested deeper than it can be written */
export function written(value: unknown): Buffer {
  try {
    return Buffer.from(JSON.stringify(value));
  } catch {
    throw new BoundaryError('INVALID_ARGUMENT', 'the JSON document is nested too deep');
  }
}

class JsonItem implements Item {
  private readonly item: unknown;

  constructor(item: unknown) {
    this.item = item;
  }

  get traceId(): string {
    if (!isObject(this.item)) return '';
    try {
      return hexId(this.item['traceId'] ?? this.item['trace_id'] ?? undefined, 16, '');
    } catch (error) {
      if (error instanceof FieldError) return '';
      throw error;
    }
  }

  attribute(name: string): KeyValue {
    return ownerOf(this.item).attribute(name);
  }

  told(): CotRecord | EventRecord | undefined {
    if (!isObject(this.item) || !mayTell(this.item)) return undefined;
    return readTold('json', written({ resourceLogs: [{ scopeLogs: [{ logRecords: [this.item] }] }] }));
  }
}

function mayTell(record: JsonObject): boolean {
  const name = record['eventName'] ?? record['event_name'];
  const body = isObject(record['body']) ? record['body'] : {};
  const texts = [name, body['stringValue'] ?? body['string_value']];
  if (texts.some((text) => typeof text === 'string' && isNameHint(text))) return true;
  if (isObject(body['kvlistValue'] ?? body['kvlist_value'])) return true;
  return attributesOf(record).some(({ key }) => typeof key === 'string' && isHint(key));
}

function ownerOf(value: unknown): Owner {
  return {
    attribute: (name) => {
      const found = attributesOf(value).findLast(({ key }) => key === name)?.['value'];
      return isObject(found) ? scalarOf(found) : undefined;
    },
  };
}

function attributesOf(value: unknown): readonly JsonObject[] {
  const list = isObject(value) ? value['attributes'] : undefined;
  return Array.isArray(list) ? list.filter((entry) => isObject(entry)) : [];
}

function scalarOf(value: JsonObject): KeyValue {
  const found =
    value['stringValue'] ??
    value['string_value'] ??
    value['boolValue'] ??
    value['bool_value'] ??
    value['intValue'] ??
    value['int_value'] ??
    value['doubleValue'] ??
    value['double_value'];
  const isScalar = typeof found === 'string' || typeof found === 'number' || typeof found === 'boolean';
  return isScalar ? found : undefined;
}
