import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { test } from 'node:test';
import type { ClientReadableStream } from '@grpc/grpc-js';
import { GrpcChannels } from './grpc-channels.ts';

class FakeClient {
  isClosed = false;
  close(): void {
    this.isClosed = true;
  }
}

test('[CL32] streams beyond what a connection carries have another, which is closed when they have ended', () => {
  const clients: FakeClient[] = [];
  const channels = new GrpcChannels(() => {
    clients.push(new FakeClient());
    return clients.at(-1) as FakeClient;
  });
  const on: FakeClient[] = [];
  const begin = () =>
    channels.stream((client) => {
      on.push(client);
      return new EventEmitter() as ClientReadableStream<unknown>;
    });
  const open = (): readonly boolean[] => clients.map(({ isClosed }) => !isClosed);
  const streams = Array.from({ length: 301 }, begin);
  assert.deepEqual(
    clients.map((client) => on.filter((one) => one === client).length),
    [150, 150, 1],
  );
  streams[300]?.emit('status');
  assert.deepEqual(open(), [true, true, false]);
  for (const stream of streams.slice(0, 150)) stream.emit('status');
  assert.deepEqual(open(), [true, true, false], 'the first stays, for what is asked');
  begin();
  assert.equal(on.at(-1), channels.first);
  channels.close();
  assert.deepEqual(open(), [false, false, false]);
});
