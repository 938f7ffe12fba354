import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

const ANSWER_LIMIT_MS = 10_000;
/** A program exports a few hundred kilobytes. */
const MAX_RECORDED_BYTES = 64 * 1024 * 1024;

/**
 * Stands between a program's OTLP/JSON exporter and the service: hands every request on as it came, and keeps it, so
 * that what was exported can be compared with what is shown.
 */
export class OtlpRecorder {
  /** ExportTraceServiceRequests that the service took. */
  readonly requests: object[] = [];
  /** Answers of the service other than a full success. */
  readonly refused: string[] = [];
  private readonly server: Server;
  private readonly target: string;
  private bytes = 0;

  private constructor(target: string) {
    this.target = target;
    this.server = createServer((request, response) => {
      this.handOn(request, response).catch((error: unknown) => {
        this.refused.push(String(error));
        response.destroy();
      });
    });
  }

  /** @param target host and port of the service's OTLP/HTTP listener */
  static async start(target: string): Promise<OtlpRecorder> {
    const recorder = new OtlpRecorder(target);
    recorder.server.listen(0, '127.0.0.1');
    await once(recorder.server, 'listening');
    return recorder;
  }

  /** For OTEL_EXPORTER_OTLP_ENDPOINT. */
  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.server.closeAllConnections();
    this.server.close();
  }

  private async handOn(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = Buffer.concat((await request.toArray()) as Buffer[]);
    this.bytes += body.length;
    if (this.bytes > MAX_RECORDED_BYTES)
      throw new Error(`more than ${MAX_RECORDED_BYTES} bytes were exported`);
    const contentType = request.headers['content-type'] ?? '';
    const taken = await fetch(`http://${this.target}${request.url ?? ''}`, {
      method: request.method ?? 'POST',
      headers: { 'content-type': contentType },
      body,
      signal: AbortSignal.timeout(ANSWER_LIMIT_MS),
    });
    const answer = await taken.text();
    if (taken.status !== 200 || !/^\{("partialSuccess":\{\})?\}$/.test(answer))
      this.refused.push(`${request.url} was answered ${taken.status}: ${answer}`);
    if (request.url === '/v1/traces') this.requests.push(JSON.parse(body.toString()) as object);
    response.writeHead(taken.status, { 'content-type': taken.headers.get('content-type') ?? '' }).end(answer);
  }
}
