import { BoundaryError } from '../../base/boundary-error.ts';
import type { Resource, Scope } from '../../model/records.ts';
import { boundText } from '../bounded-values.ts';
import { parseJson } from '../parse-json.ts';
import { AttributeCollector } from './attribute-collector.ts';
import type { DecodeState } from './decode-state.ts';
import { FieldError, count, field, isObject, list, object, text, type JsonObject } from './json-fields.ts';
import { checkTopKey } from './misplaced.ts';
import { NO_RESOURCE, NO_SCOPE } from './owners.ts';
import { readAttributes } from './values-json.ts';

/** lowerCamelCase and snake_case of the three levels. */
export type JsonNames = readonly [
  resources: readonly [string, string],
  scopes: readonly [string, string],
  items: readonly [string, string],
];

/**
 * Walks an OTLP/JSON request: resource → scope → item. An item whose reader throws a FieldError is rejected;
 * so is, as one, a level that is no array or object. `resource` and `scope` are shared by their items.
 * @throws BoundaryError INVALID_ARGUMENT for a document that is no JSON object, or another signal's
 */
export function walkJson(
  body: Buffer,
  state: DecodeState,
  names: JsonNames,
  readItem: (item: JsonObject, path: string, resource: Resource, scope: Scope) => void,
): void {
  const document = parseJson(body);
  if (!isObject(document)) {
    throw new BoundaryError(
      'INVALID_ARGUMENT',
      'the document is not a JSON object; send one request per body',
    );
  }
  checkTopKey(document, names[0][0]);
  walkDocument(document, state, names, readItem);
}

/** The same for a document that has been parsed already. Never throws: what can't be read is rejected. */
export function walkDocument(
  document: JsonObject,
  state: DecodeState,
  names: JsonNames,
  readItem: (item: JsonObject, path: string, resource: Resource, scope: Scope) => void,
): void {
  const [[resources, snakeResources], [scopes, snakeScopes], [items, snakeItems]] = names;
  eachObject(document, [resources, snakeResources], resources, state, (group, groupPath) => {
    const resource = readResource(group, groupPath, state);
    eachObject(group, [scopes, snakeScopes], `${groupPath}.${scopes}`, state, (scopeGroup, scopePath) => {
      const scope = readScope(scopeGroup, scopePath, state);
      eachObject(scopeGroup, [items, snakeItems], `${scopePath}.${items}`, state, (item, itemPath) => {
        readItem(item, itemPath, resource, scope);
      });
    });
  });
}

function eachObject(
  owner: JsonObject,
  [camel, snake]: readonly [string, string],
  path: string,
  state: DecodeState,
  read: (value: JsonObject, path: string) => void,
): void {
  attempt(state, '', () => {
    const items = list(field(owner, camel, snake), path);
    for (let i = 0; i < items.length; i++) {
      const at = `${path}[${i}]`;
      attempt(state, '', () => read(object(items[i], at), at));
    }
  });
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
