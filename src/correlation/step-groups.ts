import { isSameModel } from '../model/model-name.ts';
import { compareSteps, isSpan, type SpanEntry, type StepEntry, type StepGroup } from './node-entry.ts';
import type { StepFacts } from '../model/facts.ts';
import { RESPONSE_STEP } from '../model/ids.ts';
import { Multimap } from '../base/multimap.ts';
import { TrackedMultimap, type Tracker } from './tracker.ts';

/** Senders round times: a call inside another may seem to begin or end a little outside it. */
const SLACK_MS = 5;
/** An id or text that so many records share says nothing about which of them are one call. */
const MAX_ALIKE = 64;
/** So many records in a row that are each one call with the next are no call: to know them all would take all for each. */
const MAX_RECORDS = 256;

/**
 * Which records tell of one and the same call: frameworks, the provider's SDK and log records each report it.
 * Two records are of one call when
 *
 * 1. they share a `stepId`; by the id of a response only if time, model and usage allow it, since some senders
 *    give all calls of a run one id, and in two traces only by different instrumentations,
 * 2. they are LLM calls of one trace and model by different instrumentations that gave the same text, one within
 *    the time of the other,
 * 3. one is the only LLM call directly below the other, of the same model, by another instrumentation, or by the
 *    same one if it gave and used the same, or a tool call of the same tool below a tool call, and lies within its time,
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

  private readonly stepIds: TrackedMultimap<StepEntry>;

  constructor(tracker: Tracker, spanOf: (key: string) => SpanEntry | undefined) {
    this.stepIds = new TrackedMultimap(tracker);
    this.spanOf = spanOf;
  }

  /** A record of the step with this id; of several steps the first in this trace, else the first. */
  stepById(stepId: string, traceId: string | undefined): StepEntry | undefined {
    this.stepIds.read(stepId);
    const steps = this.byStepId.few(stepId, MAX_ALIKE);
    const here = steps.length > 1 ? steps.filter(({ facts }) => facts.traceId === traceId) : steps;
    let first: StepEntry | undefined;
    for (const step of here.length > 0 ? here : steps)
      if (!first || compareSteps(step, first) < 0) first = step;
    return first;
  }

  /** The LLM calls and tool calls directly below a step, unless there are very many. */
  callsBelowOf(key: string): readonly StepEntry[] {
    return this.callsBelow.few(key, MAX_ALIKE);
  }

  /** The records that a change of this one may join with it or one another, or part, itself among them; often none. */
  around(step: StepEntry): readonly StepEntry[] {
    if (!step.group && this.isAlone(step)) return NONE;
    // One more than are few: they were few before this one came, or will be when it goes.
    const found = [step, ...this.neighbours(step, MAX_ALIKE + 1)];
    const parent = this.parentCall(step);
    // Whether a sibling is the only call below its parent depends on this one.
    if (parent) found.push(parent, ...this.callsBelow.few(parent.key, MAX_ALIKE + 1));
    return found;
  }

  /** Puts the records, and those of their groups, into groups anew. @returns those whose group is another than before */
  regroup(steps: Iterable<StepEntry>): StepEntry[] {
    const changed: StepEntry[] = [];
    const done = new Set<StepEntry>();
    const queue: StepEntry[] = [];
    for (const step of steps) {
      if (step.group) queue.push(...step.group.members);
      else queue.push(step);
    }
    for (const start of queue) {
      if (done.has(start)) continue;
      const members = this.connected(start);
      const isCall = members.length > 1 && members.length <= MAX_RECORDS;
      const leader = isCall ? [...members].sort(compareSteps)[0] : undefined;
      const group: StepGroup | undefined = leader && { members, leader };
      for (const member of members) {
        done.add(member);
        if (member.group) queue.push(...member.group.members.filter((old) => !done.has(old)));
        if (isSameGroup(member.group, group)) continue;
        member.group = group;
        changed.push(member);
      }
    }
    return changed;
  }

  /** Takes a record out of its group: the others stay the call that they are, and hold nothing of it. */
  leave(step: StepEntry): void {
    const { group } = step;
    step.group = undefined;
    if (!group) return;
    const members = group.members.filter((member) => member !== step);
    const [leader, second] = [...members].sort(compareSteps);
    const rest = leader && second && { members, leader };
    for (const member of members) member.group = rest;
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

  /** All that are one call with it; of more than `MAX_RECORDS` some, one more than that at least. */
  private connected(start: StepEntry): readonly StepEntry[] {
    const members = new Set([start]);
    const stepIds = new Set<string>();
    for (const member of members) {
      for (const other of this.neighbours(member, MAX_ALIKE, stepIds)) members.add(other);
      if (members.size > MAX_RECORDS) break;
    }
    return [...members];
  }

  /**
   * Whoever is a neighbour of another has it for a neighbour.
   * @param max more than so many that are alike are none
   * @param stepIds whose records are known already
   */
  private neighbours(step: StepEntry, max: number, stepIds?: Set<string>): StepEntry[] {
    const { stepId, wrapper } = step.facts.step;
    if (wrapper === true) return [];
    const found: StepEntry[] = [];
    if (stepId !== undefined && stepIds?.has(stepId) !== true) {
      const alike = others(this.byStepId.few(stepId, max), step);
      const isSure = !stepId.startsWith(RESPONSE_STEP);
      // Of one more than are few all are looked at again, whether or not they are one call with this record.
      const joined = isSure || max > MAX_ALIKE ? alike : alike.filter((other) => mayBeOneCall(step, other));
      found.push(...joined);
      if (isSure) stepIds?.add(stepId);
    }
    if (!isSpan(step)) {
      const span = step.parentKey === undefined ? undefined : this.spanOf(step.parentKey);
      if (span && this.logsOf.isFew(span.key, max) && isLogOf(step, span)) found.push(span);
      return found;
    }
    for (const log of this.logsOf.few(step.key, max)) if (isLogOf(log, step)) found.push(log);
    if (!canBeTwin(step)) return found;
    const text = textKey(step);
    const alike = text === undefined ? NONE : others(this.byText.few(text, max), step);
    for (const other of alike as readonly SpanEntry[])
      if (isTwin(step, other) || isTwin(other, step)) found.push(other);
    const parent = this.parentCall(step);
    if (parent && this.isInner(step, parent, max)) found.push(parent);
    for (const child of this.callsBelow.few(step.key, max))
      if (this.isInner(child, step, max)) found.push(child);
    return found;
  }

  /** Is the call that lies directly below another the same call? */
  private isInner(child: SpanEntry, parent: SpanEntry, max: number): boolean {
    const [inner, outer] = [child.facts.step, parent.facts.step];
    // MEW tells steps as they were made elsewhere, and not how long those took that it tells in one message.
    if (inner.convention === 'mew') return false;
    if ((inner.type === 'LLM_CALL') !== (outer.type === 'LLM_CALL') || !isWithin(child, parent)) return false;
    if (!this.callsBelow.isFew(parent.key, max)) return false;
    if (inner.type === 'LLM_CALL') {
      const calls = this.callsBelow.few(parent.key, max);
      const isOnly = calls.filter(({ facts }) => facts.step.type === 'LLM_CALL').length === 1;
      if (!isOnly || !fitsModel(inner.model, outer.model)) return false;
      return inner.scope !== outer.scope || repeats(inner, outer);
    }
    const [innerId, outerId] = [inner.details['toolCallId'], outer.details['toolCallId']];
    if (innerId !== undefined && outerId !== undefined) return innerId === outerId;
    return inner.details['toolName'] === outer.details['toolName'];
  }

  change(step: StepEntry, verb: 'add' | 'delete'): void {
    const { parentKey } = step;
    const { stepId } = step.facts.step;
    if (stepId !== undefined) {
      this.byStepId[verb](stepId, step);
      this.stepIds.changed(stepId);
    }
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

/** A log record is written some time after its call has ended, and says roughly how long that took. */
const LOG_SLACK_MS = 1000;

/** Do records with the id of one response tell of one call? Whoever may be one with another may be so the other way round. */
function mayBeOneCall(a: StepEntry, b: StepEntry): boolean {
  const [x, y] = [a.facts.step, b.facts.step];
  if (!fitsModel(x.model, y.model) || !fitsUsage(x, y)) return false;
  if (a.facts.traceId !== b.facts.traceId && x.scope === y.scope) return false;
  if (isSpan(a) && isSpan(b)) return isWithin(a, b) || isWithin(b, a);
  return startsBefore(a, b) && startsBefore(b, a);
}

function startsBefore(a: StepEntry, b: StepEntry): boolean {
  const { start, end } = b.facts;
  return a.facts.start <= (end ?? Infinity) + LOG_SLACK_MS && start <= a.facts.start + MAX_CALL_MS;
}

/** Nothing that is told of an open span is further away. */
const MAX_CALL_MS = 3_600_000;

/** Instrumentations that count the cache or the reasoning otherwise still agree on the other half. */
function fitsUsage(a: StepFacts, b: StepFacts): boolean {
  const [isIn, isOut] = [sameFigure(a.tokensIn, b.tokensIn), sameFigure(a.tokensOut, b.tokensOut)];
  return isIn !== false || isOut !== false;
}

function sameFigure(a: number | undefined, b: number | undefined): boolean | undefined {
  return a === undefined || b === undefined ? undefined : a === b;
}

/** Does a call by the same instrumentation only pass the other on? It gave the same, or used the same. */
function repeats(a: StepFacts, b: StepFacts): boolean {
  const [isIn, isOut] = [sameFigure(a.tokensIn, b.tokensIn), sameFigure(a.tokensOut, b.tokensOut)];
  if (isIn === false || isOut === false) return false;
  if (isIn === true && isOut === true) return true;
  return a.saidHash !== undefined && a.saidHash === b.saidHash;
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

function isSameGroup(a: StepGroup | undefined, b: StepGroup | undefined): boolean {
  if (!a || !b) return a === b;
  return (
    a.leader === b.leader &&
    a.members.length === b.members.length &&
    a.members.every((member) => b.members.includes(member))
  );
}
