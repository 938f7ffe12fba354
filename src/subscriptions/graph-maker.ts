import { inTurns, type IsOver, type Work } from '../base/in-turns.ts';
import { Pace, type Turns } from '../base/pace.ts';
import { Slots } from '../base/slots.ts';
import type { Clock } from '../base/clock.ts';
import type { ExplanationGraph, ExplanationNode, GraphUpdate } from '../model/node.ts';
import { PART_ITEMS, partsOf } from './cut-update.ts';
import { difference, type TaskViews } from './diff-view.ts';
import { sortedGraph } from './sorted-graph.ts';
import type { ShownView } from './shown-view.ts';

export interface GraphMakerOptions {
  readonly clock: Clock;
  /** Publishes what has changed in the graph and was not published yet. */
  readonly bringUpToDate: () => void;
  /** Items of one update. `PART_ITEMS` if absent. */
  readonly partItems?: number | undefined;
  /** Nodes and edges from which on a view is large. `LARGE_VIEW_ITEMS` if absent. */
  readonly largeViewItems?: number | undefined;
  /** Do nodes of two views, which are not the same object, look the same? By `sameForViews` if absent. */
  readonly sameNode?: ((a: ExplanationNode, b: ExplanationNode) => boolean) | undefined;
  /** How making is cut into turns. One of its own if absent. */
  readonly pace?: Turns | undefined;
}

export interface Switching {
  /** What the reader saw until now; absent where that is nothing. */
  readonly from?: ShownView | undefined;
  readonly timestamp: () => string;
  /** Told when what is seen is fixed: whatever changes from then on is not in the parts. @throws as `onStep` */
  readonly onFixed: () => void;
  /** Told between steps. @throws BoundaryError when there is no room for it */
  readonly onStep: () => void;
  /** False when nobody waits for it any more. */
  readonly isWanted: () => boolean;
}

/** Nodes and edges from which on a view is large: hundreds of smaller ones do not matter, and are made within a turn or two. */
const LARGE_VIEW_ITEMS = 1_000;
/**
 * Large views and answers that are made at the same time. One alone would be made as quickly as all of them, but would hold
 * up the others; each may take some ten megabytes until it is sent.
 */
const LARGE_AT_ONCE = 4;
/** Those that may wait for a slot, each with somewhat more than `LARGE_VIEW_ITEMS` made of it. */
const LARGE_WAITING = 1_000;
const REFUSAL = 'too many large graphs are asked for; try again later';

/** Makes what readers see, in turns of the event loop, so that nothing waits long. */
export class GraphMaker {
  readonly pace: Turns;
  readonly partItems: number;
  readonly largeViewItems: number;
  private readonly options: GraphMakerOptions;
  private readonly slots = new Slots({ most: LARGE_AT_ONCE, mostWaiting: LARGE_WAITING }, REFUSAL);

  constructor(options: GraphMakerOptions) {
    this.options = options;
    this.pace = options.pace ?? new Pace(options.clock);
    this.partItems = options.partItems ?? PART_ITEMS;
    this.largeViewItems = options.largeViewItems ?? LARGE_VIEW_ITEMS;
  }

  /** @returns what is seen in a view, as a whole; undefined when it is not wanted any more */
  async whole(
    view: ShownView,
    lastUpdated: () => string,
    isWanted: () => boolean,
  ): Promise<ExplanationGraph | undefined> {
    return inTurns(this.inSlot(view, this.wholeWork(view, lastUpdated)), this.pace, isWanted);
  }

  /**
   * @returns what a reader needs in order to see a view, as updates of at most `partItems`: none where it sees it already,
   * but one for a reader who sees nothing yet; undefined when it is not wanted any more; at once if that takes but a turn
   */
  switchTo(
    view: ShownView,
    switching: Switching,
  ): readonly GraphUpdate[] | Promise<readonly GraphUpdate[] | undefined> {
    const work = this.inSlot(view, this.switchWork(view, switching), switching.onStep);
    return inTurns(work, this.pace, switching.isWanted);
  }

  /** Work on a view that turns out to be large waits for a slot before it goes on. */
  private *inSlot<T>(view: ShownView, work: Work<T>, onStep?: () => void): Work<T> {
    let isLarge = false;
    try {
      for (;;) {
        const { done, value } = work.next();
        if (done === true) return value;
        onStep?.();
        if (isLarge || view.items < this.largeViewItems) yield value;
        else {
          const wait = this.slots.take(work);
          isLarge = true;
          yield wait;
        }
      }
    } finally {
      if (isLarge) this.slots.free(work);
    }
  }

  private *made(view: ShownView): Work<void> {
    // Hundreds may be asked for in one turn: each that is made at once counts, and those after it wait.
    if (this.isOver()) yield;
    yield* view.make(this.isOver, this.options.bringUpToDate);
  }

  private *wholeWork(view: ShownView, lastUpdated: () => string): Work<ExplanationGraph> {
    const { isOver } = this;
    yield* this.made(view);
    return yield* sortedGraph(view.copy().values(), lastUpdated(), isOver);
  }

  private *switchWork(
    view: ShownView,
    { from, timestamp, onFixed }: Switching,
  ): Work<readonly GraphUpdate[]> {
    const { isOver } = this;
    yield* this.made(view);
    const [before, after, time] = [from?.copy() ?? NOTHING, view.copy(), timestamp()];
    const notices = noticesAfter(from?.notices, view.notices);
    onFixed();
    const changed = yield* difference(before, after, time, isOver, this.options.sameNode);
    const update = notices ? { ...(changed ?? { ...NO_CHANGE, timestamp: time }), notices } : changed;
    if (update) return yield* partsOf(update, this.partItems, isOver);
    return from ? [] : [{ ...NO_CHANGE, timestamp: time }];
  }

  private readonly isOver: IsOver = () => this.pace.isOver;
}

const NOTHING: TaskViews = new Map();

/** The notices where they are others than before; undefined where they are the same. */
export function noticesAfter(
  before: readonly string[] = [],
  after: readonly string[],
): readonly string[] | undefined {
  const isSame = before.length === after.length && before.every((notice, n) => notice === after[n]);
  return isSame ? undefined : after;
}
export const NO_CHANGE = { addedNodes: [], removedNodeIds: [], addedEdges: [], removedEdgeIds: [] };
