import { GrpcSender, type Secure } from './grpc-sender.ts';
import { spanRequest } from './payload.ts';

export const SPANS_PER_REQUEST = 512;
const CONNECTIONS = 4;

/** Senders of GenAI spans over connections of their own, each with one request under way at a time. */
export class SpanLoad {
  readonly bytesPerSpan: number;
  private readonly lanes;

  constructor(grpcPort: number, secure?: Secure, spansPerRequest = SPANS_PER_REQUEST) {
    this.lanes = Array.from({ length: CONNECTIONS }, (_, i) => ({
      sender: new GrpcSender(grpcPort, secure),
      request: spanRequest(spansPerRequest, i),
    }));
    this.bytesPerSpan = this.lanes[0]?.request.bytesPerSpan ?? 0;
  }

  /** Sends so many requests of spans that were never sent before. @throws Error for any answer but full success */
  async send(requests: number): Promise<void> {
    let left = requests;
    await Promise.all(
      this.lanes.map(async ({ sender, request }) => {
        while (left-- > 0) {
          request.renew();
          await sender.send(request.body);
        }
      }),
    );
  }

  close(): void {
    for (const { sender } of this.lanes) sender.close();
  }
}
