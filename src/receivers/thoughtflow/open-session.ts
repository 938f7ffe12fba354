import { isObject } from '../../base/json.ts';
import type { FlowItem, FlowList } from './flow.ts';
import { conversationSpanId, sessionSpanId, sessionTraceId, stepSpanId } from './flow-ids.ts';
import { timesOf } from './flow-times.ts';
import type { LogEvent } from './log-event.ts';

/** What was said of something, and may be completed by a later line. */
export interface Open {
  readonly spanId: string;
  index: number;
  /** Undefined once all was said and taken: nothing later adds to it. */
  item: FlowItem | undefined;
  isOpen: boolean;
  /** Its beginning was told here; else it may be in the store. */
  isBegun: boolean;
}

export interface OpenStep extends Open {
  readonly id: string;
  /** The span of the step before it, where no step has named one that it depends on. */
  before: string | undefined;
}

export interface OpenConversation extends Open {
  readonly id: string;
  /** How many were told of before it. */
  readonly order: number;
  readonly steps: Map<string, OpenStep>;
  hasDependencies: boolean;
  last: OpenStep | undefined;
}

export interface OpenSession extends Open {
  readonly id: string;
  readonly traceId: string;
  readonly taskId: string;
  readonly namedTask: string | undefined;
  list: FlowList;
  chars: number;
  steps: number;
  readonly conversations: Map<string, OpenConversation>;
  /** By the id of a step: the first of the conversations that have one. */
  readonly firstWith: Map<string, OpenConversation>;
}

export function newSession(id: string, namedTask: string | undefined): OpenSession {
  const traceId = sessionTraceId(id, namedTask);
  return {
    id,
    traceId,
    spanId: sessionSpanId(traceId),
    taskId: namedTask ?? id,
    namedTask,
    index: 0,
    item: { session_id: id },
    isOpen: true,
    isBegun: false,
    list: 'conversations',
    chars: 0,
    steps: 0,
    conversations: new Map(),
    firstWith: new Map(),
  };
}

export function conversationIn(session: OpenSession, id: string): OpenConversation {
  const known = session.conversations.get(id);
  if (known) return known;
  const conversation: OpenConversation = {
    order: session.conversations.size,
    id,
    spanId: conversationSpanId(session.traceId, id, 0),
    index: session.conversations.size,
    item: { [session.list === 'runs' ? 'run_id' : 'conversation_id']: id },
    isOpen: true,
    isBegun: false,
    steps: new Map(),
    hasDependencies: false,
    last: undefined,
  };
  session.steps++;
  session.conversations.set(id, conversation);
  return conversation;
}

/** Steps are in the order of their times, whatever was forgotten before; those of one millisecond in that of their lines. */
export function stepIn(
  session: OpenSession,
  conversation: OpenConversation,
  id: string,
  { time = 0 as never }: LogEvent,
): OpenStep {
  const known = conversation.steps.get(id);
  if (known) return known;
  session.steps++;
  const step: OpenStep = {
    id,
    spanId: stepSpanId(session.traceId, conversation.spanId, id, 0),
    index: Math.max(time, (conversation.last?.index ?? -1) + 1),
    item: { step_id: id },
    isOpen: true,
    isBegun: false,
    before: undefined,
  };
  conversation.steps.set(id, step);
  const first = session.firstWith.get(id);
  if (!first || conversation.order < first.order) session.firstWith.set(id, conversation);
  return step;
}

/**
 * Adds what a line says; the beginning, told again, is told anew.
 * @returns by how many characters more is held
 */
export function say(open: Open, { isEnd, fields }: LogEvent): number {
  if (open.item === undefined && isEnd) return 0;
  const before = charsOf(open.item);
  open.item = isEnd ? ended({ ...open.item, ...fields }) : { ...open.item, ...fields };
  open.isOpen = !isEnd;
  if (!isEnd) open.isBegun = true;
  return charsOf(open.item) - before;
}

/** A consolidated file says how long it took as well. */
export function ended(item: FlowItem): FlowItem {
  const { durationMs } = timesOf(item);
  return durationMs === undefined ? item : { ...item, duration_ms: durationMs };
}

export function charsOf(item: FlowItem | undefined): number {
  return item === undefined ? 0 : sizeOf(item);
}

/** Characters of the texts in a value, and a few for what is around them. */
function sizeOf(value: unknown): number {
  if (typeof value === 'string') return value.length + 16;
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + sizeOf(item), 16);
  if (!isObject(value)) return 16;
  return Object.entries(value).reduce((sum, [key, item]) => sum + key.length + sizeOf(item), 16);
}

export function costOf({ chars, steps }: OpenSession): number {
  return chars + 300 * steps;
}
