import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../base/clock.ts';
import { Pace } from '../base/pace.ts';
import type { NodeDetail } from '../model/reader-messages.ts';
import type { TaskOverview } from '../model/task-overview.ts';
import { Search } from './search.ts';

test('[SE2] the nodes of a large task are put in order in turns of the event loop, each on one page', async () => {
  const ids = Array.from({ length: 12_000 }, (_, i) => `n${(i * 7919) % 12_000}`);
  let now = 0;
  let turns = 0;
  const turnsBefore: number[] = [];
  const seen: string[] = [];
  const search = new Search({
    clock: new ManualClock(),
    // Each look at the clock finds that the turn is over.
    pace: new Pace({ monotonic: () => (now += 10) }, (task) => {
      turns++;
      setImmediate(task);
    }),
    tasks: ({ cursor }) => ({
      tasks: cursor === undefined ? [{ taskId: 't', firstTimestamp: '2026' } as TaskOverview] : [],
    }),
    nodesOf: async () => ids,
    node: (nodeId) => {
      if (seen.length % 5_000 === 0) turnsBefore.push(turns);
      turns = 0;
      seen.push(nodeId);
      return { node: { title: nodeId }, texts: {} } as unknown as NodeDetail;
    },
  });
  for (let cursor: string | undefined, more = true; more;) {
    const page = await search.page({ text: 'nothing', cursor });
    cursor = page.nextCursor;
    more = cursor !== undefined;
  }
  assert.deepEqual(seen, ids.toSorted());
  for (const count of turnsBefore) assert.ok(count >= 10, `${count} turns`);
});
