import type { ExplanationNode } from '../model/node.ts';
import { compareText } from '../model/compare-text.ts';
import { hashOf, SortedChunks } from './sorted-chunks.ts';

/** Of steps alike so many that stand out stay in sight, by latency and by cost. */
const MAX_OUTLIERS = 3;
/** So many times the average is what stands out. */
const OUTLIER_FACTOR = 3;

type Measure = 'latencyMs' | 'costUsd';

interface Told {
  readonly node: ExplanationNode;
}

/** The members of a repetition by one of their figures, the greatest first. */
class Measured<E extends Told> {
  private readonly measure: Measure;
  private readonly order: SortedChunks<E>;
  /** Whole numbers, so that the average does not go by the order in which they came. */
  private sum = 0;

  constructor(measure: Measure) {
    this.measure = measure;
    this.order = new SortedChunks({
      compare: (a, b) =>
        figure(b.node, measure) - figure(a.node, measure) || compareText(a.node.id, b.node.id),
      begins: (entry) => hashOf(entry.node.id) % 64 === 0,
    });
  }

  add(entry: E): void {
    if (entry.node[this.measure] === undefined) return;
    this.order.add(entry);
    this.sum += figure(entry.node, this.measure);
  }

  delete(entry: E): void {
    if (entry.node[this.measure] === undefined) return;
    this.order.delete(entry);
    this.sum -= figure(entry.node, this.measure);
  }

  *outliers(): Generator<E> {
    let room = MAX_OUTLIERS;
    for (const entry of this.order) {
      const isOne = figure(entry.node, this.measure) * this.order.size > OUTLIER_FACTOR * this.sum;
      if (room-- === 0 || !isOne) return;
      yield entry;
    }
  }
}

/** Quiet siblings of one type, name and agent, that are not routine: many of them are a repetition. */
export class Repetition<E extends Told> {
  readonly name: string;
  /** How many of them are folded because they are many. */
  folded = 0;
  private readonly min: number;
  private readonly byMeasure: Readonly<Record<Measure, Measured<E>>> = {
    latencyMs: new Measured<E>('latencyMs'),
    costUsd: new Measured<E>('costUsd'),
  };
  private readonly members = new Set<E>();
  private outliers = new Set<E>();

  constructor(name: string, min: number) {
    this.name = name;
    this.min = min;
  }

  get size(): number {
    return this.members.size;
  }

  /** Are there enough of them, and does this one not stand out? */
  covers(entry: E): boolean {
    return this.members.size >= this.min && !this.outliers.has(entry);
  }

  /** @returns those that it is another matter for now */
  add(entry: E): Iterable<E> {
    this.members.add(entry);
    this.byMeasure.latencyMs.add(entry);
    this.byMeasure.costUsd.add(entry);
    return this.members.size === this.min ? this.all() : this.newOutliers();
  }

  /** @returns as `add` */
  delete(entry: E): Iterable<E> {
    this.members.delete(entry);
    this.byMeasure.latencyMs.delete(entry);
    this.byMeasure.costUsd.delete(entry);
    return this.members.size === this.min - 1 ? this.all() : this.newOutliers();
  }

  private all(): Iterable<E> {
    this.newOutliers();
    return [...this.members];
  }

  private newOutliers(): Iterable<E> {
    const { latencyMs, costUsd } = this.byMeasure;
    const now = new Set([...latencyMs.outliers(), ...costUsd.outliers()]);
    const changed = [...now].filter((entry) => !this.outliers.has(entry));
    for (const entry of this.outliers) if (!now.has(entry)) changed.push(entry);
    this.outliers = now;
    return changed;
  }
}

/** Microseconds, or millionths of a millionth of a dollar. */
function figure(node: ExplanationNode, measure: Measure): number {
  const value = node[measure] ?? 0;
  return Math.round(value * (measure === 'latencyMs' ? 1000 : 1e12));
}

export function kindOf({ type, name, agent }: ExplanationNode): string {
  return `${type}\n${agent}\n${name}`;
}
