import assert from 'node:assert/strict';
import { Client, credentials, type ServiceError } from '@grpc/grpc-js';
import { toProtobuf } from '../recordings/otlp-protobuf.ts';
import type { Protocol } from './collector-process.ts';

const EXPORT = '/opentelemetry.proto.collector.trace.v1.TraceService/Export';
/** Field 1 of the answer, a message of no bytes: nothing was refused. */
const EMPTY_PARTIAL_SUCCESS = '\n\0';
const ANSWER_LIMIT_MS = 10_000;

/** Where OTLP is taken. */
export interface OtlpUrls {
  /** `http://host:port` */
  readonly grpcUrl: string;
  readonly httpUrl: string;
}

/**
 * Sends one OTLP/JSON ExportTraceServiceRequest to the Collector, as protobuf: it reads no JSON but its own.
 * @throws AssertionError, ServiceError when the Collector does not take all of it
 */
export async function sendTraces(collector: OtlpUrls, protocol: Protocol, request: object): Promise<void> {
  const body = Buffer.from(toProtobuf(request));
  if (protocol === 'grpc') await call(collector.grpcUrl, body);
  else {
    const answer = await post(`${collector.httpUrl}/v1/traces`, 'application/x-protobuf', body);
    assert.equal(answer, EMPTY_PARTIAL_SUCCESS);
  }
}

/** Sends one data point as OTLP/JSON over HTTP. @throws AssertionError when the Collector does not take it */
export async function sendMetric(collector: OtlpUrls): Promise<void> {
  const dataPoints = [{ asInt: '1', timeUnixNano: '1795293556273000000' }];
  const metrics = [{ name: 'agent.runs', gauge: { dataPoints } }];
  const body = Buffer.from(JSON.stringify({ resourceMetrics: [{ scopeMetrics: [{ metrics }] }] }));
  const answer = await post(`${collector.httpUrl}/v1/metrics`, 'application/json', body);
  assert.equal(answer, '{"partialSuccess":{}}');
}

async function post(url: string, contentType: string, body: Buffer<ArrayBuffer>): Promise<string> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': contentType },
    body,
    signal: AbortSignal.timeout(ANSWER_LIMIT_MS),
  });
  const answer = await response.text();
  assert.equal(response.status, 200, `${url}: ${answer}`);
  return answer;
}

async function call(url: string, body: Buffer): Promise<void> {
  const client = new Client(new URL(url).host, credentials.createInsecure());
  const same = (bytes: Buffer): Buffer => bytes;
  try {
    await new Promise<void>((resolve, reject) => {
      const deadline = Date.now() + ANSWER_LIMIT_MS;
      client.makeUnaryRequest(EXPORT, same, same, body, { deadline }, (error: ServiceError | null) =>
        error === null ? resolve() : reject(error),
      );
    });
  } finally {
    client.close();
  }
}
