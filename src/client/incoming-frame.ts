import type { ServerFrame } from '../model/reader-messages.ts';
import { asGraph, asUpdate, badAnswer, isFields } from './check-shape.ts';
import type { Fields } from './check-shape.ts';
import { ClientError, isServiceCode } from './client-error.ts';

/** A frame of the WebSocket protocol, from the service. */
export type IncomingFrame =
  | ServerFrame
  | { readonly type: 'pong'; readonly requestId: string | undefined }
  | {
      readonly type: 'error';
      readonly requestId: string | undefined;
      readonly subscriptionId: string | undefined;
      readonly error: ClientError;
    };

/** @returns undefined for a type that is not known here: a newer service may send it. @throws ClientError BAD_ANSWER */
export function parseFrame(text: string): IncomingFrame | undefined {
  const fields = parseObject(text);
  const requestId = optionalString(fields, 'requestId');
  switch (fields['type']) {
    case 'subscribed':
      return {
        type: 'subscribed',
        ...(requestId !== undefined && { requestId }),
        ...place(fields),
        graph: asGraph(fields['graph']),
      };
    case 'update':
      return { type: 'update', ...place(fields), update: asUpdate(fields['update']) };
    case 'snapshotNeeded':
      return {
        type: 'snapshotNeeded',
        subscriptionId: requiredString(fields, 'subscriptionId'),
        reason: optionalString(fields, 'reason') ?? '',
      };
    case 'pong':
      return { type: 'pong', requestId };
    case 'error':
      return {
        type: 'error',
        requestId,
        subscriptionId: optionalString(fields, 'subscriptionId'),
        error: serviceError(fields),
      };
    default:
      if (typeof fields['type'] === 'string') return undefined;
      throw badAnswer('a frame without a type');
  }
}

/** `{code, message}` as the service says it. A code that is not known here is INTERNAL. */
export function serviceError(fields: Fields): ClientError {
  const { code, message } = fields;
  return new ClientError(
    isServiceCode(code) ? code : 'INTERNAL',
    typeof message === 'string' && message !== '' ? message : 'the service refused without saying why',
  );
}

function place(fields: Fields): { readonly subscriptionId: string; readonly sequence: number } {
  const { sequence } = fields;
  if (typeof sequence !== 'number' || !Number.isSafeInteger(sequence))
    throw badAnswer('a frame without a sequence');
  return { subscriptionId: requiredString(fields, 'subscriptionId'), sequence };
}

function requiredString(fields: Fields, name: string): string {
  const value = fields[name];
  if (typeof value !== 'string') throw badAnswer(`a frame without ${name}`);
  return value;
}

function optionalString(fields: Fields, name: string): string | undefined {
  const value = fields[name];
  return typeof value === 'string' ? value : undefined;
}

function parseObject(text: string): Fields {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // The parser's own message quotes the text.
  }
  if (!isFields(value)) throw badAnswer('something else than JSON frames');
  return value;
}
