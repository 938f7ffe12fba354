import type { Clock } from '../base/clock.ts';
import type { FairShares, Share } from '../base/fair-shares.ts';
import { Pace } from '../base/pace.ts';
import { Correlator, type CorrelatorOptions } from '../correlation/correlator.ts';
import type { ReduceFacts } from '../correlation/read-record.ts';
import { overridden, type OverrideWays } from '../correlation/overrides.ts';
import type { Journal } from '../correlation/journal.ts';
import { CausalGraph } from '../graph/causal-graph.ts';
import type { ChangeLog } from '../graph/change-log.ts';
import type { Facts, MarkerOriginals, OverrideFacts, StepTexts } from '../model/facts.ts';
import { broughtUnder, type SourceKey } from '../model/source-key.ts';
import type { Tie } from '../model/ties.ts';
import type { ExplanationGraph, ExplanationNode } from '../model/node.ts';
import type { ShownMarkers } from '../redaction/shown-markers.ts';
import { Visibility, type Brought, type Seen } from '../redaction/visibility.ts';
import { restore } from '../redaction/vault/restore.ts';
import type { FoldLimits } from '../pruning/fold.ts';
import { TaskFolds } from '../pruning/task-folds.ts';
import type { TextStore } from '../storage/text-store.ts';
import { Reader } from '../subscriptions/reader.ts';
import type { Archive } from '../subscriptions/recall/archive.ts';
import type { TaskArchive } from '../subscriptions/task-list.ts';
import { MAX_KEPT, Recall } from '../subscriptions/recall/recall.ts';
import type { Decorate } from '../subscriptions/compute-view.ts';
import type { GraphMakerOptions } from '../subscriptions/graph-maker.ts';
import type { SubscriptionLimits } from '../subscriptions/subscriptions.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { OwnMetrics } from '../telemetry/own-metrics.ts';
import { Comebacks, type TiedArchive } from './comebacks.ts';
import { LeavingNodes, type LeftNode } from './leaving-nodes.ts';
import { Publisher, type PublishingLimits } from './publisher.ts';
import { Retention, type PruneStats, type RetentionLimits } from './retention.ts';

/** A node that left memory, and the records behind it. */
export interface LeavingNode extends LeftNode {
  /** By source key, the weakest texts first. */
  readonly sources: readonly string[];
  /** Where texts of it are that came with records behind other nodes; absent where none are. */
  readonly borrowed?: readonly SourceKey[];
  /** By which what comes later finds it. */
  readonly ties: readonly Tie[];
  /** The node is without what this shows. */
  readonly override?: OverrideFacts;
}

export interface EngineOptions
  extends
    FoldLimits,
    RetentionLimits,
    PublishingLimits,
    Omit<SubscriptionLimits, 'maxViewItems'>,
    Pick<GraphMakerOptions, 'partItems' | 'largeViewItems'> {
  readonly clock: Clock;
  /** How long work is cut into pieces. One of its own if absent. */
  readonly pace?: Pace | undefined;
  readonly metrics: OwnMetrics;
  readonly logger: Logger;
  readonly texts: TextStore;
  /** Sees that `texts` has those of these sources; absent where it always has. */
  readonly loadTexts?: ((sources: readonly string[]) => Promise<void>) | undefined;
  readonly decorate: Decorate;
  /** Whose thoughts readers see how much of. All of them if absent. */
  readonly visibility?: { readonly [agent: string]: Seen } | undefined;
  /** What is kept of facts, instead of all of them. */
  readonly reduce?: ReduceFacts | undefined;
  /** Where records are kept before they change anything. */
  readonly journal?: Journal | undefined;
  /** Where they can be read again. */
  readonly archive?: (Archive & TaskArchive & TiedArchive) | undefined;
  /** Can what leaves memory be written? Always if absent. */
  readonly canKeep?: (() => boolean) | undefined;
  /** Told when tasks were folded anew, and of what left memory, for the `explain.prune` span. */
  readonly onPrune?: (stats: PruneStats) => void;
  /** Nodes and edges that all views may hold. By `maxMemoryBytes` if absent. */
  readonly maxViewItems?: number;
  /** Of what a service alone may hold for views, and of archived nodes for readers, so much. All of it if absent. */
  readonly part?: number | undefined;
  /** Users' own rules for the types of steps. */
  readonly typeRules?: CorrelatorOptions['typeRules'];
  /** Draw edges that nothing but time speaks for. */
  readonly inferEdges?: boolean | undefined;
}

/** What a node takes without long texts, about: there has to be room for what comes back. */
const BYTES_PER_NODE = 4000;
/**
 * All views together may hold one node or edge for so many bytes of `maxMemoryBytes`, and `ARCHIVED_ITEMS` for what left
 * memory: by default a million, which is more than there is to see. Each takes some 50 bytes, edges over hidden nodes 250.
 */
const BYTES_PER_VIEW_ITEM = 640;
const ARCHIVED_ITEMS = 500_000;

/** The stages between the redaction door and the servers, wired: correlation, graph, folding, subscriptions. */
export class Engine {
  readonly graph = new CausalGraph();
  readonly correlator: Correlator;
  readonly reader: Reader;
  private readonly folds: TaskFolds;
  private readonly recall: Recall | undefined;
  private readonly comebacks: Comebacks | undefined;
  private readonly retention: Retention;
  private readonly leaving: LeavingNodes;
  private readonly publisher: Publisher;
  private readonly options: EngineOptions;
  private readonly pace: Pace;
  private readonly changeListeners: ((tasks: Iterable<string>, log: ChangeLog) => void)[] = [];
  private readonly leavingListeners: ((nodes: readonly LeavingNode[]) => void)[] = [];
  /** How many edges that would close a cycle were reported. */
  private leftOut = 0;
  private openOverride: OverrideWays['open'] = () => undefined;
  private markers: ShownMarkers | undefined;
  private readonly visibility: Visibility;
  private isHeldBack: (requestId: string) => boolean = () => false;
  /** How often nodes left memory. */
  private timesLeft = 0;
  /** Of the memory that several have together. */
  private memory: Share | undefined;

  constructor(options: EngineOptions) {
    this.options = options;
    const { clock, texts } = options;
    this.pace = options.pace ?? new Pace(clock);
    this.visibility = new Visibility(options.visibility);
    const { visibility } = this;
    this.folds = new TaskFolds(
      this.graph,
      options,
      clock,
      () => this.takeChanges(),
      () => this.publisher.schedule(),
    );
    this.leaving = new LeavingNodes(this.graph);
    this.comebacks = options.archive && this.comebacksFrom(options.archive);
    this.correlator = new Correlator({
      graph: this.leaving,
      journal: options.journal,
      left: this.comebacks,
      texts,
      clock,
      pace: this.pace,
      onBatch: (receivedAt) => this.batchTaken(receivedAt),
      follow: () => this.publisher.followed(),
      room: () => this.publisher.room,
      reduce: options.reduce,
      visible: visibility.isFull
        ? undefined
        : {
            node: (node) => visibility.node(node),
            hasSteps: (agent) => visibility.of(agent) === 'full',
          },
      maxCoTDepth: options.maxCoTDepth,
      inferEdges: options.inferEdges,
      typeRules: options.typeRules,
      overrides: {
        open: (facts) => this.openOverride(facts),
        shown: (taskId, value) => this.markers?.shown(taskId, value) ?? value,
        restore: (taskId, value, originals) => this.restored(taskId, value, originals),
        ownId: (id) => this.markers?.id(id) ?? id,
      },
    });
    this.retention = new Retention(this.correlator, this.graph, {
      ...options,
      pace: this.pace,
      takeOut: (ids) => this.takeOut(ids),
      memoryLimit: () => this.memoryLimit,
      onChange: () => this.publisher.schedule(),
    });
    const { correlator } = this;
    this.recall = options.archive && this.recallFrom(options.archive);
    this.reader = new Reader({
      ...options,
      recall: this.recall,
      taskArchive: options.archive,
      source: { graph: this.graph, folds: this.folds },
      sources: {
        sourcesOf: (id) =>
          broughtUnder(correlator.sources.of(id), (key) => texts.get(key)).map((brought) =>
            this.shown(id, brought),
          ),
        thoughtOf: (id) => this.shownTexts(id, correlator.sources.thoughtOf(id)),
      },
      loadTexts:
        options.loadTexts &&
        (async (ids) =>
          options.loadTexts?.(ids.flatMap((id) => correlator.sources.of(id).map(({ key }) => key)))),
      limits: options,
      bringUpToDate: () => this.publisher.settle(),
      prune: async (olderThanMs) => {
        const pruned = await this.retention.prune(olderThanMs);
        // Whoever prunes relies on it that all readers know.
        await this.publisher.told();
        return pruned;
      },
      maxViewItems:
        options.maxViewItems ??
        (ARCHIVED_ITEMS + options.maxMemoryBytes / BYTES_PER_VIEW_ITEM) * (options.part ?? 1),
      pace: this.pace.of('readers'),
    });
    const { graph, folds, reader, recall, pace } = this;
    this.publisher = new Publisher({
      ...options,
      graph,
      folds,
      reader,
      recall,
      pace,
      onPublished: () => this.report(),
    });
  }

  /** Registers a listener for nodes that are evicted, each with the keys of its records. */
  onLeaving(listener: (nodes: readonly LeavingNode[]) => void): void {
    this.leavingListeners.push(listener);
  }

  /** Registers a listener for tasks in which something is another, with what that is. */
  onChanged(listener: (tasks: Iterable<string>, log: ChangeLog) => void): void {
    this.changeListeners.push(listener);
  }

  /** From now on `maxMemoryBytes` is what several have together. */
  shareMemory(shares: FairShares): void {
    const used = (): number => this.correlator.bytes;
    this.memory = shares.join({ used, makeRoom: () => this.retention.holdMemory() });
  }

  /** Starts what happens by time alone: archiving, abandoning, the memory limit. */
  start(): void {
    this.retention.start();
  }

  stop(): void {
    this.publisher.stop();
    this.retention.stop();
    this.memory?.leave();
  }

  /** Resolves when all readers were told what has changed until now. */
  told(): Promise<void> {
    return this.publisher.told();
  }

  /** Publishes what has changed since the last time. All of it at once: whoever asks sees the graph as it is. */
  flush(): void {
    this.publisher.flush();
  }

  /** Tells all stages what changed in the graph. @returns the same for folding, which asks */
  private takeChanges(): ChangeLog | undefined {
    if (!this.graph.hasChanged) return undefined;
    const { metrics } = this.options;
    const { log, tasks, nodesCreated, edgesCreated } = this.graph.takeChanges();
    this.recall?.follow(log);
    this.retention.touched(tasks);
    this.publisher.changed(tasks);
    for (const listener of this.changeListeners) listener(tasks, log);
    if (nodesCreated > 0) metrics.nodesCreated(nodesCreated);
    if (edgesCreated > 0) metrics.edgesCreated(edgesCreated);
    return log;
  }

  /** An administrator has had a node's originals shown, or hidden again. */
  override(facts: OverrideFacts): void {
    this.correlator.override(facts);
    this.publisher.schedule();
  }

  /**
   * Set before anything is taken in or restored; without it readers see what is kept.
   * @param open what an override shows; undefined when it cannot be opened any more
   */
  showBy(markers: ShownMarkers, open: OverrideWays['open']): void {
    this.markers = markers;
    this.openOverride = open;
  }

  /** The whole graph as it may lie on the disk: what overrides show is hidden. */
  get hiddenGraph(): Pick<ExplanationGraph, 'nodes' | 'edges'> {
    const { nodes, edges } = this.graph.everything();
    return { nodes: nodes.map((node) => this.correlator.overrides.hidden(node)), edges };
  }

  /** Takes what was kept over a restart, room made for it. Resolves when folding has followed as well. */
  async replay(facts: Iterable<Facts>): Promise<void> {
    await this.correlator.replay(facts);
    this.holdMemory();
    await this.publisher.followed();
  }

  /** Takes nodes out of memory, and tells who keeps them. @returns how many of them were there */
  takeOut(ids: readonly string[]): number {
    this.correlator.settle();
    const { sources } = this.correlator;
    const kept = new Map(ids.map((id) => [id, { sources: sources.keysOf(id), ties: sources.tiesOf(id) }]));
    const borrowed = new Map(
      ids.flatMap((id) => sources.madeFrom(id)).map((id) => [id, sources.borrowedBy(id)] as const),
    );
    const overrides = this.correlator.overridesBehind(ids);
    let count = 0;
    const left = this.leaving.during(() => {
      count = this.correlator.evict(ids);
    });
    this.recall?.keep(left);
    this.reader.left(left.map(({ node }) => node));
    if (left.length > 0) this.timesLeft++;
    const evicted = left.map((of) => {
      const { sources = [], ties = [] } = kept.get(of.node.id) ?? {};
      // What was made from a node goes and comes with it.
      const owner = kept.get(String(of.node.details?.['partOf']));
      const texts = borrowed.get(of.node.id) ?? [];
      const override = overrides.get(of.node.id);
      return {
        ...of,
        node: this.correlator.overrides.hidden(of.node),
        ...(override && { override }),
        sources,
        ...(texts.length > 0 && { borrowed: texts }),
        ties: sources.length > 0 ? ties : (owner?.ties ?? []),
      };
    });
    for (const listener of this.leavingListeners) listener(evicted);
    return count;
  }

  /** Resolves when the archived nodes that readers ask for are there. */
  async recalled(): Promise<void> {
    await this.recall?.settled();
  }

  /** @param isHeldBack whether the end of a request's thought must not be shown yet */
  holdEnds(isHeldBack: (requestId: string) => boolean): void {
    this.isHeldBack = isHeldBack;
  }

  /** Nothing of these tasks comes back into memory during the work. */
  async withoutComebacks<T>(tasks: readonly string[], work: () => Promise<T>): Promise<T> {
    return this.comebacks ? this.comebacks.without(tasks, work) : work();
  }

  /** Nothing at all comes back during the work; records that something would come back for wait for it. */
  async betweenComebacks<T>(work: () => Promise<T>): Promise<T> {
    return this.comebacks ? this.comebacks.between(work) : work();
  }

  /** What comes from now on waits for nothing that left memory. To be called when the service begins to stop. */
  bringNothingBack(): void {
    this.comebacks?.stop();
  }

  /** These tasks were erased, wherever they were. */
  forget(tasks: readonly string[]): void {
    this.recall?.forget(tasks);
    this.reader.forget(tasks);
  }

  private comebacksFrom(archive: TiedArchive): Comebacks {
    const { logger } = this.options;
    return new Comebacks({
      archive,
      room: () => {
        const bytes = Math.max(0, this.memoryLimit - this.correlator.bytes);
        return { nodes: Math.floor(bytes / BYTES_PER_NODE), bytes };
      },
      timesLeft: () => this.timesLeft,
      isHeldBack: (requestId) => this.isHeldBack(requestId),
      onBack: ({ ids, tasks }) => {
        this.recall?.returned(ids);
        this.reader.back(tasks);
      },
      logger,
    });
  }

  private recallFrom(archive: Archive): Recall {
    const { clock, logger, part = 1 } = this.options;
    return new Recall({
      maxKept: MAX_KEPT * part,
      live: { graph: this.graph, folds: this.folds },
      archive,
      limits: this.options,
      clock,
      pace: this.pace,
      logger,
      onChange: () => this.publisher.schedule(),
    });
  }

  /** What belongs to a node in memory, as readers see it. */
  shown<T extends Brought>(nodeId: string, brought: T): T {
    const node = this.graph.node(nodeId);
    const shown = this.shownIn(node?.taskId ?? '', brought, this.correlator.overrideOf(nodeId));
    return this.visibility.brought(node, shown);
  }

  /** The same of its texts. */
  shownTexts(nodeId: string, texts: StepTexts): StepTexts {
    return this.shown(nodeId, { texts }).texts;
  }

  /** What belongs to a node that left memory, as readers see it. */
  shownOfLeft<T extends Brought>(node: ExplanationNode, brought: T, facts: OverrideFacts | undefined): T {
    const shown = this.shownIn(node.taskId, brought, facts && this.openOverride(facts));
    return this.visibility.brought(node, shown);
  }

  /** A node that left memory, as readers see it. @param facts what an administrator has had shown of it */
  leftNode(node: ExplanationNode, facts: OverrideFacts | undefined): ExplanationNode {
    const visible = this.visibility.node(node);
    const originals = facts && this.openOverride(facts);
    if (!originals) return visible;
    return overridden(visible, originals, (taskId, value) => this.restored(taskId, value, originals));
  }

  private shownIn<T>(taskId: string, value: T, originals: MarkerOriginals | undefined): T {
    const hidden = this.markers?.shown(taskId, value) ?? value;
    return originals ? this.restored(taskId, hidden, originals) : hidden;
  }

  private restored<T>(taskId: string, value: T, originals: MarkerOriginals): T {
    const forms = Object.entries(originals).flatMap(([tag, original]) =>
      (this.markers?.forms(taskId, tag) ?? [tag]).map((marker) => [marker, original] as const),
    );
    return restore(value, new Map(forms));
  }

  private batchTaken(receivedAt: number): void {
    this.publisher.taken(receivedAt);
    this.holdMemory();
  }

  private get memoryLimit(): number {
    return this.memory?.limit ?? this.options.maxMemoryBytes;
  }

  private holdMemory(): void {
    this.retention.holdMemory();
    this.memory?.grew();
  }

  /** What was folded, and left out, since the last time. */
  private report(): void {
    const { metrics, logger, onPrune } = this.options;
    const { nodesFolded, edgesFolded, latencyMs } = this.folds.takeStats();
    if (nodesFolded > 0)
      onPrune?.({ nodesPrunedCount: nodesFolded, edgesPrunedCount: edgesFolded, pruneLatencyMs: latencyMs });
    const edges = this.graph.edgesLeftOut - this.leftOut;
    this.leftOut = this.graph.edgesLeftOut;
    if (edges <= 0) return;
    metrics.cyclesAvoided(edges);
    logger.warn({ edges }, 'edges left out: they would close a cycle');
  }
}
