import { BoundaryError } from '../../base/boundary-error.ts';
import type { RecordConsumer } from '../../model/pipeline.ts';
import type { TelemetryRecord } from '../../model/records.ts';
import { noMetrics, type OwnMetrics } from '../../telemetry/own-metrics.ts';
import { allowance } from '../bounded-values.ts';
import { DEFAULT_RECEIVER_LIMITS, MAX_LISTED_ERRORS } from '../config.ts';
import { requestDigest } from '../request-digest.ts';
import { parseCot } from './parse-cot.ts';
import { parseEvent } from './parse-event.ts';
import { splitItems } from './split-items.ts';

/** The answer to a POST of CoT entries or Reflexion events, as JSON. */
export interface PostAnswer {
  /** 202; 400 only if nothing could be read. */
  readonly status: 202 | 400;
  readonly body: {
    readonly accepted: number;
    readonly rejected: number;
    /** The first MAX_LISTED_ERRORS; `index` counts items from 0. */
    readonly errors: readonly { readonly index: number; readonly message: string }[];
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
  return receive('cot', (value) => parseCot(value), { body, contentType, consumer, receivedAt, metrics });
}

/** The body of `POST /api/events`, likewise. */
export function receiveEvents(
  body: Buffer,
  contentType: string | undefined,
  consumer: RecordConsumer,
  receivedAt: number,
  metrics: OwnMetrics = noMetrics,
): Promise<PostAnswer> {
  const take = allowance(DEFAULT_RECEIVER_LIMITS.maxValues);
  const parse = (value: unknown): TelemetryRecord => parseEvent(value, DEFAULT_RECEIVER_LIMITS, take);
  return receive('event', parse, { body, contentType, consumer, receivedAt, metrics });
}

interface Post {
  readonly body: Buffer;
  readonly contentType: string | undefined;
  readonly consumer: RecordConsumer;
  readonly receivedAt: number;
  readonly metrics: OwnMetrics;
}

async function receive(
  signal: 'cot' | 'event',
  parse: (value: unknown) => TelemetryRecord,
  post: Post,
): Promise<PostAnswer> {
  const { metrics } = post;
  const read = readItems(post, parse);
  if (read === undefined) {
    metrics.recordsRejected(signal, 'unparsable', 1);
    return unreadable();
  }
  const { records, errors, rejected } = read;
  if (rejected > 0) metrics.recordsRejected(signal, 'invalid', rejected);
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
  return { status: 202, body: { accepted: records.length, rejected, errors } };
}

interface ReadItems {
  readonly records: readonly TelemetryRecord[];
  readonly errors: PostAnswer['body']['errors'];
  readonly rejected: number;
}

/** undefined when nothing could be read. */
function readItems(post: Post, parse: (value: unknown) => TelemetryRecord): ReadItems | undefined {
  const items = itemsOf(post);
  if (items === undefined) return undefined;
  const records: TelemetryRecord[] = [];
  const errors: { readonly index: number; readonly message: string }[] = [];
  let rejected = 0;
  for (const [index, item] of items.entries()) {
    const result = 'value' in item ? tryParse(item.value, parse) : item.problem;
    if (typeof result !== 'string') {
      records.push(result);
      continue;
    }
    rejected++;
    if (errors.length < MAX_LISTED_ERRORS) errors.push({ index, message: result });
  }
  return { records, errors, rejected };
}

function itemsOf(post: Post): ReturnType<typeof splitItems> | undefined {
  try {
    return splitItems(post.body, post.contentType);
  } catch (error) {
    if (error instanceof BoundaryError && error.code === 'INVALID_ARGUMENT') return undefined;
    throw error;
  }
}

function tryParse(value: unknown, parse: (value: unknown) => TelemetryRecord): TelemetryRecord | string {
  try {
    return parse(value);
  } catch (error) {
    if (error instanceof BoundaryError && error.code === 'INVALID_ARGUMENT') return error.message;
    throw error;
  }
}

function unreadable(): PostAnswer {
  const message = 'the body holds no JSON; send one object, an array of objects, or one object per line';
  return { status: 400, body: { accepted: 0, rejected: 0, errors: [{ index: 0, message }] } };
}
