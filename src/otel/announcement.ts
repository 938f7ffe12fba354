import type { SdkSpan, SpanAnnouncementAttributes } from './sdk-types.ts';

export const SPAN_START = 'span.start';
export const SPAN_HEARTBEAT = 'span.heartbeat';

/** The span's own attributes stand behind this, so that they clash with nothing. */
const ATTRIBUTES_PREFIX = 'span.attributes.';

/** Log records keep 128 attributes by default; eight of them say what the span is. */
const MAX_ATTRIBUTES = 120;
/** Long enough for a summary of a prompt; the whole of it comes with the span when it has ended. */
const MAX_VALUE_CHARS = 4 * 1024;
/** Of one announcement: a full batch of 512 of them stays well below the 16 MiB that receivers take. */
const MAX_TOTAL_CHARS = 16 * 1024;
/** What a number or a boolean counts for. */
const SCALAR_CHARS = 8;

const KINDS = ['INTERNAL', 'SERVER', 'CLIENT', 'PRODUCER', 'CONSUMER'] as const;

type Scalar = string | number | boolean;

/**
 * The attributes of a log record that makes an open span known: `span.name`, `span.parent_id` (absent for a root),
 * `span.kind`, `span.start_time_unix_nano` (decimal digits), `span.scope.name`, `span.scope.version`, and below
 * `span.attributes.` what the span has at this moment. Values are cut and left out beyond the bounds above.
 */
export function announcementAttributes(eventName: string, span: SdkSpan): SpanAnnouncementAttributes {
  const scope = span.instrumentationScope ?? span.instrumentationLibrary;
  const parent = span.parentSpanContext?.spanId ?? span.parentSpanId;
  const attributes: SpanAnnouncementAttributes = {
    // Logs SDKs of the 1.x line know no event name of a record; receivers look here for it, too.
    'event.name': eventName,
    'span.name': cut(span.name, MAX_VALUE_CHARS),
    'span.kind': KINDS[span.kind] ?? 'INTERNAL',
    'span.start_time_unix_nano': unixNano(span.startTime),
  };
  if (parent !== undefined && parent !== '') attributes['span.parent_id'] = parent;
  if (scope !== undefined) attributes['span.scope.name'] = scope.name;
  if (scope?.version !== undefined && scope.version !== '') attributes['span.scope.version'] = scope.version;
  addOwn(attributes, span.attributes);
  return attributes;
}

function addOwn(target: SpanAnnouncementAttributes, own: SdkSpan['attributes']): void {
  let count = 0;
  let room = MAX_TOTAL_CHARS;
  for (const [key, value] of Object.entries(own)) {
    if (count === MAX_ATTRIBUTES) return;
    const fitting = fit(value, Math.min(room - key.length, MAX_VALUE_CHARS));
    if (fitting === undefined) continue;
    target[ATTRIBUTES_PREFIX + key] = fitting;
    room -= key.length + charsOf(fitting);
    count++;
  }
}

/** As much of a value as there is room for; undefined for none, and for what is no attribute of old. */
function fit(value: unknown, room: number): Scalar | Scalar[] | undefined {
  if (room < SCALAR_CHARS) return undefined;
  if (isScalar(value)) return typeof value === 'string' ? cut(value, room) : value;
  if (!Array.isArray(value)) return undefined;
  const items: Scalar[] = [];
  let left = room;
  for (const item of value as readonly unknown[]) {
    if (!isScalar(item)) continue;
    if (left < SCALAR_CHARS) break;
    const fitting = typeof item === 'string' ? cut(item, left) : item;
    items.push(fitting);
    left -= Math.max(charsOf(fitting), SCALAR_CHARS);
  }
  return items;
}

function isScalar(value: unknown): value is Scalar {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

function charsOf(value: Scalar | Scalar[]): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object') return SCALAR_CHARS;
  return value.reduce<number>((sum, item) => sum + Math.max(charsOf(item), SCALAR_CHARS), 0);
}

/** At most `max` characters, never half of one. */
function cut(text: string, max: number): string {
  if (text.length <= max) return text;
  const head = text.slice(0, max - 1);
  return `${/[\uD800-\uDBFF]$/.test(head) ? head.slice(0, -1) : head}…`;
}

/** From the SDK's `[seconds, nanoseconds]`. The digits go beyond what a number holds. */
function unixNano([seconds, nanos]: readonly [number, number]): string {
  return `${seconds}${String(nanos).padStart(9, '0')}`;
}
