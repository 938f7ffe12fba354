import type { Right } from '../../access/roles.ts';
import { BoundaryError, invalid } from '../../base/boundary-error.ts';
import { objectIn, type JsonObject } from '../../base/json.ts';
import { requestSchema } from '../../model/subscription-request.ts';

/** What each type of frame needs. */
export const VERB_NEEDS = {
  subscribe: 'see',
  updateFilters: 'see',
  expand: 'see',
  collapse: 'see',
  expandTask: 'see',
  unsubscribe: 'see',
  prune: 'operate',
  ping: 'see',
} as const satisfies Readonly<Record<string, Right>>;

type FrameType = keyof typeof VERB_NEEDS;
const FRAME_TYPES = Object.keys(VERB_NEEDS) as FrameType[];

/**
 * A frame from a reader. Only its outline is checked here; ids, filters and the request stay unchecked and are
 * checked by `ReaderApi`, once for every protocol.
 */
export interface ClientFrame {
  readonly type: FrameType;
  readonly requestId?: string;
  readonly request?: unknown;
  readonly subscriptionId?: unknown;
  readonly filters?: unknown;
  readonly nodeId?: unknown;
  readonly taskId?: unknown;
  readonly olderThanMinutes?: unknown;
}

const REQUEST_FIELDS = new Set(Object.keys(requestSchema.shape));
/** A requestId comes back in the answer; longer than this is no id. */
const MAX_REQUEST_ID_CHARS = 200;

/** The requestId is found before the rest is judged, so that an error can name it. */
export type ParsedFrame =
  { readonly frame: ClientFrame } | { readonly error: BoundaryError; readonly requestId?: string };

export function parseClientFrame(text: string): ParsedFrame {
  const fields = objectIn(text);
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

function toFrame(fields: JsonObject): ClientFrame | BoundaryError {
  const type = frameType(fields);
  if (type === undefined) return invalid(`type must be one of ${FRAME_TYPES.join(', ')}`);
  if (type === 'subscribe')
    return { type, request: 'type' in fields ? (fields['request'] ?? {}) : withoutRequestId(fields) };
  // Forgotten filters must not show a reader everything.
  if (type === 'updateFilters' && !('filters' in fields))
    return invalid('filters must be given; {} means no filter');
  return { ...withoutRequestId(fields), type };
}

function frameType(fields: JsonObject): ClientFrame['type'] | undefined {
  if (!('type' in fields)) return looksLikeRequest(fields) ? 'subscribe' : undefined;
  return FRAME_TYPES.find((type) => type === fields['type']);
}

/** The spec's clients send a bare SubscriptionRequest. */
function looksLikeRequest(fields: JsonObject): boolean {
  if ('filters' in fields) return true;
  return Object.keys(fields).every((key) => REQUEST_FIELDS.has(key) || key === 'requestId');
}

function withoutRequestId(fields: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(fields).filter(([key]) => key !== 'requestId'));
}

function isRequestId(value: unknown): value is string {
  return typeof value === 'string' && value.length <= MAX_REQUEST_ID_CHARS;
}
