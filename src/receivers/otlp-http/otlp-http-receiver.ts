import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { BoundaryError } from '../../base/boundary-error.ts';
import { ActiveWork } from '../active-work.ts';
import { checkBearer } from '../auth.ts';
import {
  HEADERS_TIMEOUT_MS,
  KEEP_ALIVE_TIMEOUT_MS,
  MAX_HTTP_CONNECTIONS,
  STOP_GRACE_MS,
  UPLOAD_TIMEOUT_MS,
} from '../config.ts';
import { inflate, tooLargeBody } from '../inflate.ts';
import type { Reservation } from '../inflight-bytes.ts';
import type { Encoding, Signal } from '../otlp/decode.ts';
import { ingestOtlp } from '../otlp/ingest.ts';
import type { ListenAddress, OtlpServerOptions } from '../otlp-server-options.ts';
import { answerBadConnection, sendFailure, sendResult } from './http-answers.ts';
import { discardRest, readBody } from './request-body.ts';
import { compressionOf, encodingOf, signalOf, unsupportedType } from './request-head.ts';

/** How often connections are checked against their time limits. */
const CHECK_INTERVAL_MS = 5_000;

/** OTLP/HTTP: `POST /v1/traces`, `/v1/logs`, `/v1/metrics`, protobuf and JSON, on a port of its own. */
export class OtlpHttpReceiver {
  private readonly options: OtlpServerOptions;
  private readonly work = new ActiveWork();
  private readonly server: Server;

  constructor(options: OtlpServerOptions) {
    this.options = options;
    this.server = createServer({
      requestTimeout: UPLOAD_TIMEOUT_MS,
      headersTimeout: HEADERS_TIMEOUT_MS,
      keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
      connectionsCheckingInterval: CHECK_INTERVAL_MS,
    });
    this.server.maxConnections = MAX_HTTP_CONNECTIONS;
    this.server.on('request', (request, response) => void this.handle(request, response));
    // A sender that asks first is refused before it sends its body.
    this.server.on('checkContinue', (request, response) => void this.handle(request, response));
    this.server.on('clientError', answerBadConnection);
  }

  /** @throws BoundaryError FAILED_PRECONDITION when the address can't be listened on */
  start(): Promise<ListenAddress> {
    const { host, port } = this.options;
    return new Promise((resolve, reject) => {
      const failed = (cause: Error): void => {
        const message = `can't listen on ${host}:${port} for OTLP/HTTP; is the port in use?`;
        reject(new BoundaryError('FAILED_PRECONDITION', message, { cause }));
      };
      this.server.once('error', failed);
      this.server.listen(port, host, () => {
        this.server.off('error', failed);
        const address = this.server.address();
        resolve({ host, port: typeof address === 'object' && address !== null ? address.port : port });
      });
    });
  }

  /** Refuses new requests with 503; resolves when those under way are taken over. */
  drain(): Promise<void> {
    return this.work.drain();
  }

  /** Drains, then closes every connection. */
  async stop(): Promise<void> {
    await this.drain();
    await new Promise<void>((resolve) => {
      const grace = setTimeout(() => this.server.closeAllConnections(), STOP_GRACE_MS);
      this.server.close(() => {
        clearTimeout(grace);
        resolve();
      });
      this.server.closeIdleConnections();
    });
  }

  /** Answers every request; never throws. */
  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const encoding = encodingOf(request);
    const reservation = this.options.inflight.open();
    try {
      const signal = signalOf(request);
      this.work.check();
      checkBearer(this.options.auth, request.headers.authorization);
      if (encoding === undefined) throw unsupportedType();
      const body = await this.receive(request, response, reservation);
      await this.export(signal, encoding, body, response);
    } catch (error) {
      this.fail(error, encoding, request, response);
    } finally {
      reservation.close();
    }
  }

  private async receive(
    request: IncomingMessage,
    response: ServerResponse,
    reservation: Reservation,
  ): Promise<Buffer> {
    const { maxBodyBytes, maxDecompressedBytes } = this.options.limits;
    const compression = compressionOf(request);
    if (Number(request.headers['content-length'] ?? 0) > maxBodyBytes) throw tooLargeBody(maxBodyBytes);
    if (request.headers.expect !== undefined) response.writeContinue();
    const body = await readBody(request, maxBodyBytes, reservation);
    return compression === undefined ? body : inflate(body, compression, maxDecompressedBytes, reservation);
  }

  private async export(
    signal: Signal,
    encoding: Encoding,
    body: Buffer,
    response: ServerResponse,
  ): Promise<void> {
    const receivedAt = this.options.clock.monotonic();
    const result = await this.work.run(() =>
      ingestOtlp(this.options, { signal, encoding, body, source: 'otlp-http', receivedAt }),
    );
    sendResult(response, encoding, signal, result);
  }

  private fail(
    error: unknown,
    encoding: Encoding | undefined,
    request: IncomingMessage,
    response: ServerResponse,
  ): void {
    const failure = BoundaryError.from(error);
    if (failure.code === 'INTERNAL') {
      const name = error instanceof Error ? error.name : typeof error;
      this.options.logger.error({ error: name }, 'an OTLP/HTTP request failed');
    }
    if (this.work.draining) response.setHeader('Connection', 'close');
    sendFailure(response, encoding ?? 'json', failure);
    discardRest(request, this.options.limits.maxDecompressedBytes);
  }
}
