import { seldom, type IsOver, type Work } from '../base/in-turns.ts';
import { sorted } from '../base/sorted.ts';
import type { GraphReader } from '../graph/graph-reader.ts';
import type { ExplanationNode } from '../model/node.ts';
import { count, dollars, duration } from '../model/figures.ts';
import { SPIKE_MEASURES, type Spike, type SpikeMeasure } from '../model/why.ts';

/** Fewer steps of a kind say nothing about what is usual. */
const MIN_COMPARED = 5;
/** At least so many times the median: a tight distribution has no spikes of a few percent. */
const MIN_FACTOR = 3;
/** Standard deviations from the median, estimated robustly, so that the spikes don't hide themselves. */
const MIN_DEVIATIONS = 6;
/** The standard deviation of a normal distribution, in median absolute deviations. */
const DEVIATION_PER_MAD = 1.4826;

/**
 * Steps of one task that stand far above the others of their type in one measure: above three times the median
 * and six robust standard deviations from it, among at least five.
 */
export function* spikesOfTask(graph: GraphReader, taskId: string, isOver: IsOver): Work<Spike[]> {
  const isRest = seldom(isOver);
  const kinds = new Map<string, ExplanationNode[]>();
  // A copy: nodes may leave between two turns.
  const ids = [...graph.nodesOfTask(taskId)];
  for (const id of ids) {
    if (isRest()) yield;
    const node = graph.node(id);
    if (!node || containsSteps(graph, id)) continue;
    const kind = kinds.get(node.type);
    if (kind) kind.push(node);
    else kinds.set(node.type, [node]);
  }
  const spikes: Spike[] = [];
  for (const nodes of kinds.values())
    for (const measure of SPIKE_MEASURES)
      for (const spike of yield* outliers(nodes, measure, isOver)) spikes.push(spike);
  return spikes;
}

/** By measure, then by how many times the median, then by value; ids make it whole. */
export function bySize(a: Spike, b: Spike): number {
  const measure = SPIKE_MEASURES.indexOf(a.measure) - SPIKE_MEASURES.indexOf(b.measure);
  const [factorA, factorB] = [factor(a), factor(b)];
  if (measure !== 0) return measure;
  if (factorA !== factorB) return factorB - factorA;
  return a.value !== b.value ? b.value - a.value : a.nodeId < b.nodeId ? -1 : 1;
}

function factor({ value, median }: Spike): number {
  return median > 0 ? value / median : Number.MAX_VALUE;
}

/** What contains steps takes as long as they do together, and is no step of their kind. What is part of it is no step. */
function containsSteps(graph: GraphReader, id: string): boolean {
  return graph
    .outEdges(id)
    .some(
      ({ evidence, to }) => evidence === 'parentSpanId' && graph.node(to)?.details?.['partOf'] === undefined,
    );
}

function* outliers(nodes: readonly ExplanationNode[], measure: SpikeMeasure, isOver: IsOver): Work<Spike[]> {
  const isRest = seldom(isOver);
  const measured: { readonly node: ExplanationNode; readonly value: number }[] = [];
  for (const node of nodes) {
    const value = node[measure];
    if (value !== undefined) measured.push({ node, value });
    if (isRest()) yield;
  }
  if (measured.length < MIN_COMPARED) return [];
  const values = measured.map(({ value }) => value);
  const median = yield* medianOf(values, isOver);
  const distances = values.map((value) => Math.abs(value - median));
  const deviation = DEVIATION_PER_MAD * (yield* medianOf(distances, isOver));
  const threshold = Math.max(MIN_FACTOR * median, median + MIN_DEVIATIONS * deviation);
  const spikes: Spike[] = [];
  for (const { node, value } of measured) {
    if (isRest()) yield;
    if (value <= threshold) continue;
    spikes.push({
      nodeId: node.id,
      taskId: node.taskId,
      measure,
      value,
      median,
      threshold,
      compared: measured.length,
      ui: hint(measure, value, median),
    });
  }
  return spikes;
}

/** CSS and SVG know the name; none of the colours that tell a status. */
const SPIKE_COLOR = 'magenta';

function hint(measure: SpikeMeasure, value: number, median: number): Spike['ui'] {
  const [shown, usual] = [value, median].map((figure) => figureOf(measure, figure));
  const times = median > 0 ? `${Number((value / median).toPrecision(2))} times the usual` : 'usually 0';
  return {
    label: `${shown}: ${times}`,
    color: SPIKE_COLOR,
    tooltip: `${measure} ${shown}, median ${usual}`,
  };
}

function figureOf(measure: SpikeMeasure, value: number): string {
  if (measure === 'costUsd') return dollars(value);
  return measure === 'latencyMs' ? duration(value) : count(value, 'token');
}

function* medianOf(values: readonly number[], isOver: IsOver): Work<number> {
  const inOrder = yield* sorted(values, (a, b) => a - b, isOver);
  const middle = inOrder.length >> 1;
  const upper = inOrder[middle] ?? 0;
  return inOrder.length % 2 === 1 ? upper : (upper + (inOrder[middle - 1] ?? upper)) / 2;
}
