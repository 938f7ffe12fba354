import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onBehalfOf } from '../../src/access/on-behalf-of.ts';
import { GrpcTransport } from '../../src/client/grpc-transport.ts';
import { DEFAULT_TIMING } from '../../src/client/timing.ts';
import { serviceWithKeys } from '../e2e/service-with-keys.ts';
import { BOUNDED } from '../support/until.ts';

const READER = { by: 'key', id: 'one', name: 'one', roles: ['reader'], project: 'default' } as const;

test(
  '[CL32] more subscriptions of one caller than a connection carries stand, and others can be asked for',
  BOUNDED,
  async (t) => {
    const { service, keys } = await serviceWithKeys(t, { gateway: { roles: ['gateway'] } });
    const { host, port } = service.service.addresses.readers;
    const transport = new GrpcTransport({
      target: `${host}:${port}`,
      tls: undefined,
      token: keys.gateway,
      headers: onBehalfOf(READER),
      timing: DEFAULT_TIMING,
    });
    const streams = Array.from({ length: 320 }, () => transport.stream({}));
    for (const stream of streams) stream.on('error', () => undefined);
    await Promise.all(streams.map((stream) => new Promise((resolve) => stream.once('metadata', resolve))));
    assert.deepEqual((await transport.findTasks({})).tasks, []);
    for (const stream of streams) stream.cancel();
    await transport.close();
  },
);
