import type { JsonObject } from '../base/json.ts';
import { fileURLToPath } from 'node:url';
import { Metadata, credentials, makeGenericClientConstructor, status } from '@grpc/grpc-js';
import type {
  CallOptions,
  Client as GrpcClient,
  ClientReadableStream,
  ServiceClientConstructor,
  ServiceDefinition,
  ServiceError,
} from '@grpc/grpc-js';
import { loadSync, type MessageTypeDefinition } from '@grpc/proto-loader';
import type { AnnotationState, NewAnnotation } from '../model/annotation.ts';
import type { CompareAnswer } from '../model/compare.ts';
import type { ExplanationGraph } from '../model/node.ts';
import type { NodeDetail } from '../model/reader-messages.ts';
import type { PatternsAnswer } from '../model/patterns.ts';
import type { Pruned } from '../model/pruned.ts';
import type { SearchPage, SearchQuery } from '../model/search.ts';
import type { TaskSummary } from '../model/summary.ts';
import type { TaskPage, TaskQuery } from '../model/task-query.ts';
import type { SpikesAnswer, WhyAnswer, WhyQuestion } from '../model/why.ts';
import { ClientError, type ClientCode } from './client-error.ts';
import {
  compareOf,
  frameOf,
  graphOf,
  nodeDetailOf,
  patternsOf,
  prunedOf,
  searchOf,
  spikesOf,
  summaryOf,
  tasksOf,
  whyOf,
} from './grpc-messages.ts';
import { annotationOf } from './check-shape.ts';
import { GrpcChannels } from './grpc-channels.ts';
import { wordsOf } from './grpc-words.ts';
import type { ClientTls } from './node-fetch.ts';
import type { Timing } from './timing.ts';
import { tlsProblemIn } from './tls-problem.ts';
import { keepingNodes, type Deserialize } from './told-frame.ts';
import type { Feed, FeedListener, FeedRequest, MembersPage, Transport, Verb } from './transport.ts';
import type { Filters, ViewRequest } from './view-request.ts';
import { MAX_FRAME_BYTES } from './websocket-transport.ts';

const EXPLAIN_PROTO = fileURLToPath(new URL('../../proto/explain/v1/explain.proto', import.meta.url));
/** Reconnecting is the session's part; the channel only has to be ready whenever it asks. */
const CHANNEL_BACKOFF_MS = 100;
/** A farewell isn't worth a longer wait. */
const UNSUBSCRIBE_TIMEOUT_MS = 2_000;

export interface GrpcTransportOptions {
  /** `host:port`. */
  readonly target: string;
  /** Plain text if undefined. */
  readonly tls: ClientTls | undefined;
  readonly token: string | undefined;
  /** Metadata of every call beside the token, such as for whom a gateway asks. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly timing: Timing;
  readonly maxMessageBytes?: number;
  /** Nodes of subscriptions come as `ToldNode`, for who passes them on. False if absent. */
  readonly keepsNodes?: boolean;
}

type Unary = (
  request: object,
  metadata: Metadata,
  options: CallOptions,
  callback: (error: ServiceError | null, answer: JsonObject) => void,
) => void;
type Streaming = (request: object, metadata: Metadata) => ClientReadableStream<JsonObject>;

/** explain.v1.ExplainService. Every subscription is a stream of its own; many share a connection. */
export class GrpcTransport implements Transport {
  private readonly channels: GrpcChannels<GrpcClient>;
  private readonly timing: Timing;
  private readonly metadata = new Metadata();
  private readonly farewells = new Set<Promise<unknown>>();
  private closed = false;

  constructor(options: GrpcTransportOptions) {
    const { target, tls, token, headers = {}, timing, keepsNodes = false } = options;
    const { maxMessageBytes = MAX_FRAME_BYTES } = options;
    this.timing = timing;
    for (const [name, value] of Object.entries(headers)) this.metadata.set(name, value);
    if (token !== undefined) this.metadata.set('authorization', `Bearer ${token}`);
    const secured = tls
      ? credentials.createSsl(pem(tls.ca), pem(tls.key), pem(tls.cert))
      : credentials.createInsecure();
    const settings = {
      'grpc.max_receive_message_length': maxMessageBytes,
      'grpc.initial_reconnect_backoff_ms': CHANNEL_BACKOFF_MS,
      'grpc.min_reconnect_backoff_ms': CHANNEL_BACKOFF_MS,
      'grpc.max_reconnect_backoff_ms': CHANNEL_BACKOFF_MS,
      // A lost network leaves no other trace.
      'grpc.keepalive_time_ms': timing.heartbeatMs,
      'grpc.keepalive_timeout_ms': timing.answerTimeoutMs,
      'grpc.use_local_subchannel_pool': 1,
    };
    const ExplainClient = explainClients()[keepsNodes ? 'keeping' : 'decoding'];
    this.channels = new GrpcChannels(() => new ExplainClient(target, secured, settings));
  }

  openFeed(request: FeedRequest, listener: FeedListener): Feed {
    return new GrpcFeed(this, request, listener, this.timing);
  }

  async getGraph(request: ViewRequest): Promise<ExplanationGraph> {
    return graphOf((await this.ask('GetGraph', request))['graph']);
  }

  async getNode(nodeId: string, page: MembersPage): Promise<NodeDetail> {
    return nodeDetailOf(await this.ask('GetNode', { nodeId, ...page }));
  }

  async findTasks(query: TaskQuery): Promise<TaskPage> {
    return tasksOf(await this.ask('ListTasks', query));
  }

  async search(query: SearchQuery): Promise<SearchPage> {
    return searchOf(await this.ask('Search', query));
  }

  async why(question: WhyQuestion): Promise<WhyAnswer> {
    return whyOf(await this.ask('Why', question));
  }

  async spikes(taskId: string | undefined): Promise<SpikesAnswer> {
    return spikesOf(await this.ask('Spikes', taskId === undefined ? {} : { taskId }));
  }

  async compare(a: string, b: string): Promise<CompareAnswer> {
    return compareOf(await this.ask('Compare', { a, b }));
  }

  async patterns(filters: Filters): Promise<PatternsAnswer> {
    return patternsOf(await this.ask('Patterns', { filters }));
  }

  async summary(taskId: string): Promise<TaskSummary> {
    return summaryOf(await this.ask('Summary', { taskId }));
  }

  async annotate(nodeId: string, given: NewAnnotation): Promise<AnnotationState> {
    return annotationOf(await this.ask('Annotate', { nodeId, ...given }));
  }

  async prune(olderThanMinutes: number): Promise<Pruned> {
    return prunedOf(await this.ask('Prune', { olderThanMinutes }));
  }

  async close(): Promise<void> {
    this.closed = true;
    await Promise.all(this.farewells);
    this.channels.close();
  }

  /** Used by the feeds, as are the next two. */
  stream(request: FeedRequest): ClientReadableStream<JsonObject> {
    return this.channels.stream((client) => {
      const subscribe = Reflect.get(client, 'Subscribe') as Streaming;
      return subscribe.call(client, request, this.metadata);
    });
  }

  ask(name: string, request: object, timeoutMs = this.timing.answerTimeoutMs): Promise<JsonObject> {
    if (this.closed)
      return Promise.reject(new ClientError('CLOSED', 'the client is closed; connect() again'));
    const { first } = this.channels;
    const method = Reflect.get(first, name) as Unary;
    const options = { deadline: Date.now() + timeoutMs };
    return new Promise((resolve, reject) => {
      method.call(first, request, this.metadata, options, (error, answer) => {
        if (error) reject(clientError(error, false));
        else resolve(answer);
      });
    });
  }

  unsubscribe(subscriptionId: string): void {
    const farewell = this.ask('Unsubscribe', { subscriptionId }, UNSUBSCRIBE_TIMEOUT_MS)
      .catch(() => undefined)
      .finally(() => this.farewells.delete(farewell));
    this.farewells.add(farewell);
  }
}

function pem(text: string | undefined): Buffer | null {
  return text === undefined ? null : Buffer.from(text);
}

class GrpcFeed implements Feed {
  private readonly transport: GrpcTransport;
  private readonly call: ClientReadableStream<JsonObject>;
  private readonly listener: FeedListener;
  private readonly timer: { cancel(): void };
  private taken = false;
  private over = false;

  constructor(transport: GrpcTransport, request: FeedRequest, listener: FeedListener, timing: Timing) {
    this.transport = transport;
    this.listener = listener;
    this.call = transport.stream(request);
    this.timer = timing.scheduler.after(timing.answerTimeoutMs, () => {
      const message = `the service did not answer within ${timing.answerTimeoutMs} ms: is this the readers' port?`;
      this.end(new ClientError('TIMEOUT', message));
    });
    // The service sends it when the subscription stands.
    this.call.on('metadata', () => this.stands());
    this.call.on('data', (message: JsonObject) => this.receive(message));
    this.call.on('error', (error: ServiceError) => this.end(clientError(error, this.taken)));
    this.call.on('end', () => this.end(new ClientError('UNAVAILABLE', 'the service ended the subscription')));
  }

  async perform(subscriptionId: string, verb: Verb): Promise<void> {
    const { type, ...fields } = verb;
    await this.transport.ask(METHODS[type], { subscriptionId, ...fields });
  }

  close(unsubscribe: string | undefined): void {
    if (this.over) return;
    this.finish();
    if (unsubscribe !== undefined) this.transport.unsubscribe(unsubscribe);
  }

  private stands(): void {
    if (this.over) return;
    this.taken = true;
    this.timer.cancel();
  }

  private receive(message: JsonObject): void {
    if (this.over) return;
    try {
      const frame = frameOf(message);
      if (frame !== undefined) this.listener.frame(frame);
    } catch (error) {
      this.end(ClientError.from(error));
    }
  }

  private end(error: ClientError): void {
    if (this.over) return;
    this.finish();
    this.listener.ended(error);
  }

  private finish(): void {
    this.over = true;
    this.timer.cancel();
    this.call.cancel();
  }
}

const METHODS: Readonly<Record<Verb['type'], string>> = {
  updateFilters: 'UpdateFilters',
  expand: 'Expand',
  collapse: 'Collapse',
  expandTask: 'ExpandTask',
};

/** grpc-js' own words when a message is over `max_receive_message_length`. */
const OVERSIZE = 'Received message larger than max';

/** UNAVAILABLE is grpc-js' own word for "no connection" and the service's for "not now". */
function clientError(error: ServiceError, taken: boolean): ClientError {
  const code = CODES[error.code] ?? 'INTERNAL';
  if (error.code === status.UNAVAILABLE && !taken) {
    const problem = tlsProblemIn(error.details);
    const message =
      problem === undefined
        ? `the service can't be reached, or doesn't speak gRPC there: ${wordsOf(error.details)}`
        : `the service can't be talked to: ${problem}`;
    return new ClientError('UNREACHABLE', message);
  }
  if (error.code === status.RESOURCE_EXHAUSTED && error.details.startsWith(OVERSIZE)) {
    return new ClientError('TOO_LARGE', `${error.details}: narrow the filters, or fold with collapse "auto"`);
  }
  return new ClientError(
    code,
    error.details === '' ? `the call failed with ${status[error.code]}` : wordsOf(error.details),
  );
}

const CODES: Readonly<Partial<Record<status, ClientCode>>> = {
  [status.CANCELLED]: 'UNREACHABLE',
  [status.INVALID_ARGUMENT]: 'INVALID_ARGUMENT',
  [status.DEADLINE_EXCEEDED]: 'TIMEOUT',
  [status.NOT_FOUND]: 'NOT_FOUND',
  [status.PERMISSION_DENIED]: 'PERMISSION_DENIED',
  [status.RESOURCE_EXHAUSTED]: 'RESOURCE_EXHAUSTED',
  [status.FAILED_PRECONDITION]: 'FAILED_PRECONDITION',
  // Another gRPC service, or one that is older than this client.
  [status.UNIMPLEMENTED]: 'METHOD_NOT_ALLOWED',
  [status.UNAVAILABLE]: 'UNAVAILABLE',
  [status.UNAUTHENTICATED]: 'UNAUTHENTICATED',
};

interface Clients {
  readonly decoding: ServiceClientConstructor;
  /** `Subscribe` keeps nodes as they are told. */
  readonly keeping: ServiceClientConstructor;
}

let loaded: Clients | undefined;

/** The proto is read with the first client: whoever uses WebSockets only doesn't wait for it. */
function explainClients(): Clients {
  if (loaded === undefined) {
    // Absent fields stay absent, so that an unknown number isn't 0; lists are always there.
    const options = { longs: Number, enums: String, defaults: false, arrays: true, oneofs: false } as const;
    const messages = loadSync(EXPLAIN_PROTO, options);
    const service = messages['explain.v1.ExplainService'] as ServiceDefinition;
    const codec = messages['explain.v1.ExplanationNode'] as MessageTypeDefinition<object, object>;
    const { Subscribe: subscribe } = service;
    const responseDeserialize = keepingNodes(subscribe?.responseDeserialize as Deserialize, codec);
    const keeping = { ...service, Subscribe: { ...subscribe, responseDeserialize } } as ServiceDefinition;
    loaded = {
      decoding: makeGenericClientConstructor(service, 'ExplainService'),
      keeping: makeGenericClientConstructor(keeping, 'ExplainService'),
    };
  }
  return loaded;
}
