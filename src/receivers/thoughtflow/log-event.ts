import type { JsonObject } from '../../base/json.ts';
import { BoundaryError } from '../../base/boundary-error.ts';
import { parseTime, toIso, type EpochMs } from '../../model/time.ts';
import { conversationIdIn, idIn } from './consolidated.ts';
import type { FlowItem, FlowList } from './flow.ts';

/** A line of an event log, of either era. */
export interface LogEvent {
  readonly of: 'session' | 'conversation' | 'step' | 'other' | 'unknown';
  readonly isEnd: boolean;
  readonly sessionId: string | undefined;
  readonly conversationId: string | undefined;
  readonly stepId: string | undefined;
  readonly list: FlowList | undefined;
  readonly time: EpochMs | undefined;
  /** What it says, as fields of a consolidated item. */
  readonly fields: FlowItem;
}

const TYPE =
  /^(session|conversation|run|step)\.(created|started|ended|completed|finished|aborted|cancell?ed|error|failed)$/;
/** Types that say nothing of the graph. */
const OTHER = /^(?:activity|thoughtflow)\./;
/** What an end is called where the line has no status of its own. */
const STATUS: Readonly<Record<string, string>> = {
  aborted: 'aborted',
  canceled: 'canceled',
  cancelled: 'canceled',
  error: 'error',
  failed: 'error',
};

export function isLogEvent(value: JsonObject): boolean {
  return typeof value['type'] === 'string' && !('conversations' in value) && !('runs' in value);
}

/**
 * Reads a line; one of a type that says nothing of the graph (`activity.checkpoint`, …) is `other`, of any other `unknown`.
 * @throws BoundaryError INVALID_ARGUMENT naming the field
 */
export function readEvent(value: FlowItem): LogEvent {
  const type = typeof value['type'] === 'string' ? value['type'] : '';
  const [, noun, verb = ''] = TYPE.exec(type) ?? [];
  const isEnd = verb !== 'created' && verb !== 'started';
  const of =
    noun === undefined
      ? OTHER.test(type)
        ? 'other'
        : 'unknown'
      : noun === 'run'
        ? 'conversation'
        : (noun as LogEvent['of']);
  const time = parseTime(value[isEnd ? 'ended_at' : 'started_at']) ?? parseTime(value['timestamp']);
  const event = {
    of,
    isEnd,
    sessionId: idIn(value, 'session_id'),
    conversationId: conversationIdIn(value),
    stepId: idIn(value, 'step_id'),
    list: listOf(value, noun),
    time,
  };
  if (of === 'session' && event.sessionId === undefined) throw required('session_id');
  if ((of === 'conversation' || of === 'step') && event.conversationId === undefined)
    throw required('conversation_id');
  if (of === 'step' && event.stepId === undefined) throw required('step_id');
  return {
    ...event,
    fields: of === 'step' ? stepFields(value, isEnd, time) : itemFields(value, verb, isEnd, time),
  };
}

function listOf(value: FlowItem, noun: string | undefined): FlowList | undefined {
  if (noun === 'run' || 'run_id' in value) return 'runs';
  return noun === 'conversation' || 'conversation_id' in value ? 'conversations' : undefined;
}

/** All it has but what makes it a line. */
function itemFields(value: FlowItem, verb: string, isEnd: boolean, time: EpochMs | undefined): FlowItem {
  const { type: _type, timestamp: _timestamp, ...fields } = value;
  const at = time === undefined ? {} : { [isEnd ? 'ended_at' : 'started_at']: toIso(time) };
  const status = STATUS[verb];
  return { ...(status !== undefined && { status }), ...at, ...fields };
}

function stepFields(value: FlowItem, isEnd: boolean, time: EpochMs | undefined): FlowItem {
  const { payload, conversation_id: _conversation, run_id: _run, session_id: _session, ...rest } = value;
  const fields = itemFields(rest, '', isEnd, time);
  return payload === undefined
    ? fields
    : { ...fields, [isEnd ? 'payload_completed' : 'payload_started']: payload };
}

function required(field: string): BoundaryError {
  return new BoundaryError('INVALID_ARGUMENT', `${field}: required, a string that is not empty`);
}
