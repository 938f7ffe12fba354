import { constants, type ServerHttp2Stream } from 'node:http2';
import {
  ServerInterceptingCall,
  ServerListenerBuilder,
  ResponderBuilder,
  type Metadata,
  type ServerInterceptor,
  type StatusObject,
} from '@grpc/grpc-js';
import { BoundaryError } from '../base/boundary-error.ts';
import type { Clock } from '../base/clock.ts';
import { AnswerWatch } from './answer-watch.ts';
import { rememberForCall } from './call-connections.ts';
import { inflate } from './inflate.ts';
import { inflightExhausted, type InflightBytes, type Reservation, type Sender } from './inflight-bytes.ts';
import { UploadWatch } from './upload-watch.ts';

export interface GrpcUploadLimits {
  readonly maxDecompressedBytes: number;
  /** Of one message as it comes, where it is less than the `grpc.max_receive_message_length` of the server. */
  readonly maxMessageBytes?: number;
  /** Shared by all ports of the process. */
  readonly inflight: InflightBytes;
  readonly clock: Clock;
  /** Who makes a call that was let in by its metadata; undefined for one that was refused. */
  readonly senderOf: (metadata: Metadata) => Sender | undefined;
  /** Whether others wait for the room that an answer of this method takes. Nobody ever if absent. */
  readonly isAwaited?: (path: string) => boolean;
  /** The gRPC status of a failure; also thrown to grpc-js. */
  readonly statusOf: (error: BoundaryError) => Error & StatusObject;
}

type InterceptedCall = Parameters<ServerInterceptor>[1];

/**
 * For gRPC what `RequestBodies` is for HTTP: counts the bytes of a call as they come, bounds what they inflate to and
 * take when they are decoded, and ends a call whose request comes too slowly, or whose answer is not read. The first interceptor of a server, since
 * only that one is given the call that reads the stream.
 */
export function limitGrpcUploads(options: GrpcUploadLimits): ServerInterceptor {
  const {
    inflight,
    clock,
    senderOf,
    statusOf,
    isAwaited,
    maxDecompressedBytes,
    maxMessageBytes = Infinity,
  } = options;
  return (method, call) => {
    const refuse = (error: BoundaryError): void => {
      watch.stop();
      call.sendStatus(statusOf(error));
    };
    const watch = new UploadWatch(clock, refuse);
    let reservation = inflight.open(refuse);
    let arrived = 0;
    let sender: Sender | undefined;
    const count = (bytes: number): void => {
      watch.progress(bytes);
      arrived += bytes;
      if (arrived > maxMessageBytes + FRAME_PREFIX_BYTES)
        return refuse(new BoundaryError('TOO_LARGE', `the message is larger than ${maxMessageBytes} bytes`));
      if (!reservation.grow(bytes)) refuse(inflightExhausted());
    };
    const { stream } = call as unknown as Partial<CallBody>;
    const answer =
      stream === undefined
        ? undefined
        : new AnswerWatch(clock, stream, () => isAwaited?.(method.path) ?? false);
    const isCounted = takeOverBody(call, {
      onBytes: count,
      inflate: (message, encoding) => inflate(message, encoding, maxDecompressedBytes, reservation),
      statusOf,
    });
    const listener = new ServerListenerBuilder()
      .withOnReceiveMetadata((metadata, next) => {
        rememberForCall(metadata, stream);
        next(metadata);
        sender = senderOf(metadata);
        if (sender) reservation.belongsTo(sender.id);
      })
      .withOnReceiveMessage((message: unknown, next) => {
        if (!isCounted && message instanceof Uint8Array) count(message.length);
        sender?.arrived(arrived);
        arrived = 0;
        void admit(reservation, refuse, () => {
          next(message);
          // The call goes on for as long as there is something to stream; what was asked is read now.
          if (method.requestStream || method.responseStream) {
            reservation.close();
            reservation = inflight.open(refuse, sender?.id);
          }
          if (method.requestStream) watch.stop();
        });
      })
      .withOnReceiveHalfClose((next) => {
        watch.stop();
        next();
      })
      // Every call ends here, answered or cancelled.
      .withOnCancel(() => {
        watch.stop();
        answer?.stop();
        reservation.close();
      })
      .build();
    watch.start();
    const responder = new ResponderBuilder()
      .withStart((next) => next(listener))
      .withSendMessage((message: unknown, next) => {
        if (!method.responseStream) answer?.begin();
        next(message);
      })
      .build();
    return new ServerInterceptingCall(call, responder);
  };
}

async function admit(
  reservation: Reservation,
  refuse: (error: BoundaryError) => void,
  next: () => void,
): Promise<void> {
  if (await reservation.work('protobuf')) next();
  else refuse(inflightExhausted());
}

/**
 * grpc-js knows one limit, `grpc.max_receive_message_length`, for a message both before and after
 * decompression, and gives an interceptor neither the bytes that have arrived nor a hand in decompressing them.
 * So these two members of its call object, which are not in its types, are used when they are there. If a
 * later version has moved them, the result is stricter, never laxer: its one limit (set to the smaller, the wire's) then
 * holds for both, and a message is counted when it is complete. The tests of both limits would then fail.
 */
interface CallBody {
  readonly stream: ServerHttp2Stream;
  /** `message` is a gRPC frame: five bytes of prefix, then the message. */
  decompressMessage(message: Buffer, encoding: string): Buffer | Promise<Buffer>;
}

interface BodyHooks {
  readonly onBytes: (bytes: number) => void;
  readonly inflate: (message: Buffer, encoding: 'gzip' | 'deflate') => Promise<Buffer>;
  readonly statusOf: (error: BoundaryError) => Error & StatusObject;
}

const FRAME_PREFIX_BYTES = 5;

/** True when the bytes of the call are counted from now on as they arrive. */
function takeOverBody(call: InterceptedCall, { onBytes, inflate, statusOf }: BodyHooks): boolean {
  const body = call as unknown as Partial<CallBody>;
  const { stream, decompressMessage } = body;
  if (typeof stream?.on !== 'function' || typeof decompressMessage !== 'function') return false;
  stream.on('data', (piece: Buffer) => onBytes(piece.length));
  // Who was answered before its request was complete would go on, and grpc-js keeps what came until the stream ends.
  // RFC 9113, 8.1: NO_ERROR asks the sender to stop, and the answer stands.
  stream.on('finish', () => {
    if (!stream.readableEnded) stream.close(constants.NGHTTP2_NO_ERROR);
  });
  body.decompressMessage = (message, encoding) => {
    if (encoding !== 'gzip' && encoding !== 'deflate') return decompressMessage.call(call, message, encoding);
    return inflate(message.subarray(FRAME_PREFIX_BYTES), encoding).catch((error: unknown) => {
      throw statusOf(BoundaryError.from(error));
    });
  };
  return true;
}
