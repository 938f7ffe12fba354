import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { after, before, describe, test, type TestContext } from 'node:test';
import type { LiveGraph, SubscribeOptions } from '../../src/client/live-graph.ts';
import type { ClientError } from '../../src/client/client-error.ts';
import type { ExplanationGraph } from '../../src/model/node.ts';
import { RealService, temporaryFolder } from '../e2e/real-service.ts';
import { until } from '../support/until.ts';
import { span, taskId, type SpanSketch } from '../reader-contract/records.ts';
import { canonical, contentOf } from './canonical.ts';
import { refusal } from './refusal.ts';
import type { Way } from './ways.ts';

const ROUTINE: readonly Omit<SpanSketch, 'trace'>[] = [
  { span: 1, name: 'root', status: 'ERROR' },
  ...[2, 3, 4, 5, 6].map((n) => ({ span: n, parent: n === 2 ? 1 : 2, name: `step ${n}`, latencyMs: 30 })),
];
const STEPS = ['step 2', 'step 3', 'step 4', 'step 5', 'step 6'];
let traces = 1;

export function namesOf(live: LiveGraph): string[] {
  return live.graph.mapNodes((_, node) => node.name).sort();
}

export async function shows(live: LiveGraph, ...names: readonly string[]): Promise<void> {
  const wanted = JSON.stringify([...names].sort());
  await until(`the graph shows ${names.join(', ')}`, () => JSON.stringify(namesOf(live)) === wanted);
}

export async function becomes(live: LiveGraph, expected: () => Promise<ExplanationGraph>): Promise<void> {
  const same = async () =>
    JSON.stringify(canonical(contentOf(live.graph))) === JSON.stringify(canonical(await expected()));
  await until('the live graph is the fresh one', same).catch(() => undefined);
  assert.deepEqual(canonical(contentOf(live.graph)), canonical(await expected()));
}

/** What every way to the service has to hold, against a real service. */
export function clientContract({ name, connect }: Way): void {
  describe(`client over ${name}`, () => {
    let service: RealService;
    let dataDir: string;

    before(async () => {
      dataDir = await temporaryFolder();
      service = await RealService.start({ dataDir, flags: ['--durability', 'memory'] });
    });
    after(async () => {
      await service.stop();
      await rm(dataDir, { recursive: true });
    });

    function scene(t: TestContext) {
      const trace = traces++;
      const client = connect(service.readers);
      t.after(() => client.close());
      const filters = { taskIds: [taskId(trace)] };
      const feed = async (...sketches: readonly Omit<SpanSketch, 'trace'>[]) => {
        await service.feed(sketches.map((sketch) => span({ ...sketch, trace })));
        await service.flush();
      };
      const subscribe = async (options: SubscribeOptions = {}) => {
        const live = client.subscribe({ filters, ...options });
        await live.ready;
        return live;
      };
      return {
        trace,
        task: taskId(trace),
        client,
        filters,
        feed,
        subscribe,
        fresh: () => client.getGraph({ filters }),
      };
    }

    test('[CL1] the graph has the first snapshot when it is ready, and then what changes', async (t) => {
      const { feed, subscribe, fresh } = scene(t);
      await feed({ span: 1, name: 'one', status: 'ERROR' });
      const live = await subscribe();
      const { graph } = live;
      assert.equal(live.state, 'live');
      assert.deepEqual(namesOf(live), ['one']);
      await feed({ span: 2, parent: 1, name: 'two', costUsd: 0.25, status: 'ERROR' });
      await shows(live, 'one', 'two');
      await becomes(live, fresh);
      assert.equal(live.graph, graph, 'one object for life');
      assert.equal(graph.size, 1);
    });

    test('[CL2] an update is told as what was added, changed and removed', async (t) => {
      const { feed, subscribe, filters } = scene(t);
      const live = await subscribe();
      const seen: string[] = [];
      live.on('change', ({ nodes, edges }) => {
        for (const node of nodes.added) seen.push(`+${node.name}`);
        for (const node of nodes.changed) seen.push(`~${node.name}`);
        for (const node of nodes.removed) seen.push(`-${node.name}`);
        for (const edge of edges.added) seen.push(`+${edge.relation}`);
        for (const edge of edges.removed) seen.push(`-${edge.relation}`);
      });
      await feed({ span: 1, name: 'one', status: 'ERROR' });
      await shows(live, 'one');
      await feed({ span: 2, parent: 1, name: 'two' });
      await until('the edge is told', () => seen.includes('+NEXT_STEP'));
      assert.deepEqual(seen, ['+one', '+two', '+NEXT_STEP']);
      seen.length = 0;
      await live.updateFilters({ ...filters, status: ['ERROR'] });
      await shows(live, 'one');
      assert.deepEqual(seen, ['-two', '-NEXT_STEP']);
    });

    test('[CL3] the iterator gives changes, several as one to a slow consumer, and ends with close', async (t) => {
      const { feed, subscribe } = scene(t);
      const live = await subscribe();
      const changes = live[Symbol.asyncIterator]();
      // Without edges, which may be told later than their nodes.
      await feed({ span: 1, name: 'one', status: 'ERROR' });
      await shows(live, 'one');
      await feed({ span: 2, name: 'two', status: 'ERROR' });
      await shows(live, 'one', 'two');
      const first = await changes.next();
      assert.deepEqual(first.value?.nodes.added.map((node) => node.name).sort(), ['one', 'two']);
      const second = changes.next();
      await feed({ span: 3, name: 'three', status: 'ERROR' });
      assert.deepEqual(
        (await second).value?.nodes.added.map((node) => node.name),
        ['three'],
      );
      const last = changes.next();
      live.close();
      assert.deepEqual(await last, { done: true, value: undefined });
      assert.deepEqual(await changes.next(), { done: true, value: undefined });
    });

    test('[CL4] changed filters hold, and refused ones leave what was', async (t) => {
      const { client, feed, subscribe, filters } = scene(t);
      await feed({ span: 1, name: 'good' }, { span: 2, parent: 1, name: 'bad', status: 'ERROR' });
      const live = await subscribe({ collapse: 'none' });
      await live.updateFilters({ ...filters, status: ['ERROR'] });
      await shows(live, 'bad');
      const wrong = { status: ['SECRETVALUE'] } as unknown as { readonly status: readonly ['OK'] };
      await assert.rejects(live.updateFilters(wrong), refusal('INVALID_ARGUMENT', /status/));
      assert.deepEqual(live.filters, { ...filters, status: ['ERROR'] });
      await live.updateFilters({ ...filters, status: [] });
      await becomes(live, () => client.getGraph({ filters, collapse: 'none' }));
      assert.deepEqual(namesOf(live), ['bad', 'good']);
    });

    test('[CL5] summaries and tasks open and close for this graph only', async (t) => {
      const { feed, subscribe, fresh, task } = scene(t);
      await feed(...ROUTINE);
      const live = await subscribe();
      const other = await subscribe();
      const summary = live.graph.findNode((_, node) => node.type === 'SUMMARY');
      assert.ok(summary);
      await live.expand(summary);
      await shows(live, 'root', ...STEPS);
      await live.collapse(summary);
      await becomes(live, fresh);
      await live.expandTask(task);
      await shows(live, 'root', ...STEPS);
      await becomes(other, fresh);
      await assert.rejects(live.expand('no-such-node'), refusal('NOT_FOUND'));
    });

    test('[CL6] single answers, and refusals with their code', async (t) => {
      const { client, feed, fresh, task } = scene(t);
      await feed(
        { span: 1, name: 'one', costUsd: 0.5 },
        { span: 2, parent: 1, name: 'two', status: 'ERROR' },
      );
      const { nodes } = await fresh();
      const failed = nodes.find((node) => node.name === 'two');
      assert.ok(failed);
      assert.deepEqual((await client.getNode(failed.id)).node, failed);
      const overview = (await client.listTasks({ text: task })).find(({ taskId: id }) => id === task);
      assert.deepEqual(await client.listTasks({ text: 'in no task at all' }), []);
      assert.deepEqual([overview?.nodes, overview?.errors, overview?.running], [2, 1, 0]);
      const why = await client.why(failed.id);
      assert.equal(why.nodeId, failed.id);
      assert.ok(why.graph.nodes.some((node) => node.name === 'one'));
      assert.ok(why.candidates.every(({ reasons }) => reasons.length > 0));
      assert.ok(Array.isArray((await client.spikes(task)).spikes));
      assert.ok(Array.isArray((await client.spikes()).spikes));
      const { sentences } = await client.summary(task);
      assert.ok(sentences.some(({ nodeIds }) => nodeIds.includes(failed.id)));
      assert.ok(sentences.every(({ text, by }) => text !== '' && by === 'rules'));
      await assert.rejects(client.summary('no-such-task'), refusal('NOT_FOUND'));
      const patterns = await client.patterns({ taskIds: [task], nodeTypes: [] });
      assert.deepEqual(patterns.tasks, { failed: 1, passed: 0 });
      await assert.rejects(client.compare(task, task), refusal('INVALID_ARGUMENT', /^b:/));
      assert.deepEqual(await client.prune(1e6), { prunedNodes: 0 });
      await assert.rejects(client.getNode('no/such node?'), refusal('NOT_FOUND'));
      await assert.rejects(client.why('no-such-node'), refusal('NOT_FOUND'));
      await assert.rejects(client.prune(-1), refusal('INVALID_ARGUMENT', /olderThanMinutes/));
    });

    test('[CL6] the members of a summary come page by page', async (t) => {
      const { client, feed, fresh } = scene(t);
      await feed(...ROUTINE);
      const summary = (await fresh()).nodes.find((node) => node.type === 'SUMMARY');
      assert.ok(summary);
      const { members = [], memberCount } = await client.getNode(summary.id);
      const page = await client.getNode(summary.id, { offset: 1, limit: 2 });
      assert.equal(memberCount, members.length);
      assert.equal(page.memberCount, members.length);
      assert.deepEqual(page.members, members.slice(1, 3));
      assert.deepEqual((await client.getNode(summary.id, { offset: members.length })).members, []);
      await assert.rejects(client.getNode(summary.id, { limit: 5000 }), refusal('INVALID_ARGUMENT', /limit/));
    });

    test('[CL7] a refused request ends at once, with the field', async (t) => {
      const { client } = scene(t);
      const live = client.subscribe({ collapse: 'some' as 'none' });
      const errors: ClientError[] = [];
      live.on('error', (error) => errors.push(error));
      await assert.rejects(live.ready, refusal('INVALID_ARGUMENT', /collapse/));
      assert.equal(live.state, 'closed');
      assert.equal(errors.length, 1);
      await assert.rejects(live[Symbol.asyncIterator]().next(), refusal('INVALID_ARGUMENT'));
      await assert.rejects(live.expand('x'), refusal('CLOSED'));
    });

    test('[CL8] several graphs live side by side, and one ends without the others', async (t) => {
      const { subscribe, feed, filters } = scene(t);
      const all = await subscribe();
      const errors = await subscribe({ filters: { ...filters, status: ['ERROR'] } });
      await feed({ span: 1, name: 'good' }, { span: 2, parent: 1, name: 'bad', status: 'ERROR' });
      await shows(all, 'bad', 'good');
      await shows(errors, 'bad');
      all.close();
      await feed({ span: 3, parent: 2, name: 'worse', status: 'ERROR' });
      await shows(errors, 'bad', 'worse');
      assert.deepEqual(namesOf(all), ['bad', 'good']);
      assert.equal(all.state, 'closed');
    });

    test('[CL21] a token is sent with everything, and without the right one it ends at once', async (t) => {
      const token = 'a-token-of-the-test-0123456789';
      const guarded = await RealService.start({
        dataDir: await temporaryFolder(t),
        flags: ['--durability', 'memory', `--auth={"token":"${token}"}`],
      });
      t.after(() => guarded.stop());
      const allowed = connect(guarded.readers, { token });
      t.after(() => allowed.close());
      const live = allowed.subscribe();
      await live.ready;
      await live.updateFilters({ status: ['ERROR'] });
      assert.deepEqual(await allowed.listTasks(), []);
      for (const options of [{}, { token: 'SECRETVALUE-SECRETVALUE' }]) {
        const refused = connect(guarded.readers, options);
        t.after(() => refused.close());
        await assert.rejects(refused.subscribe().ready, refusal('UNAUTHENTICATED', /token/));
        await assert.rejects(refused.listTasks(), refusal('UNAUTHENTICATED', /token/));
      }
    });

    test('[CL9] a closed client answers CLOSED', async (t) => {
      const { client, subscribe } = scene(t);
      const live = await subscribe();
      await client.close();
      assert.equal(live.state, 'closed');
      assert.throws(() => client.subscribe(), refusal('CLOSED'));
      await assert.rejects(client.getGraph(), refusal('CLOSED'));
    });
  });
}
