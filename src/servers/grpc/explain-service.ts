import { Metadata } from '@grpc/grpc-js';
import type {
  ServerUnaryCall,
  ServerWritableStream,
  UntypedServiceImplementation,
  handleServerStreamingCall,
  handleUnaryCall,
  sendUnaryData,
} from '@grpc/grpc-js';
import { callerOf } from '../../access/grpc-guard.ts';
import { seeTheSame } from '../../access/principal.ts';
import { assert } from '../../base/assert.ts';
import { givenFields } from '../../base/given-fields.ts';
import { inTurns } from '../../base/in-turns.ts';
import type { Turns } from '../../base/pace.ts';
import type { Slots } from '../../base/slots.ts';
import type { ReaderApi } from '../../subscriptions/reader-api.ts';
import type { Logger } from '../../telemetry/logger.ts';
import type { AnswerBytes, AnswerShare } from '../../transport/answer-bytes.ts';
import type { SpaceOf } from '../space.ts';
import { encodeGraphAnswer } from './encode-graph.ts';
import { statusOf } from './grpc-status.ts';
import {
  compareMessage,
  graphRequestOf,
  nodeDetailMessage,
  subscribeRequestOf,
  whyMessage,
} from './messages.ts';
import type { GraphRequestMessage, SubscribeMessage } from './messages.ts';
import { SubscriberStream } from './subscriber-stream.ts';

export interface ExplainServiceOptions {
  readonly spaceOf: SpaceOf;
  readonly logger: Logger;
  /** Of answers to `GetGraph`, by connection. */
  readonly graphs: Slots;
  /** What these hold. */
  readonly graphBytes: AnswerBytes;
  readonly maxBufferedBytes: number;
  /** How a large graph is encoded in turns. */
  readonly pace: Turns;
}

/** The open streams by subscription id: `Unsubscribe` and the end of the service close them. */
export type OpenStreams = Map<string, SubscriberStream>;

type Call = Pick<ServerUnaryCall<unknown, unknown>, 'cancelled' | 'getPeer' | 'metadata' | 'once'>;
type Answer<Request> = (reader: ReaderApi, request: Request, call: Call) => object | Promise<object>;

interface Target {
  readonly subscriptionId?: string;
  readonly nodeId?: string;
  readonly taskId?: string;
  readonly requestId?: string;
}

interface NodeRequestMessage extends Target {
  readonly offset?: number;
  readonly limit?: number;
}

/** explain.v1.ExplainService as a translation of `ReaderApi`. */
export function explainImplementation(
  options: ExplainServiceOptions,
  streams: OpenStreams,
): UntypedServiceImplementation {
  const { spaceOf, logger, pace } = options;

  function unary<Request>(answer: Answer<Request>): handleUnaryCall<Request, object> {
    type Outcome = Parameters<sendUnaryData<object>>;
    const outcomeOf = async (call: ServerUnaryCall<Request, object>): Promise<Outcome> => {
      try {
        const { reader } = spaceOf(callerOf(call.metadata));
        return [null, await answer(reader, call.request, call)];
      } catch (error) {
        return [statusOf(error, logger)];
      }
    };
    const answerTo = async (
      call: ServerUnaryCall<Request, object>,
      callback: sendUnaryData<object>,
    ): Promise<void> => {
      callback(...(await outcomeOf(call)));
    };
    return (call, callback) => void answerTo(call, callback);
  }

  /** Answered when it is done; what it changes comes on the subscription's stream. */
  function changing<Request>(
    change: (reader: ReaderApi, request: Request) => unknown,
  ): handleUnaryCall<Request, object> {
    return unary(async (reader, request: Request) => {
      await change(reader, request);
      return {};
    });
  }

  const subscribe: handleServerStreamingCall<SubscribeMessage, Buffer> = (call) => {
    try {
      openStream(call, options, streams);
    } catch (error) {
      call.emit('error', statusOf(error, logger));
    }
  };

  return {
    Subscribe: subscribe,
    UpdateFilters: changing(
      (reader, { subscriptionId = '', requestId, ...view }: Target & GraphRequestMessage) =>
        reader.updateFilters(subscriptionId, graphRequestOf(view)['filters'], requestId),
    ),
    Expand: changing((reader, { subscriptionId = '', nodeId = '', requestId }: Target) =>
      reader.expand(subscriptionId, nodeId, requestId),
    ),
    Collapse: changing((reader, { subscriptionId = '', nodeId = '', requestId }: Target) =>
      reader.collapse(subscriptionId, nodeId, requestId),
    ),
    ExpandTask: changing((reader, { subscriptionId = '', taskId = '', requestId }: Target) =>
      reader.expandTask(subscriptionId, taskId, requestId),
    ),
    Unsubscribe: unary((reader, { subscriptionId = '' }: Target, call) => {
      // Before the subscription is: what the reader asked for ends with OK.
      const stream = streams.get(subscriptionId);
      if (stream && seeTheSame(stream.caller, callerOf(call.metadata))) stream.end();
      reader.unsubscribe(subscriptionId);
      return {};
    }),
    GetGraph: unary(async (reader, request: GraphRequestMessage, call) => {
      const share = await turnOf(call, options);
      const isWanted = (): boolean => !call.cancelled;
      const graph = await reader.getGraph(graphRequestOf(request), isWanted);
      const encoding = encodeGraphAnswer(graph, share, () => pace.isOver);
      return (await inTurns(encoding, pace, isWanted)) ?? NOTHING;
    }),
    GetNode: unary(async (reader, { nodeId = '', offset, limit }: NodeRequestMessage) =>
      nodeDetailMessage(await reader.getNode(nodeId, { offset, limit })),
    ),
    ListTasks: unary(async (reader, request: object) => reader.listTasks(givenFields({ ...request }))),
    Search: unary(async (reader, request: object) => reader.search({ ...request })),
    Why: unary(async (reader, { nodeId, taskId }: Target) =>
      whyMessage(await reader.why({ nodeId: nodeId ?? (taskId === undefined ? '' : undefined), taskId })),
    ),
    Spikes: unary((reader, { taskId }: Target) => reader.spikes(taskId)),
    Compare: unary(async (reader, { a = '', b = '' }: { readonly a?: string; readonly b?: string }) =>
      compareMessage(await reader.compare({ a, b })),
    ),
    Patterns: unary((reader, request: GraphRequestMessage) =>
      reader.patterns(graphRequestOf(request)['filters']),
    ),
    Summary: unary((reader, { taskId = '' }: Target) => reader.summary(taskId)),
    Annotate: unary(async (_, { nodeId = '', ...given }: Target, { metadata }) => {
      const caller = callerOf(metadata);
      const { annotations } = spaceOf(caller);
      assert(annotations, 'a service that is asked takes annotations');
      return annotations.annotate(nodeId, given, caller);
    }),
    Prune: unary(
      async (reader, { olderThanMinutes }: { readonly olderThanMinutes?: number }, { metadata }) => {
        const done = await reader.prune(olderThanMinutes);
        const caller = callerOf(metadata);
        spaceOf(caller).pruned?.(caller, done.prunedNodes);
        return done;
      },
    ),
  };
}

/** What nobody waits for any more. */
const NOTHING = Buffer.alloc(0);

/** Resolves when its answer may be made. Its place is free again when the answer has been read, or the call has gone. */
async function turnOf(
  call: Call,
  { graphs, graphBytes }: Pick<ExplainServiceOptions, 'graphs' | 'graphBytes'>,
): Promise<AnswerShare> {
  const begun = graphs.take(call, call.getPeer());
  const share = graphBytes.open();
  // grpc-js says so at the end of every call.
  call.once('cancelled', () => {
    graphs.free(call);
    share.close();
  });
  await begun;
  return share;
}

function openStream(
  call: ServerWritableStream<SubscribeMessage, Buffer>,
  options: ExplainServiceOptions,
  streams: OpenStreams,
): void {
  const { requestId } = call.request;
  const caller = callerOf(call.metadata);
  const { reader } = options.spaceOf(caller);
  const stream = new SubscriberStream(call, caller, options.maxBufferedBytes);
  const handle = reader.subscribe(subscribeRequestOf(call.request), stream, requestId);
  const id = handle.subscriptionId;
  streams.set(id, stream);
  const forget = () => {
    if (streams.get(id) === stream) streams.delete(id);
  };
  call.on('cancelled', forget).on('finish', forget);
  stream.attach(handle);
  handle.begun?.catch((error: unknown) => call.emit('error', statusOf(error, options.logger)));
  call.sendMetadata(new Metadata());
}
