import { dependencySpans, type Dependent, type NoEdges } from './dependencies.ts';
import type { FlowConversation, FlowLink, FlowSession, FlowStep } from './flow.ts';
import { stepSpanId } from './flow-ids.ts';
import type { OpenConversation, OpenSession, OpenStep } from './open-session.ts';

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

function elsewhere({ firstWith }: OpenSession, stepId: string): OpenStep | undefined {
  return firstWith.get(stepId)?.steps.get(stepId);
}
