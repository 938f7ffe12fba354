import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from './clock.ts';
import { BOUNDED } from '../../test/support/until.ts';
import { Slots } from './slots.ts';

test(
  '[SU27] so many have a slot, others wait in the order of coming, and beyond a number they are refused',
  BOUNDED,
  async () => {
    const slots = new Slots({ most: 2, mostWaiting: 3 }, 'too many', new ManualClock());
    const begun: number[] = [];
    const tickets = [0, 1, 2, 3, 4].map((n) => ({ n }));
    const waits = tickets.map((ticket) => slots.take(ticket)?.then(() => begun.push(ticket.n)));
    assert.deepEqual(
      waits.map((wait) => wait === undefined),
      [true, true, false, false, false],
    );
    assert.throws(() => slots.take({}), { code: 'RESOURCE_EXHAUSTED' });
    slots.free(tickets[3] ?? {});
    slots.free(tickets[1] ?? {});
    await waits[2];
    slots.free(tickets[0] ?? {});
    await waits[4];
    assert.deepEqual(begun, [2, 4], 'who left is passed over');
    slots.free(tickets[2] ?? {});
    assert.equal(slots.take({}), undefined);
  },
);

test('[SV78] a client has no more than its share, the next slot is for who has fewest, and who waits most makes room', async () => {
  const slots = new Slots({ most: 3, share: 2, mostWaiting: 4 }, 'too many', new ManualClock());
  const told: string[] = [];
  const take = (name: string): void => {
    const client = name.slice(0, 1);
    slots.take(tickets[name] as object, client)?.then(
      () => told.push(name),
      () => told.push(`no ${name}`),
    );
  };
  const names = ['a1', 'a2', 'a3', 'a4', 'a5', 'b1', 'b2', 'c1', 'd1'];
  const tickets = Object.fromEntries(names.map((name) => [name, { name }]));
  for (const name of ['a1', 'a2', 'a3', 'a4', 'a5']) take(name);
  assert.equal(slots.isAwaited, false, 'those who wait have something');
  for (const name of ['b1', 'b2', 'c1']) take(name);
  assert.equal(slots.isAwaited, true);
  await Promise.resolve();
  assert.deepEqual(told, ['no a5'], 'b1 began at once');
  assert.throws(() => take('a5'), { code: 'RESOURCE_EXHAUSTED' });
  for (const name of ['a1', 'a2', 'b1']) slots.free(tickets[name] as object);
  await Promise.resolve();
  assert.deepEqual(told, ['no a5', 'c1', 'a3', 'b2']);
  slots.free(tickets['a1'] as object);
  await Promise.resolve();
  assert.equal(told.length, 4, 'it was free already');
});

test('[SV78] who asked for much has one turn before another has its own', async () => {
  const clock = new ManualClock();
  const slots = new Slots({ most: 1, mostWaiting: 10 }, 'too many', clock);
  const told: string[] = [];
  const names = ['a1', 'a2', 'a3', 'b1', 'b2', 'c1'];
  const tickets = names.map((name) => ({ name }));
  for (const ticket of tickets) {
    const begin = async (): Promise<void> => {
      await slots.take(ticket, ticket.name.slice(0, 1));
      told.push(ticket.name);
      clock.advance(1);
      slots.free(ticket);
    };
    void begin();
  }
  while (told.length < names.length) await new Promise(setImmediate);
  assert.deepEqual(told, ['a1', 'c1', 'b1', 'b2', 'a2', 'a3']);
});

test('[SV78] who keeps its slots for long, or asks for more, has its next turn after the others', async () => {
  const clock = new ManualClock();
  const slots = new Slots({ most: 2, mostWaiting: 100 }, 'too many', clock);
  const told: string[] = [];
  const tickets = new Map<string, object>();
  const take = (name: string): void => {
    const ticket = {};
    tickets.set(name, ticket);
    void Promise.resolve(slots.take(ticket, name.slice(0, 1))).then(() => told.push(name));
  };
  const free = async (name: string): Promise<void> => {
    slots.free(tickets.get(name) ?? {});
    await new Promise(setImmediate);
  };
  // Two that read nothing, two that ask as often and have had no turn, and then one who asks once.
  for (const name of ['a1', 'b1', 'a2', 'b2', 'c1', 'c2', 'd1', 'd2', 'e1']) take(name);
  await new Promise(setImmediate);
  clock.advance(2000);
  await free('a1');
  await free('b1');
  clock.advance(10);
  await free('e1');
  await free('c1');
  await free('d1');
  assert.deepEqual(told, ['a1', 'b1', 'e1', 'c1', 'd1', 'c2', 'd2']);
});
