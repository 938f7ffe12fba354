import { askedIn } from './asked-input.ts';
import { endText } from './fold-texts.ts';
import { finishArguments } from './fold-tools.ts';
import type { RunContext } from './run-context.ts';
import { failureOf, outcomeOf, usageOf } from './run-fields.ts';
import {
  begunNote,
  firstRoot,
  isAnyOpen,
  keepInLane,
  MAX_STEPS_DEEP,
  spanIdOf,
  thingOf,
  traceIdOf,
  type Thing,
} from './run.ts';

/** The run itself, its sub-agents and steps, and events that are steps by themselves. */

export function startRun(context: RunContext): undefined {
  const { run, fields, event } = context;
  const parent = context.id('parentRunId');
  const { prompt, results } = event.asked ?? askedIn(fields['input']);
  const version = context.id('protocolVersion');
  run.attributes = {
    ...run.attributes,
    ...(parent !== undefined && { 'agui.parent_run': parent }),
    ...(prompt !== undefined && { 'agui.prompt': prompt }),
    ...(version !== undefined && { 'agui.version': version }),
  };
  if (parent !== undefined && parent !== run.runId) {
    // With a task of its own each run has a trace of its own; else all runs of the task share one.
    const traceId = run.taskId === run.runId ? traceIdOf(run.agent, parent) : run.traceId;
    run.parentRunSpan = { traceId, spanId: firstRoot(traceId, parent) };
  }
  if (results.length > 0) run.unread.set('', results);
  context.records.root(run);
  context.records.note(run, { spanId: run.rootSpanId }, begunNote(run.begun), run.start, {});
}

export function finishRun(context: RunContext): undefined {
  endRun(context, outcomeOf(context.fields));
}

export function failRun(context: RunContext): undefined {
  endRun(context, failureOf(context.fields));
}

function endRun(context: RunContext, outcome: Thing['attributes']): void {
  const { run } = context;
  if (isAnyOpen(run))
    for (const thing of [...run.things.values()].reverse()) if (thing.isOpen) endThing(context, thing);
  run.attributes = { ...run.attributes, ...outcome, ...usageOf(context.fields) };
  run.isOver = true;
  context.records.root(run, context.at);
}

/** What the run leaves open ends with it. */
function endThing(context: RunContext, thing: Thing): void {
  if (thing.kind === 'message' || thing.kind === 'reasoning') endText(context, thing);
  else context.close(thing.kind === 'tool' ? finishArguments(context, thing) : thing);
}

export function startStep(context: RunContext): undefined {
  const { run, lane } = context;
  const name = context.id('stepName') ?? '';
  const step = context.open('step', `${lane} ${name}`, { name });
  const open = run.steps.get(lane) ?? [];
  if (open.length < MAX_STEPS_DEEP && !open.some(({ spanId }) => spanId === step.spanId))
    keepInLane(run.steps, lane, [...open, step]);
}

export function finishStep(context: RunContext): undefined {
  const { run, lane } = context;
  const step = thingOf(run, 'step', `${lane} ${context.id('stepName') ?? ''}`);
  const open = (run.steps.get(lane) ?? []).filter(({ spanId }) => spanId !== step?.spanId);
  if (open.length > 0) run.steps.set(lane, open);
  else run.steps.delete(lane);
  context.close(step);
}

/** Below what started it, and led to by it. */
export function startSubagent(context: RunContext): undefined {
  const { run } = context;
  const call = context.id('parentToolCallId');
  const above = context.id('parentSubagentRunId');
  const message = context.id('parentMessageId');
  const cause =
    (call === undefined ? undefined : thingOf(run, 'tool', call)) ??
    (above === undefined ? undefined : thingOf(run, 'subagent', above)) ??
    (message === undefined ? undefined : thingOf(run, 'message', message));
  const name = context.id('name') ?? 'sub-agent';
  const description = context.id('description');
  context.open('subagent', context.id('subagentRunId') ?? '', {
    name,
    parentSpanId: cause?.spanId ?? run.steps.get('')?.at(-1)?.spanId ?? run.rootSpanId,
    links: [cause?.spanId ?? run.rootSpanId],
    attributes: { 'agui.agent': name, ...(description !== undefined && { 'agui.prompt': description }) },
  });
}

export function finishSubagent(context: RunContext): undefined {
  endSubagent(context, outcomeOf(context.fields));
}

export function failSubagent(context: RunContext): undefined {
  endSubagent(context, failureOf(context.fields));
}

function endSubagent(context: RunContext, outcome: Thing['attributes']): void {
  const { run, lane } = context;
  if (isAnyOpen(run, lane))
    for (const thing of run.things.values())
      if (thing.isOpen && thing.lane === lane && thing.kind !== 'subagent') endThing(context, thing);
  run.steps.delete(lane);
  context.close(thingOf(run, 'subagent', lane), outcome);
}

/** What an application sends for itself, and what this version does not know: a step that is over at once. */
export function otherEvent(context: RunContext): undefined {
  const { run, event } = context;
  const name = (event.type === 'CUSTOM' ? context.id('name') : context.id('activityType')) ?? event.type;
  context.records.event(run, {
    spanId: spanIdOf(run.rootSpanId, 'event', String(context.nextNumber())),
    parentSpanId: context.around,
    name,
    at: context.at,
    attributes: { 'agui.event': event.type },
  });
}
