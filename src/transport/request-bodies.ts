import type { IncomingMessage, ServerResponse } from 'node:http';
import { BoundaryError } from '../base/boundary-error.ts';
import type { Clock } from '../base/clock.ts';
import type { Pace } from '../base/pace.ts';
import { LINGER_MS } from './connections.ts';
import { inflate, type Compression } from './inflate.ts';
import {
  inflightExhausted,
  type BodyFormat,
  type InflightBytes,
  type Reservation,
  type Sender,
} from './inflight-bytes.ts';
import { UploadWatch } from './upload-watch.ts';

/** Bodies below it are decoded in a few milliseconds. */
const LARGE_BYTES = 256 * 1024;

export interface BodyLimits {
  /** As it comes over the wire. */
  readonly maxBodyBytes: number;
  readonly maxDecompressedBytes: number;
}

export interface RequestBodiesOptions {
  readonly limits: BodyLimits;
  /** Shared by all ways into the process. */
  readonly inflight: InflightBytes;
  readonly clock: Clock;
  readonly pace: Pace;
}

/** Reads the bodies of all HTTP/1.1 requests. */
export class RequestBodies {
  private readonly options: RequestBodiesOptions;

  constructor(options: RequestBodiesOptions) {
    this.options = options;
  }

  /** The caller closes it when the request is answered; until then its memory counts against the budget. */
  open(request: IncomingMessage, response: ServerResponse): RequestBody {
    return new RequestBody(request, response, this.options);
  }
}

export class RequestBody {
  private readonly request: IncomingMessage;
  private readonly response: ServerResponse;
  private readonly options: RequestBodiesOptions;
  private reservation: Reservation | undefined;

  constructor(request: IncomingMessage, response: ServerResponse, options: RequestBodiesOptions) {
    this.request = request;
    this.response = response;
    this.options = options;
  }

  /**
   * The body after decompression, when there is room to decode it. Once for a request.
   * @param sender whose share of the memory it takes
   * @throws BoundaryError UNSUPPORTED_MEDIA_TYPE, TOO_LARGE, INVALID_ARGUMENT (damaged), RESOURCE_EXHAUSTED (in-flight
   * limit), DEADLINE_EXCEEDED (too slow), UNAVAILABLE (the sender went away)
   */
  async read(sender?: Sender): Promise<Buffer> {
    const { request, response } = this;
    const { maxBodyBytes, maxDecompressedBytes } = this.options.limits;
    const compression = compressionOf(request);
    if (Number(request.headers['content-length'] ?? 0) > maxBodyBytes) throw tooLarge(maxBodyBytes);
    // With `Expect: 100-continue` the sender is refused before it sends its body.
    if (request.headers.expect !== undefined) response.writeContinue();
    const { sent, reservation } = await this.receive(maxBodyBytes, sender?.id);
    sender?.arrived(sent.length);
    const body =
      compression === undefined ? sent : await inflate(sent, compression, maxDecompressedBytes, reservation);
    if (!(await reservation.work(formatOf(request)))) throw inflightExhausted();
    // Parsing JSON cannot be interrupted: one large body in a turn of the event loop, and small ones do not queue for it.
    if (body.length > LARGE_BYTES && this.options.pace.isOver) await this.options.pace.rest(0);
    return body;
  }

  /** Releases the memory of the body. An incomplete one is cut off after `LINGER_MS`, time for its sender to read why. */
  close(): void {
    this.reservation?.close();
    const { request } = this;
    if (request.complete || request.destroyed) return;
    request.resume();
    const timer = this.options.clock.after(LINGER_MS, () => request.socket.destroy());
    request.on('end', () => timer.cancel());
    request.on('close', () => timer.cancel());
  }

  private receive(
    maxBytes: number,
    who?: string,
  ): Promise<{ readonly sent: Buffer; readonly reservation: Reservation }> {
    const { request } = this;
    const { clock, inflight } = this.options;
    return new Promise((resolve, reject) => {
      const pieces: Buffer[] = [];
      let size = 0;
      const fail = (error: BoundaryError): void => {
        watch.stop();
        request.off('data', onData);
        pieces.length = 0;
        reject(error);
      };
      const reservation = inflight.open(fail, who);
      this.reservation = reservation;
      const watch = new UploadWatch(clock, fail);
      const onData = (piece: Buffer): void => {
        size += piece.length;
        watch.progress(piece.length);
        if (size > maxBytes) fail(tooLarge(maxBytes));
        else if (!reservation.grow(piece.length)) fail(inflightExhausted());
        else pieces.push(piece);
      };
      watch.start();
      request.on('data', onData);
      request.on('end', () => {
        watch.stop();
        resolve({ sent: Buffer.concat(pieces, size), reservation });
      });
      // 'close' without 'end' means that the sender went away; after 'end' it changes nothing.
      const cutOff = (): void => fail(new BoundaryError('UNAVAILABLE', 'the request was cut off'));
      request.on('close', cutOff);
      request.on('error', cutOff);
    });
  }
}

function formatOf(request: IncomingMessage): BodyFormat {
  return request.headers['content-type']?.startsWith('application/x-protobuf') === true ? 'protobuf' : 'json';
}

/** @throws BoundaryError UNSUPPORTED_MEDIA_TYPE */
function compressionOf(request: IncomingMessage): Compression | undefined {
  const name = (request.headers['content-encoding'] ?? 'identity').trim().toLowerCase();
  if (name === 'gzip' || name === 'deflate') return name;
  if (name === 'identity' || name === '') return undefined;
  throw new BoundaryError('UNSUPPORTED_MEDIA_TYPE', 'the content encoding must be gzip, deflate or identity');
}

function tooLarge(maxBytes: number): BoundaryError {
  return new BoundaryError('TOO_LARGE', `the body is larger than ${maxBytes} bytes; send smaller batches`);
}
