import { BoundaryError } from '../../base/boundary-error.ts';
import type { RecordConsumer } from '../../model/pipeline.ts';
import type { TelemetryRecord } from '../../model/records.ts';
import { noMetrics, type OwnMetrics } from '../../telemetry/own-metrics.ts';
import { Bounds } from '../bounds.ts';
import { DEFAULT_RECEIVER_LIMITS, MAX_LISTED_ERRORS } from '../config.ts';
import { requestDigest } from '../request-digest.ts';
import { parseCot } from './parse-cot.ts';
import { parseEvent } from './parse-event.ts';
import { splitItems } from './split-items.ts';

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

/**
 * The body of `POST /api/cot`: one object, an array, or NDJSON. Valid items are accepted, invalid ones listed by index.
 * @throws BoundaryError UNSUPPORTED_MEDIA_TYPE, TOO_LARGE; or the consumer's RESOURCE_EXHAUSTED, UNAVAILABLE
 */
export function receiveCot(
  body: Buffer,
  contentType: string | undefined,
  consumer: RecordConsumer,
  receivedAt: number,
  metrics: OwnMetrics = noMetrics,
): Promise<PostAnswer> {
  return receive('cot', parseCot, { body, contentType, consumer, receivedAt, metrics });
}

/** The body of `POST /api/events`, likewise. */
export function receiveEvents(
  body: Buffer,
  contentType: string | undefined,
  consumer: RecordConsumer,
  receivedAt: number,
  metrics: OwnMetrics = noMetrics,
): Promise<PostAnswer> {
  return receive('event', parseEvent, { body, contentType, consumer, receivedAt, metrics });
}

/** @throws BoundaryError INVALID_ARGUMENT, naming the field */
type Parse = (value: unknown, bounds: Bounds) => TelemetryRecord;

interface Post {
  readonly body: Buffer;
  readonly contentType: string | undefined;
  readonly consumer: RecordConsumer;
  readonly receivedAt: number;
  readonly metrics: OwnMetrics;
}

async function receive(signal: 'cot' | 'event', parse: Parse, post: Post): Promise<PostAnswer> {
  const { metrics } = post;
  const bounds = new Bounds(DEFAULT_RECEIVER_LIMITS);
  const read = readItems(post, parse, bounds);
  if (read === undefined) {
    metrics.recordsRejected(signal, 'unparsable', 1);
    return unreadable();
  }
  const { records, errors, rejected, truncated, warnings } = read;
  if (rejected > 0) metrics.recordsRejected(signal, 'invalid', rejected);
  if (bounds.textsCut > 0) metrics.textsCut(signal, bounds.textsCut);
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

interface ReadItems {
  readonly records: readonly TelemetryRecord[];
  readonly errors: readonly Remark[];
  readonly rejected: number;
  readonly warnings: readonly Remark[];
  readonly truncated: number;
}

/** undefined when nothing could be read. */
function readItems(post: Post, parse: Parse, bounds: Bounds): ReadItems | undefined {
  const items = itemsOf(post);
  if (items === undefined) return undefined;
  const records: TelemetryRecord[] = [];
  const errors: Remark[] = [];
  const warnings: Remark[] = [];
  let rejected = 0;
  let truncated = 0;
  for (const [index, item] of items.entries()) {
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
  return { records, errors, rejected, warnings, truncated };
}

function itemsOf(post: Post): ReturnType<typeof splitItems> | undefined {
  try {
    return splitItems(post.body, post.contentType);
  } catch (error) {
    if (error instanceof BoundaryError && error.code === 'INVALID_ARGUMENT') return undefined;
    throw error;
  }
}

function tryParse(value: unknown, parse: Parse, bounds: Bounds): TelemetryRecord | string {
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
