import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import fc from 'fast-check';
import type { LiveGraph } from '../../src/client/node.ts';
import type { Filters } from '../../src/client/view-request.ts';
import type { NodeStatus } from '../../src/model/node.ts';
import { RealService } from '../e2e/real-service.ts';
import { until } from '../support/until.ts';
import { span, taskId } from '../reader-contract/records.ts';
import { canonical, contentOf } from './canonical.ts';
import { becomes, namesOf, shows } from './client-contract.ts';
import { propertyRuns } from '../support/property-runs.ts';
import { Situations } from '../support/situations.ts';
import { refusal } from './refusal.ts';
import { UnreliableLine } from './unreliable-line.ts';
import { WAYS } from './ways.ts';

const QUICK = { initialBackoffMs: 10, maxBackoffMs: 50 };
/** Each one is some twenty steps with a real service. */
const WALKS = Math.ceil(propertyRuns().numRuns / 20);

async function startService(t: Pick<TestContext, 'after'>, port = 0): Promise<RealService> {
  const flags = ['--durability', 'memory', '--max-queued-updates', '5', '--port', String(port)];
  const service = await RealService.of(t, flags);
  return service;
}

/** How it was live again each time from now on. */
function comebacks(live: LiveGraph): readonly ('resumed' | 'fresh')[] {
  const seen: ('resumed' | 'fresh')[] = [];
  live.on('state', ({ state, resumed }) => {
    if (state === 'live') seen.push(resumed === true ? 'resumed' : 'fresh');
  });
  return seen;
}

for (const way of WAYS) {
  describe(`reconnecting over ${way.name}`, () => {
    test('[CL10] a cut line loses nothing, and the graph stays the same object', async (t) => {
      const service = await startService(t);
      const line = await UnreliableLine.to(service.service.addresses.readers.port);
      t.after(() => line.close());
      const client = way.connect(line.url, { timing: QUICK });
      t.after(() => client.close());
      const live = client.subscribe();
      await live.ready;
      const { graph } = live;
      const added: string[] = [];
      live.on('change', ({ nodes }) => added.push(...nodes.added.map(({ name }) => name)));
      const back = comebacks(live);
      for (let n = 1; n <= 4; n++) {
        line.cut();
        await service.feed([
          span({ trace: 1, span: n, name: `${n}`, status: 'ERROR', ...(n > 1 && { parent: n - 1 }) }),
        ]);
        await service.flush();
        await shows(live, ...Array.from({ length: n }, (_, index) => `${index + 1}`));
      }
      await becomes(live, () => client.getGraph());
      assert.equal(live.graph, graph);
      assert.deepEqual(added, ['1', '2', '3', '4'], 'nothing is told twice');
      await until('it is live', () => back.length > 0);
      assert.ok(!back.includes('fresh'), 'it is told to go on where it was');
    });

    test('[CL25] a service that comes back empty on its port: the graph becomes what it says now', async (t) => {
      const first = await startService(t);
      const { port } = first.service.addresses.readers;
      const client = way.connect(first.readers, { timing: QUICK });
      t.after(() => client.close());
      const filters = { status: ['ERROR'] as const };
      const live = client.subscribe();
      await live.ready;
      await live.updateFilters(filters);
      await first.feed([1, 2].map((n) => span({ trace: 1, span: n, name: `old ${n}`, status: 'ERROR' })));
      await shows(live, 'old 1', 'old 2');
      const back = comebacks(live);
      await first.stop();
      await until('the loss is seen', () => live.state !== 'live');
      assert.equal(live.graph.order, 2, 'the graph stays meanwhile');

      const second = await startService(t, port);
      await shows(live);
      await second.feed([
        span({ trace: 1, span: 7, name: 'new', status: 'ERROR' }),
        span({ trace: 1, span: 8, name: 'hidden', status: 'OK' }),
      ]);
      await shows(live, 'new');
      await becomes(live, () => client.getGraph({ filters }));
      assert.deepEqual(back, ['fresh']);
    });

    test('[CL12] what was opened is opened again when the service has forgotten the subscription', async (t) => {
      const records = [
        span({ trace: 1, span: 1, name: 'root', status: 'ERROR' }),
        ...[2, 3, 4, 5].map((n) =>
          span({ trace: 1, span: n, parent: n === 2 ? 1 : 2, name: `step ${n}`, latencyMs: 30 }),
        ),
      ];
      const first = await startService(t);
      const line = await UnreliableLine.to(first.service.addresses.readers.port);
      t.after(() => line.close());
      await first.feed(records);
      await first.flush();
      const client = way.connect(line.url, { timing: QUICK });
      t.after(() => client.close());
      const live = client.subscribe();
      await live.ready;
      await live.expand(live.graph.findNode((_, node) => node.type === 'SUMMARY') ?? '');
      const all = ['root', 'step 2', 'step 3', 'step 4', 'step 5'];
      await shows(live, ...all);
      line.target = undefined;
      line.cut();
      const second = await startService(t);
      await second.feed(records);
      await second.flush();
      let changes = 0;
      live.on('change', () => (changes += 1));
      line.target = second.service.addresses.readers.port;
      await until('it is live again', () => live.state === 'live');
      assert.deepEqual(namesOf(live), all);
      if (way.name !== 'gRPC') assert.equal(changes, 0, 'and nobody has seen it closed');
    });

    test('[CL17] verbs called while the line is down are done when it is back', async (t) => {
      const service = await startService(t);
      const line = await UnreliableLine.to(service.service.addresses.readers.port);
      t.after(() => line.close());
      await service.feed([
        span({ trace: 1, span: 1, name: 'good' }),
        span({ trace: 1, span: 2, name: 'bad', status: 'ERROR' }),
      ]);
      const client = way.connect(line.url, { timing: QUICK });
      t.after(() => client.close());
      const live = client.subscribe({ collapse: 'none' });
      await live.ready;
      line.target = undefined;
      line.cut();
      await until('the loss is seen', () => live.state !== 'live');
      const filtered = live.updateFilters({ status: ['ERROR'] });
      const refused = assert.rejects(live.expand('no-such-node'), refusal('NOT_FOUND'));
      line.target = service.service.addresses.readers.port;
      await filtered;
      await refused;
      await shows(live, 'bad');
    });

    const step = fc.oneof(
      {
        weight: 6,
        arbitrary: fc.record({
          do: fc.constant('feed' as const),
          parent: fc.nat({ max: 9 }),
          failed: fc.boolean(),
          latencyMs: fc.constantFrom(10, 30, 2000),
        }),
      },
      {
        weight: 2,
        arbitrary: fc.record({
          do: fc.constant('filter' as const),
          status: fc.constantFrom<NodeStatus | undefined>(undefined, 'OK', 'ERROR'),
          wait: fc.boolean(),
        }),
      },
      { weight: 2, arbitrary: fc.constant({ do: 'cut' as const }) },
      { weight: 1, arbitrary: fc.constant({ do: 'toggle' as const }) },
      { weight: 1, arbitrary: fc.constant({ do: 'expandTask' as const }) },
      { weight: 1, arbitrary: fc.constant({ do: 'restart' as const }) },
      { weight: 1, arbitrary: fc.constant({ do: 'pause' as const }) },
    );

    test('[CL26] property: whatever happens in between, in the end the graph is the fresh one', async (t) => {
      const seen = new Situations('cuts', 'restarts', 'resumed', 'expanded');
      let trace = 0;
      let service = await startService(t);
      const line = await UnreliableLine.to(service.service.addresses.readers.port);
      t.after(() => line.close());
      const walk = async (steps: readonly (typeof step extends fc.Arbitrary<infer S> ? S : never)[]) => {
        trace += 1;
        seen.nextCase();
        const task = { taskIds: [taskId(trace)] };
        const client = way.connect(line.url, { timing: QUICK });
        const live = client.subscribe({ filters: task });
        live.on('state', ({ state }) => seen.saw('resumed', state === 'live' ? 1 : 0));
        let filters: Filters = task;
        let views: readonly ('auto' | 'none')[] = ['auto'];
        let spans = 0;
        for (const action of steps) {
          if (action.do === 'feed') {
            const n = ++spans;
            const parent = n === 1 ? {} : { parent: 1 + (action.parent % (n - 1)) };
            const status = action.failed ? 'ERROR' : 'OK';
            const { latencyMs } = action;
            await service.feed([span({ trace, span: n, name: `step ${n}`, status, latencyMs, ...parent })]);
          } else if (action.do === 'filter') {
            filters = action.status === undefined ? task : { ...task, status: [action.status] };
            const done = live.updateFilters(filters);
            if (action.wait && line.target !== undefined) await done;
            else done.catch(() => undefined);
          } else if (action.do === 'cut') {
            line.cut();
            seen.saw('cuts');
          } else if (action.do === 'toggle') {
            line.target = line.target === undefined ? service.service.addresses.readers.port : undefined;
            line.cut();
          } else if (action.do === 'expandTask') {
            if (line.target === undefined) continue;
            // Nothing of the task may be there, yet or since a restart.
            const refused = await live.expandTask(taskId(trace)).catch(refusal('NOT_FOUND'));
            if (refused === true) continue;
            seen.saw('expanded');
            views = ['none'];
          } else if (action.do === 'restart') {
            const down = line.target === undefined;
            const before = service;
            service = await startService(t);
            line.target = down ? undefined : service.service.addresses.readers.port;
            await before.stop();
            // Whether an opened task is known again before it is asked for is a matter of chance.
            if (views[0] === 'none') views = ['auto', 'none'];
            seen.saw('restarts');
          } else await new Promise((resolve) => setTimeout(resolve, 15));
        }
        line.target = service.service.addresses.readers.port;
        await service.flush();
        // Verbs are done in order: after this one all are.
        await live.updateFilters(filters);
        const matches = async () => {
          const now = JSON.stringify(canonical(contentOf(live.graph)));
          const fresh = await Promise.all(views.map((collapse) => client.getGraph({ filters, collapse })));
          return fresh.some((graph) => JSON.stringify(canonical(graph)) === now);
        };
        try {
          await until('the graph is the fresh one', matches);
        } finally {
          await client.close();
        }
      };
      await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 8, maxLength: 30 }), walk), {
        numRuns: WALKS,
        endOnFailure: true,
      });
      seen.tell(t, ` over ${way.name}`);
    });
  });
}
