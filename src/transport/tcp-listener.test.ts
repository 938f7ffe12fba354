import assert from 'node:assert/strict';
import { connect, type Socket } from 'node:net';
import { test } from 'node:test';
import { systemClock } from '../base/clock.ts';
import { Pace } from '../base/pace.ts';
import { silentLogger as logger } from '../telemetry/logger.ts';
import { Connections } from './connections.ts';
import { TcpListener } from './tcp-listener.ts';

test('[EL1] a crowd of connections is let in between two turns of long work', async () => {
  const CROWD = 12;
  const pace = new Pace(systemClock);
  const connections = new Connections({ maxConnections: 100, clock: systemClock, logger });
  let turns = 0;
  const takenIn: number[] = [];
  const accept = (): void => void takenIn.push(turns);
  const listener = new TcpListener({ host: '127.0.0.1', port: 0, connections, logger, pace, accept });
  const { host, port } = await listener.start();
  const crowd: Socket[] = [];
  const work = async (): Promise<void> => {
    while (takenIn.length < CROWD) {
      await pace.rest();
      while (!pace.isOver);
      turns++;
    }
  };
  const done = work();
  for (let n = 0; n < CROWD; n++) crowd.push(connect(port, host).on('error', () => {}));
  await done;
  for (const socket of crowd) socket.destroy();
  await listener.stop();
  const [first = 0, last = 0] = [takenIn[0], takenIn.at(-1)];
  assert.ok(last - first <= 4, `taken in turns ${first} to ${last} of long work`);
});
