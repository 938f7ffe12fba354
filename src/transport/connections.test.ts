import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { test } from 'node:test';
import { ManualClock } from '../base/clock.ts';
import { silentLogger, type Logger } from '../telemetry/logger.ts';
import { MANY, ownedBy } from './connection-owners.ts';
import { Connections, type Connection } from './connections.ts';

class FakeSocket extends EventEmitter {
  bytesWritten = 0;
  writableLength = 0;
  destroyed = false;

  destroy(): void {
    if (this.destroyed) return;
    this.destroyed = true;
    this.emit('close');
  }
}

function table(maxConnections: number, maxIdle = 1_000, logger: Logger = silentLogger) {
  const clock = new ManualClock();
  const connections = new Connections({ maxConnections, maxIdle, clock, logger });
  const admit = (): { socket: FakeSocket; connection: Connection } => {
    const socket = new FakeSocket();
    return { socket, connection: connections.admit(socket as unknown as Socket) };
  };
  return { clock, connections, admit };
}

const ours = (): boolean => false;
const theirs = (): boolean => true;
const gone = (all: readonly { readonly socket: FakeSocket }[]): number[] =>
  all.flatMap(({ socket }, index) => (socket.destroyed ? [index] : []));

test('[PO3] a newcomer takes the place of the longest idle; a request makes a connection new', () => {
  const { admit, connections } = table(3);
  const all = [admit(), admit(), admit()];
  all[0]?.connection.begin(ours)();
  admit();
  assert.deepEqual(gone(all), [1]);
  admit();
  assert.deepEqual(gone(all), [1, 2]);
  assert.equal(connections.size, 3);
});

test('[PO3] where nobody is idle, who has the next move goes, and never who waits for us', () => {
  const { admit } = table(3);
  const all = [admit(), admit(), admit()];
  all[0]?.connection.begin(ours);
  all[1]?.connection.begin(theirs);
  all[2]?.connection.begin(theirs);
  all[2]?.connection.begin(ours);
  admit();
  assert.deepEqual(gone(all), [1]);
});

test('[PO3] a port full of work keeps seven eighths of it and still takes everybody in', () => {
  const { admit, connections } = table(16);
  const all = Array.from({ length: 100 }, () => {
    const one = admit();
    one.connection.begin(ours);
    return one;
  });
  assert.equal(connections.size, 16);
  assert.deepEqual(
    gone(all),
    Array.from({ length: 84 }, (_, index) => index + 14),
  );
});

test('[PO4] idle connections are bounded by themselves, with a word of goodbye where there is one', () => {
  const { admit, clock, connections } = table(100, 2);
  const all = [admit(), admit(), admit()];
  assert.deepEqual(gone(all), [0]);
  let said = 0;
  const { connection, socket } = admit();
  connection.closeGently = () => said++;
  all[2]?.connection.begin(ours);
  admit();
  admit();
  assert.deepEqual([said, socket.destroyed, connections.size], [1, false, 3]);
  clock.advance(1_000);
  assert.equal(socket.destroyed, true);
});

test('[PO5] a peer that keeps its side open, or takes nothing of what waits for it, is cut off', () => {
  const { admit, clock } = table(10);
  const [half, stalled, slow] = [admit(), admit(), admit()];
  half.socket.emit('finish');
  stalled.socket.writableLength = slow.socket.writableLength = 100;
  stalled.socket.bytesWritten = slow.socket.bytesWritten = 100;
  clock.advance(1_000);
  assert.deepEqual(gone([half, stalled, slow]), [0]);
  for (let second = 0; second < 40; second++) {
    slow.socket.bytesWritten++;
    clock.advance(1_000);
  }
  assert.deepEqual(gone([half, stalled, slow]), [0, 1]);
});

test('[PO3] a flood is said in one line a minute', () => {
  const lines: unknown[] = [];
  const { admit, clock } = table(1, 1, { ...silentLogger, warn: (fields) => void lines.push(fields) });
  for (let n = 0; n < 1_000; n++) admit();
  clock.advance(61_000);
  admit();
  assert.deepEqual(lines, [
    { evicted: 1, maxConnections: 1 },
    { evicted: 999, maxConnections: 1 },
  ]);
});

test('[AC38] in a port full of work who has more than newcomers have in all makes room, by the last', () => {
  const { admit } = table(16);
  const busy = (who?: string) => {
    const one = admit();
    one.connection.begin(ours);
    if (who !== undefined) ownedBy(one.socket, who);
    return one;
  };
  const [unknown, mine] = [busy(MANY), busy('mine')];
  const theirs = Array.from({ length: 14 }, () => busy('theirs'));
  const more = Array.from({ length: 50 }, () => busy('theirs'));
  assert.ok(!unknown.socket.destroyed && !mine.socket.destroyed);
  const [another, ...others] = Array.from({ length: 3 }, (_, n) => busy(`other ${n}`));
  assert.ok([another, ...others].every((one) => one?.socket.destroyed === false));
  assert.deepEqual(gone(theirs), [11, 12, 13]);
  assert.equal(gone(more).length, 50);
});

test('[AC38] in a port full of work who was not let in makes room for who was, the oldest first', () => {
  const { admit } = table(16);
  const busy = (who?: string) => {
    const one = admit();
    one.connection.begin(ours);
    if (who !== undefined) ownedBy(one.socket, who);
    return one;
  };
  const strangers = Array.from({ length: 13 }, () => busy());
  const known = [busy('one'), busy(MANY), busy('other')];
  const more = Array.from({ length: 50 }, () => busy());
  assert.ok(known.every(({ socket }) => !socket.destroyed));
  assert.equal(gone(strangers).length, 13);
  const all = [...known, ...Array.from({ length: 13 }, (_, n) => busy(`newcomer ${n}`))];
  assert.ok(all.every(({ socket }) => !socket.destroyed));
  assert.equal(gone(more).length, 50);
});
