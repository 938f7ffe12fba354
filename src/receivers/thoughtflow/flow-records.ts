import type { AttributeValue, Attributes } from '../../model/attributes.ts';
import { NO_ATTRIBUTES } from '../../model/attributes.ts';
import type { Resource, Scope, SpanLink, SpanRecord } from '../../model/records.ts';
import { EDGE } from '../../model/retold.ts';
import { epochMs, type EpochMs } from '../../model/time.ts';
import { THOUGHTFLOW } from '../../model/thoughtflow.ts';

import type { FlowConversation, FlowItem, FlowLink, FlowSession, FlowStep } from './flow.ts';
import { NO_TIME, timesOf, type FlowTimes } from './flow-times.ts';

const SCOPE: Scope = { name: 'thoughtflow', version: '', attributes: NO_ATTRIBUTES };
const RESOURCE: Resource = { attributes: NO_ATTRIBUTES };

/**
 * A session as spans: itself, its conversations below it, their steps below these. What has no time of its own stands
 * where the step before it ended.
 */
export function* flowRecords(session: FlowSession): Generator<SpanRecord, void> {
  const own = timesOf(session.item);
  const start = own.start ?? earliest(session) ?? own.end ?? NO_TIME;
  let end: number = own.end ?? start;
  for (const conversation of session.conversations) {
    const placed = placeConversation(conversation, start);
    end = Math.max(end, placed.end);
    yield* conversationRecords(session, conversation, placed);
  }
  yield record(session, {
    spanId: session.spanId,
    parentSpanId: undefined,
    name: `session ${session.id}`,
    start,
    end: session.isOpen ? undefined : epochMs(Math.max(start, own.end ?? end)),
    durationMs: session.isOpen ? undefined : own.durationMs,
    kind: 'session',
    item: session.item,
    more: [[THOUGHTFLOW.list, session.list]],
  });
}

interface Placed {
  readonly start: EpochMs;
  readonly end: number;
  readonly times: FlowTimes;
  readonly starts: readonly EpochMs[];
}

/** When a conversation and its steps began. */
function placeConversation({ item, steps }: FlowConversation, sessionStart: EpochMs): Placed {
  const times = timesOf(item);
  const first = steps.map((step) => timesOf(step.item).start).find((time) => time !== undefined);
  const start = times.start ?? first ?? times.end ?? sessionStart;
  let before: number = start;
  let end: number = times.end ?? start;
  const starts = steps.map((step) => {
    const own = timesOf(step.item);
    const at = own.start ?? own.end ?? epochMs(before);
    before = own.end ?? at;
    end = Math.max(end, before);
    return at;
  });
  return { start, end: times.end ?? end, times, starts };
}

function* conversationRecords(
  session: FlowSession,
  conversation: FlowConversation,
  placed: Placed,
): Generator<SpanRecord, void> {
  const { spanId, item, isOpen, index } = conversation;
  yield record(session, {
    spanId,
    parentSpanId: session.spanId,
    name: `conversation ${conversation.id}`,
    start: placed.start,
    end: isOpen ? undefined : epochMs(Math.max(placed.start, placed.end)),
    durationMs: isOpen ? undefined : placed.times.durationMs,
    kind: 'conversation',
    item,
    more: [
      [THOUGHTFLOW.conversationId, conversation.id],
      [THOUGHTFLOW.index, index],
    ],
  });
  for (const [place, step] of conversation.steps.entries())
    yield stepRecord(session, conversation, step, placed.starts[place] ?? placed.start);
}

function stepRecord(
  session: FlowSession,
  { id: conversationId, spanId: parentSpanId }: FlowConversation,
  step: FlowStep,
  start: EpochMs,
): SpanRecord {
  const { end, durationMs } = timesOf(step.item);
  const label = labelOf(step.item);
  return record(session, {
    spanId: step.spanId,
    parentSpanId,
    name: label,
    start,
    end: step.isOpen ? undefined : epochMs(Math.max(start, end ?? start)),
    durationMs: step.isOpen ? undefined : durationMs,
    kind: 'step',
    item: step.item,
    after: step.after,
    more: [
      [THOUGHTFLOW.conversationId, conversationId],
      [THOUGHTFLOW.stepId, step.id],
      [THOUGHTFLOW.label, label],
      [THOUGHTFLOW.index, step.index],
    ],
  });
}

/** What a step is, in the sender's word. */
function labelOf(item: FlowItem): string {
  const label = item['label'];
  return typeof label === 'string' && label.trim() !== '' ? label : 'generic';
}

interface Draft extends Pick<
  SpanRecord,
  'spanId' | 'parentSpanId' | 'name' | 'start' | 'end' | 'durationMs'
> {
  readonly kind: 'session' | 'conversation' | 'step';
  readonly item: FlowItem;
  readonly after?: readonly FlowLink[];
  readonly more: readonly (readonly [string, AttributeValue])[];
}

function record({ traceId, id, taskId }: FlowSession, draft: Draft): SpanRecord {
  const { kind, item, after = [], more, name, ...span } = draft;
  const attributes: Attributes = new Map<string, AttributeValue>([
    [THOUGHTFLOW.kind, kind],
    [THOUGHTFLOW.sessionId, id],
    [THOUGHTFLOW.taskId, taskId],
    ...more,
    [THOUGHTFLOW.item, item],
  ]);
  return {
    kind: 'span',
    traceId,
    ...span,
    name,
    status: 'UNSET',
    statusMessage: '',
    traceState: '',
    attributes,
    events: [],
    links: after.map((link) => linkTo(traceId, link)),
    scope: SCOPE,
    resource: RESOURCE,
  };
}

function linkTo(traceId: string, { spanId, evidence }: FlowLink): SpanLink {
  return {
    traceId,
    spanId,
    attributes: new Map([
      [EDGE.relation, 'NEXT_STEP'],
      [EDGE.evidence, evidence],
    ]),
  };
}

function earliest({ conversations }: FlowSession): EpochMs | undefined {
  let first: EpochMs | undefined;
  for (const { item, steps } of conversations)
    for (const { start } of [item, ...steps.map((step) => step.item)].map(timesOf))
      if (start !== undefined && (first === undefined || start < first)) first = start;
  return first;
}
