import { isSameModel } from '../model/model-name.ts';
import { compareSteps, isSpan, type SpanEntry, type StepEntry, type StepGroup } from './node-entry.ts';
import { Multimap } from './multimap.ts';

/** Senders round times: a call inside another may seem to begin or end a little outside it. */
const SLACK_MS = 5;
/** An id or text that so many records share says nothing about which of them are one call. */
const MAX_ALIKE = 64;

/**
 * Which records tell of one and the same call: frameworks, the provider's SDK and log records each report it.
 * Two records are of one call when
 *
 * 1. they share a `stepId`,
 * 2. they are LLM calls of one trace and model by different instrumentations that gave the same text, one within
 *    the time of the other,
 * 3. one is the only LLM call directly below the other, by another instrumentation, of the same model, or a tool
 *    call of the same tool below a tool call, and lies within its time,
 * 4. one is a log record that was written in the context of the other, of the same type or of none.
 *
 * A function of the set of records: whoever changes one asks for the groups of those around it again.
 */
export class StepGroups {
  private readonly byStepId = new Multimap<StepEntry>();
  private readonly byText = new Multimap<SpanEntry>();
  /** LLM calls and tool calls by the key of their parent. */
  private readonly callsBelow = new Multimap<SpanEntry>();
  /** Log records by the key of the span in whose context they were written. */
  private readonly logsOf = new Multimap<StepEntry>();
  private readonly spanOf: (key: string) => SpanEntry | undefined;

  constructor(spanOf: (key: string) => SpanEntry | undefined) {
    this.spanOf = spanOf;
  }

  /** A record of the step with this id. */
  stepById(stepId: string): StepEntry | undefined {
    return this.byStepId.first(stepId);
  }

  /** The LLM calls and tool calls directly below a step, unless there are very many. */
  callsBelowOf(key: string): readonly StepEntry[] {
    return this.callsBelow.few(key, MAX_ALIKE);
  }

  /** Takes note of a record. */
  add(step: StepEntry): void {
    this.index(step, 'add');
  }

  /** Forgets what a record says now: before it changes, or goes. */
  remove(step: StepEntry): void {
    this.index(step, 'delete');
  }

  /** The records that a change of this one may join with others or part from them, itself among them; often none. */
  around(step: StepEntry): readonly StepEntry[] {
    if (!step.group && this.isAlone(step)) return NONE;
    const members = [...(step.group?.members ?? [step])];
    const parent = this.parentCall(step);
    // Whether a sibling is the only call below its parent depends on this one.
    if (parent) members.push(...this.callsBelow.few(parent.key, MAX_ALIKE));
    return [...new Set([...members, ...members.flatMap((member) => this.neighbours(member))])];
  }

  /** Puts the records into their groups anew. @returns those whose group is another than before */
  regroup(steps: readonly StepEntry[]): StepEntry[] {
    const changed: StepEntry[] = [];
    const done = new Set<StepEntry>();
    const queue = steps.flatMap((step) => (step.group ? stillThere(step.group) : [step]));
    for (const start of queue) {
      if (done.has(start)) continue;
      const members = this.connected(start);
      const leader = members.length > 1 ? [...members].sort(compareSteps)[0] : undefined;
      const group: StepGroup | undefined = leader && { members, leader };
      for (const member of members) {
        done.add(member);
        if (member.group) queue.push(...stillThere(member.group).filter((old) => !done.has(old)));
        if (isSameGroup(member.group, group)) continue;
        member.group = group;
        changed.push(member);
      }
    }
    return changed;
  }

  /** The usual case, found out with a few lookups. */
  private isAlone(step: StepEntry): boolean {
    const { stepId, wrapper } = step.facts.step;
    if (wrapper === true) return true;
    if (stepId !== undefined && this.byStepId.isShared(stepId)) return false;
    if (!isSpan(step)) return step.parentKey === undefined || this.spanOf(step.parentKey) === undefined;
    if (this.logsOf.has(step.key)) return false;
    if (!canBeTwin(step)) return true;
    const text = textKey(step);
    if (text !== undefined && this.byText.isShared(text)) return false;
    return !this.callsBelow.has(step.key) && this.parentCall(step) === undefined;
  }

  private parentCall(step: StepEntry): SpanEntry | undefined {
    if (step.parentKey === undefined || !isSpan(step) || !canBeTwin(step)) return undefined;
    const parent = this.spanOf(step.parentKey);
    return parent && canBeTwin(parent) ? parent : undefined;
  }

  private connected(start: StepEntry): StepEntry[] {
    const members = [start];
    for (const member of members) {
      for (const other of this.neighbours(member)) if (!members.includes(other)) members.push(other);
    }
    return members;
  }

  private neighbours(step: StepEntry): StepEntry[] {
    const { stepId, wrapper } = step.facts.step;
    if (wrapper === true) return [];
    const found: StepEntry[] = [];
    if (stepId !== undefined) found.push(...others(this.byStepId.few(stepId, MAX_ALIKE), step));
    if (!isSpan(step)) {
      const span = step.parentKey === undefined ? undefined : this.spanOf(step.parentKey);
      return span && isLogOf(step, span) ? [...found, span] : found;
    }
    found.push(...this.logsOf.few(step.key, MAX_ALIKE).filter((log) => isLogOf(log, step)));
    if (!canBeTwin(step)) return found;
    const text = textKey(step);
    const alike = text === undefined ? NONE : others(this.byText.few(text, MAX_ALIKE), step);
    for (const other of alike as readonly SpanEntry[])
      if (isTwin(step, other) || isTwin(other, step)) found.push(other);
    const parent = this.parentCall(step);
    if (parent && this.isInner(step, parent)) found.push(parent);
    for (const child of this.callsBelow.few(step.key, MAX_ALIKE))
      if (this.isInner(child, step)) found.push(child);
    return found;
  }

  /** Is the call that lies directly below another the same call? */
  private isInner(child: SpanEntry, parent: SpanEntry): boolean {
    const [inner, outer] = [child.facts.step, parent.facts.step];
    if ((inner.type === 'LLM_CALL') !== (outer.type === 'LLM_CALL') || !isWithin(child, parent)) return false;
    if (inner.type === 'LLM_CALL') {
      const calls = this.callsBelow.few(parent.key, MAX_ALIKE);
      const isOnly = calls.filter(({ facts }) => facts.step.type === 'LLM_CALL').length === 1;
      return isOnly && inner.scope !== outer.scope && fitsModel(inner.model, outer.model);
    }
    const [innerId, outerId] = [inner.details['toolCallId'], outer.details['toolCallId']];
    if (innerId !== undefined && outerId !== undefined) return innerId === outerId;
    return inner.details['toolName'] === outer.details['toolName'];
  }

  private index(step: StepEntry, verb: 'add' | 'delete'): void {
    const { parentKey } = step;
    const { stepId } = step.facts.step;
    if (stepId !== undefined) this.byStepId[verb](stepId, step);
    if (!isSpan(step)) {
      if (parentKey !== undefined) this.logsOf[verb](parentKey, step);
      return;
    }
    if (!canBeTwin(step)) return;
    if (parentKey !== undefined) this.callsBelow[verb](parentKey, step);
    const text = textKey(step);
    if (text !== undefined) this.byText[verb](text, step);
  }
}

const NONE: readonly StepEntry[] = [];
const TOOL_TYPES = new Set<string | undefined>(['TOOL_CALL', 'TEST_RUN', 'STATIC_ANALYSIS']);

function canBeTwin({ facts: { step } }: StepEntry): boolean {
  if (step.wrapper === true) return false;
  return step.type === 'LLM_CALL' || (TOOL_TYPES.has(step.type) && step.details['toolName'] !== undefined);
}

function textKey({ facts: { traceId, step } }: SpanEntry): string | undefined {
  if (step.type !== 'LLM_CALL' || step.saidHash === undefined) return undefined;
  return `${traceId}|${step.saidHash}`;
}

/** Does another instrumentation tell of the same call from within? */
function isTwin(outer: SpanEntry, inner: SpanEntry): boolean {
  const [a, b] = [outer.facts.step, inner.facts.step];
  return a.scope !== b.scope && fitsModel(a.model, b.model) && isWithin(inner, outer);
}

function isWithin(inner: StepEntry, outer: StepEntry): boolean {
  const { start, end } = inner.facts;
  if (start < outer.facts.start - SLACK_MS) return false;
  return outer.facts.end === undefined || (end ?? start) <= outer.facts.end + SLACK_MS;
}

function fitsModel(a: string | undefined, b: string | undefined): boolean {
  return a === undefined || b === undefined || isSameModel(a, b);
}

/** A record without a type has only texts to add to its span; one with a type must be of the same. */
function isLogOf(log: StepEntry, span: SpanEntry): boolean {
  if (span.facts.step.wrapper === true) return false;
  const [said, of] = [log.facts.step, span.facts.step];
  if (said.type !== undefined && said.type !== of.type) return false;
  return said.stepId === undefined || of.stepId === undefined || said.stepId === of.stepId;
}

function others<T extends StepEntry>(steps: readonly T[], step: StepEntry): T[] {
  return steps.filter((other) => other !== step && other.facts.step.wrapper !== true);
}

/** A record that was forgotten has no group any more, though others still name it: it must not bring theirs back. */
function stillThere({ members }: StepGroup): readonly StepEntry[] {
  return members.filter((member) => member.group !== undefined);
}

function isSameGroup(a: StepGroup | undefined, b: StepGroup | undefined): boolean {
  if (!a || !b) return a === b;
  return (
    a.leader === b.leader &&
    a.members.length === b.members.length &&
    a.members.every((member) => b.members.includes(member))
  );
}
