import { ManualClock } from '../../src/base/clock.ts';
import { ClientError } from '../../src/client/client-error.ts';
import { LiveGraph, type SubscribeOptions } from '../../src/client/live-graph.ts';
import { DEFAULT_TIMING, type Timing } from '../../src/client/timing.ts';
import type { Feed, FeedListener, FeedRequest, Transport, Verb } from '../../src/client/transport.ts';
import type {
  ExplanationEdge,
  ExplanationGraph,
  ExplanationNode,
  GraphUpdate,
} from '../../src/model/node.ts';

/** One attempt, as the test drives it. */
export class FakeFeed implements Feed {
  readonly request: FeedRequest;
  readonly listener: FeedListener;
  readonly verbs: { readonly verb: Verb; settle(error?: ClientError): void }[] = [];
  closed = false;
  unsubscribed: string | undefined;

  constructor(request: FeedRequest, listener: FeedListener) {
    this.request = request;
    this.listener = listener;
  }

  perform(_subscriptionId: string, verb: Verb): Promise<void> {
    return new Promise((resolve, reject) => {
      this.verbs.push({ verb, settle: (error) => (error === undefined ? resolve() : reject(error)) });
    });
  }

  close(unsubscribe: string | undefined): void {
    this.closed = true;
    this.unsubscribed = unsubscribe;
  }

  subscribed(subscriptionId: string, sequence: number, ...names: readonly string[]): void {
    this.listener.frame({ type: 'subscribed', subscriptionId, sequence, graph: graphOf(...names) });
  }

  resumed(): void {
    const { resumeFrom = 0 } = this.request;
    this.listener.frame({ type: 'resumed', subscriptionId: 's', sequence: resumeFrom });
  }

  /** The first part of a graph. */
  begun(subscriptionId: string, ...names: readonly string[]): void {
    const graph = graphOf(...names);
    this.listener.frame({ type: 'subscribed', subscriptionId, sequence: 0, partial: true, graph });
  }

  update(
    sequence: number,
    update: Partial<GraphUpdate>,
    place: { readonly partial?: true; readonly complete?: true } = {},
  ): void {
    this.listener.frame({
      type: 'update',
      subscriptionId: 's',
      sequence,
      ...place,
      update: updateOf(update),
    });
  }

  lose(code: ConstructorParameters<typeof ClientError>[0] = 'UNREACHABLE'): void {
    this.listener.ended(new ClientError(code, 'lost by the test'));
  }
}

/** A live graph on a transport and a clock that a test moves by hand. */
export function fakeScene(options: SubscribeOptions = {}, timing: Partial<Timing> = {}) {
  const clock = new ManualClock();
  const feeds: FakeFeed[] = [];
  const timers = new Set<object>();
  const scheduler = {
    after(delayMs: number, task: () => void) {
      const timer = clock.after(delayMs, () => {
        timers.delete(timer);
        task();
      });
      timers.add(timer);
      return {
        cancel: () => {
          timers.delete(timer);
          timer.cancel();
        },
      };
    },
  };
  const transport = {
    openFeed(request: FeedRequest, listener: FeedListener) {
      const feed = new FakeFeed(request, listener);
      feeds.push(feed);
      return feed;
    },
  } as unknown as Transport;
  const whole = { ...DEFAULT_TIMING, scheduler, random: () => 1, ...timing };
  const live = new LiveGraph(transport, options, whole, () => undefined);
  const told: string[] = [];
  live.on('change', ({ nodes }) => {
    told.push(...nodes.added.map(({ id }) => `+${id}`));
    told.push(...nodes.changed.map(({ id }) => `~${id}`));
    told.push(...nodes.removed.map(({ id }) => `-${id}`));
  });
  const errors: string[] = [];
  live.on('error', ({ code }) => errors.push(code));
  const feed = (): FakeFeed => {
    const last = feeds.at(-1);
    if (last === undefined) throw new Error('no feed was opened');
    return last;
  };
  return { clock, timers, feeds, feed, live, told, errors };
}

/** Lets promises that are settled do their work. */
export async function settled(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

export function node(id: string, fields: Partial<ExplanationNode> = {}): ExplanationNode {
  return {
    id,
    timestamp: '2025-06-20T14:00:00.000Z',
    agent: 'CoderAgent',
    type: 'OTHER',
    name: id,
    title: id,
    taskId: 't',
    state: 'ENDED',
    status: 'OK',
    ...fields,
  };
}

export function edge(from: string, to: string, fields: Partial<ExplanationEdge> = {}): ExplanationEdge {
  return { id: `${from}>${to}`, from, to, relation: 'NEXT_STEP', evidence: 'parentSpanId', ...fields };
}

export function graphOf(...names: readonly string[]): ExplanationGraph {
  return { nodes: names.map((name) => node(name)), edges: [], lastUpdated: '2025-06-20T14:00:00.000Z' };
}

export function updateOf(update: Partial<GraphUpdate>): GraphUpdate {
  return {
    addedNodes: [],
    removedNodeIds: [],
    addedEdges: [],
    removedEdgeIds: [],
    timestamp: '2025-06-20T14:00:01.000Z',
    ...update,
  };
}
