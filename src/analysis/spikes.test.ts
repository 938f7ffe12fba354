import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hurriedPace } from '../../test/support/hurried-pace.ts';
import { wholeInTurns } from '../base/in-turns.ts';
import { idOf, PlannedTasks } from './compared.test-support.ts';
import { findSpikes } from './spikes.ts';

test('[EL1] spikes of a large task are looked for in turns of the event loop, with the same answer', async () => {
  const inside = Array.from({ length: 5_000 }, (_, i) => ({
    n: 2 + i,
    latencyMs: i % 1_000 === 7 ? 9_000 + i : 10,
  }));
  const { graph } = new PlannedTasks().add('T', [{ n: 1, latencyMs: 60_000, inside }]);
  let turns = 0;
  const found = (looks: number) => {
    const pace = hurriedPace([looks], () => turns++);
    return wholeInTurns(
      findSpikes(graph, ['T'], () => pace.isOver),
      pace,
    );
  };
  const answer = await found(1);
  assert.ok(turns > 330, `${turns} turns`);
  assert.deepEqual(
    answer.spikes.map(({ nodeId }) => nodeId),
    [4_007, 3_007, 2_007, 1_007, 7].map((i) => idOf('T', 2 + i)),
  );
  assert.deepEqual(await found(1e9), answer);
});
