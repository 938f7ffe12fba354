import { isObject, type JsonObject } from '../../base/json.ts';
import { atOnce } from '../../base/in-turns.ts';
import type { AttributeValue } from '../../model/attributes.ts';
import type { LogRecord } from '../../model/records.ts';
import { countJsonValues } from '../parse-json.ts';
import { DecodeState } from './decode-state.ts';
import { UNSET_TIME } from './nano-time.ts';
import { spanRecord } from './span-draft.ts';
import { TRACES_NAMES, readSpan } from './traces-json.ts';
import { attempt, walkDocument } from './walk-json.ts';

/**
 * Log records of the partial span processors that OpenTelemetry's contributors publish for several languages: while
 * a span is open each beat carries it whole, as TracesData in the body.
 */
const EVENT_ATTRIBUTE = 'partial.event';

export function partialEventOf(log: LogRecord): AttributeValue | undefined {
  return log.attributes.get(EVENT_ATTRIBUTE);
}

/**
 * Adds the spans of one heartbeat, without their ends, to `state`. Unreadable spans are listed if others can be read.
 * @returns why there is none, `body…: <problem>`; undefined when there is one
 */
export function takePartialSpans(log: LogRecord, state: DecodeState): string | undefined {
  const document = documentOf(log.body, state);
  if (typeof document === 'string') return document;
  const inner = new DecodeState(state.limits, state.receivedMs);
  const walk = walkDocument(document, inner, TRACES_NAMES, (span, path, resource, scope) => {
    inner.seen++;
    // The log record itself counts for the first one.
    if (inner.seen > 1 && !state.takeRecord()) return;
    attempt(inner, path, () => {
      const draft = { ...readSpan(span, inner), end: UNSET_TIME };
      const record = spanRecord(draft, scope, resource, state.receivedMs);
      if (typeof record === 'string') inner.reject(`${path}.${record}`);
      else inner.records.push(record);
    });
  });
  atOnce(walk);
  if (inner.records.length === 0) return `body.${inner.reasons[0] ?? 'resourceSpans: holds no span'}`;
  state.textsCut += inner.textsCut;
  for (const record of inner.records) state.records.push(record);
  for (const reason of inner.reasons) state.warn(`body.${reason}`);
  return undefined;
}

/** TracesData: the text of a JSON object, or the object itself as a key-value list. */
function documentOf(body: AttributeValue, state: DecodeState): JsonObject | string {
  let document: unknown = body;
  if (typeof body === 'string') {
    // Values are counted before parsing: text of nothing but brackets takes long to parse, and many times its size.
    if (!state.takeValues(countJsonValues(Buffer.from(body))))
      return `body: the request holds more than ${state.limits.maxValues} values; send smaller batches`;
    try {
      document = JSON.parse(body);
    } catch {
      return 'body: not JSON; a heartbeat holds its span as TracesData, in JSON or as a key-value list';
    }
  }
  if (!isObject(document)) return 'body: not an object; a heartbeat holds its span as TracesData';
  const [[resources, snake]] = TRACES_NAMES;
  if (!Object.hasOwn(document, resources) && !Object.hasOwn(document, snake))
    return `body.${resources}: missing; a heartbeat holds its span as TracesData`;
  return document;
}
