import type { KeptText } from '../../model/ag-ui-events.ts';
import type { RunContext } from './run-context.ts';
import { keep, keepInLane, thingOf, type Thing } from './run.ts';

/** Messages and reasoning. What says something without having begun begins with that. */

export function startMessage(context: RunContext): undefined {
  messageOf(context, context.id('messageId') ?? '');
}

export function sayMessage(context: RunContext): KeptText {
  return context.say(continued(context, 'message'), context.fields['delta']);
}

export function endMessage(context: RunContext): undefined {
  endText(context, thingOf(context.run, 'message', context.id('messageId') ?? ''));
}

/** Of an assistant: what a model said. @param asks the tool that it calls, where no word of it has come */
export function messageOf(context: RunContext, id: string, asks?: string): Thing {
  const role = context.id('role') ?? 'assistant';
  const name = context.id('name');
  const isModel = role !== 'user' && role !== 'system' && role !== 'developer';
  return context.open('message', id, {
    name: asks === undefined ? `${role} message` : `calls ${asks}`,
    says: isModel ? 'completion' : 'prompt',
    attributes: { 'agui.role': role, 'agui.message': id, ...(name !== undefined && { 'agui.name': name }) },
    ...(isModel && { isTurn: true }),
  });
}

/** A message that has ended goes on where more of it comes: its text is one. */
function continued(context: RunContext, kind: 'message' | 'reasoning'): Thing {
  const id = kind === 'message' ? (context.id('messageId') ?? '') : reasoningId(context, 'reasoning');
  const known = thingOf(context.run, kind, id);
  return known ?? (kind === 'message' ? messageOf(context, id) : reasoningOf(context, id));
}

export function startSpan(context: RunContext): undefined {
  context.open('reasoning span', newReasoningId(context, 'reasoning span'), {
    name: 'reasoning',
    isTurn: true,
  });
}

export function endSpan(context: RunContext): undefined {
  const span = thingOf(context.run, 'reasoning span', reasoningId(context, 'reasoning span'));
  if (span?.partner !== undefined) endText(context, thingOf(context.run, 'reasoning', span.partner));
  context.close(span);
}

export function startReasoning(context: RunContext): undefined {
  reasoningOf(context, newReasoningId(context, 'reasoning'));
}

export function sayReasoning(context: RunContext): KeptText {
  return context.say(continued(context, 'reasoning'), context.fields['delta']);
}

export function endReasoning(context: RunContext): undefined {
  endText(context, thingOf(context.run, 'reasoning', reasoningId(context, 'reasoning')));
}

/** The first message of a span of reasoning is that span's node. */
export function reasoningOf(context: RunContext, id: string): Thing {
  const { run, lane } = context;
  keepInLane(run.reasoning, `reasoning ${lane}`, id);
  const spanId = run.reasoning.get(`reasoning span ${lane}`);
  const last = spanId === undefined ? undefined : thingOf(run, 'reasoning span', spanId);
  const span = last?.isOpen === true ? last : undefined;
  if (span && span.partner === undefined) {
    keep(run, { ...span, partner: id });
    return context.open('reasoning', id, { name: 'reasoning', shared: span });
  }
  return context.open('reasoning', id, {
    name: 'reasoning',
    isTurn: true,
    ...(span && { parentSpanId: span.spanId }),
  });
}

/** Its text is complete. A node that it shares goes on. */
export function endText(context: RunContext, thing: Thing | undefined): void {
  if (thing?.isOpen !== true) return;
  context.records.end(context.run, thing, context.at);
  if (thing.partner === undefined) context.close(thing);
  else keep(context.run, { ...thing, isOpen: false });
}

type ReasoningKind = 'reasoning span' | 'reasoning';

/** Before 1.0 reasoning had no ids: what begins has a new one, what goes on means the last. */
function newReasoningId(context: RunContext, kind: ReasoningKind): string {
  const id = context.id('messageId') ?? `reasoning-${context.nextNumber()}`;
  keepInLane(context.run.reasoning, `${kind} ${context.lane}`, id);
  return id;
}

function reasoningId(context: RunContext, kind: ReasoningKind): string {
  return (
    context.id('messageId') ??
    context.run.reasoning.get(`${kind} ${context.lane}`) ??
    newReasoningId(context, kind)
  );
}
