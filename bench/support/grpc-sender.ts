import { Client, credentials } from '@grpc/grpc-js';

const EXPORT = '/opentelemetry.proto.collector.trace.v1.TraceService/Export';
/** Bytes of a `partial_success` that says nothing, which a Collector sends with every answer. */
const EMPTY_PARTIAL_SUCCESS = 2;
const same = (body: Buffer): Buffer => body;

/** Sends OTLP trace requests over gRPC and insists on a full success for each. */
export class GrpcSender {
  private readonly client: Client;

  constructor(port: number) {
    this.client = new Client(`127.0.0.1:${port}`, credentials.createInsecure(), {
      // A connection of its own instead of the shared one.
      'grpc.use_local_subchannel_pool': 1,
      'grpc-node.flow_control_window': 8 * 1024 * 1024,
    });
  }

  /** @throws Error for any status but OK, and for a partial success */
  send(body: Buffer): Promise<void> {
    return new Promise((resolve, reject) => {
      this.client.makeUnaryRequest(EXPORT, same, same, body, (error, answer) => {
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
