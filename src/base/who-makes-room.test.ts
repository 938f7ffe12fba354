import assert from 'node:assert/strict';
import { test } from 'node:test';
import { whoMakesRoom } from './who-makes-room.ts';

test('[AC37] who holds most makes room by what came last, until all hold alike', () => {
  const held = new Map<number, string>();
  const places = 10;
  let next = 0;
  const come = (who: string): boolean => {
    if (held.size >= places) {
      const goes = whoMakesRoom(held, who);
      if (goes === undefined) return false;
      held.delete(goes);
    }
    held.set(next++, who);
    return true;
  };
  const counts = (): Record<string, number> =>
    Object.fromEntries(
      Map.groupBy(held.values(), (who) => who)
        .entries()
        .map(([who, { length }]) => [who, length]),
    );
  for (let n = 0; n < 100; n++) come('a');
  assert.deepEqual([...held.keys()], [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  assert.ok(come('b'));
  assert.ok(!held.has(9) && held.has(8));
  for (let n = 0; n < 100; n++) come('b');
  assert.deepEqual(counts(), { a: 5, b: 5 });
  assert.ok(!come('a') && !come('b'));
  assert.ok(come('c'));
  for (let n = 0; n < 100; n++) for (const who of ['a', 'b', 'c']) come(who);
  assert.deepEqual(Object.values(counts()).sort(), [3, 3, 4]);
});
