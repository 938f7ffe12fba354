import { assert } from '../base/assert.ts';
import type { StepEntry } from './node-entry.ts';

/** Longer circles of parents are not looked for: the walk is made for every span. */
const MAX_CIRCLE = 64;

/** How many steps directly below have usage, or are LLM calls, themselves or further below. */
interface Counts {
  usage: number;
  calls: number;
}

/**
 * Whether tokens, a cost, or LLM calls are told of anywhere below a step. Agents and workflows repeat what the
 * calls inside them used: their own figures count only where nothing below them has any.
 */
export class Below {
  private readonly counts = new Map<string, Counts>();
  /** Steps whose parents lead back to them, which only broken senders write. */
  private readonly circles = new Map<string, readonly StepEntry[]>();
  private readonly stepOf: (key: string) => StepEntry | undefined;
  private readonly callsBelow: (key: string) => readonly StepEntry[];
  private readonly isJoined: (step: StepEntry) => boolean;
  private readonly onChanged: (step: StepEntry) => void;

  /**
   * @param callsBelow the LLM calls and tool calls directly below a step
   * @param isJoined is it one of several records of a node?
   * @param onChanged told of a step that exists when what is below it is another
   */
  constructor(
    stepOf: (key: string) => StepEntry | undefined,
    callsBelow: (key: string) => readonly StepEntry[],
    isJoined: (step: StepEntry) => boolean,
    onChanged: (step: StepEntry) => void,
  ) {
    this.stepOf = stepOf;
    this.callsBelow = callsBelow;
    this.isJoined = isJoined;
    this.onChanged = onChanged;
  }

  hasUsage(key: string): boolean {
    return (this.counts.get(key)?.usage ?? 0) > 0;
  }

  hasCalls(key: string): boolean {
    return (this.counts.get(key)?.calls ?? 0) > 0;
  }

  /** Is there usage below these records of one node, in records that are not among them? */
  hasUsageOutside(steps: readonly StepEntry[]): boolean {
    return steps.some(({ key }) => {
      const usage = this.counts.get(key)?.usage ?? 0;
      if (usage === 0 || steps.length === 1) return usage > 0;
      const inside = steps.filter((other) => other.parentKey === key && this.usageOf(other));
      return usage > inside.length;
    });
  }

  /**
   * Does another instrumentation tell of calls within this one? Then its figures repeat theirs. Of the same
   * instrumentation a call below a call is simply the next one.
   */
  repeatsCalls(call: StepEntry, sameNode: readonly StepEntry[]): boolean {
    return this.callsBelow(call.key).some(
      (inner) =>
        !sameNode.includes(inner) &&
        inner.facts.step.type === 'LLM_CALL' &&
        inner.facts.step.scope !== call.facts.step.scope &&
        hasOwnUsage(inner),
    );
  }

  change(step: StepEntry, verb: 'add' | 'delete'): void {
    this[verb](step);
    this.tellCallAbove(step);
  }

  /** Takes note of a record that is new, or of what it says now. */
  private add(step: StepEntry): void {
    const circle = this.circleOf(step);
    if (circle) {
      // One after the other: what still counts passes on what changes below it, what is in the circle does not.
      this.circles.set(step.key, circle);
      for (const other of circle) {
        if (other !== step) this.contribute(other, -1);
        this.circles.set(other.key, circle);
      }
    } else this.contribute(step, 1);
  }

  /** Forgets a record: before it changes, or goes. */
  private delete(step: StepEntry): void {
    const circle = this.circles.get(step.key);
    if (circle) {
      for (const other of circle) {
        if (other === step) continue;
        this.circles.delete(other.key);
        this.contribute(other, 1);
      }
      this.circles.delete(step.key);
    } else this.contribute(step, -1);
  }

  private contribute(step: StepEntry, by: 1 | -1): void {
    this.count(step.parentKey, this.usageOf(step), this.callsOf(step), by);
  }

  /** The steps that are their own ancestors because of this one; nothing is above or below within a circle. */
  private circleOf(step: StepEntry): readonly StepEntry[] | undefined {
    let at = step.parentKey;
    for (let depth = 0; depth < MAX_CIRCLE && at !== undefined; depth++) {
      if (at === step.key) return this.upTo(step);
      const parent = this.stepOf(at);
      if (!parent || (this.circles.size > 0 && this.circles.has(at))) return undefined;
      at = parent.parentKey;
    }
    return undefined;
  }

  /** A step whose parents lead back to it, and these. */
  private upTo(step: StepEntry): readonly StepEntry[] {
    const circle = [step];
    for (let at = step.parentKey; at !== undefined && at !== step.key;) {
      const parent = this.stepOf(at);
      assert(parent, 'the parents of a circle are there');
      circle.push(parent);
      at = parent.parentKey;
    }
    return circle;
  }

  /** A call within a call is rare, and whether it repeats it depends on each of them. */
  private tellCallAbove(step: StepEntry): void {
    if (step.facts.step.type !== 'LLM_CALL' || step.parentKey === undefined) return;
    const parent = this.stepOf(step.parentKey);
    if (parent?.facts.step.type === 'LLM_CALL') this.onChanged(parent);
  }

  private usageOf(step: StepEntry): boolean {
    return hasOwnUsage(step) || this.hasUsage(step.key);
  }

  private callsOf(step: StepEntry): boolean {
    return step.facts.step.type === 'LLM_CALL' || this.hasCalls(step.key);
  }

  /** Goes up only as long as something becomes another. */
  private count(parentKey: string | undefined, usage: boolean, calls: boolean, by: 1 | -1): void {
    let [key, usageToo, callsToo] = [parentKey, usage, calls];
    while (key !== undefined && (usageToo || callsToo)) {
      const counts = this.counts.get(key) ?? { usage: 0, calls: 0 };
      const [hadUsage, hadCalls] = [counts.usage > 0, counts.calls > 0];
      if (usageToo) counts.usage = Math.max(0, counts.usage + by);
      if (callsToo) counts.calls = Math.max(0, counts.calls + by);
      if (counts.usage + counts.calls > 0) this.counts.set(key, counts);
      else this.counts.delete(key);
      const usageFlipped = counts.usage > 0 !== hadUsage;
      const callsFlipped = counts.calls > 0 !== hadCalls;
      const parent = this.stepOf(key);
      if (!parent) return;
      // Of a node of several records it counts how many there are below each of them (hasUsageOutside).
      if (usageFlipped || callsFlipped || this.isJoined(parent)) this.onChanged(parent);
      if ((!usageFlipped && !callsFlipped) || this.circles.has(key)) return;
      usageToo = usageFlipped && !hasOwnUsage(parent);
      callsToo = callsFlipped && parent.facts.step.type !== 'LLM_CALL';
      key = parent.parentKey;
    }
  }
}

export function hasOwnUsage({ facts: { step } }: StepEntry): boolean {
  return step.tokensIn !== undefined || step.tokensOut !== undefined || step.costUsd !== undefined;
}
