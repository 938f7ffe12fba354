import { isObject, type JsonObject } from '../../base/json.ts';
import { BoundaryError } from '../../base/boundary-error.ts';
import type { Resource, Scope } from '../../model/records.ts';
import { boundText } from '../bounded-values.ts';
import { parseJson } from '../parse-json.ts';
import { AttributeCollector } from './attribute-collector.ts';
import type { DecodeState } from './decode-state.ts';
import { FieldError, count, field, list, object, text } from './json-fields.ts';
import { checkTopKey } from './misplaced.ts';
import { NO_RESOURCE, NO_SCOPE } from './owners.ts';
import { readAttributes } from './values-json.ts';

/** lowerCamelCase and snake_case of the three levels. */
export type JsonNames = readonly [
  resources: readonly [string, string],
  scopes: readonly [string, string],
  items: readonly [string, string],
];

type ReadItem = (item: JsonObject, path: string, resource: Resource, scope: Scope) => void;

/**
 * Walks an OTLP/JSON request: resource → scope → item, and yields after each item. An item whose reader throws a FieldError
 * is rejected; so is, as one, a level that is no array or object. `resource` and `scope` are shared by their items.
 * @throws BoundaryError INVALID_ARGUMENT for a document that is no JSON object, or another signal's
 */
export function* walkJson(
  body: Buffer,
  state: DecodeState,
  names: JsonNames,
  readItem: ReadItem,
): Generator<void, void> {
  const document = parseJson(body);
  if (!isObject(document)) {
    throw new BoundaryError(
      'INVALID_ARGUMENT',
      'the document is not a JSON object; send one request per body',
    );
  }
  checkTopKey(document, names[0][0]);
  yield* walkDocument(document, state, names, readItem);
}

/** The same for a document that has been parsed already. Never throws: what can't be read is rejected. */
export function* walkDocument(
  document: JsonObject,
  state: DecodeState,
  names: JsonNames,
  readItem: ReadItem,
): Generator<void, void> {
  const [resources, scopes, items] = names;
  for (const [group, groupPath] of objectsIn(document, resources, '', state)) {
    const resource = readResource(group, groupPath, state);
    for (const [scopeGroup, scopePath] of objectsIn(group, scopes, `${groupPath}.`, state)) {
      const scope = readScope(scopeGroup, scopePath, state);
      for (const [item, path] of objectsIn(scopeGroup, items, `${scopePath}.`, state)) {
        attempt(state, '', () => readItem(item, path, resource, scope));
        yield;
      }
    }
  }
}

/** The objects of a list with their paths; what is none is rejected. */
function* objectsIn(
  owner: JsonObject,
  [camel, snake]: readonly [string, string],
  before: string,
  state: DecodeState,
): Generator<readonly [value: JsonObject, path: string]> {
  const path = before + camel;
  let items: readonly unknown[] = [];
  attempt(state, '', () => (items = list(field(owner, camel, snake), path)));
  for (const [i, item] of items.entries()) {
    const at = `${path}[${i}]`;
    if (isObject(item)) yield [item, at];
    else attempt(state, '', () => object(item, at));
  }
}

/** Runs a reader; a FieldError rejects the item with its path. */
export function attempt(state: DecodeState, path: string, read: () => void): void {
  try {
    read();
  } catch (error) {
    if (!(error instanceof FieldError)) throw error;
    state.reject(path === '' ? error.message : `${path}.${error.message}`);
  }
}

/** An unreadable resource loses its attributes, not its records: the sender gets a warning. */
function readResource(group: JsonObject, path: string, state: DecodeState): Resource {
  const value = group['resource'] ?? undefined;
  if (value === undefined) return NO_RESOURCE;
  try {
    const resource = object(value, 'resource');
    return { attributes: attributesOf(resource, 'resource.attributes', state) };
  } catch (error) {
    if (!(error instanceof FieldError)) throw error;
    state.warn(`${path}.${error.message}`);
    return NO_RESOURCE;
  }
}

function readScope(group: JsonObject, path: string, state: DecodeState): Scope {
  const value = group['scope'] ?? undefined;
  if (value === undefined) return NO_SCOPE;
  try {
    const scope = object(value, 'scope');
    return {
      name: boundText(text(scope['name'] ?? undefined, 'scope.name'), state),
      version: boundText(text(scope['version'] ?? undefined, 'scope.version'), state),
      attributes: attributesOf(scope, 'scope.attributes', state),
    };
  } catch (error) {
    if (!(error instanceof FieldError)) throw error;
    state.warn(`${path}.${error.message}`);
    return NO_SCOPE;
  }
}

/** `attributes` and `droppedAttributesCount` of any owner. */
export function attributesOf(owner: JsonObject, path: string, state: DecodeState, extra?: ExtraAttributes) {
  const attributes = new AttributeCollector(state);
  readAttributes(owner['attributes'] ?? undefined, path, state, attributes);
  attributes.drop(count(field(owner, 'droppedAttributesCount', 'dropped_attributes_count'), path));
  for (const [key, value] of extra ?? []) if (value > 0) attributes.set(key, value);
  return attributes.finish();
}

export type ExtraAttributes = readonly (readonly [key: string, value: number])[];
