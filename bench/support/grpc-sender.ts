import { Client, Metadata, credentials } from '@grpc/grpc-js';

const EXPORT = '/opentelemetry.proto.collector.trace.v1.TraceService/Export';
/** Bytes of a `partial_success` that says nothing, which a Collector sends with every answer. */
const EMPTY_PARTIAL_SUCCESS = 2;
const same = (body: Buffer): Buffer => body;

/** How a sender comes in where not everybody may. */
export interface Secure {
  /** PEM of the authority of the service; without TLS if absent. */
  readonly ca?: string;
  readonly token: string;
}

/** Sends OTLP trace requests over gRPC and insists on a full success for each. */
export class GrpcSender {
  private readonly client: Client;
  private readonly metadata = new Metadata();

  constructor(port: number, secure?: Secure) {
    if (secure) this.metadata.set('authorization', `Bearer ${secure.token}`);
    const ca = secure?.ca;
    const channel = ca === undefined ? credentials.createInsecure() : credentials.createSsl(Buffer.from(ca));
    this.client = new Client(`localhost:${port}`, channel, {
      // A connection of its own instead of the shared one.
      'grpc.use_local_subchannel_pool': 1,
      'grpc-node.flow_control_window': 8 * 1024 * 1024,
    });
  }

  /** @throws Error for any status but OK, and for a partial success */
  send(body: Buffer): Promise<void> {
    return new Promise((resolve, reject) => {
      this.client.makeUnaryRequest(EXPORT, same, same, body, this.metadata, (error, answer) => {
        if (error) reject(new Error(`${error.code}: ${error.details}`));
        else if (answer && answer.length > EMPTY_PARTIAL_SUCCESS) reject(new Error('partial success'));
        else resolve();
      });
    });
  }

  close(): void {
    this.client.close();
  }
}
