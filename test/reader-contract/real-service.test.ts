import { rm } from 'node:fs/promises';
import { RealService, temporaryFolder } from '../e2e/real-service.ts';
import { connectGrpc } from './grpc-client.ts';
import { type Harness, readerContract } from './reader-contract.ts';
import { connectBrowserStyle, connectWs } from './websocket-client.ts';

/** Small, so that the suite can go over it. */
const MAX_QUEUED_UPDATES = 5;

async function start(): Promise<Harness> {
  const dataDir = await temporaryFolder();
  const flags = ['--max-queued-updates', String(MAX_QUEUED_UPDATES), '--durability', 'memory'];
  const service = await RealService.start({ dataDir, flags });
  return {
    address: service.service.addresses.readers,
    maxQueuedUpdates: MAX_QUEUED_UPDATES,
    feed: (records) => service.feed(records),
    flush: () => service.flush(),
    updatesMerged: async () =>
      Number(/^explain_updates_merged_total (\d+)$/m.exec(await service.metrics())?.[1]),
    stop: async () => {
      await service.stop();
      await rm(dataDir, { recursive: true });
    },
  };
}

readerContract('browser-style WebSocket', start, connectBrowserStyle);
readerContract('ws', start, connectWs);
readerContract('grpc-js', start, connectGrpc);
