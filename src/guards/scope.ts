import { Totals } from '../pruning/totals.ts';
import { Counts, Greatest } from './counts.ts';
import type { Figures } from './exceeded.ts';
import type { GuardedStep } from './guarded-step.ts';

const RATE_SECONDS = 60;

/** What guards count together: the steps of a task, or those of one agent in it. Its figures follow each change. */
export class Scope implements Figures {
  /** Whose steps these are; undefined for all of the task that count. */
  readonly agent: string | undefined;
  newAt = -Infinity;
  private readonly steps = new Set<GuardedStep>();
  private readonly totals = new Totals();
  /** How many steps do the same, by what that is. */
  private readonly alike = new Map<string, number>();
  /** What was not there before the present look: of several that come together each is new, in any order. */
  private readonly cameTogether = new Set<string>();
  private readonly depths = new Counts();
  private readonly handedOver = new Counts();
  /** How many began in each second. */
  private readonly seconds = new Counts();
  private readonly earliest = new Greatest();
  private readonly latest = new Greatest();
  private readonly mostAlike = new Greatest();

  constructor(agent: string | undefined) {
    this.agent = agent;
  }

  get size(): number {
    return this.steps.size;
  }

  get running(): number {
    return this.totals.running;
  }

  get tokens(): number {
    return (this.totals.tokensIn ?? 0) + (this.totals.tokensOut ?? 0);
  }

  get costUsd(): number {
    return this.totals.costUsd ?? 0;
  }

  get depth(): number {
    return this.depths.most;
  }

  get handovers(): number {
    return this.handedOver.most;
  }

  get start(): number {
    return -this.earliest.among(this.steps, ({ start }) => -start);
  }

  get end(): number {
    return this.latest.among(this.steps, ({ end }) => end);
  }

  get sameStep(): number {
    return Math.max(
      0,
      this.mostAlike.among(this.alike.values(), (count) => count),
    );
  }

  stepsInMinuteTo(now: number): number {
    const last = secondOf(now);
    let count = 0;
    for (let second = last - RATE_SECONDS + 1; second <= last; second++) count += this.seconds.of(second);
    return count;
  }

  /** The steps that do what most do. */
  mostRepeated(): readonly GuardedStep[] {
    const most = this.sameStep;
    return [...this.steps].filter(({ same }) => same !== undefined && this.alike.get(same) === most);
  }

  /** @param at when it came, epoch milliseconds */
  add(step: GuardedStep, at: number): void {
    const { same, start, end, depth, handovers } = step;
    this.steps.add(step);
    this.totals.addNode(step.node, 1);
    this.earliest.came(-start);
    this.latest.came(end);
    this.seconds.change(secondOf(start), 1);
    this.depths.change(depth, 1);
    this.handedOver.change(handovers, 1);
    const isNew = same === undefined || !this.alike.has(same) || this.cameTogether.has(same);
    if (isNew) this.newAt = Math.max(this.newAt, at);
    if (same === undefined) return;
    if (isNew) this.cameTogether.add(same);
    const count = (this.alike.get(same) ?? 0) + 1;
    this.alike.set(same, count);
    this.mostAlike.came(count);
  }

  delete(step: GuardedStep): void {
    const { same, start, end, depth, handovers } = step;
    this.steps.delete(step);
    this.totals.addNode(step.node, -1);
    this.earliest.went(-start);
    this.latest.went(end);
    this.seconds.change(secondOf(start), -1);
    this.depths.change(depth, -1);
    this.handedOver.change(handovers, -1);
    if (same === undefined) return;
    const left = (this.alike.get(same) ?? 0) - 1;
    this.mostAlike.went(left + 1);
    if (left > 0) this.alike.set(same, left);
    else this.alike.delete(same);
  }

  /** What comes from now on comes later. */
  looked(): void {
    this.cameTogether.clear();
  }

  /** A step is to be found elsewhere in the tree. */
  moved({ depth, handovers }: GuardedStep, to: { readonly depth: number; readonly handovers: number }): void {
    this.depths.change(depth, -1);
    this.handedOver.change(handovers, -1);
    this.depths.change(to.depth, 1);
    this.handedOver.change(to.handovers, 1);
  }

  [Symbol.iterator](): IterableIterator<GuardedStep> {
    return this.steps.values();
  }
}

function secondOf(ms: number): number {
  return Math.floor(ms / 1000);
}
