import { ChangeIterator } from './change-iterator.ts';
import type { GraphChange, LiveGraphology } from './change-log.ts';
import { ClientError } from './client-error.ts';
import { Emitter } from './emitter.ts';
import { GraphMirror } from './graph-mirror.ts';
import type { ArtifactsEvent } from '../model/reader-messages.ts';
import { sameJson } from './same-json.ts';
import { Session, closedError, type LiveState, type StateEvent } from './session.ts';
import type { Timing } from './timing.ts';
import type { Transport, Verb } from './transport.ts';
import { givenFields } from '../base/given-fields.ts';
import type { Filters, ViewRequest } from './view-request.ts';

/** Verbs that wait for their turn on one graph; more means that somebody doesn't wait for answers. */
const MAX_WAITING_VERBS = 1_000;

export interface SubscribeOptions extends ViewRequest {
  /**
   * Milliseconds for the first snapshot; without it by then, `ready` rejects and the graph closes. Default: it
   * keeps trying.
   */
  readonly giveUpAfterMs?: number;
}

export interface LiveGraphEvents {
  /** The graph is different now: once for each update, after all of it was applied. */
  readonly change: GraphChange;
  /** `notices` are others than before: all that there are now, after the graph has changed. */
  readonly notices: readonly string[];
  readonly state: StateEvent;
  /** Something happened in a task that is shown: `thoughtflow.artifacts`, the files of a session that is over. */
  readonly event: ArtifactsEvent;
  /** Something failed. Unless `state` is `closed`, the next attempt comes by itself. */
  readonly error: ClientError;
}

/**
 * A graph that keeps itself current: `client.subscribe()` makes it.
 *
 * `graph` is one graphology `MultiDirectedGraph` for life. It changes in place, and at any time it is a graph
 * that the service showed, or a part of it: the last snapshot and every update since. While the connection is away it stays as it
 * was; afterwards only the difference is applied. Treat it as read-only.
 *
 * Iterating (`for await (const change of live)`) gives the changes from that moment on. A consumer that is slower than the
 * changes gets several as one (their net difference), so nothing piles up. It ends when the graph is closed, and
 * throws when it failed for good.
 */
export class LiveGraph implements AsyncIterable<GraphChange> {
  /**
   * Resolves when the first snapshot is in `graph`, all of it. Rejects with ClientError when there will be none: the request or the
   * token was refused, nothing of this protocol is at the path, `giveUpAfterMs` is over, or the graph was closed.
   * What may mend itself (nobody listens yet, a proxy's error page) is tried again, told by `error` events.
   */
  readonly ready: Promise<void>;
  private readonly mirror = new GraphMirror();
  private readonly emitter = new Emitter<LiveGraphEvents>();
  private readonly iterators = new Set<ChangeIterator>();
  private readonly session: Session;
  private readonly timing: Timing;
  private isComplete = false;
  /** Those that listeners know. */
  private toldNotices: readonly string[] = [];
  private failure: ClientError | undefined;
  private verbs: Promise<unknown> = Promise.resolve();
  private waitingVerbs = 0;

  /** @internal Use `client.subscribe()`. */
  constructor(transport: Transport, options: SubscribeOptions, timing: Timing, onEnd: () => void) {
    this.timing = timing;
    let resolve: () => void = () => undefined;
    let reject: (error: ClientError) => void = () => undefined;
    this.ready = new Promise<void>((onReady, onFailed) => {
      resolve = onReady;
      reject = onFailed;
    });
    // Who doesn't wait for it hears of it by the `error` event.
    this.ready.catch(() => undefined);
    const told = (change: GraphChange | undefined, isComplete: boolean): void => {
      this.isComplete = isComplete;
      if (isComplete) resolve();
      this.tell(change);
    };
    const { giveUpAfterMs, filters, ...view } = options;
    this.session = new Session({
      transport,
      view: filters === undefined ? view : { ...view, filters: givenFields(filters) },
      timing,
      giveUpAfterMs,
      listener: {
        snapshot: (graph, isComplete) => told(this.mirror.replace(graph), isComplete),
        update: (update, isComplete) => told(this.mirror.update(update), isComplete),
        event: (event) => this.emitter.emit('event', event),
        state: (event) => this.emitter.emit('state', event),
        error: (error) => this.emitter.emit('error', error),
        ended: (error) => {
          this.failure = error;
          reject(error ?? closedError());
          if (error !== undefined) this.emitter.emit('error', error);
          for (const iterator of this.iterators) iterator.end(error);
          this.iterators.clear();
          onEnd();
        },
      },
    });
  }

  /** Node attributes are ExplanationNodes; edge keys are edge ids, edge attributes ExplanationEdges. */
  get graph(): LiveGraphology {
    return this.mirror.graph;
  }

  /** When the service last changed what is shown; ISO 8601; undefined before the first snapshot. */
  get lastUpdated(): string | undefined {
    return this.mirror.lastUpdated;
  }

  /**
   * Sentences for people on what `graph` lacks, as of a cell that does not answer, or is put together of, as of a task in several
   * cells; none where there is nothing to say. A gateway has some at times, a single service never.
   */
  get notices(): readonly string[] {
    return this.mirror.notices;
  }

  /**
   * Is all in `graph` that the service shows? What is large comes in parts, at the beginning and after `updateFilters` or
   * `expandTask`: false until the last of them is in it.
   */
  get complete(): boolean {
    return this.isComplete;
  }

  get state(): LiveState {
    return this.session.state;
  }

  /** The filters in force. */
  get filters(): Filters {
    return this.session.filters;
  }

  /** @returns a function that takes the listener away */
  on<Name extends keyof LiveGraphEvents>(
    name: Name,
    listener: (event: LiveGraphEvents[Name]) => void,
  ): () => void {
    return this.emitter.on(name, listener);
  }

  [Symbol.asyncIterator](): AsyncIterableIterator<GraphChange, undefined> {
    const iterator = new ChangeIterator(this.mirror, (done) => this.iterators.delete(done));
    if (this.state === 'closed') iterator.end(this.failure);
    else this.iterators.add(iterator);
    return iterator;
  }

  /**
   * Replaces the filters. As all verbs here it is done in the order of the calls, waits for a lost connection
   * to come back, and resolves when the service has done it; the difference arrives as a change, about then.
   * @throws ClientError INVALID_ARGUMENT (naming the field), TIMEOUT, CLOSED
   */
  updateFilters(filters: Filters): Promise<void> {
    return this.perform({ type: 'updateFilters', filters: givenFields(filters) });
  }

  /**
   * Shows what a SUMMARY node stands for, for this graph only. It stays open over reconnects; when the service
   * was restarted, it is opened again if it still exists.
   * @throws ClientError NOT_FOUND, TIMEOUT, CLOSED
   */
  expand(nodeId: string): Promise<void> {
    return this.perform({ type: 'expand', nodeId });
  }

  /** The way back, by the id of the SUMMARY or of one of its members. @throws ClientError NOT_FOUND, TIMEOUT, CLOSED */
  collapse(nodeId: string): Promise<void> {
    return this.perform({ type: 'collapse', nodeId });
  }

  /** Shows every node of a task. @throws ClientError NOT_FOUND, TIMEOUT, CLOSED */
  expandTask(taskId: string): Promise<void> {
    return this.perform({ type: 'expandTask', taskId });
  }

  /** Unsubscribes. The graph keeps what it has and changes no more. */
  close(): void {
    this.session.close();
  }

  private tell(change: GraphChange | undefined): void {
    if (change !== undefined) {
      for (const iterator of this.iterators) iterator.wake();
      this.emitter.emit('change', change);
    }
    const { notices } = this.mirror;
    if (sameJson(notices, this.toldNotices)) return;
    this.toldNotices = notices;
    this.emitter.emit('notices', notices);
  }

  private perform(verb: Verb): Promise<void> {
    if (this.state === 'closed') return Promise.reject(closedError());
    if (this.waitingVerbs >= MAX_WAITING_VERBS) {
      const message = `${MAX_WAITING_VERBS} changes of this view are waiting: await them before asking for more`;
      return Promise.reject(new ClientError('RESOURCE_EXHAUSTED', message));
    }
    const turn = this.performAfter(this.verbs, verb);
    this.verbs = turn.catch(() => undefined);
    return turn;
  }

  private async performAfter(earlier: Promise<unknown>, verb: Verb): Promise<void> {
    this.waitingVerbs += 1;
    try {
      await earlier;
      await this.performWithin(verb);
    } finally {
      this.waitingVerbs -= 1;
    }
  }

  private performWithin(verb: Verb): Promise<void> {
    const { scheduler, answerTimeoutMs } = this.timing;
    return new Promise((resolve, reject) => {
      let abandoned = false;
      const timer = scheduler.after(answerTimeoutMs, () => {
        abandoned = true;
        const message = `${verb.type} was not done within ${answerTimeoutMs} ms: the service is not reached; try again when \`state\` is live`;
        reject(new ClientError('TIMEOUT', message));
      });
      this.session
        .perform(verb, () => abandoned)
        .then(resolve, reject)
        .finally(() => timer.cancel());
    });
  }
}
