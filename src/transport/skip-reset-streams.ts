import type { EventEmitter } from 'node:events';
import type { IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2';
import { assert } from '../base/assert.ts';

type StreamHandler = (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => void;

/**
 * Keeps grpc-js from answering streams that the peer has reset. Node emits `stream` in a later turn than it reads the
 * HEADERS, so a RST_STREAM of the same segment takes effect first, and grpc-js answers some calls (unknown method,
 * wrong content type) without checking: `respond` then throws outside of any handler. Here a closed stream is not passed
 * to grpc-js, and answers to one that closes later are dropped. Nothing else is caught.
 */
export function skipResetStreams(http2Server: EventEmitter): void {
  const handlers = http2Server.listeners('stream') as StreamHandler[];
  assert(handlers.length === 1, 'grpc-js listens for streams');
  const [handle] = handlers as [StreamHandler];
  http2Server.removeAllListeners('stream');
  http2Server.on('stream', (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => {
    // A reset with an error code comes from the peer; 'close' follows.
    stream.on('error', () => undefined);
    if (isGone(stream)) {
      stream.destroy();
      return;
    }
    dropLateAnswers(stream);
    handle(stream, headers);
  });
}

/** grpc-js answers with these two; both throw on a closed stream. */
function dropLateAnswers(stream: ServerHttp2Stream): void {
  const respond = stream.respond.bind(stream);
  const sendTrailers = stream.sendTrailers.bind(stream);
  stream.respond = (...answer) => {
    if (!isGone(stream)) respond(...answer);
  };
  stream.sendTrailers = (trailers) => {
    if (!isGone(stream)) sendTrailers(trailers);
  };
}

/** The condition on which Node's `respond` and `sendTrailers` throw ERR_HTTP2_INVALID_STREAM. */
function isGone(stream: ServerHttp2Stream): boolean {
  return stream.destroyed || stream.closed;
}
