import { isObject } from '../../base/json.ts';
import type { AttributeValue } from '../../model/attributes.ts';
import type { AgUiEvent } from './read-event.ts';

/** What the attributes of steps say, read of the fields of events: what is missing or of a wrong type is left out. */

type Fields = AgUiEvent['fields'];
type Attributes = { readonly [key: string]: AttributeValue };

export function outcomeOf({ outcome, result }: Fields): Attributes {
  const said = isObject(outcome) ? outcome : {};
  const [interrupt] = Array.isArray(said['interrupts']) ? (said['interrupts'] as readonly unknown[]) : [];
  const reason = isObject(interrupt)
    ? (textIn(interrupt, 'message') ?? textIn(interrupt, 'reason'))
    : undefined;
  const type = textIn(said, 'type');
  return {
    ...(type !== undefined && { 'agui.outcome': type }),
    ...(reason !== undefined && { 'agui.reason': reason }),
    ...(result !== undefined &&
      result !== null && {
        'agui.result': typeof result === 'string' ? result : JSON.stringify(result),
      }),
  };
}

export function failureOf(fields: Fields): Attributes {
  const code = textIn(fields, 'code');
  return {
    'agui.error': textIn(fields, 'message') ?? 'failed',
    ...(code !== undefined && { 'agui.error_code': code }),
  };
}

const COUNTS = {
  inputTokens: 'agui.tokens_in',
  outputTokens: 'agui.tokens_out',
  reasoningTokens: 'agui.reasoning_tokens',
  cachedInputTokens: 'agui.cache_read_tokens',
  cacheWriteInputTokens: 'agui.cache_write_tokens',
} as const;

/** The sum over the models that the run used; their names where there is one. */
export function usageOf({ usage, metadata }: Fields): Attributes {
  const sums: { [key: string]: AttributeValue } = {};
  const models = new Set<string>();
  const list = Array.isArray(usage) ? (usage as readonly unknown[]) : [];
  for (const part of list.filter(isObject)) {
    for (const [field, key] of Object.entries(COUNTS)) {
      const count = part[field];
      if (typeof count === 'number' && Number.isSafeInteger(count) && count >= 0)
        sums[key] = ((sums[key] as number | undefined) ?? 0) + count;
    }
    const model = textIn(part, 'model');
    if (model !== undefined) models.add(model);
  }
  const [model] = models;
  if (model !== undefined && models.size === 1) sums['agui.model'] = model;
  const cost = isObject(metadata) ? metadata['costUsd'] : undefined;
  if (typeof cost === 'number') sums['agui.cost_usd'] = cost;
  return sums;
}

function textIn(object: { readonly [key: string]: unknown }, key: string): string | undefined {
  const value = Object.hasOwn(object, key) ? object[key] : undefined;
  return typeof value === 'string' && value !== '' ? value : undefined;
}
