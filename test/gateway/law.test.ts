import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { ManualClock } from '../../src/base/clock.ts';
import type { SafeRecord } from '../../src/model/pipeline.ts';
import type { ExplanationGraph, ExplanationNode } from '../../src/model/node.ts';
import type { ReaderApi } from '../../src/subscriptions/reader-api.ts';
import { assertDag } from '../support/assert-dag.ts';
import { crowdArbitrary } from '../support/crowd.ts';
import { filtersArbitrary } from '../support/filter-oracles.ts';
import { TestCell, TestGateway } from '../support/gateway-cells.ts';
import { propertyRuns } from '../support/property-runs.ts';
import { Situations } from '../support/situations.ts';
import { MAX_LOST, TestClient, tryTo } from '../support/test-client.ts';
import { worldArbitrary } from '../support/world.ts';
import { inOwnTrace, traceOf } from '../support/worlds-by-trace.ts';

const which = fc.nat({ max: 4 });
const pick = fc.nat({ max: 30 });

const step = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({ do: fc.constant('feed' as const), size: fc.integer({ min: 1, max: 12 }) }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('flush' as const), which }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('subscribe' as const),
      filters: filtersArbitrary,
      collapse: fc.constantFrom('auto' as const, 'auto' as const, 'none' as const),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('filter' as const), which, filters: filtersArbitrary }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('expand' as const), which, pick }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('collapse' as const), which, pick }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('expandTask' as const), which, pick }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('wait' as const) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('turn' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('look' as const), which }) },
);

/** What goes wrong between any two of these steps. */
const fault = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('nothing' as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('drop' as const), which, lost: fc.nat({ max: MAX_LOST }) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('comeBack' as const), which }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('block' as const), which }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('unblock' as const), which }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('cut' as const), which }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('away' as const), which }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('back' as const), which }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('restart' as const), which }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('takeOut' as const), which }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('putIn' as const) }) },
);

type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;
type Fault = typeof fault extends fc.Arbitrary<infer F> ? F : never;

/** Where a record goes: with its trace, else with its request. */
function keyOf(record: SafeRecord): string {
  const { traceId, requestId, kind } = record as unknown as { [key: string]: string | undefined };
  return traceId ?? requestId ?? kind ?? '';
}

/**
 * The graphs of all as one, by the rule: the first in the order of names owns a node, of a request the first with its span;
 * it owns the edges into it that come from nodes of cells up to it.
 */
function union(graphs: readonly ExplanationGraph[]): { nodes: unknown; edges: unknown } {
  const owner = new Map<string, number>();
  const hasSpan = ({ id, details }: ExplanationNode): boolean =>
    !id.startsWith('req:') || (!!details?.['spanId'] && details['namedSpanId'] === undefined);
  for (const isOwned of [hasSpan, () => true])
    for (const [n, graph] of graphs.entries())
      for (const node of graph.nodes) if (!owner.has(node.id) && isOwned(node)) owner.set(node.id, n);
  const byId = (a: { id: string }, b: { id: string }): number => (a.id < b.id ? -1 : 1);
  const nodes = graphs.flatMap((graph, n) => graph.nodes.filter(({ id }) => owner.get(id) === n));
  const edges = graphs.flatMap((graph, n) =>
    graph.edges.filter(({ from, to }) => owner.get(to) === n && (owner.get(from) ?? n) <= n),
  );
  return JSON.parse(JSON.stringify({ nodes: nodes.sort(byId), edges: edges.sort(byId) })) as {
    nodes: unknown;
    edges: unknown;
  };
}

test('[GV1] the law holds at a gateway, and what it shows is the union of its cells: cells cut, away, restarted, put in and taken out', async (t) => {
  const seen = new Situations('updates', 'freshGraphs', 'notices', 'split', 'cells', 'parts', 'equalToOne');
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 5 }),
      fc.tuple(crowdArbitrary, worldArbitrary).map(([many, others]) => [...many, ...others]),
      fc.array(fc.tuple(step, fault), { minLength: 8, maxLength: 30 }),
      fc.constantFrom(500, 3),
      async (count, records, steps, partItems) => {
        seen.nextCase();
        const clock = new ManualClock();
        const all = Array.from({ length: count }, (_, n) => new TestCell(`cell-${n}`));
        if (count > 1) seen.saw('cells');
        const inUse = new Set(all);
        const gateway = new TestGateway(clock, all, partItems);
        const alone = new TestCell('alone');
        const clients = [new TestClient(gateway.reader, {}, 'auto')];
        let from = 0;
        const advance = (ms: number): void => {
          clock.advance(ms);
          for (const cell of [...all, alone]) cell.advance(ms);
        };
        const cellOf = (n: number): TestCell => all[n % all.length] as TestCell;
        const clientOf = (n: number): TestClient => clients[n % clients.length] as TestClient;
        const homeOf = (record: SafeRecord): TestCell =>
          cellOf(createHash('sha1').update(keyOf(record)).digest().readUInt32BE(0));
        const turns = async (n: number): Promise<void> => {
          for (let turn = 0; turn < n; turn++) await new Promise(setImmediate);
        };

        const act = async (s: Step): Promise<void> => {
          if (s.do === 'feed') {
            const some = records.slice(from, from + s.size);
            for (const cell of all) await cell.take(some.filter((record) => homeOf(record) === cell));
            await alone.take(some);
            from = from + s.size >= records.length ? 0 : from + s.size;
          } else if (s.do === 'flush') cellOf(s.which).engine.flush();
          else if (s.do === 'wait') advance(3000);
          else if (s.do === 'turn') await turns(4);
          else if (s.do === 'subscribe') clients.push(new TestClient(gateway.reader, s.filters, s.collapse));
          else if (s.do === 'filter') void tryTo(() => clientOf(s.which).updateFilters(s.filters));
          else if (s.do === 'look') assertDag(clientOf(s.which).graph);
          else {
            const client = clientOf(s.which);
            const { summaries, spec } = client;
            if (s.do === 'expand' && summaries.length > 0)
              void tryTo(() => client.expand(summaries[s.pick % summaries.length]?.id ?? ''));
            const opened = [...spec.expandedSummaries];
            if (s.do === 'collapse' && opened.length > 0 && spec.expandedTasks.size === 0)
              void tryTo(() => client.collapse(opened[s.pick % opened.length] ?? ''));
            const taskId = client.graph.nodes[s.pick % Math.max(1, client.graph.nodes.length)]?.taskId;
            if (s.do === 'expandTask' && taskId !== undefined) void tryTo(() => client.expandTask(taskId));
          }
        };
        const suffer = async (f: Fault): Promise<void> => {
          if (f.do === 'nothing') return;
          if (f.do === 'putIn') {
            for (const cell of all) {
              if (inUse.has(cell)) continue;
              inUse.add(cell);
              gateway.add(cell);
              return;
            }
            return;
          }
          const [cell, client] = [cellOf(f.which), clientOf(f.which)];
          if (f.do === 'drop' && client.connected) client.disconnect(f.lost);
          else if (f.do === 'comeBack' && !client.connected) client.resume();
          else if (f.do === 'block') client.blocked = true;
          else if (f.do === 'unblock' && client.blocked) client.unblock();
          else if (f.do === 'cut') cell.cut();
          else if (f.do === 'away') {
            cell.isAway = true;
            cell.cut();
          } else if (f.do === 'back') cell.isAway = false;
          else if (f.do === 'restart') await cell.restart();
          else if (f.do === 'takeOut' && inUse.delete(cell)) gateway.remove(cell.name);
        };
        for (const [s, f] of steps) {
          advance(1);
          await act(s);
          await suffer(f);
          if (clients.some(({ graph }) => graph.notices?.some((notice) => /does not answer/.test(notice))))
            seen.saw('notices');
        }
        for (const client of clients) {
          if (client.blocked) client.unblock();
          if (!client.connected) client.resume();
        }
        for (const cell of all) {
          cell.isAway = false;
          if (inUse.has(cell)) continue;
          inUse.add(cell);
          gateway.add(cell);
        }
        for (const cell of [...all, alone]) cell.engine.flush();
        for (let round = 0; round < 20; round++) {
          advance(300);
          await turns(5);
        }
        for (const client of clients) await client.settled();
        const another = new TestGateway(clock, all, partItems);
        for (const client of clients) {
          const fresh = new TestClient(another.reader, client.spec.filters, client.spec.collapse);
          await fresh.settled();
          assert.deepEqual(
            fresh.graph.notices?.filter((notice) => !notice.startsWith('In several cells')) ?? [],
            [],
          );
          if (client.spec.expandedSummaries.size + client.spec.expandedTasks.size === 0) {
            const request = { filters: client.spec.filters, collapse: client.spec.collapse };
            const graphs = await Promise.all(all.map(async ({ reader }) => reader.getGraph(request)));
            assert.deepEqual(union([client.graph]), union(graphs));
            if (graphs.filter(({ nodes }) => nodes.length > 0).length > 1) seen.saw('split');
          }
          fresh.end();
          const { reader } = client as unknown as { reader: ReaderApi };
          client.moveTo(another.reader);
          await client.assertAsFresh();
          client.moveTo(reader);
          assertDag(client.graph);
          seen.saw('updates', client.updates);
          seen.saw('freshGraphs', client.resyncs);
          seen.saw('parts', client.parts);
        }
        if (count === 1) {
          const request = { collapse: 'none' };
          const [one, same] = await Promise.all([
            alone.reader.getGraph(request),
            cellOf(0).reader.getGraph(request),
          ]);
          assert.deepEqual(union([same]), union([one]));
          seen.saw('equalToOne');
        }
        another.stop();
        gateway.stop();
        for (const cell of [...all, alone]) cell.engine.stop();
      },
    ),
    propertyRuns(),
  );
  seen.tell(t);
});

test('[GV2] tasks of one trace come out of any number of cells as from one process', async (t) => {
  const seen = new Situations('cells', 'summaries', 'edges');
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 5 }),
      fc.array(
        fc.tuple(crowdArbitrary, worldArbitrary).map(([many, others]) => [...many, ...others]),
        { minLength: 1, maxLength: 4 },
      ),
      fc.array(fc.tuple(fc.nat({ max: 3 }), fc.integer({ min: 1, max: 9 })), { maxLength: 12 }),
      filtersArbitrary,
      fc.constantFrom('auto' as const, 'none' as const),
      async (count, worlds, order, filters, collapse) => {
        seen.nextCase();
        const clock = new ManualClock();
        const cells = Array.from({ length: count }, (_, n) => new TestCell(`cell-${n}`));
        const alone = new TestCell('alone');
        const left = worlds.map((records, n) => [...inOwnTrace(records, n)]);
        const gateway = new TestGateway(clock, cells, 500);
        const all = new TestClient(gateway.reader, {}, collapse);
        const some = new TestClient(gateway.reader, filters, collapse);
        const feed = async (world: number, size: number): Promise<void> => {
          const records = left[world]?.splice(0, size) ?? [];
          await cells[Number.parseInt(traceOf(world).slice(0, 8), 16) % count]?.take(records);
          await alone.take(records);
        };
        for (const [world, size] of order) await feed(world % worlds.length, size);
        for (const world of worlds.keys()) await feed(world, Infinity);
        for (const cell of [...cells, alone]) {
          cell.advance(100);
          cell.engine.flush();
        }
        for (const client of [all, some]) {
          await client.settled();
          const { filters: asked } = client.spec;
          const expected = await alone.reader.getGraph({ filters: asked, collapse });
          assert.deepEqual(union([client.graph]), union([expected]));
          assert.deepEqual(client.graph.notices ?? [], []);
        }
        const withNodes = await Promise.all(cells.map(async ({ reader }) => reader.getGraph({})));
        if (withNodes.filter(({ nodes }) => nodes.length > 0).length > 1) seen.saw('cells');
        if (all.summaries.length > 0) seen.saw('summaries');
        if (all.graph.edges.length > 0) seen.saw('edges');
        gateway.stop();
        for (const cell of [...cells, alone]) cell.engine.stop();
      },
    ),
    propertyRuns(),
  );
  seen.tell(t);
});
