import { isObject } from '../../base/json.ts';
import { dependenciesOf, dependencySpans, type Dependent, type NoEdges } from './dependencies.ts';
import type { FlowConversation, FlowItem, FlowLink, FlowList, FlowSession, FlowStep } from './flow.ts';
import { conversationSpanId, sessionSpanId, sessionTraceId, stepSpanId } from './flow-ids.ts';
import { timesOf } from './flow-times.ts';
import type { LogEvent } from './log-event.ts';

/** Sessions whose logs are being sent; the one that was quiet the longest goes. A busy machine runs some dozens. */
export const MAX_OPEN_SESSIONS = 1_000;
/** Characters of what was said of steps that have not ended, over all sessions: prompts of some hundred calls. */
export const MAX_OPEN_CHARS = 32 * 1024 * 1024;
/** Steps that are remembered by their ids, over all sessions; each takes about 300 bytes. */
export const MAX_KNOWN_STEPS = 200_000;

/** What was said of something, and may be completed by a later line. */
interface Open {
  readonly spanId: string;
  index: number;
  /** Undefined once all was said and taken: nothing later adds to it. */
  item: FlowItem | undefined;
  isOpen: boolean;
  /** Its beginning was told here; else it may be in the store. */
  isBegun: boolean;
}

interface OpenStep extends Open {
  readonly id: string;
  /** The span of the step before it, where no step has named one that it depends on. */
  before: string | undefined;
}

interface OpenConversation extends Open {
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

/** What the lines of one body changed, and what of it may have begun before. */
export class Touched {
  readonly sessions = new Map<OpenSession, Map<OpenConversation, Set<OpenStep>>>();
  readonly ended = new Set<OpenSession>();

  add(session: OpenSession, conversation?: OpenConversation, step?: OpenStep): void {
    const conversations = this.sessions.get(session) ?? new Map<OpenConversation, Set<OpenStep>>();
    this.sessions.set(session, conversations);
    if (!conversation) return;
    const steps = conversations.get(conversation) ?? new Set<OpenStep>();
    conversations.set(conversation, steps);
    if (step) steps.add(step);
  }
}

/** What is kept of the beginning of something, where the service has it. */
export type KnownItem = (traceId: string, spanId: string) => Promise<Known | undefined>;

export interface Known {
  readonly item: FlowItem;
  readonly index: number;
}

/**
 * Sessions that are told line by line. What was said of a step is held until its end has come, so that both are one record;
 * of what is not held any more, the store knows the beginning.
 */
export class OpenSessions {
  /** By task and session; the one that was quiet the longest first. */
  private readonly held = new Map<string, OpenSession>();
  /** The session that a conversation was last told of in, by task and conversation. */
  private readonly byConversation = new Map<string, OpenSession>();

  get size(): number {
    return this.held.size;
  }

  /** @param current the session of the lines before, in the same body */
  sessionOf(event: LogEvent, namedTask: string | undefined, current: OpenSession | undefined): OpenSession {
    const { sessionId, conversationId } = event;
    const id =
      sessionId ??
      current?.id ??
      (conversationId === undefined
        ? undefined
        : this.byConversation.get(keyOf(namedTask, conversationId))?.id) ??
      this.latestOf(namedTask)?.id ??
      namedTask ??
      conversationId ??
      '';
    const key = keyOf(namedTask, id);
    const session = this.held.get(key) ?? newSession(id, namedTask);
    this.held.delete(key);
    this.held.set(key, session);
    if (conversationId !== undefined) this.byConversation.set(keyOf(namedTask, conversationId), session);
    if (event.list !== undefined) session.list = event.list;
    return session;
  }

  /** Within a task that the sender named the session that it last told of; without one nobody knows whose a line is. */
  private latestOf(namedTask: string | undefined): OpenSession | undefined {
    if (namedTask === undefined) return undefined;
    return [...this.held.values()].findLast((session) => session.namedTask === namedTask);
  }

  /** Takes what a line says. */
  apply(session: OpenSession, event: LogEvent, touched: Touched): void {
    const { of, conversationId, stepId } = event;
    if (of === 'session') {
      session.chars += say(session, event);
      if (event.isEnd) touched.ended.add(session);
      touched.add(session);
      return;
    }
    if (conversationId === undefined) return;
    const conversation = conversationIn(session, conversationId);
    if (of === 'conversation') {
      session.chars += say(conversation, event);
      touched.add(session, conversation);
      return;
    }
    if (stepId === undefined) return;
    const step = stepIn(session, conversation, stepId, event);
    session.chars += say(step, event);
    if (dependenciesOf(step.item ?? {}).length > 0) {
      conversation.hasDependencies = true;
      step.before = undefined;
    } else if (!event.isEnd && !conversation.hasDependencies && conversation.last !== step)
      step.before ??= conversation.last?.spanId;
    conversation.last = step;
    touched.add(session, conversation, step);
  }

  /** Reads what began before and is not held. */
  async recall({ sessions }: Touched, known: KnownItem): Promise<void> {
    for (const [session, conversations] of sessions) {
      const opens: Open[] = [session, ...conversations.keys()];
      for (const steps of conversations.values()) opens.push(...steps);
      for (const open of opens) {
        if (open.isBegun) continue;
        const earlier = await known(session.traceId, open.spanId);
        open.isBegun = true;
        if (!earlier) continue;
        const before = charsOf(open.item);
        open.item = ended({ ...earlier.item, ...open.item });
        open.index = earlier.index;
        session.chars += charsOf(open.item) - before;
      }
    }
  }

  /** What was touched was taken: of what has ended nothing is held. Then the bounds are kept. */
  taken(touched: Touched): void {
    for (const [session, conversations] of touched.sessions)
      for (const steps of conversations.values())
        for (const step of steps)
          if (!step.isOpen) {
            session.chars -= charsOf(step.item);
            step.item = undefined;
          }
    this.forget(touched.ended);
    this.keepBounds();
  }

  /** One body may have told of very many sessions: all that go are found in one look. */
  /** Nothing said is held any more: what is yet to be completed is read from the store, if it is there. */
  forgetAll(): void {
    this.held.clear();
    this.byConversation.clear();
  }

  private keepBounds(): void {
    const all = [...this.held.values()];
    let chars = all.reduce((sum, session) => sum + session.chars, 0);
    let steps = all.reduce((sum, session) => sum + session.steps, 0);
    const isOver = (): boolean => chars > MAX_OPEN_CHARS || steps > MAX_KNOWN_STEPS;
    const victims = new Set<OpenSession>();
    // Who holds most goes first, so that none costs another its memory.
    for (const session of isOver() ? all.toSorted((a, b) => costOf(b) - costOf(a)) : []) {
      if (!isOver()) break;
      victims.add(session);
      chars -= session.chars;
      steps -= session.steps;
    }
    for (const session of all) {
      if (all.length - victims.size <= MAX_OPEN_SESSIONS) break;
      victims.add(session);
    }
    this.forget(victims);
  }

  private forget(sessions: ReadonlySet<OpenSession>): void {
    if (sessions.size === 0) return;
    for (const [key, held] of this.held) if (sessions.has(held)) this.held.delete(key);
    for (const [key, held] of this.byConversation) if (sessions.has(held)) this.byConversation.delete(key);
  }
}

/** What was touched, as records are made of it. */
export function* flowsOf({ sessions }: Touched, noEdges: NoEdges): Generator<FlowSession, void> {
  for (const [session, conversations] of sessions) {
    const edges = dependencySpans(dependentsOf(session, conversations), noEdges);
    const { id, traceId, spanId, taskId, item = {}, list, isOpen } = session;
    yield {
      id,
      traceId,
      spanId,
      taskId,
      item,
      list,
      isOpen,
      conversations: [...conversations].map(([conversation, steps]): FlowConversation => {
        const { id: conversationId, spanId: span, index, item: said = {}, isOpen: isRunning } = conversation;
        return {
          id: conversationId,
          spanId: span,
          index,
          item: said,
          isOpen: isRunning,
          steps: [...steps].flatMap((step) => flowStep(step, edges)),
        };
      }),
    };
  }
}

/** None of one that has ended, and of which nothing is held. */
function flowStep(
  { id, spanId, index, item, isOpen, before }: OpenStep,
  edges: ReadonlyMap<string, readonly string[]>,
): readonly FlowStep[] {
  if (!item) return [];
  const after: readonly FlowLink[] =
    before === undefined
      ? (edges.get(spanId) ?? []).map((target) => ({ spanId: target, evidence: 'dependsOn' }))
      : [{ spanId: before, evidence: 'inferred' }];
  return [{ id, spanId, index, item, isOpen, after }];
}

function* dependentsOf(
  session: OpenSession,
  conversations: ReadonlyMap<OpenConversation, ReadonlySet<OpenStep>>,
): Generator<Dependent, void> {
  for (const [conversation, steps] of conversations) {
    const find = (id: string): string | undefined =>
      (conversation.steps.get(id) ?? elsewhere(session, id))?.spanId;
    // One that is yet to come stands in the same conversation.
    const expected = (id: string): string => stepSpanId(session.traceId, conversation.spanId, id, 0);
    for (const { id, spanId, item = {} } of steps) yield { id, spanId, item, find, expected };
  }
}

function keyOf(namedTask: string | undefined, id: string): string {
  return JSON.stringify([namedTask ?? null, id]);
}

function newSession(id: string, namedTask: string | undefined): OpenSession {
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

function conversationIn(session: OpenSession, id: string): OpenConversation {
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
function stepIn(
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
function say(open: Open, { isEnd, fields }: LogEvent): number {
  if (open.item === undefined && isEnd) return 0;
  const before = charsOf(open.item);
  open.item = isEnd ? ended({ ...open.item, ...fields }) : { ...open.item, ...fields };
  open.isOpen = !isEnd;
  if (!isEnd) open.isBegun = true;
  return charsOf(open.item) - before;
}

/** A consolidated file says how long it took as well. */
function ended(item: FlowItem): FlowItem {
  const { durationMs } = timesOf(item);
  return durationMs === undefined ? item : { ...item, duration_ms: durationMs };
}

function elsewhere({ firstWith }: OpenSession, stepId: string): OpenStep | undefined {
  return firstWith.get(stepId)?.steps.get(stepId);
}

function charsOf(item: FlowItem | undefined): number {
  return item === undefined ? 0 : sizeOf(item);
}

/** Characters of the texts in a value, and a few for what is around them. */
function sizeOf(value: unknown): number {
  if (typeof value === 'string') return value.length + 16;
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + sizeOf(item), 16);
  if (!isObject(value)) return 16;
  return Object.entries(value).reduce((sum, [key, item]) => sum + key.length + sizeOf(item), 16);
}

function costOf({ chars, steps }: OpenSession): number {
  return chars + 300 * steps;
}
