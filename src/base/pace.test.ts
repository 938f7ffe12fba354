import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from './clock.ts';
import { counted, Pace, short, type Turns } from './pace.ts';

/** The turns of an event loop, moved by hand. */
function byHand(): { pace: Pace; clock: ManualClock; turn: () => Promise<void>; readonly waiting: number } {
  const clock = new ManualClock();
  const tasks: (() => void)[] = [];
  const pace = new Pace(clock, (task) => tasks.push(task));
  const turn = async (): Promise<void> => {
    for (const task of tasks.splice(0)) task();
    await new Promise(setImmediate);
  };
  return {
    pace,
    clock,
    turn,
    get waiting() {
      return tasks.length;
    },
  };
}

test('[EL1] long work is over ten milliseconds after it began in a turn, whoever began it', async () => {
  const { pace, clock, turn } = byHand();
  assert.equal(pace.isOver, false);
  clock.advance(9);
  assert.equal(pace.isOver, false);
  clock.advance(1);
  assert.equal(pace.isOver, true);
  await turn();
  assert.equal(pace.isOver, false);
});

test('[EL1] who rests goes on in a later turn, in the order of coming', async () => {
  const { pace, clock, turn } = byHand();
  const order: string[] = [];
  const work = async (name: string): Promise<void> => {
    for (let piece = 1; piece <= 2; piece++) {
      await pace.rest();
      order.push(`${name}${piece}`);
      clock.advance(10);
    }
  };
  const all = Promise.all([work('a'), work('b')]);
  const seen: number[] = [];
  for (let i = 0; i < 4; i++) {
    await turn();
    seen.push(order.length);
  }
  await all;
  assert.deepEqual(order, ['a1', 'b1', 'a2', 'b2']);
  assert.deepEqual(seen, [1, 2, 3, 4]);
});

test('[EL1] what takes in, upkeep and what readers ask for take turns, however much rests in the others', async () => {
  const { pace, clock, turn } = byHand();
  const order: string[] = [];
  const rests = async (name: string, rest: Promise<void>): Promise<void> => {
    await rest;
    order.push(name);
    clock.advance(10);
  };
  for (const name of ['r', 's', 't']) void rests(name, pace.of('readers').rest());
  for (const name of ['a', 'b', 'c']) void rests(name, pace.rest());
  for (const name of ['x', 'y']) void rests(name, pace.of('upkeep').rest());
  for (let i = 0; i < 8; i++) await turn();
  assert.deepEqual(order, ['a', 'x', 'r', 'b', 'y', 's', 'c', 't']);
});

for (const [what, line, many] of [
  ['a reader asks for', (pace: Pace) => pace.of('readers'), counted],
  ['comes in', (pace: Pace) => pace, counted],
  ['many wait for', (pace: Pace) => pace, short],
] as const)
  test(`[EL1] what little ${what} does not wait behind all that is much`, async () => {
    const { pace, clock, turn } = byHand();
    const order: string[] = [];
    const work = async (name: string, turns: Turns, pieces: number): Promise<void> => {
      for (let piece = 0; piece < pieces; piece++) {
        await turns.rest();
        clock.advance(10);
      }
      order.push(name);
    };
    for (let n = 0; n < 20; n++) void work('much', counted(line(pace)), 1000);
    for (let i = 0; i < 200; i++) await turn();
    void work('little', many(line(pace)), many === short ? 10 : 3);
    for (let i = 0; i < 30; i++) await turn();
    assert.deepEqual(order, ['little']);
  });

test('[EL1] among many who ask for much at once, who asks for little waits for a moment of each', async () => {
  const { pace, clock, turn } = byHand();
  const order: string[] = [];
  const work = async (name: string, ms: number): Promise<void> => {
    const turns = counted(pace.of('readers'));
    for (let done = 0; done < ms;) {
      await turns.rest();
      do {
        clock.advance(1);
        done++;
      } while (done < ms && !turns.isOver);
    }
    order.push(name);
  };
  for (let n = 0; n < 100; n++) void work('much', 1000);
  void work('little', 1);
  for (let i = 0; i < 25; i++) await turn();
  assert.deepEqual(order, ['little']);
});

/** What two pieces each of these workers, of four milliseconds, come to in each of four turns. */
async function turnsOf(names: readonly string[]): Promise<string[]> {
  const { pace, clock, turn } = byHand();
  const order: string[] = [];
  const work = async (name: string): Promise<void> => {
    for (let piece = 1; piece <= 2; piece++) {
      await pace.rest();
      order.push(`${name}${piece}`);
      clock.advance(4);
    }
  };
  for (const name of names) void work(name);
  const seen: string[] = [];
  for (let i = 0; i < 4; i++) {
    await turn();
    seen.push(order.splice(0).join(' '));
  }
  return seen;
}

test('[EL1] short pieces share a turn, and none of them has two in it', async () => {
  // After three of them twelve milliseconds are over.
  assert.deepEqual(await turnsOf(['a', 'b', 'c', 'd']), ['a1 b1 c1', 'd1 a2 b2', 'c2 d2', '']);
  assert.deepEqual(await turnsOf(['a', 'b']), ['a1 b1', 'a2 b2', '', '']);
});

test('[EL1] the turns of all lines are the same', async () => {
  const { pace, clock } = byHand();
  assert.equal(pace.of('readers').isOver, false);
  clock.advance(10);
  assert.ok(pace.isOver && pace.of('readers').isOver && pace.of('upkeep').isOver);
});

test('[EL1] who goes on has a share of its own, and an idle pace asks for no turns', async () => {
  const loop = byHand();
  const { pace, clock, turn } = loop;
  assert.equal(pace.isOver, false);
  clock.advance(50);
  const rested = pace.rest();
  await turn();
  await rested;
  assert.equal(pace.isOver, false);
  await turn();
  assert.equal(loop.waiting, 0);
});

test('[EL1] while connections come, long work leaves out turns of the event loop, and has the fourth', async () => {
  const { pace, clock, turn } = byHand();
  let pieces = 0;
  const work = (async () => {
    for (; pieces < 3; pieces++) {
      await pace.rest();
      clock.advance(10);
    }
  })();
  const seen: number[] = [];
  for (let n = 0; n < 10; n++) {
    pace.connectionTaken();
    await turn();
    seen.push(pieces);
  }
  assert.deepEqual([seen[2], seen[3], seen[6], seen[7]], [0, 1, 1, 2]);
  await turn();
  await turn();
  await work;
});
