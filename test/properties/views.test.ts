import { test } from 'node:test';
import fc from 'fast-check';
import { structureReader } from '../../src/subscriptions/structure-reader.ts';
import { makeEngine } from '../support/make-engine.ts';
import { MAX_LOST, TestClient, tryTo } from '../support/test-client.ts';
import { propertyRuns } from '../support/property-runs.ts';
import { Situations } from '../support/situations.ts';
import { crowdArbitrary as crowd } from '../support/crowd.ts';
import { filtersArbitrary as filters } from '../support/filter-oracles.ts';
import { batchOf, worldArbitrary } from '../support/world.ts';
import { assertDag } from '../support/assert-dag.ts';

const which = fc.nat({ max: 3 });
const lost = fc.nat({ max: MAX_LOST });
const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant('feed' as const), size: fc.integer({ min: 1, max: 12 }) }),
  },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('flush' as const) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('subscribe' as const),
      filters,
      collapse: fc.constantFrom('auto' as const, 'none' as const),
      detail: fc.constantFrom(undefined, 'structure' as const),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('filter' as const), which, filters }) },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('expand' as const), which, pick: which }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('collapse' as const), which, pick: which }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('expandTask' as const), which, pick: which }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('toggleConnection' as const), which, lost }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('toggleBlocked' as const), which }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('prune' as const) }) },
);

function summariesIn({ graph }: TestClient): number {
  return graph.nodes.filter((node) => node.type === 'SUMMARY').length;
}

test('[SU1] snapshot + updates equals a fresh snapshot and the rules, whatever happens in between', async (t) => {
  const seen = new Situations(
    'updates',
    'freshGraphs',
    'bridged',
    'summaries',
    'expanded',
    'nested',
    'notices',
    'parts',
    'withoutTexts',
  );
  await fc.assert(
    fc.asyncProperty(
      fc.tuple(crowd, worldArbitrary).map(([many, others]) => [...many, ...others]),
      fc.array(step, { minLength: 10, maxLength: 50 }),
      fc.record({
        maxNodesPerTask: fc.constantFrom(500, 500, 5),
        openAtOnce: fc.constantFrom(200, 2, 3),
        minRepeated: fc.constantFrom(3, 10),
        smallTask: fc.constantFrom(64, 3),
        partItems: fc.constantFrom(500, 5, 2),
      }),
      async (records, steps, limits) => {
        seen.nextCase();
        const { engine, clock } = makeEngine({ maxQueuedUpdates: 3, ...limits });
        const clients = [new TestClient(engine.reader, {}, 'auto')];
        let from = 0;
        for (const s of steps) {
          clock.advance(1);
          const client = clients['which' in s ? s.which % clients.length : 0] as TestClient;
          const pickOf = <T>(items: readonly T[]): T | undefined =>
            'pick' in s && items.length > 0 ? items[s.pick % items.length] : undefined;
          if (s.do === 'feed') {
            await engine.correlator.consume(batchOf(records.slice(from, from + s.size)));
            from = from + s.size >= records.length ? 0 : from + s.size;
          } else if (s.do === 'flush') engine.flush();
          else if (s.do === 'subscribe') {
            const reader = s.detail ? structureReader(engine.reader) : engine.reader;
            // By texts it may not filter.
            tryTo(() => void clients.push(new TestClient(reader, s.filters, s.collapse)));
            if (s.detail) seen.saw('withoutTexts');
          } else if (s.do === 'filter') tryTo(() => client.updateFilters(s.filters));
          else if (s.do === 'expand') {
            const summary = pickOf(client.graph.nodes.filter((node) => node.type === 'SUMMARY'));
            const before = summariesIn(client);
            if (summary) tryTo(() => client.expand(summary.id));
            if (summary) seen.saw('expanded');
            if (summary && client.connected && !client.blocked && summariesIn(client) >= before)
              seen.saw('nested');
          } else if (s.do === 'collapse') {
            const id = pickOf([...client.spec.expandedSummaries]);
            if (id !== undefined && client.spec.expandedTasks.size === 0) tryTo(() => client.collapse(id));
          } else if (s.do === 'expandTask') {
            const node = pickOf(client.graph.nodes);
            if (node) tryTo(() => client.expandTask(node.taskId));
          } else if (s.do === 'toggleConnection') {
            if (client.connected) client.disconnect(s.lost);
            else client.resume();
          } else if (s.do === 'toggleBlocked') {
            if (client.blocked) client.unblock();
            else client.blocked = true;
          } else await engine.reader.prune(0.0001);
        }
        for (const client of clients) {
          if (client.blocked) client.unblock();
          if (!client.connected) client.resume();
          engine.flush();
          await client.settled();
          await client.assertUpToDate(engine.reader);
          assertDag(client.graph);
          seen.saw('updates', client.updates);
          seen.saw('parts', client.parts);
          seen.saw('freshGraphs', client.resyncs);
          seen.saw('bridged', client.graph.edges.filter((edge) => edge.bridged).length);
          seen.saw('summaries', client.graph.nodes.filter((node) => node.type === 'SUMMARY').length);
          seen.saw('notices', client.graph.nodes.filter((node) => node.id.startsWith('notice:')).length);
        }
      },
    ),
    propertyRuns(),
  );
  seen.tell(t);
});
