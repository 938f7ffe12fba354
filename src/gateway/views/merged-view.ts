import type { Clock, Timer } from '../../base/clock.ts';
import type { IsOver, Work } from '../../base/in-turns.ts';
import type { Timing } from '../../client/timing.ts';
import { requestOf } from './request-of.ts';
import type { ArtifactsEvent } from '../../model/reader-messages.ts';
import type { ExplanationNode, GraphUpdate } from '../../model/node.ts';
import { noticesAfter } from '../../subscriptions/graph-maker.ts';
import type { TaskViews } from '../../subscriptions/diff-view.ts';
import type { ShownView } from '../../subscriptions/shown-view.ts';
import { specKey, type ViewSpec } from '../../subscriptions/view-spec.ts';
import { sharedNotices } from '../notices.ts';
import type { AskedAs } from '../cells/asked-as.ts';
import type { ReadCell } from '../cells/read-cell.ts';
import { CellFeed } from './cell-feed.ts';
import { MergedGraph } from './merged-graph.ts';

export interface MergedViewOptions {
  readonly spec: ViewSpec;
  readonly project: string;
  readonly cells: Iterable<ReadCell>;
  readonly clock: Clock;
  readonly timing: Timing;
  /** Nodes and edges that all views may hold. */
  readonly maxViewItems: number;
  /** It may look different now. */
  readonly onChange: () => void;
  readonly onEvent: (view: MergedView, event: ArtifactsEvent) => void;
}

/**
 * Who asks first waits so long for cells that neither answer nor are known to be away. A large graph of a cell comes in
 * parts, of which the first is there well before.
 */
const PATIENCE_MS = 2000;

/** What is seen of all cells under one spec. */
export class MergedView implements ShownView {
  readonly spec: ViewSpec;
  readonly key: string;
  notices: readonly string[] = [];
  private readonly options: MergedViewOptions;
  private readonly graph = new MergedGraph();
  private readonly feeds = new Map<string, { readonly feed: CellFeed; readonly cell: ReadCell }>();
  private isMade = false;
  private isNoted = false;
  private isPatient = true;
  private patience: Timer | undefined;
  private changed = Promise.withResolvers<void>();

  constructor(options: MergedViewOptions) {
    this.options = options;
    this.spec = options.spec;
    this.key = specKey(options.spec);
    for (const cell of options.cells) this.add(cell);
    this.patience = options.clock.after(PATIENCE_MS, () => {
      this.isPatient = false;
      this.note();
    });
  }

  get items(): number {
    return this.graph.items;
  }

  get isStale(): boolean {
    return this.isMade && this.isNoted;
  }

  /** One more cell to show. */
  add(cell: ReadCell): void {
    const { spec, project, clock, timing, maxViewItems, onEvent } = this.options;
    // As of who was shown too much: what a broken cell sends all the same would grow without a reader to give it up.
    if (spec.filters.taskIds?.size === 0) return;
    const part = this.graph.add(cell.name);
    const as: AskedAs = { project, level: spec.detail ?? 'texts' };
    const feed = new CellFeed({
      cell,
      part,
      as,
      clock,
      timing,
      maxItems: maxViewItems,
      request: requestOf(spec),
      onChange: () => this.note(),
      onEvent: (event) => onEvent(this, event),
    });
    this.feeds.set(cell.name, { feed, cell });
    feed.start();
  }

  /** The cell is none any more. */
  remove(name: string): void {
    this.feeds.get(name)?.feed.close();
    this.feeds.delete(name);
    this.graph.remove(name);
    this.note();
  }

  /** Something of it, or of the state of a cell, may be different. */
  note(): void {
    this.isNoted = true;
    this.changed.resolve();
    this.changed = Promise.withResolvers();
    this.options.onChange();
  }

  /** A node that it shows. */
  node(id: string): ExplanationNode | undefined {
    return this.graph.shown(id);
  }

  shows(taskId: string): boolean {
    return this.graph.hasTask(taskId);
  }

  *make(_isOver: IsOver, _bringUpToDate: () => void): Work<void> {
    while (!this.isMade && this.isAwaited) yield this.changed.promise;
    if (this.isMade) return;
    this.graph.settle();
    this.notices = this.noticesNow();
    this.isNoted = false;
    this.isMade = true;
  }

  refresh(timestamp: string): GraphUpdate | undefined {
    if (!this.isStale) return undefined;
    this.isNoted = false;
    const change = this.graph.settle();
    const notices = noticesAfter(this.notices, this.noticesNow());
    this.notices = notices ?? this.notices;
    const { addedNodes, removedNodeIds, addedEdges, removedEdgeIds } = change;
    const items = [addedNodes, removedNodeIds, addedEdges, removedEdgeIds];
    if (!notices && items.every(({ length }) => length === 0)) return undefined;
    return { ...change, timestamp, ...(notices && { notices }) };
  }

  copy(): TaskViews {
    const part = { ...this.graph.copy(), state: undefined, closed: [], inner: [] };
    return new Map([['', new Map([['', part]])]]);
  }

  end(): void {
    this.patience?.cancel();
    // Whoever still waits for it is not wanted any more, and finds out.
    this.isPatient = false;
    this.changed.resolve();
    for (const { feed } of this.feeds.values()) feed.close();
  }

  private get isAwaited(): boolean {
    return this.isPatient && [...this.feeds.values()].some(({ feed }) => !feed.isSettled);
  }

  private noticesNow(): readonly string[] {
    const notices: string[] = [];
    for (const { feed, cell } of this.feeds.values())
      notices.push(...[cell.notice, feed.notice].filter((notice) => notice !== undefined));
    return [...notices.sort(), ...sharedNotices(this.graph.splitTasks())];
  }
}
