import { agentOfComponent } from '../model/agent.ts';
import type { EventFacts } from '../model/facts.ts';
import { cutBefore } from '../model/marker.ts';
import type { Redacted } from '../model/pipeline.ts';
import { MAX_NAME_CHARS, clip } from '../model/one-line.ts';
import type { EventRecord } from '../model/records.ts';

/** At most so many fields of a payload, and characters of a string in it, go into the node: it is sent whole to readers. */
const MAX_FIELDS = 32;
const MAX_CHARS = 1000;
/** A nested value is kept if its JSON is no longer than this. */
const MAX_NESTED_CHARS = 2000;

/** What the graph keeps of an event. `critic-agent` and `CriticAgent` are the same component. */
export function eventFacts(record: Redacted<EventRecord>): EventFacts {
  const payload: { [key: string]: unknown } = {};
  let dropped = 0;
  for (const [key, value] of Object.entries(record.payload)) {
    if (Object.keys(payload).length >= MAX_FIELDS) dropped++;
    else payload[key] = bounded(value);
  }
  if (dropped > 0) payload['droppedFields'] = dropped;
  return {
    kind: 'event',
    eventId: record.eventId,
    eventType: clip(record.eventType, MAX_NAME_CHARS),
    time: record.time,
    payload,
    ...(record.component !== undefined && {
      component: clip(agentOfComponent(record.component), MAX_NAME_CHARS),
    }),
    ...(record.traceId !== undefined && { traceId: record.traceId }),
    ...(record.spanId !== undefined && { spanId: record.spanId }),
  };
}

function bounded(value: unknown): unknown {
  if (typeof value === 'string') {
    const cut = cutBefore(value, MAX_CHARS);
    return value.length > MAX_CHARS ? `${value.slice(0, cut)}…[cut ${value.length - cut} chars]` : value;
  }
  if (value === null || typeof value !== 'object') return value;
  const json = JSON.stringify(value);
  return json.length > MAX_NESTED_CHARS ? `[object of ${json.length} characters]` : value;
}
