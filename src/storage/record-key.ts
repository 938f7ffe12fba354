import { unreachable } from '../base/assert.ts';
import type { Facts } from '../model/facts.ts';
import { metricKey } from '../model/metric-facts.ts';
import { eventNodeId, logKey, requestNodeId, spanKey } from '../model/ids.ts';

/** Of the states of one part of a source those with the highest rank count; those of the same rank all do. */
export interface RecordKey {
  readonly source: string;
  readonly part: number;
  readonly rank: number;
}

/** Below every time that a span can end at. */
const RUNNING = -1e300;
const IMPLIED = -1e301;
/** Whatever stands later in the log replaces what stands before it, whatever the clock says. */
const NEWEST = Infinity;

/**
 * Which record it is, and which of its states. The rank never says more than correlation's own choice between two
 * states: what has a lower rank changes nothing in the graph once the higher one is there.
 */
export function recordKey(facts: Facts): RecordKey {
  switch (facts.kind) {
    case 'span': {
      const rank = facts.implied === true ? IMPLIED : (facts.end ?? RUNNING);
      return { source: spanKey(facts.traceId, facts.spanId), part: 0, rank };
    }
    case 'log':
      return { source: logKey(facts.logId), part: 0, rank: 0 };
    case 'cot': {
      const rank = facts.revision * 2 + (facts.final ? 1 : 0);
      return { source: requestNodeId(facts.requestId), part: facts.part, rank };
    }
    case 'event':
      return { source: eventNodeId(facts.eventId), part: 0, rank: 0 };
    case 'override':
      return { source: overrideKey(facts.nodeId), part: 0, rank: NEWEST };
    case 'metric':
      return { source: metricKey(facts.source), part: 0, rank: NEWEST };
    default:
      return unreachable(facts);
  }
}

/** What an administrator has had shown of a node leaves with it. */
export function overrideKey(nodeId: string): string {
  return `override:${nodeId}`;
}
