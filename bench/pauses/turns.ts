import { PerformanceObserver } from 'node:perf_hooks';

/** A stretch of time in which the main thread did one thing, in milliseconds since the process began. */
interface Stretch {
  readonly start: number;
  readonly end: number;
}

interface Step extends Stretch {
  readonly label: string;
  /** How deep it was called from other watched ones. */
  readonly depth: number;
}

interface Turn extends Stretch {
  /** Of the main thread alone, so that what other programs take from it is not counted. */
  readonly cpuMs: number;
}

/** What stood in the way of everything else, in milliseconds. */
export interface Pauses {
  /** Of the main thread, for all of the work. */
  readonly cpu: number;
  /** The longest turn of the event loop, whatever it went to. */
  readonly longest: number;
  /** The longest collection of garbage within one turn. */
  readonly longestCollection: number;
  /** The longest turn without collections and without what other programs took from the processor. */
  readonly longestOwn: number;
  /** What was done in that turn, the longest first. */
  readonly ownSteps: readonly string[];
}

/** Shorter ones are not looked at. */
const SHORT_MS = 4;
const MOST_STEPS = 6;

/** Watches the turns of the event loop, and which of the steps that it was told of take the time. */
export class Turns {
  private turns: Turn[] = [];
  private steps: Step[] = [];
  private collections: Stretch[] = [];
  private depth = 0;
  private isOn = false;
  private readonly observer = new PerformanceObserver((list) => this.note(list.getEntries()));

  constructor() {
    this.observer.observe({ entryTypes: ['gc'] });
  }

  /** From now on each call of the method is a step; of an asynchronous one its part up to the first wait. */
  watch(object: object, method: string, label: string): void {
    const target = object as { [name: string]: (...args: unknown[]) => unknown };
    const original = target[method];
    if (!original) throw new Error(`no method ${method}`);
    const step = <T>(work: () => T): T => this.step(label, work);
    target[method] = function watched(this: unknown, ...args: unknown[]): unknown {
      return step(() => original.apply(this, args));
    };
  }

  step<T>(label: string, work: () => T): T {
    const start = performance.now();
    const depth = this.depth++;
    try {
      return work();
    } finally {
      this.depth--;
      const end = performance.now();
      if (end - start > SHORT_MS / 4) this.steps.push({ label, start, end, depth });
    }
  }

  async during(work: () => Promise<void>): Promise<Pauses> {
    this.turns = [];
    this.steps = [];
    this.collections = [];
    await nextTurn();
    this.isOn = true;
    this.tick(performance.now(), cpuMs());
    const before = cpuMs();
    await work();
    const cpu = cpuMs() - before;
    await nextTurn();
    this.isOn = false;
    // Collections are told of later.
    for (let i = 0; i < 20; i++) await nextTurn();
    return this.report(cpu);
  }

  private tick(start: number, cpuBefore: number): void {
    setImmediate(() => {
      const end = performance.now();
      const cpu = cpuMs();
      if (end - start > SHORT_MS) this.turns.push({ start, end, cpuMs: cpu - cpuBefore });
      if (this.isOn) this.tick(end, cpu);
    });
  }

  private note(entries: readonly { readonly startTime: number; readonly duration: number }[]): void {
    for (const { startTime, duration } of entries)
      this.collections.push({ start: startTime, end: startTime + duration });
  }

  private report(cpu: number): Pauses {
    let longest = 0;
    let longestCollection = 0;
    let longestOwn = 0;
    let ownTurn: Turn | undefined;
    for (const turn of this.turns) {
      const collected = overlap(turn, this.collections);
      const own = Math.min(turn.end - turn.start, turn.cpuMs) - collected;
      longest = Math.max(longest, turn.end - turn.start);
      longestCollection = Math.max(longestCollection, collected);
      if (own > longestOwn) [longestOwn, ownTurn] = [own, turn];
    }
    return { cpu, longest, longestCollection, longestOwn, ownSteps: ownTurn ? this.stepsIn(ownTurn) : [] };
  }

  private stepsIn(turn: Turn): string[] {
    const sums = new Map<string, { ms: number; depth: number }>();
    for (const step of this.steps) {
      if (step.end < turn.start || step.start > turn.end) continue;
      const ms = step.end - step.start - overlap(step, this.collections);
      const sum = sums.get(step.label) ?? { ms: 0, depth: step.depth };
      sums.set(step.label, { ms: sum.ms + ms, depth: sum.depth });
    }
    return [...sums]
      .sort(([, a], [, b]) => b.ms - a.ms)
      .slice(0, MOST_STEPS)
      .map(([label, { ms }]) => `${label} ${ms.toFixed(0)}`);
  }
}

function overlap(within: Stretch, stretches: readonly Stretch[]): number {
  let sum = 0;
  for (const { start, end } of stretches)
    sum += Math.max(0, Math.min(end, within.end) - Math.max(start, within.start));
  return sum;
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
