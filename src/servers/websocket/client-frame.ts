import { BoundaryError } from '../../base/boundary-error.ts';

/**
 * A frame from a reader. Only its outline is checked here; ids, filters and the request stay unchecked and are
 * checked by `ReaderApi`, once for every protocol.
 */
export type ClientFrame = { readonly requestId?: string } & (
  | { readonly type: 'subscribe'; readonly request: unknown }
  | { readonly type: 'updateFilters'; readonly subscriptionId: unknown; readonly filters: unknown }
  | { readonly type: 'expand' | 'collapse'; readonly subscriptionId: unknown; readonly nodeId: unknown }
  | { readonly type: 'expandTask'; readonly subscriptionId: unknown; readonly taskId: unknown }
  | { readonly type: 'unsubscribe'; readonly subscriptionId: unknown }
  | { readonly type: 'prune'; readonly olderThanMinutes: unknown }
  | { readonly type: 'ping' }
);

const FRAME_TYPES = [
  'subscribe',
  'updateFilters',
  'expand',
  'collapse',
  'expandTask',
  'unsubscribe',
  'prune',
  'ping',
] as const;
const REQUEST_FIELDS = new Set(['subscriptionId', 'filters', 'resumeFrom', 'collapse', 'include']);
/** A requestId comes back in the answer; longer than this is no id. */
const MAX_REQUEST_ID_CHARS = 200;

type Fields = { readonly [key: string]: unknown };

/** The requestId is found before the rest is judged, so that an error can name it. */
export type ParsedFrame =
  { readonly frame: ClientFrame } | { readonly error: BoundaryError; readonly requestId?: string };

export function parseClientFrame(text: string): ParsedFrame {
  const fields = parseObject(text);
  if (fields === undefined) return { error: invalid('a frame is one JSON object, such as {"type":"ping"}') };

  const requestId = fields['requestId'];
  if (requestId !== undefined && !isRequestId(requestId)) {
    return { error: invalid(`requestId must be a string of at most ${MAX_REQUEST_ID_CHARS} characters`) };
  }
  const frame = toFrame(fields);
  const id = requestId === undefined ? {} : { requestId };
  if (frame instanceof BoundaryError) return { error: frame, ...id };
  return { frame: { ...frame, ...id } };
}

function toFrame(fields: Fields): ClientFrame | BoundaryError {
  const type = frameType(fields);
  switch (type) {
    case 'subscribe': {
      const request = 'type' in fields ? (fields['request'] ?? {}) : withoutRequestId(fields);
      return { type, request };
    }
    case 'updateFilters':
      // Forgotten filters must not show a reader everything.
      if (!('filters' in fields)) return invalid('filters must be given; {} means no filter');
      return { type, subscriptionId: fields['subscriptionId'], filters: fields['filters'] };
    case 'expand':
    case 'collapse':
      return { type, subscriptionId: fields['subscriptionId'], nodeId: fields['nodeId'] };
    case 'expandTask':
      return { type, subscriptionId: fields['subscriptionId'], taskId: fields['taskId'] };
    case 'unsubscribe':
      return { type, subscriptionId: fields['subscriptionId'] };
    case 'prune':
      return { type, olderThanMinutes: fields['olderThanMinutes'] };
    case 'ping':
      return { type };
    case undefined:
      return invalid(`type must be one of ${FRAME_TYPES.join(', ')}`);
  }
}

function frameType(fields: Fields): ClientFrame['type'] | undefined {
  if (!('type' in fields)) return looksLikeRequest(fields) ? 'subscribe' : undefined;
  return FRAME_TYPES.find((type) => type === fields['type']);
}

/** The spec's clients send a bare SubscriptionRequest. */
function looksLikeRequest(fields: Fields): boolean {
  if ('filters' in fields) return true;
  return Object.keys(fields).every((key) => REQUEST_FIELDS.has(key) || key === 'requestId');
}

function withoutRequestId(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([key]) => key !== 'requestId'));
}

function isRequestId(value: unknown): value is string {
  return typeof value === 'string' && value.length <= MAX_REQUEST_ID_CHARS;
}

function parseObject(text: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Fields)
      : undefined;
  } catch {
    return undefined;
  }
}

function invalid(message: string): BoundaryError {
  return new BoundaryError('INVALID_ARGUMENT', message);
}
