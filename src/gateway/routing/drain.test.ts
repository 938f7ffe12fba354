import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '../../base/clock.ts';
import { cellsSchema } from '../../config/cells-schema.ts';
import { completeCells } from '../cells/cell-addresses.ts';
import { CellRing } from './cell-ring.ts';
import { cellOfThought } from './choose.ts';
import { StreamHomes } from './stream-homes.ts';

const GIVEN = ['a', 'b', 'c'].map((name) => ({ name, address: `${name}:9000` }));
const KEYS = Array.from({ length: 500 }, (_, n) => `key ${n}`);

/** As the list or the file says it. */
function ringOf(drained: string | undefined): CellRing {
  const given = GIVEN.map((cell) => (cell.name === drained ? { ...cell, drain: true } : cell));
  return new CellRing(completeCells(cellsSchema.parse(given), 4317));
}

test('[DG5] a cell that is drained gets nothing new, and what others get stays with them', () => {
  const before = ringOf(undefined);
  const after = ringOf('b');
  const owners = new Set(KEYS.map((key) => before.of(key)));
  assert.deepEqual([...owners].sort(), ['a', 'b', 'c']);
  for (const key of KEYS) {
    if (before.of(key) === 'b') assert.notEqual(after.of(key), 'b');
    else assert.equal(after.of(key), before.of(key));
  }
});

test('[DG5] a thought stays in a cell that is drained until it ends; a new one goes elsewhere', () => {
  const homes = new StreamHomes(systemClock);
  const key = KEYS.find((one) => ringOf(undefined).of(one) === 'b') ?? '';
  const routed = (requestId: string, drained: string | undefined, final = false): string =>
    cellOfThought({ ring: ringOf(drained), homes, routeBy: 'traceID' }, { requestId, final }, key);
  assert.equal(routed('open', undefined), 'b');
  assert.equal(routed('open', 'b'), 'b');
  assert.equal(routed('open', 'b', true), 'b');
  assert.notEqual(routed('new', 'b'), 'b');
});

test('[DG5] a list in which all cells are drained is refused', () => {
  const all = cellsSchema.safeParse(GIVEN.map((cell) => ({ ...cell, drain: true })));
  assert.match(all.error?.message ?? '', /must have a cell without .{1,2}drain/);
  assert.ok(cellsSchema.safeParse(GIVEN.map((cell) => ({ ...cell, drain: false }))).success);
});
