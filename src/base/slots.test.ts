import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Slots } from './slots.ts';

test('[SU27] so many have a slot, others wait in the order of coming, and beyond a number they are refused', async () => {
  const slots = new Slots(2, 3, 'too many');
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
});
