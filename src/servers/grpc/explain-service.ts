import { Metadata } from '@grpc/grpc-js';
import type {
  ServerWritableStream,
  UntypedServiceImplementation,
  handleServerStreamingCall,
  handleUnaryCall,
  sendUnaryData,
} from '@grpc/grpc-js';
import { assert } from '../../base/assert.ts';
import { BoundaryError } from '../../base/boundary-error.ts';
import { inTurns } from '../../base/in-turns.ts';
import type { Pace } from '../../base/pace.ts';
import type { ReaderApi } from '../../subscriptions/reader-api.ts';
import type { Logger } from '../../telemetry/logger.ts';
import { encodeGraphAnswer } from './encode-large.ts';
import { statusOf } from './grpc-status.ts';
import { filtersOf, graphRequestOf, nodeDetailMessage, subscribeRequestOf, whyMessage } from './messages.ts';
import type { FiltersMessage, GraphRequestMessage, SubscribeMessage } from './messages.ts';
import { SubscriberStream } from './subscriber-stream.ts';

export interface ExplainServiceOptions {
  readonly reader: ReaderApi;
  readonly logger: Logger;
  readonly maxSubscriptions: number;
  readonly maxBufferedBytes: number;
  /** How large messages are cut into turns. */
  readonly pace: Pace;
}

/** The open streams by subscription id: `Unsubscribe` and the end of the service close them. */
export type OpenStreams = Map<string, SubscriberStream>;

interface Target {
  readonly subscriptionId?: string;
  readonly nodeId?: string;
  readonly taskId?: string;
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
  const { reader, logger, pace } = options;

  function unary<Request>(
    answer: (request: Request) => object | Promise<object>,
  ): handleUnaryCall<Request, object> {
    type Outcome = Parameters<sendUnaryData<object>>;
    const outcomeOf = async (request: Request): Promise<Outcome> => {
      try {
        return [null, await answer(request)];
      } catch (error) {
        return [statusOf(error, logger)];
      }
    };
    const answerTo = async (request: Request, callback: sendUnaryData<object>): Promise<void> => {
      callback(...(await outcomeOf(request)));
    };
    return (call, callback) => void answerTo(call.request, callback);
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
    UpdateFilters: unary((request: Target & { readonly filters?: FiltersMessage }) => {
      reader.updateFilters(request.subscriptionId ?? '', filtersOf(request.filters));
      return {};
    }),
    Expand: unary(({ subscriptionId = '', nodeId = '' }: Target) => {
      reader.expand(subscriptionId, nodeId);
      return {};
    }),
    Collapse: unary(({ subscriptionId = '', nodeId = '' }: Target) => {
      reader.collapse(subscriptionId, nodeId);
      return {};
    }),
    ExpandTask: unary(async ({ subscriptionId = '', taskId = '' }: Target) => {
      await reader.expandTask(subscriptionId, taskId);
      return {};
    }),
    Unsubscribe: unary(({ subscriptionId = '' }: Target) => {
      // Before the subscription is: what the reader asked for ends with OK.
      streams.get(subscriptionId)?.end();
      reader.unsubscribe(subscriptionId);
      return {};
    }),
    GetGraph: unary(async (request: GraphRequestMessage) => {
      const graph = await reader.getGraph(graphRequestOf(request));
      const bytes = await inTurns(
        encodeGraphAnswer(graph, () => pace.isOver),
        pace,
      );
      assert(bytes !== undefined, 'an answer that is wanted is made');
      return bytes;
    }),
    GetNode: unary(async ({ nodeId = '', offset, limit }: NodeRequestMessage) =>
      nodeDetailMessage(await reader.getNode(nodeId, { offset, limit })),
    ),
    ListTasks: unary(() => ({ tasks: reader.listTasks() })),
    Why: unary(({ nodeId = '' }: Target) => whyMessage(reader.why(nodeId))),
    Spikes: unary(({ taskId }: Target) => reader.spikes(taskId)),
    Prune: unary(({ olderThanMinutes }: { readonly olderThanMinutes?: number }) =>
      reader.prune(olderThanMinutes),
    ),
  };
}

function openStream(
  call: ServerWritableStream<SubscribeMessage, Buffer>,
  options: ExplainServiceOptions,
  streams: OpenStreams,
): void {
  if (streams.size >= options.maxSubscriptions) {
    throw new BoundaryError('RESOURCE_EXHAUSTED', 'too many subscriptions are open; try again later');
  }
  const { requestId } = call.request;
  const stream = new SubscriberStream(call, options.maxBufferedBytes, options.pace);
  const handle = options.reader.subscribe(subscribeRequestOf(call.request), stream, requestId);
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
