import { inTurns, NEVER_OVER, type IsOver, type Work } from '../base/in-turns.ts';
import { Pace } from '../base/pace.ts';
import type { Clock } from '../base/clock.ts';
import type { GraphReader } from '../graph/graph-reader.ts';
import type { ExplanationGraph, GraphUpdate } from '../model/node.ts';
import { PART_ITEMS, partsOf } from './cut-update.ts';
import { difference, type TaskViews } from './diff-view.ts';
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
  /** Items of one update. `PART_ITEMS` if absent. */
  readonly partItems?: number | undefined;
  /** How these are cut. One of its own if absent. */
  readonly pace?: Pace | undefined;
}

export interface Switching {
  /** What the reader saw until now; absent where that is nothing. */
  readonly from?: View | undefined;
  readonly timestamp: () => string;
  /** Told when what is seen is fixed: whatever changes from then on is not in the parts. */
  readonly onFixed: () => void;
  /** False when nobody waits for it any more. */
  readonly isWanted: () => boolean;
}

/** Of so many nodes everything is seen, sorted and all, within about ten milliseconds: no reader need wait for a turn. */
const LARGE_GRAPH = 5_000;

/** Makes what readers see, of large graphs in turns of the event loop, so that nothing waits long. */
export class GraphMaker {
  readonly pace: Pace;
  readonly partItems: number;
  private readonly options: GraphMakerOptions;

  constructor(options: GraphMakerOptions) {
    this.options = options;
    this.pace = options.pace ?? new Pace(options.clock);
    this.partItems = options.partItems ?? PART_ITEMS;
  }

  /** @returns what is seen in a view, as a whole; at once if that takes but a turn */
  whole(view: View, lastUpdated: () => string): ExplanationGraph | Promise<ExplanationGraph | undefined> {
    return inTurns(this.wholeWork(view, lastUpdated), this.pace);
  }

  /**
   * @returns what a reader needs in order to see a view, as updates of at most `partItems`: none where it sees it already,
   * but one for a reader who sees nothing yet; undefined when it is not wanted any more; at once if that takes but a turn
   */
  switchTo(
    view: View,
    switching: Switching,
  ): readonly GraphUpdate[] | Promise<readonly GraphUpdate[] | undefined> {
    return inTurns(this.switchWork(view, switching), this.pace, switching.isWanted);
  }

  private *wholeWork(view: View, lastUpdated: () => string): Work<ExplanationGraph> {
    const { isOver } = this;
    yield* view.make(isOver, this.options.bringUpToDate);
    return yield* sortedGraph(view.copy().values(), lastUpdated(), isOver);
  }

  private *switchWork(view: View, { from, timestamp, onFixed }: Switching): Work<readonly GraphUpdate[]> {
    const { isOver } = this;
    yield* view.make(isOver, this.options.bringUpToDate);
    const [before, after, time] = [from?.copy() ?? NOTHING, view.copy(), timestamp()];
    onFixed();
    const update = yield* difference(before, after, time, isOver);
    if (update) return yield* partsOf(update, this.partItems, isOver);
    return from ? [] : [{ ...NO_CHANGE, timestamp: time }];
  }

  private get isOver(): IsOver {
    const { source, recall, largeGraph } = this.options;
    const nodes = Math.max(source.graph.nodeCount, recall?.ready?.graph.nodeCount ?? 0);
    return nodes > (largeGraph ?? LARGE_GRAPH) ? () => this.pace.isOver : NEVER_OVER;
  }
}

const NOTHING: TaskViews = new Map();
export const NO_CHANGE = { addedNodes: [], removedNodeIds: [], addedEdges: [], removedEdgeIds: [] };
