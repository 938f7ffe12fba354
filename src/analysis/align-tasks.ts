import type { IsOver, Work } from '../base/in-turns.ts';
import { commonSteps } from './common-steps.ts';
import { LIKENESSES, type MarkedTask } from './likeness.ts';
import type { TreeStep } from './step-tree.ts';

/** A step of both tasks, or of one of them. */
export interface AlignedStep {
  readonly a?: TreeStep | undefined;
  readonly b?: TreeStep | undefined;
  /** How many steps it is inside of. */
  readonly depth: number;
}

/**
 * Puts the steps of two tasks side by side, in reading order: those at the top first, then in each pair what is inside. A
 * step is never moved out of what contains it, nor past a pair before or after it.
 */
export function* alignTasks(a: MarkedTask, b: MarkedTask, isOver: IsOver): Work<readonly AlignedStep[]> {
  const aligner = new Aligner(a.marks, b.marks, isOver);
  const aligned: AlignedStep[] = [];
  const open: AlignedStep[] = [];
  const putInFront = (steps: readonly AlignedStep[]): void => {
    for (let i = steps.length - 1; i >= 0; i--) open.push(steps[i] as AlignedStep);
  };
  putInFront(yield* aligner.align(a.tops, b.tops, 0));
  for (let step = open.pop(); step; step = open.pop()) {
    aligned.push(step);
    putInFront(yield* aligner.align(step.a?.inside ?? [], step.b?.inside ?? [], step.depth + 1));
    if (isOver()) yield;
  }
  return aligned;
}

class Aligner {
  private readonly marksA: MarkedTask['marks'];
  private readonly marksB: MarkedTask['marks'];
  private readonly isOver: IsOver;

  constructor(marksA: MarkedTask['marks'], marksB: MarkedTask['marks'], isOver: IsOver) {
    this.marksA = marksA;
    this.marksB = marksB;
    this.isOver = isOver;
  }

  /** Steps side by side in one step of both tasks. */
  *align(a: readonly TreeStep[], b: readonly TreeStep[], depth: number): Work<readonly AlignedStep[]> {
    const aligned: AlignedStep[] = [];
    yield* this.alignGap(a, b, 0, (one, other) => aligned.push({ a: one, b: other, depth }));
    return aligned;
  }

  /** Pairs by one likeness, and what lies between the pairs by the next. */
  private *alignGap(
    a: readonly TreeStep[],
    b: readonly TreeStep[],
    next: number,
    put: (a: TreeStep | undefined, b: TreeStep | undefined) => void,
  ): Work<void> {
    const likeness = LIKENESSES[next];
    if (likeness === undefined || a.length === 0 || b.length === 0) {
      for (const step of a) put(step, undefined);
      for (const step of b) put(undefined, step);
      return;
    }
    const keysA = a.map((step) => this.marksA.get(step)?.[likeness] ?? NaN);
    const keysB = b.map((step) => this.marksB.get(step)?.[likeness] ?? NaN);
    let [doneA, doneB] = [0, 0];
    for (const [i, j] of yield* commonSteps(keysA, keysB, this.isOver)) {
      yield* this.alignGap(a.slice(doneA, i), b.slice(doneB, j), next + 1, put);
      put(a[i], b[j]);
      [doneA, doneB] = [i + 1, j + 1];
      if (this.isOver()) yield;
    }
    yield* this.alignGap(a.slice(doneA), b.slice(doneB), next + 1, put);
  }
}
