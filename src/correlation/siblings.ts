import { isAfter } from '../model/in-time.ts';
import { isSpan, isWrapper, type StepEntry } from './node-entry.ts';
import { TrackedMultimap, type Tracker } from './tracker.ts';

/** Below a step with more children than this, time alone says nothing worth drawing. */
const MAX_SIBLINGS = 512;

/**
 * Which step came right before another below the same parent, by time alone. That one came before the other does
 * not mean that it led to it, so these edges are drawn only where the configuration asks for them.
 */
export class Siblings {
  private readonly byParent: TrackedMultimap<StepEntry>;

  constructor(tracker: Tracker) {
    this.byParent = new TrackedMultimap(tracker, MAX_SIBLINGS);
  }

  /** Of the siblings that had ended when this one began, the one that ended last. */
  before(step: StepEntry): StepEntry | undefined {
    if (!isSpan(step) || isWrapper(step) || step.parentKey === undefined) return undefined;
    let last: StepEntry | undefined;
    for (const other of this.byParent.few(step.parentKey)) {
      if (!isAfter(step.facts, other.facts)) continue;
      const { end = -Infinity } = other.facts;
      const lastEnd = last?.facts.end ?? -Infinity;
      if (end > lastEnd || (end === lastEnd && last && other.key > last.key)) last = other;
    }
    return last;
  }

  change(step: StepEntry, verb: 'add' | 'delete'): void {
    if (isSpan(step) && step.parentKey !== undefined && !isWrapper(step))
      this.byParent[verb](step.parentKey, step);
  }
}
