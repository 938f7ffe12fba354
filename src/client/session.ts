import type { ExplanationGraph, GraphUpdate } from '../model/node.ts';
import type { ArtifactsEvent, ServerFrame } from '../model/reader-messages.ts';
import { ClientError, isTransient } from './client-error.ts';
import { Expansions } from './expansions.ts';
import { HeldGraph } from './held-graph.ts';
import { Backoff, type Timing } from './timing.ts';
import type { Feed, Transport, Verb } from './transport.ts';
import type { Filters, ViewRequest } from './view-request.ts';

/** A connection that has held for so long starts its waits from the beginning when it is lost. */
const STABLE_MS = 5_000;
/** Of a fresh graph that is held beside the one that is shown: more than a service of some gigabytes has in memory. */
const MAX_UNSHOWN_ITEMS = 4_000_000;

/**
 * - `connecting`: the subscription is being opened or taken up again.
 * - `live`: the graph is kept current.
 * - `waiting`: the connection is lost; the next attempt comes by itself. The graph stays as it was.
 * - `closed`: nothing changes any more.
 */
export type LiveState = 'connecting' | 'live' | 'waiting' | 'closed';

export interface StateEvent {
  readonly state: LiveState;
  /** On `waiting`: milliseconds until the next attempt. */
  readonly retryInMs?: number;
  /** On `live`: it goes on where it was. Without it the graph is a fresh one. */
  readonly resumed?: true;
}

/** @param isComplete false where more of the graph, or of what the update is about, is on its way */
export interface SessionListener {
  /** The graph is now this one. */
  snapshot(graph: ExplanationGraph, isComplete: boolean): void;
  update(update: GraphUpdate, isComplete: boolean): void;
  /** Something happened in a task that is shown. */
  event(event: ArtifactsEvent): void;
  state(event: StateEvent): void;
  /** Something failed; the session goes on by itself. */
  error(error: ClientError): void;
  /** The last call. @param error why it ended by itself; undefined when it was closed */
  ended(error: ClientError | undefined): void;
}

type UpdateFrame = Extract<ServerFrame, { readonly type: 'update' }>;

export interface SessionOptions {
  readonly transport: Pick<Transport, 'openFeed'>;
  readonly view: ViewRequest;
  readonly timing: Timing;
  readonly listener: SessionListener;
  /** Ends when the first snapshot has not come by then. */
  readonly giveUpAfterMs: number | undefined;
  /** Nodes and edges of a fresh graph that comes in parts after a loss; beyond, it ends with TOO_LARGE. 4,000,000 if absent. */
  readonly maxUnshownItems?: number;
}

/**
 * Keeps one subscription going, whatever happens to its connections: takes it up where it was, or begins afresh
 * where that is not possible, so that the listener is always told of one consistent graph.
 */
export class Session {
  private readonly options: SessionOptions;
  private readonly backoff: Backoff;
  private readonly expansions = new Expansions();
  private view: ViewRequest;
  private current: LiveState = 'connecting';
  /** Rises whenever what was under way is not any more: answers to an earlier epoch mean nothing. */
  private epoch = 0;
  private feed: Feed | undefined;
  /** Where to go on. */
  private position: { readonly subscriptionId: string; sequence: number } | undefined;
  /** A fresh graph that is not shown before it is complete and the expansions are made again on it. */
  private unshown: HeldGraph | undefined;
  private toReopen: readonly Verb[] = [];
  private isReopening = false;
  /** Parts of what the service shows are on their way. */
  private isPartial = false;
  private isResumed = false;
  private restarts = 0;
  private everLive = false;
  private lastError: ClientError | undefined;
  private timer: { cancel(): void } | undefined;
  private giveUpTimer: { cancel(): void } | undefined;
  private waiters: (() => void)[] = [];

  constructor(options: SessionOptions) {
    this.options = options;
    this.view = options.view;
    this.backoff = new Backoff(options.timing);
    const { giveUpAfterMs, timing } = options;
    if (giveUpAfterMs !== undefined) {
      this.giveUpTimer = timing.scheduler.after(giveUpAfterMs, () => this.giveUp(giveUpAfterMs));
    }
    this.open();
  }

  get state(): LiveState {
    return this.current;
  }

  get filters(): Filters {
    return this.view.filters ?? {};
  }

  /** Does it as soon as the session is live, and again when the connection is lost meanwhile: verbs can be repeated. */
  async perform(verb: Verb, abandoned: () => boolean): Promise<void> {
    while (!abandoned()) {
      const { epoch, feed, position } = this;
      if (this.current === 'closed') throw closedError();
      if (this.current !== 'live' || feed === undefined || position === undefined) {
        await this.change();
        continue;
      }
      try {
        await feed.perform(position.subscriptionId, verb);
        if (epoch === this.epoch) return this.done(verb);
      } catch (thrown) {
        const error = ClientError.from(thrown);
        if (epoch !== this.epoch) continue;
        if (error.code === 'TIMEOUT') this.reconnect(error);
        if (error.code !== 'UNREACHABLE') throw error;
        // The stream will notice as well.
        await this.change();
      }
    }
  }

  close(): void {
    this.end(undefined);
  }

  private done(verb: Verb): void {
    if (verb.type === 'updateFilters') this.view = { ...this.view, filters: verb.filters };
    else this.expansions.remember(verb);
  }

  private open(): void {
    const epoch = this.nextEpoch();
    const resumed = this.position;
    const ifCurrent = (action: () => void) => {
      if (epoch === this.epoch) action();
    };
    // Taken up again, it says what to show in any case: a verb without an answer may have been done or not.
    const where =
      resumed === undefined
        ? {}
        : { filters: this.filters, subscriptionId: resumed.subscriptionId, resumeFrom: resumed.sequence };
    this.feed = this.options.transport.openFeed(
      { ...this.view, ...where },
      {
        frame: (frame) => ifCurrent(() => this.tryTo(() => this.take(frame))),
        ended: (error) => ifCurrent(() => this.lost(error)),
      },
    );
    this.enter('connecting');
  }

  /** A listener of the graph itself may throw in the middle of an update: a fresh graph mends what is left. */
  private tryTo(action: () => void): void {
    try {
      action();
    } catch (error) {
      this.options.listener.error(ClientError.from(error));
      if (this.current !== 'closed') this.startAfresh();
    }
  }

  private take(frame: ServerFrame): void {
    switch (frame.type) {
      case 'subscribed':
        this.position = { subscriptionId: frame.subscriptionId, sequence: frame.sequence };
        this.isResumed = false;
        return this.takeGraph(frame.graph, frame.partial === true);
      case 'resumed':
        this.isResumed = true;
        return this.isPartial ? undefined : this.goLive();
      case 'update':
        return this.takeUpdate(frame);
      case 'event':
        return this.options.listener.event({
          name: frame.name,
          session_id: frame.session_id,
          url_json: frame.url_json,
          url_d2: frame.url_d2,
        });
      case 'snapshotNeeded':
        return this.startAfresh();
    }
  }

  /** Who has seen nothing yet sees it grow; who has, sees the difference when all of it is there. */
  private takeGraph(graph: ExplanationGraph, isPartial: boolean): void {
    this.isPartial = isPartial;
    if (isPartial && !this.everLive) return this.options.listener.snapshot(graph, false);
    this.unshown = new HeldGraph(graph);
    if (this.isTooMuch(this.unshown)) return;
    this.toReopen = this.expansions.toRepeat(graph);
    this.isReopening = false;
    this.reopen();
  }

  private takeUpdate({ sequence, update, partial, complete }: UpdateFrame): void {
    const { position } = this;
    if (position === undefined || sequence > position.sequence + 1) return this.startAfresh();
    // Seen before: a service may send again what it isn't sure has arrived.
    if (sequence <= position.sequence) return;
    position.sequence = sequence;
    this.isPartial = partial === true || (this.isPartial && complete !== true);
    if (this.unshown) {
      this.unshown.update(update);
      if (!this.isTooMuch(this.unshown)) this.reopen();
      return;
    }
    const { epoch } = this;
    this.options.listener.update(update, !this.isPartial);
    if (epoch === this.epoch && this.current === 'connecting' && !this.isPartial) this.goLive();
  }

  /** Opens what the user had opened, one after the other, each on a complete graph, and shows the graph then. */
  private reopen(): void {
    const { feed, position, epoch } = this;
    if (this.unshown === undefined || this.isPartial || this.isReopening) return;
    const [next, ...rest] = this.toReopen;
    if (next === undefined) return this.show(this.unshown);
    if (feed === undefined || position === undefined) return;
    this.toReopen = rest;
    this.isReopening = true;
    const goOn = (): void => {
      if (epoch !== this.epoch) return;
      this.isReopening = false;
      this.tryTo(() => this.reopen());
    };
    // What was opened may be gone since; a lost connection changes the epoch.
    feed.perform(position.subscriptionId, next).then(goOn, goOn);
  }

  /** A service that sends without an end what is to be shown at its end would fill the memory. */
  private isTooMuch({ items }: HeldGraph): boolean {
    const { maxUnshownItems = MAX_UNSHOWN_ITEMS } = this.options;
    if (items <= maxUnshownItems) return false;
    const message = `the graph has more than ${maxUnshownItems} nodes and edges: narrow the filters, or leave tasks collapsed`;
    this.end(new ClientError('TOO_LARGE', message));
    return true;
  }

  private show(unshown: HeldGraph): void {
    const { epoch } = this;
    this.unshown = undefined;
    this.options.listener.snapshot(unshown.content, true);
    if (epoch === this.epoch) this.goLive();
  }

  private goLive(): void {
    this.everLive = true;
    this.giveUpTimer?.cancel();
    this.after(STABLE_MS, () => {
      this.backoff.reset();
      this.restarts = 0;
    });
    this.enter('live');
  }

  /** What is held can't be continued. A second time in a row it waits, so that two broken ends don't race. */
  private startAfresh(): void {
    const { feed, position } = this;
    this.feed = undefined;
    this.position = undefined;
    this.restarts += 1;
    if (this.restarts === 1) this.open();
    else this.wait();
    // Last, so that the connection is never without a use.
    feed?.close(position?.subscriptionId);
  }

  /** What the service shows is not known any more: taken up again, it is told. */
  private reconnect(error: ClientError): void {
    this.feed?.close(undefined);
    this.lost(error);
  }

  private lost(error: ClientError): void {
    this.feed = undefined;
    this.lastError = error;
    if (!this.everLive && !isTransient(error)) return this.end(error);
    this.options.listener.error(error);
    // The listener may have closed it.
    if (this.current !== 'closed') this.wait();
  }

  private wait(): void {
    this.nextEpoch();
    const delayMs = this.backoff.next();
    this.after(delayMs, () => this.open());
    this.enter('waiting', delayMs);
  }

  private giveUp(afterMs: number): void {
    const why = this.lastError;
    const message = `no graph after ${afterMs} ms: ${why?.message ?? 'the service does not answer'}`;
    this.end(new ClientError(why?.code ?? 'TIMEOUT', message));
  }

  private end(error: ClientError | undefined): void {
    if (this.current === 'closed') return;
    this.feed?.close(this.position?.subscriptionId);
    this.feed = undefined;
    this.nextEpoch();
    this.giveUpTimer?.cancel();
    this.enter('closed');
    this.options.listener.ended(error);
  }

  private nextEpoch(): number {
    this.timer?.cancel();
    // A graph that nobody has seen can't be gone on with.
    if (this.unshown !== undefined) this.position = undefined;
    this.unshown = undefined;
    return ++this.epoch;
  }

  private after(delayMs: number, task: () => void): void {
    this.timer?.cancel();
    this.timer = this.options.timing.scheduler.after(delayMs, task);
  }

  private enter(state: LiveState, retryInMs?: number): void {
    if (this.current === 'closed') return;
    const isNews = state !== this.current || state === 'waiting';
    this.current = state;
    const { waiters } = this;
    this.waiters = [];
    for (const wake of waiters) wake();
    if (!isNews) return;
    const isResumed = state === 'live' && this.isResumed;
    this.options.listener.state({
      state,
      ...(retryInMs !== undefined && { retryInMs }),
      ...(isResumed && { resumed: true }),
    });
  }

  /** Resolves when the state is entered next. */
  private change(): Promise<void> {
    return new Promise((resolve) => this.waiters.push(resolve));
  }
}

export function closedError(): ClientError {
  return new ClientError('CLOSED', 'the subscription is closed; open another with client.subscribe()');
}
