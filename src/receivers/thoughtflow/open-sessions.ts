import { dependenciesOf } from './dependencies.ts';
import type { FlowItem } from './flow.ts';
import type { LogEvent } from './log-event.ts';
import {
  charsOf,
  conversationIn,
  costOf,
  ended,
  newSession,
  say,
  stepIn,
  type Open,
  type OpenSession,
} from './open-session.ts';
import type { Touched } from './touched.ts';

/** Sessions whose logs are being sent; the one that was quiet the longest goes. A busy machine runs some dozens. */
export const MAX_OPEN_SESSIONS = 1_000;
/** Characters of what was said of steps that have not ended, over all sessions: prompts of some hundred calls. */
export const MAX_OPEN_CHARS = 32 * 1024 * 1024;
/** Steps that are remembered by their ids, over all sessions; each takes about 300 bytes. */
export const MAX_KNOWN_STEPS = 200_000;

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
      touched.add(session);
      if (!event.isEnd) return;
      touched.ended.add(session);
      endAll(session, touched);
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

  /** Nothing said is held any more: what is yet to be completed is read from the store, if it is there. */
  forgetAll(): void {
    this.held.clear();
    this.byConversation.clear();
  }

  /** One body may have told of very many sessions: all that go are found in one look. */
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

/** As in a file that is written when the session is over: what has no end of its own does not run any more. */
function endAll(session: OpenSession, touched: Touched): void {
  for (const conversation of session.conversations.values()) {
    if (conversation.isOpen) touched.add(session, conversation);
    conversation.isOpen = false;
    for (const step of conversation.steps.values()) {
      if (!step.isOpen) continue;
      touched.add(session, conversation, step);
      step.isOpen = false;
    }
  }
}

function keyOf(namedTask: string | undefined, id: string): string {
  return JSON.stringify([namedTask ?? null, id]);
}
