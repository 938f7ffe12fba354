import type { IncomingMessage, ServerResponse } from 'node:http';
import { credentialHeaders, httpCredentials } from '../../access/credentials.ts';
import { demand, type Principal } from '../../access/principal.ts';
import { BoundaryError } from '../../base/boundary-error.ts';
import { Connections, type Connection } from '../../transport/connections.ts';
import { HttpConnections } from '../../transport/http-connections.ts';
import { RequestBodies } from '../../transport/request-bodies.ts';
import { SECURITY_HEADERS } from '../../transport/security-headers.ts';
import { Seldom } from '../../transport/seldom.ts';
import { TcpListener, type ListenAddress } from '../../transport/tcp-listener.ts';
import { ActiveWork } from '../active-work.ts';
import { STOP_GRACE_MS } from '../config.ts';
import type { Encoding } from '../otlp/decode.ts';
import { ingestOtlp, type ExportResult } from '../otlp/ingest.ts';
import type { OtlpServerOptions, SentOtlp } from '../otlp-server-options.ts';
import { answerClientError, sendFailure, sendResult } from './http-answers.ts';
import { encodingOf, isOtlpPath, signalOf, unsupportedType } from './request-head.ts';

/** OTLP/HTTP: `POST /v1/traces`, `/v1/logs`, `/v1/metrics`, protobuf and JSON, on a port of its own. */
export class OtlpHttpReceiver {
  private readonly options: OtlpServerOptions;
  private readonly work = new ActiveWork();
  private readonly bodies: RequestBodies;
  private readonly http: HttpConnections;
  private readonly listener: TcpListener;

  constructor(options: OtlpServerOptions) {
    this.options = options;
    this.bodies = new RequestBodies(options);
    const connections = new Connections(options);
    this.http = new HttpConnections(connections);
    // With `Expect: 100-continue` the sender is refused before it sends its body.
    this.http.serve((request, response) => void this.handle(request, response));
    this.http.server.on(
      'clientError',
      answerClientError(options.ports, new Seldom(options.clock, options.logger)),
    );
    const accept = (connection: Connection): void => this.http.accept(connection);
    this.listener = new TcpListener({ ...options, accept, connections });
  }

  /** Resolves when the port is open. @throws Error with code EADDRINUSE, EACCES, EADDRNOTAVAIL */
  start(): Promise<ListenAddress> {
    return this.listener.start();
  }

  /** Refuses new requests with 503; resolves when the running ones are done. */
  drain(): Promise<void> {
    return this.work.drain();
  }

  /** Drains, then closes every connection. */
  async stop(): Promise<void> {
    await this.drain();
    await this.listener.closeWithin(STOP_GRACE_MS);
    this.http.stop();
    await this.listener.stop();
  }

  /** Does a request that came in at another port belong here? */
  takes(request: IncomingMessage): boolean {
    return isOtlpPath(request);
  }

  /** Answers every request, wherever it came in; never throws. */
  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const encoding = encodingOf(request);
    for (const [name, value] of Object.entries(SECURITY_HEADERS)) response.setHeader(name, value);
    const body = this.bodies.open(request, response);
    try {
      this.options.hostOriginCheck.checkSender(request.headers);
      const signal = signalOf(request, this.options.ports());
      this.work.check();
      const sender = this.admit(request);
      this.options.perKey.admitMore(sender);
      if (encoding === undefined) throw unsupportedType();
      const sent = { signal, encoding, body: await body.read(this.options.perKey.sender(sender)) };
      await this.export(sent, sender, request, response);
    } catch (error) {
      this.fail(error, encoding, response);
    } finally {
      body.close();
    }
  }

  private admit(request: IncomingMessage): Principal {
    const { access } = this.options;
    // Programs send. A page that could would write into the graph of whoever looks at it.
    const credentials = { ...httpCredentials(request), cookie: undefined };
    let principal: Principal | undefined;
    try {
      principal = access.identify(credentials);
      demand(principal, 'send');
      return principal;
    } catch (thrown) {
      const error = BoundaryError.from(thrown);
      access.refused({ way: 'OTLP/HTTP', error, credentials, principal });
      throw error;
    }
  }

  private async export(
    sent: SentOtlp,
    sender: Principal,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const receivedAt = this.options.clock.monotonic();
    const { perKey, passOn } = this.options;
    const take = (): Promise<ExportResult> =>
      passOn ? passOn(sent, sender, credentialHeaders(request)) : this.ingest(sent, sender, receivedAt);
    const result = await this.work.run(() => perKey.inTurn(sender, take));
    sendResult(response, sent.encoding, sent.signal, result);
  }

  private ingest(sent: SentOtlp, sender: Principal, receivedAt: number): Promise<ExportResult> {
    const { perKey, consumerOf } = this.options;
    const consumer = perKey.counted(sender, consumerOf(sender));
    return ingestOtlp({ ...this.options, consumer }, { ...sent, source: 'otlp-http', receivedAt });
  }

  private fail(error: unknown, encoding: Encoding | undefined, response: ServerResponse): void {
    const failure = BoundaryError.from(error);
    if (failure.code === 'INTERNAL') {
      const name = error instanceof Error ? error.name : typeof error;
      this.options.logger.error({ error: name }, 'an OTLP/HTTP request failed');
    }
    if (this.work.draining || failure.code === 'DEADLINE_EXCEEDED') response.setHeader('Connection', 'close');
    sendFailure(response, encoding ?? 'json', failure);
  }
}
