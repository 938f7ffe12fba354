import { Pace } from '../base/pace.ts';
import type { Clock } from '../base/clock.ts';
import type { GraphReader } from '../graph/graph-reader.ts';
import type { ExplanationGraph } from '../model/node.ts';
import { inTurns, NEVER_OVER, type Work } from '../base/in-turns.ts';
import type { Recall } from './recall/recall.ts';
import { sortedGraph } from './sorted-graph.ts';
import type { View } from './view.ts';

export interface GraphMakerOptions {
  readonly source: { readonly graph: GraphReader };
  readonly recall?: Recall | undefined;
  readonly clock: Clock;
  /** Publishes what has changed in the graph and was not published yet. */
  readonly bringUpToDate: () => void;
  /** Nodes in the graph from which on views are made in turns. `LARGE_GRAPH` if absent. */
  readonly largeGraph?: number | undefined;
  /** How these are cut. One of its own if absent. */
  readonly pace?: Pace | undefined;
}

export interface Making {
  readonly lastUpdated: () => string;
  /** Told when what is seen is fixed: whatever changes from then on is not in the graph. */
  readonly onFixed?: () => void;
  /** False when nobody waits for it any more. */
  readonly isWanted?: () => boolean;
}

/** Of so many nodes everything is seen, sorted and all, within about ten milliseconds: no reader need wait for a turn. */
const LARGE_GRAPH = 5_000;

/** Makes the graphs that readers begin with: those of many nodes in turns of the event loop, so that nothing waits long. */
export class GraphMaker {
  private readonly options: GraphMakerOptions;
  private readonly pace: Pace;

  constructor(options: GraphMakerOptions) {
    this.options = options;
    this.pace = options.pace ?? new Pace(options.clock);
  }

  /** @returns what is seen in a view; undefined when it is not wanted any more; at once if that takes but a turn */
  make(view: View, making: Making): ExplanationGraph | Promise<ExplanationGraph | undefined> {
    return inTurns(this.work(view, making), this.pace, making.isWanted);
  }

  private *work(view: View, { lastUpdated, onFixed }: Making): Work<ExplanationGraph> {
    const isOver = this.isLarge ? (): boolean => this.pace.isOver : NEVER_OVER;
    yield* view.make(isOver, this.options.bringUpToDate);
    onFixed?.();
    return yield* sortedGraph(view.copy(), lastUpdated(), isOver);
  }

  private get isLarge(): boolean {
    const { source, recall, largeGraph } = this.options;
    const nodes = Math.max(source.graph.nodeCount, recall?.ready?.graph.nodeCount ?? 0);
    return nodes > (largeGraph ?? LARGE_GRAPH);
  }
}
