import type { EventEmitter } from 'node:events';
import {
  ServerInterceptingCall,
  ServerListenerBuilder,
  ResponderBuilder,
  type Metadata,
  type ServerInterceptor,
} from '@grpc/grpc-js';
import { BoundaryError } from '../../base/boundary-error.ts';
import { checkBearer } from '../auth.ts';
import type { ActiveWork } from '../active-work.ts';
import { UPLOAD_TIMEOUT_MS } from '../config.ts';
import { inflate, inflightExhausted } from '../inflate.ts';
import type { Reservation } from '../inflight-bytes.ts';
import type { OtlpServerOptions } from '../otlp-server-options.ts';
import { grpcFailure } from './grpc-failure.ts';

type InterceptedCall = Parameters<ServerInterceptor>[1];

/**
 * Refuses a call by its headers before its body is read, counts its bytes as they come, and bounds what they
 * inflate to.
 */
export function callGuard(options: OtlpServerOptions, work: ActiveWork): ServerInterceptor {
  return (_method, call) => {
    const reservation = options.inflight.open();
    const refuse = (error: unknown): void => call.sendStatus(grpcFailure(error));
    const counted = takeOverBody(call, reservation, options.limits.maxDecompressedBytes, refuse);
    const uploadTimer = options.clock.after(UPLOAD_TIMEOUT_MS, () => refuse(uploadTooSlow()));
    const listener = new ServerListenerBuilder()
      .withOnReceiveMetadata((metadata, next) => {
        try {
          work.check();
          checkBearer(options.auth, headerOf(metadata));
        } catch (error) {
          refuse(error);
          return;
        }
        next(metadata);
      })
      .withOnReceiveMessage((message: Buffer, next) => {
        uploadTimer.cancel();
        if (!counted && !reservation.grow(message.length)) refuse(inflightExhausted());
        else next(message);
      })
      // Every call ends here, answered or cancelled.
      .withOnCancel(() => {
        uploadTimer.cancel();
        reservation.close();
      })
      .build();
    const responder = new ResponderBuilder().withStart((next) => next(listener)).build();
    return new ServerInterceptingCall(call, responder);
  };
}

function headerOf(metadata: Metadata): string | undefined {
  const value = metadata.get('authorization')[0];
  return typeof value === 'string' ? value : undefined;
}

function uploadTooSlow(): BoundaryError {
  return new BoundaryError('UNAVAILABLE', `the request did not arrive within ${UPLOAD_TIMEOUT_MS} ms`);
}

/**
 * grpc-js knows one limit, `grpc.max_receive_message_length`, for a message both before and after
 * decompression, and gives an interceptor neither the bytes that have arrived nor a hand in decompressing them.
 * So these two members of its call object, which are not in its types, are used when they are there. If a
 * later version has moved them, the result is stricter, never laxer: its one limit (set to the smaller, the wire's) then
 * holds for both, and a message is counted when it is complete. The tests of both limits would then fail.
 */
interface CallBody {
  readonly stream: EventEmitter;
  /** `message` is a gRPC frame: five bytes of prefix, then the message. */
  decompressMessage(message: Buffer, encoding: string): Buffer | Promise<Buffer>;
}

const FRAME_PREFIX_BYTES = 5;

/** True when the bytes of the call are counted from now on as they arrive. */
function takeOverBody(
  call: InterceptedCall,
  reservation: Reservation,
  maxBytes: number,
  refuse: (error: unknown) => void,
): boolean {
  const body = call as unknown as Partial<CallBody>;
  const { stream, decompressMessage } = body;
  if (typeof stream?.on !== 'function' || typeof decompressMessage !== 'function') return false;
  stream.on('data', (piece: Buffer) => {
    if (!reservation.grow(piece.length)) refuse(inflightExhausted());
  });
  body.decompressMessage = (message, encoding) => {
    if (encoding !== 'gzip' && encoding !== 'deflate') return decompressMessage.call(call, message, encoding);
    return inflate(message.subarray(FRAME_PREFIX_BYTES), encoding, maxBytes, reservation).catch(
      (error: unknown) => {
        throw grpcFailure(error);
      },
    );
  };
  return true;
}
