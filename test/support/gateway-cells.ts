import type { JsonObject } from '../../src/base/json.ts';
import { frameOf } from '../../src/client/grpc-messages.ts';
import { keepingNodes } from '../../src/client/told-frame.ts';
import { encodeFrame } from '../../src/servers/grpc/encode-frame.ts';
import type { ManualClock } from '../../src/base/clock.ts';
import { Pace } from '../../src/base/pace.ts';
import { ReadCell } from '../../src/gateway/cells/read-cell.ts';
import { GatewaySubscriptions } from '../../src/gateway/views/gateway-subscriptions.ts';
import type { SafeRecord } from '../../src/model/pipeline.ts';
import type { Engine } from '../../src/service/engine.ts';
import { noMetrics } from '../../src/telemetry/own-metrics.ts';
import { codecOf } from './explain-proto.ts';
import { makeEngine } from './make-engine.ts';
import { StoreModel } from './store-model.ts';
import { batchOf } from './world.ts';
import { BoundaryError } from '../../src/base/boundary-error.ts';
import { ClientError } from '../../src/client/client-error.ts';
import type { Feed, FeedListener, FeedRequest, Transport, Verb } from '../../src/client/transport.ts';
import type { AskedAs } from '../../src/gateway/cells/asked-as.ts';
import type { ReaderApi, SubscriptionHandle } from '../../src/subscriptions/reader-api.ts';

const responses = codecOf('SubscribeResponse');
const frameIn = keepingNodes((message) => responses.deserialize(message), codecOf('ExplanationNode'));

/** A cell in this process, whose connections can be cut. Frames cross as they do over gRPC, each in a turn of its own. */
class NearCell {
  readonly name: string;
  /** The service that is there now. */
  reader: ReaderApi;
  isAway = false;
  private readonly feeds = new Set<NearFeed>();

  constructor(name: string, reader: ReaderApi) {
    this.name = name;
    this.reader = reader;
  }

  connect(as: AskedAs): Transport {
    const openFeed = (request: FeedRequest, listener: FeedListener): Feed => {
      const feed = new NearFeed(this, as, request, listener, () => this.feeds.delete(feed));
      this.feeds.add(feed);
      return feed;
    };
    return { openFeed, close: () => Promise.resolve() } as unknown as Transport;
  }

  /** All connections are lost, with what is on its way. */
  cut(): void {
    for (const feed of this.feeds) feed.lose();
  }
}

class NearFeed implements Feed {
  private readonly cell: NearCell;
  private readonly listener: FeedListener;
  private readonly onEnd: () => void;
  private readonly reader: ReaderApi;
  private handle: SubscriptionHandle | undefined;
  private isOver = false;

  constructor(cell: NearCell, as: AskedAs, request: FeedRequest, listener: FeedListener, onEnd: () => void) {
    this.cell = cell;
    this.listener = listener;
    this.onEnd = onEnd;
    this.reader = cell.reader;
    queueMicrotask(() => this.open(as, request));
  }

  async perform(subscriptionId: string, verb: Verb): Promise<void> {
    if (this.isOver || this.cell.isAway) throw unreachable();
    try {
      if (verb.type === 'updateFilters') await this.reader.updateFilters(subscriptionId, verb.filters);
      else if (verb.type === 'expandTask') await this.reader.expandTask(subscriptionId, verb.taskId);
      else await this.reader[verb.type](subscriptionId, verb.nodeId);
    } catch (error) {
      throw asClientError(error);
    }
  }

  close(unsubscribe: string | undefined): void {
    if (this.isOver) return;
    this.finish();
    this.handle?.disconnected();
    if (unsubscribe === undefined) return;
    try {
      this.reader.unsubscribe(unsubscribe);
    } catch {
      // It is not known any more.
    }
  }

  lose(): void {
    if (this.isOver) return;
    this.finish();
    this.handle?.disconnected();
    setImmediate(() => this.listener.ended(unreachable()));
  }

  private open(as: AskedAs, request: FeedRequest): void {
    if (this.isOver) return;
    if (this.cell.isAway) return this.lose();
    try {
      this.handle = this.reader.subscribe(JSON.parse(JSON.stringify(request)), {
        ...(as.level === 'structure' && { detail: 'structure' as const }),
        writable: true,
        write: (frame) => this.pass(encodeFrame(frame)),
        close: () => this.lose(),
      });
    } catch (error) {
      this.finish();
      this.listener.ended(asClientError(error));
    }
  }

  private pass(bytes: Buffer): void {
    setImmediate(() => {
      const frame = this.isOver ? undefined : frameOf(frameIn(bytes) as JsonObject);
      if (frame) this.listener.frame(frame);
    });
  }

  private finish(): void {
    this.isOver = true;
    this.onEnd();
  }
}

/** A cell with its service, which can be another process at any time. */
export class TestCell extends NearCell {
  engine: Engine;
  private readonly store = new StoreModel();
  private readonly clocks: ManualClock[] = [];

  constructor(name: string) {
    super(name, undefined as unknown as ReaderApi);
    this.engine = this.start();
  }

  async take(records: readonly SafeRecord[]): Promise<void> {
    await this.engine.correlator.consume(batchOf(records));
  }

  async restart(): Promise<void> {
    this.engine.stop();
    this.cut();
    this.engine = this.start();
    await this.engine.correlator.replay(this.store.restore());
  }

  advance(ms: number): void {
    for (const clock of this.clocks) clock.advance(ms);
  }

  private start(): Engine {
    const { engine, clock } = makeEngine({ maxQueuedUpdates: 3, journal: this.store, archive: this.store });
    this.clocks.push(clock);
    this.reader = engine.reader;
    return engine;
  }
}

/** A gateway over cells that come and go. */
export class TestGateway {
  readonly reader: ReaderApi;
  private readonly subscriptions: GatewaySubscriptions;
  private readonly cells = new Map<string, ReadCell>();
  private readonly clock: ManualClock;

  constructor(clock: ManualClock, cells: Iterable<NearCell>, partItems = 500) {
    this.clock = clock;
    this.subscriptions = new GatewaySubscriptions({
      project: 'default',
      cells: () => this.cells.values(),
      clock,
      timing: {
        scheduler: clock,
        random: () => 0.5,
        connectTimeoutMs: 100,
        answerTimeoutMs: 100,
        heartbeatMs: 1e9,
        initialBackoffMs: 5,
        maxBackoffMs: 20,
      },
      pace: new Pace(clock),
      metrics: noMetrics,
      maxQueuedUpdates: 3,
      resumeWindowSeconds: 300,
      maxSubscriptions: 1000,
      maxViewItems: Infinity,
      partItems,
      mayHaveTask: () => Promise.resolve(true),
    });
    this.reader = this.subscriptions.subscriptions as unknown as ReaderApi;
    for (const cell of cells) this.add(cell);
  }

  add(near: NearCell): void {
    this.addFrom(near.name, (as) => near.connect(as));
  }

  addFrom(name: string, connect: (as: AskedAs) => Transport): void {
    const cell: ReadCell = new ReadCell({
      name,
      clock: this.clock,
      connect,
      onChange: () => this.subscriptions.cellChanged(),
    });
    this.cells.set(name, cell);
    this.subscriptions.cellAdded(cell);
  }

  remove(name: string): void {
    this.cells.delete(name);
    this.subscriptions.cellRemoved(name);
  }

  stop(): void {
    this.subscriptions.stop('over');
  }
}

function unreachable(): ClientError {
  return new ClientError('UNREACHABLE', 'the connection was lost');
}

function asClientError(error: unknown): ClientError {
  if (error instanceof BoundaryError) return new ClientError(error.code, error.message);
  throw error;
}
