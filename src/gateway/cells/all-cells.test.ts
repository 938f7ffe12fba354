import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { ManualClock } from '../../base/clock.ts';
import type { ToldCell } from '../../model/told-cells.ts';
import { AllCells } from './all-cells.ts';
import type { AskCell } from './ask-cell.ts';

type Said = Awaited<ReturnType<AskCell>> | 'silent' | Error;

const GIVEN: Readonly<Record<string, Said>> = {
  a: { status: 200, body: Buffer.from('{"tasks":7,"running":2,"of a later version":1}') },
  b: { status: 404, body: Buffer.from('{}') },
  c: new Error('broke off its answer (ECONNRESET)'),
  d: { status: 200, body: Buffer.from('{"tasks":"many","running":-1}') },
  e: 'silent',
  gone: { status: 200, body: Buffer.from('{"tasks":1,"running":1}') },
};

function told(name: string, state: ToldCell['state']): ToldCell {
  return {
    name,
    address: `${name}:9000`,
    state,
    since: '2026-01-01T00:00:00.000Z',
    oddities: [],
    notices: [],
  };
}

function cells(states: Readonly<Record<string, ToldCell['state']>>, drained: readonly string[] = []) {
  const clock = new ManualClock();
  const asked: string[] = [];
  const all = new AllCells({
    addresses: {
      current: () =>
        Object.keys(states).map((name) => ({
          name,
          address: `${name}:9000`,
          endpoint: `${name}:4317`,
          ...(drained.includes(name) && { drain: true as const }),
        })),
    },
    health: { told: () => ({ cells: Object.entries(states).map(([name, state]) => told(name, state)) }) },
    askTasks: async (address) => {
      asked.push(address);
      const said = GIVEN[address.split(':')[0] ?? ''] ?? 'silent';
      if (said === 'silent') return new Promise(() => {});
      if (said instanceof Error) throw said;
      return said;
    },
    clock,
  });
  return { all, asked, clock };
}

test('[DR2] each cell that answers tells of its tasks; one that does not say is named, with the reason, after 5 s at most', async () => {
  const { all, asked, clock } = cells({
    a: 'well',
    b: 'well',
    c: 'draining',
    d: 'well',
    e: 'well',
    gone: 'away',
  });
  const answer = all.told();
  await setImmediate();
  clock.advance(4999);
  assert.equal(await Promise.race([answer, setImmediate('waiting')]), 'waiting');
  clock.advance(1);
  const list = (await Promise.race([answer, setImmediate({ cells: [] })])).cells;
  assert.deepEqual(asked, ['a:9000', 'b:9000', 'c:9000', 'd:9000', 'e:9000']);
  assert.deepEqual(
    list.map(({ name, tasks }) => [name, tasks]),
    [
      ['a', { tasks: 7, running: 2 }],
      ...['b', 'c', 'd', 'e', 'gone'].map((name) => [name, undefined] as const),
    ],
  );
  const no = 'does not say how many of its tasks run: it';
  assert.deepEqual(
    list.flatMap(({ notices }) => notices),
    [
      `cell b ${no} is of a version that does not tell (404)`,
      `cell c ${no} broke off its answer (ECONNRESET)`,
      `cell d ${no} answers what no cell says`,
      `cell e ${no} did not answer within 5 seconds`,
    ],
  );
});

test('[DR2] a cell that is to be taken out is told so, and cells are asked once for all who ask at the same time', async () => {
  const { all, asked } = cells({ a: 'well', gone: 'away' }, ['a']);
  const [first, second] = await Promise.all([all.told(), all.told()]);
  assert.deepEqual(first, second);
  assert.deepEqual(
    first.cells.map(({ name, drain }) => [name, drain]),
    [
      ['a', true],
      ['gone', undefined],
    ],
  );
  assert.deepEqual(asked, ['a:9000']);
  await all.told();
  assert.equal(asked.length, 2);
});
