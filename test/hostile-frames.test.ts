import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { OtlpGrpcReceiver } from '../src/receivers/otlp-grpc/otlp-grpc-receiver.ts';
import { setup } from '../src/receivers/otlp-server.test-support.ts';
import { randomBy } from './integration/crash/random.ts';
import { until } from './support/until.ts';
import {
  END_HEADERS,
  END_STREAM,
  FRAME,
  PREFACE,
  frame,
  grpcHeaders,
  grpcMessage,
  uint32,
} from './support/http2/frames.ts';
import { frameSequence } from './support/http2/frame-sequence.ts';
import { LEAVINGS, sendSegments } from './support/http2/send-segments.ts';
import { statusOfUnknownMethod } from './support/http2/status-of-unknown-method.ts';
import { propertyRuns } from './support/property-runs.ts';
import { startTestServers, type TestServers } from './support/test-servers.ts';

/** Connections at a time: enough that the waits of one are the work of another. */
const AT_A_TIME = 32;

describe('frames of hostile gRPC peers', () => {
  let readers: TestServers;
  let otlp: OtlpGrpcReceiver;
  let ports: readonly number[];
  const exceptions: unknown[] = [];
  const noteException = (error: unknown): void => void exceptions.push(error);

  before(async () => {
    process.on('uncaughtException', noteException);
    readers = await startTestServers();
    otlp = new OtlpGrpcReceiver(setup().options);
    ports = [readers.address.port, (await otlp.start()).port];
  });
  after(async () => {
    await readers.stop();
    await otlp.stop();
    process.off('uncaughtException', noteException);
  });

  async function assertAlive(): Promise<void> {
    await until('every subscription has gone', async () => readers.grpc.subscriptionCount === 0);
    for (const port of ports) assert.equal(await statusOfUnknownMethod(port), 12, 'UNIMPLEMENTED');
    assert.deepEqual(exceptions, [], 'no exception reached the process');
  }

  test('[PO1] a call that is reset in the segment that began it ends alone', async () => {
    const calls = [
      grpcHeaders('/no.such.Service/Method'),
      grpcHeaders('/explain.v1.ExplainService/GetGraph', [['content-type', 'text/plain']]),
      grpcHeaders('/explain.v1.ExplainService/Subscribe'),
      grpcHeaders('/opentelemetry.proto.collector.trace.v1.TraceService/Export'),
      grpcHeaders('/opentelemetry.proto.collector.trace.v1.TraceService/Export', [['grpc-timeout', '1n']]),
    ];
    for (const port of ports) {
      for (const call of calls) {
        const begin = frame(FRAME.headers, END_HEADERS, 1, call);
        const message = frame(FRAME.data, END_STREAM, 1, grpcMessage(Buffer.alloc(0)));
        const reset = frame(FRAME.rstStream, 0, 1, uint32(8));
        for (const order of [
          [begin, reset],
          [begin, message, reset],
          [begin, reset, message, reset],
        ]) {
          const segment = Buffer.concat([PREFACE, frame(FRAME.settings, 0, 0), ...order]);
          await sendSegments(port, [segment], 'ends');
        }
      }
    }
    await assertAlive();
  });

  test('[PO2] a subscriber whose connection ends without a word is gone at once', async () => {
    const subscribe = frame(
      FRAME.headers,
      END_HEADERS,
      1,
      grpcHeaders('/explain.v1.ExplainService/Subscribe'),
    );
    const message = frame(FRAME.data, END_STREAM, 1, grpcMessage(Buffer.alloc(0)));
    const segment = Buffer.concat([PREFACE, frame(FRAME.settings, 0, 0), subscribe, message]);
    await Promise.all(Array.from({ length: 5 }, () => sendSegments(readers.address.port, [segment], 'ends')));
    await assertAlive();
  });

  test('[PO1] property: any sequence of frames leaves both ports as they were', async () => {
    const { seed, numRuns } = propertyRuns();
    let next = 0;
    const sender = async (): Promise<void> => {
      while (next < numRuns) {
        const index = next++;
        const random = randomBy(seed + index);
        const segments = frameSequence(random);
        const leaving = LEAVINGS[Math.floor(random() * LEAVINGS.length)] ?? 'waits';
        await Promise.all(ports.map((port) => sendSegments(port, segments, leaving)));
      }
    };
    await Promise.all(Array.from({ length: AT_A_TIME }, sender));
    await assertAlive();
  });
});
