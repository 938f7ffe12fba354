import { BoundaryError } from '../../base/boundary-error.ts';
import { atOnce, NEVER_OVER, wholeInTurns, type IsOver, type Work } from '../../base/in-turns.ts';
import type { Turns } from '../../base/pace.ts';
import type { RecordConsumer } from '../../model/pipeline.ts';
import type { CotRecord, EventRecord } from '../../model/records.ts';
import type { OwnMetrics } from '../../telemetry/own-metrics.ts';
import { Bounds } from '../bounds.ts';
import { DEFAULT_RECEIVER_LIMITS, MAX_LISTED_ERRORS } from '../config.ts';
import { requestDigest } from '../request-digest.ts';
import { parseCot } from './parse-cot.ts';
import { parseEvent } from './parse-event.ts';
import { itemsIn } from './split-items.ts';

interface Remark {
  readonly index: number;
  readonly message: string;
}

/** The answer to a POST of CoT entries or Reflexion events, as JSON. */
export interface PostAnswer {
  /** 202; 400 only if nothing could be read. */
  readonly status: 202 | 400;
  readonly body: {
    readonly accepted: number;
    readonly rejected: number;
    /** The first MAX_LISTED_ERRORS; `index` counts items from 0. */
    readonly errors: readonly Remark[];
    /** Accepted items of which texts were cut; absent when there are none. */
    readonly truncated?: number;
    /** Of these, the first MAX_LISTED_ERRORS. */
    readonly warnings?: readonly Remark[];
  };
}

/** What of a body was read, told by counts already. */
export interface ReadItems {
  readonly records: readonly (CotRecord | EventRecord)[];
  readonly errors: readonly Remark[];
  readonly rejected: number;
  readonly warnings: readonly Remark[];
  readonly truncated: number;
}

export type PostSignal = 'cot' | 'event';

/** What was posted, and who takes it. */
export interface Post {
  readonly body: Buffer;
  readonly contentType: string | undefined;
  readonly consumer: RecordConsumer;
  readonly receivedAt: number;
  readonly pace: Turns;
  readonly metrics: OwnMetrics;
}

/**
 * The body of `POST /api/cot` or `/api/events`: one object, an array, or NDJSON. Valid items are accepted, invalid ones listed
 * by index.
 * @throws BoundaryError UNSUPPORTED_MEDIA_TYPE, TOO_LARGE; or the consumer's RESOURCE_EXHAUSTED, UNAVAILABLE
 */
export async function receive(signal: PostSignal, post: Post): Promise<PostAnswer> {
  const { metrics, pace } = post;
  const reading = readingItems(signal, post.body, post.contentType, metrics, () => pace.isOver);
  const read = await wholeInTurns(reading, pace);
  if (read === undefined) return unreadable();
  const { records, errors, rejected, truncated, warnings } = read;
  if (records.length > 0) {
    try {
      const { receivedAt, body, consumer } = post;
      await consumer.consume({ receivedAt, source: 'http', records, digest: requestDigest(body, records) });
    } catch (error) {
      const refusal = BoundaryError.from(error);
      metrics.recordsRejected(signal, refusal.code.toLowerCase(), records.length);
      throw refusal;
    }
    metrics.recordsAccepted(signal, records.length);
  }
  const cut = truncated > 0 && { truncated, warnings };
  return { status: 202, body: { accepted: records.length, rejected, errors, ...cut } };
}

/**
 * The records in a body; what is wrong with it is counted.
 * @returns undefined when nothing could be read
 * @throws BoundaryError UNSUPPORTED_MEDIA_TYPE, TOO_LARGE
 */
export function readItems(
  signal: PostSignal,
  body: Buffer,
  contentType: string | undefined,
  metrics: OwnMetrics,
): ReadItems | undefined {
  return atOnce(readingItems(signal, body, contentType, metrics, NEVER_OVER));
}

function* readingItems(
  signal: PostSignal,
  body: Buffer,
  contentType: string | undefined,
  metrics: OwnMetrics,
  isOver: IsOver,
): Work<ReadItems | undefined> {
  const parse: (value: unknown, bounds: Bounds) => CotRecord | EventRecord =
    signal === 'cot' ? parseCot : parseEvent;
  const bounds = new Bounds(DEFAULT_RECEIVER_LIMITS);
  const items = yield* itemsIn(body, contentType, isOver);
  if (items === undefined) {
    metrics.recordsRejected(signal, 'unparsable', 1);
    return undefined;
  }
  const records: (CotRecord | EventRecord)[] = [];
  const errors: Remark[] = [];
  const warnings: Remark[] = [];
  let rejected = 0;
  let truncated = 0;
  for (const [index, item] of items.entries()) {
    if (isOver()) yield;
    const before = bounds.textsCut;
    const result = 'value' in item ? tryParse(item.value, parse, bounds) : item.problem;
    if (typeof result === 'string') {
      rejected++;
      if (errors.length < MAX_LISTED_ERRORS) errors.push({ index, message: result });
      continue;
    }
    records.push(result);
    if (bounds.textsCut === before) continue;
    truncated++;
    const message = `texts cut at ${bounds.limits.maxStringChars} characters: ${bounds.textsCut - before}; send long ones in pieces`;
    if (warnings.length < MAX_LISTED_ERRORS) warnings.push({ index, message });
  }
  if (rejected > 0) metrics.recordsRejected(signal, 'invalid', rejected);
  if (bounds.textsCut > 0) metrics.textsCut(signal, bounds.textsCut);
  return { records, errors, rejected, truncated, warnings };
}

function tryParse<T>(
  value: unknown,
  parse: (value: unknown, bounds: Bounds) => T,
  bounds: Bounds,
): T | string {
  try {
    return parse(value, bounds);
  } catch (error) {
    if (error instanceof BoundaryError && error.code === 'INVALID_ARGUMENT') return error.message;
    throw error;
  }
}

function unreadable(): PostAnswer {
  const message = 'the body holds no JSON; send one object, an array of objects, or one object per line';
  return { status: 400, body: { accepted: 0, rejected: 0, errors: [{ index: 0, message }] } };
}
