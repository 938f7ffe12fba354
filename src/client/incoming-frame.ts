import { isObject, type JsonObject } from '../base/json.ts';
import type { ServerFrame } from '../model/reader-messages.ts';
import { asGraph, asUpdate, badAnswer, eventOf } from './check-shape.ts';
import { ClientError, isServiceCode } from './client-error.ts';

/** A frame of the WebSocket protocol, from the service. */
export type IncomingFrame =
  | ServerFrame
  | { readonly type: 'ok' | 'pong'; readonly requestId?: string }
  | {
      readonly type: 'error';
      readonly requestId?: string;
      readonly subscriptionId: string | undefined;
      readonly error: ClientError;
    };

/** @returns undefined for a type that is not known here: a newer service may send it. @throws ClientError BAD_ANSWER */
export function parseFrame(text: string): IncomingFrame | undefined {
  const fields = parseObject(text);
  const named = optionalString(fields, 'requestId');
  const request = named === undefined ? {} : { requestId: named };
  const { type } = fields;
  switch (type) {
    case 'subscribed':
      return {
        type,
        ...request,
        ...place(fields),
        ...(fields['partial'] === true && { partial: true }),
        graph: asGraph(fields['graph']),
      };
    case 'resumed':
      return { type, ...request, ...place(fields) };
    case 'update':
      return {
        type,
        ...request,
        ...place(fields),
        ...(fields['partial'] === true && { partial: true }),
        ...(fields['complete'] === true && { complete: true }),
        update: asUpdate(fields['update']),
      };
    case 'snapshotNeeded':
      return {
        type,
        ...request,
        subscriptionId: requiredString(fields, 'subscriptionId'),
        reason: optionalString(fields, 'reason') ?? '',
      };
    case 'event':
      return eventOf(fields);
    case 'ok':
    case 'pong':
      return { type, ...request };
    case 'error':
      return {
        type,
        ...request,
        subscriptionId: optionalString(fields, 'subscriptionId'),
        error: serviceError(fields),
      };
    default:
      if (typeof type === 'string') return undefined;
      throw badAnswer('a frame without a type');
  }
}

/** `{code, message}` as the service says it. A code that is not known here is INTERNAL. */
export function serviceError(fields: JsonObject): ClientError {
  const { code, message } = fields;
  return new ClientError(
    isServiceCode(code) ? code : 'INTERNAL',
    typeof message === 'string' && message !== '' ? message : 'the service refused without saying why',
  );
}

function place(fields: JsonObject): { readonly subscriptionId: string; readonly sequence: number } {
  const { sequence } = fields;
  if (typeof sequence !== 'number' || !Number.isSafeInteger(sequence))
    throw badAnswer('a frame without a sequence');
  return { subscriptionId: requiredString(fields, 'subscriptionId'), sequence };
}

function requiredString(fields: JsonObject, name: string): string {
  const value = fields[name];
  if (typeof value !== 'string') throw badAnswer(`a frame without ${name}`);
  return value;
}

function optionalString(fields: JsonObject, name: string): string | undefined {
  const value = fields[name];
  return typeof value === 'string' ? value : undefined;
}

function parseObject(text: string): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // The parser's own message quotes the text.
  }
  if (!isObject(value)) throw badAnswer('something else than JSON frames');
  return value;
}
