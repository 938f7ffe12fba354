import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import type { TelemetryRecord } from '../../src/model/records.ts';
import fc from 'fast-check';
import { Follower } from './follower.ts';
import { ReaderError, type ReaderClient } from './reader-client.ts';
import { span, taskId, type SpanSketch } from './records.ts';

/** A running service, and a way to put records in without a receiver. */
export interface Harness {
  readonly address: { readonly host: string; readonly port: number };
  /** What the service was configured with; small, so that the suite can go over it. */
  readonly maxQueuedUpdates: number;
  feed(records: readonly TelemetryRecord[]): Promise<void>;
  /** Resolves when what was fed is in the graph and readers have been told. */
  flush(): Promise<void>;
  /** Updates that the service has merged for slow readers until now. */
  updatesMerged(): Promise<number>;
  stop(): Promise<void>;
}

/** Long enough for an update to arrive that should not. */
const QUIET_MS = 150;
/** Each opens connections; the subscriptions have property tests of thousands of cases of their own. */
const WALKS = 15;
/** Until some updates were merged: when the kernel and the service's bound hold back no more for a reader, some MB. */
const FLOOD = { merged: 3, maxRounds: 200, spansPerRound: 400 };

/**
 * What every reader may rely on (docs/spec.md, rules SV and SU), whatever protocol it speaks.
 * Each test has a task of its own and filters for it, so that tests don't see each other.
 */
export function readerContract(
  title: string,
  start: () => Promise<Harness>,
  connect: (address: Harness['address']) => Promise<ReaderClient>,
): void {
  describe(`reader contract: ${title}`, () => {
    let harness: Harness;
    let nextTrace = 1;
    const clients: ReaderClient[] = [];

    before(async () => {
      harness = await start();
    });
    after(async () => {
      for (const client of clients) await client.disconnect();
      await harness.stop();
    });

    async function newClient(): Promise<ReaderClient> {
      const client = await connect(harness.address);
      clients.push(client);
      return client;
    }

    /** A task of its own: the spans of `feed` get its trace. */
    async function scene() {
      const trace = nextTrace++;
      const filters = { taskIds: [taskId(trace)] };
      const client = await newClient();
      const feed = async (...sketches: readonly Omit<SpanSketch, 'trace'>[]) => {
        await harness.feed(sketches.map((sketch) => span({ trace, ...sketch })));
        await harness.flush();
      };
      const subscribe = async (request: object = {}) =>
        Follower.start(await client.subscribe({ filters, ...request }));
      const fresh = (request: object = {}) => client.getGraph({ filters, ...request });
      return { trace, task: taskId(trace), filters, client, feed, subscribe, fresh };
    }

    test('[SV1] a subscription is answered with its id and a snapshot, and the requestId comes back', async () => {
      const { client, filters, feed } = await scene();
      await feed({ span: 1, name: 'plan' }, { span: 2, parent: 1, name: 'act', status: 'ERROR' });
      const { subscriptionId, frames } = await client.subscribe({ filters }, 'my-request');
      const frame = await frames.next();
      assert.equal(frame.type, 'subscribed');
      if (frame.type !== 'subscribed') return;
      assert.equal(frame.requestId, 'my-request');
      assert.equal(frame.subscriptionId, subscriptionId);
      assert.deepEqual(frame.graph.nodes.map((node) => node.name).sort(), ['act', 'plan']);
      assert.equal(frame.graph.edges.length, 1);
      assert.equal(frame.graph.edges[0]?.relation, 'NEXT_STEP');
    });

    test('[SV2] the snapshot and every update in order are a fresh snapshot', async () => {
      const { feed, subscribe, fresh } = await scene();
      const follower = await subscribe();
      assert.deepEqual(follower.names(), []);
      await feed({ span: 1, name: 'root', status: 'ERROR' });
      await feed(
        { span: 2, parent: 1, name: 'two', costUsd: 0.25 },
        { span: 3, parent: 2, name: 'three', status: 'ERROR' },
      );
      await follower.becomes(fresh);
      await feed({ span: 4, parent: 1, name: 'four', latencyMs: 2000 });
      await follower.becomes(fresh);
      assert.deepEqual(follower.names(), ['four', 'root', 'three', 'two']);
      assert.ok(follower.updates >= 2);
    });

    test('[SV3] a filter that hides what lies between bridges it', async () => {
      const { feed, subscribe, filters, client } = await scene();
      const request = { filters: { ...filters, status: ['ERROR'] } };
      const follower = await subscribe(request);
      await feed(
        { span: 1, name: 'cause', status: 'ERROR' },
        { span: 2, parent: 1, name: 'hidden' },
        { span: 3, parent: 2, name: 'effect', status: 'ERROR' },
      );
      await follower.becomes(() => client.getGraph(request));
      assert.deepEqual(follower.names(), ['cause', 'effect']);
      assert.deepEqual(
        follower.graph.edges.map((edge) => edge.bridged),
        [true],
      );
    });

    test('[SV4] changed filters give one update that holds the difference', async () => {
      const { feed, subscribe, filters, client } = await scene();
      await feed({ span: 1, name: 'good' }, { span: 2, parent: 1, name: 'bad', status: 'ERROR' });
      const follower = await subscribe();
      const errors = { ...filters, status: ['ERROR'] };
      await client.updateFilters(follower.id, errors);
      await follower.shows('bad');
      assert.equal(follower.updates, 1);
      await follower.becomes(() => client.getGraph({ filters: errors }));
      await client.updateFilters(follower.id, filters);
      await follower.shows('bad', 'good');
      assert.equal(follower.updates, 2);
      await follower.staysQuiet(QUIET_MS);
    });

    const ROUTINE: readonly Omit<SpanSketch, 'trace'>[] = [
      { span: 1, name: 'root', status: 'ERROR' },
      ...[2, 3, 4, 5, 6].map((n) => ({ span: n, parent: n === 2 ? 1 : 2, name: `step ${n}`, latencyMs: 30 })),
    ];
    const STEPS = ['step 2', 'step 3', 'step 4', 'step 5', 'step 6'];

    test('[SV5] a summary expands for the one who asked and collapses again', async () => {
      const { client, feed, subscribe, fresh } = await scene();
      await feed(...ROUTINE);
      const follower = await subscribe();
      const other = await subscribe();
      const summary = follower.graph.nodes.find((node) => node.type === 'SUMMARY');
      assert.ok(summary?.summary, 'routine steps are shown as a summary');
      assert.equal(summary.summary.count, 5);

      await client.expand(follower.id, summary.id);
      await follower.shows('root', ...STEPS);
      assert.equal(follower.updates, 1);
      assert.equal(follower.graph.edges.length, 5);
      await other.staysQuiet(QUIET_MS);

      await client.collapse(follower.id, summary.id);
      await follower.becomes(fresh);
      assert.equal(follower.updates, 2);
    });

    test('[SV6] a whole task expands', async () => {
      const { client, task, feed, subscribe, fresh } = await scene();
      await feed(...ROUTINE);
      const follower = await subscribe();
      await client.expandTask(follower.id, task);
      await follower.becomes(() => fresh({ collapse: 'none' }));
      assert.deepEqual(follower.names(), ['root', ...STEPS]);
    });

    test('[SV7] a subscription resumed on another connection misses nothing', async () => {
      const { client, filters, feed, subscribe } = await scene();
      const follower = await subscribe();
      await feed({ span: 1, name: 'before', status: 'ERROR' });
      await follower.shows('before');
      await client.disconnect();
      await feed({ span: 2, parent: 1, name: 'meanwhile', status: 'ERROR' });

      const again = await newClient();
      await follower.resume(again, filters);
      await feed({ span: 3, parent: 2, name: 'after', status: 'ERROR' });
      await follower.shows('after', 'before', 'meanwhile');
      await follower.becomes(() => again.getGraph({ filters }));
    });

    test('[SV8] who missed more than is kept is told to subscribe again', async () => {
      const { client, filters, feed, subscribe } = await scene();
      const follower = await subscribe();
      await feed({ span: 1, name: 'first', status: 'ERROR' });
      await follower.shows('first');
      await client.disconnect();
      // A service that has not noticed yet merges instead, as for a slow reader.
      await setTimeout(QUIET_MS);
      for (let n = 2; n < harness.maxQueuedUpdates + 6; n++) {
        await feed({ span: n, parent: 1, name: `missed ${n}`, status: 'ERROR' });
      }

      const again = await newClient();
      const { frames } = await again.subscribe({
        subscriptionId: follower.id,
        resumeFrom: follower.sequence,
      });
      const frame = await frames.next();
      assert.equal(frame.type, 'snapshotNeeded');
      assert.equal(frame.subscriptionId, follower.id);
      const fresh = await Follower.start(await again.subscribe({ filters }));
      await fresh.becomes(() => again.getGraph({ filters }));
      assert.equal(fresh.graph.nodes.length, harness.maxQueuedUpdates + 5);
    });

    test('[SV9] wrong ids are NOT_FOUND, and nothing else breaks', async () => {
      const { client, subscribe, feed } = await scene();
      const follower = await subscribe();
      const notFound = refusal('NOT_FOUND');
      await assert.rejects(client.updateFilters('no-such-subscription', {}), notFound);
      await assert.rejects(client.expand('no-such-subscription', 'n'), notFound);
      await assert.rejects(client.expand(follower.id, 'no-such-node'), notFound);
      await assert.rejects(client.collapse(follower.id, 'no-such-node'), notFound);
      await assert.rejects(client.unsubscribe('no-such-subscription'), notFound);
      await assert.rejects(client.getNode('no/such node?'), notFound);
      await feed({ span: 1, name: 'still alive' });
      await follower.shows('still alive');
    });

    test('[SV8] who resumes what is not known, as after a restart of the service, is told to subscribe again', async () => {
      const { client } = await scene();
      const { frames } = await client.subscribe({ subscriptionId: 'no-such-subscription', resumeFrom: 0 });
      const frame = await frames.next();
      assert.equal(frame.type, 'snapshotNeeded');
      assert.equal(frame.subscriptionId, 'no-such-subscription');
    });

    test('[SV10] a wrong value is INVALID_ARGUMENT with the field in the message and the value not', async () => {
      const { client, subscribe } = await scene();
      const follower = await subscribe();
      const cases: readonly (readonly [filters: object, field: RegExp])[] = [
        [{ status: ['SECRETVALUE'] }, /status/],
        [{ nodeTypes: ['SECRETVALUE'] }, /nodeTypes/],
        [{ timeRange: { start: 'SECRETVALUE', end: '2025-06-20T00:00:00Z' } }, /timeRange/],
      ];
      for (const [filters, field] of cases) {
        await assert.rejects(client.subscribe({ filters }), refusal('INVALID_ARGUMENT', field));
        await assert.rejects(client.updateFilters(follower.id, filters), refusal('INVALID_ARGUMENT', field));
      }
      await assert.rejects(
        client.subscribe({ collapse: 'SECRETVALUE' }),
        refusal('INVALID_ARGUMENT', /collapse/),
      );
      await assert.rejects(
        client.subscribe({ include: ['SECRETVALUE'] }),
        refusal('INVALID_ARGUMENT', /include/),
      );
    });

    test('[SV11] after unsubscribing nothing comes', async () => {
      const { client, subscribe, feed } = await scene();
      const follower = await subscribe();
      await client.unsubscribe(follower.id);
      await feed({ span: 1, name: 'unseen', status: 'ERROR' });
      await follower.staysQuiet(QUIET_MS);
      assert.ok(
        [undefined, 'ended'].includes(follower.subscription.frames.endReason),
        'what was asked for is no failure',
      );
      await assert.rejects(client.updateFilters(follower.id, {}), refusal('NOT_FOUND'));
    });

    test('[SV12] one connection holds several subscriptions apart', async () => {
      const { client, filters, subscribe, feed } = await scene();
      const all = await subscribe();
      const errors = await subscribe({ filters: { ...filters, status: ['ERROR'] } });
      assert.notEqual(all.id, errors.id);
      await feed({ span: 1, name: 'good' }, { span: 2, parent: 1, name: 'bad', status: 'ERROR' });
      await all.shows('bad', 'good');
      await errors.shows('bad');
      await client.unsubscribe(all.id);
      await feed({ span: 3, parent: 2, name: 'worse', status: 'ERROR' });
      await errors.shows('bad', 'worse');
    });

    test('[SV13] [AN1] why and spikes: the same answers on every way in', async () => {
      const { client, task, feed } = await scene();
      await feed(
        { span: 1, name: 'call' },
        { span: 2, parent: 1, name: 'check', status: 'ERROR' },
        ...[3, 4, 5, 6].map((n) => ({ span: n, parent: 2, name: 'usual', costUsd: 0.01 })),
        { span: 7, parent: 2, name: 'dear', costUsd: 1.5 },
      );
      const graph = await client.getGraph({ filters: { taskIds: [task] }, collapse: 'none' });
      const idOf = (name: string) => graph.nodes.find((node) => node.name === name)?.id ?? '';

      const why = await client.why(idOf('check'));
      assert.equal(why.nodeId, idOf('check'));
      const named = why.candidates.map(({ nodeId, reasons }) => [nodeId, reasons.map(({ rule }) => rule)]);
      assert.deepEqual(named, [[idOf('call'), ['nearestCall', 'firstAct', 'lastAct']]]);
      assert.deepEqual(why.outcome, { failedNodes: [idOf('check')] });
      assert.deepEqual(why.considered, { steps: 1, withText: 0, cut: 0 });
      assert.deepEqual(
        why.candidates.map(({ agent, rank, reasons }) => [
          agent,
          rank,
          reasons.map(({ strength }) => strength),
        ]),
        [['ModelAdapter', 1, ['evidence', 'order', 'order']]],
      );
      assert.deepEqual(why.agents, [{ agent: 'ModelAdapter', candidates: 1, reasons: 3 }]);
      assert.deepEqual(await client.why({ taskId: task }), why);
      const { path, edgeIds } = why.candidates[0]?.reasons[0]?.evidence ?? { path: [], edgeIds: [] };
      assert.deepEqual(path, [idOf('call'), idOf('check')]);
      assert.ok(graph.edges.some(({ id, from }) => id === edgeIds[0] && from === idOf('call')));
      assert.ok(
        why.graph.nodes.some(({ name }) => name === 'dear'),
        'nothing failed inside: all of it counts',
      );
      assert.match(why.notice, /candidates/i);

      const { spikes } = await client.spikes(task);
      assert.deepEqual(
        spikes.map(({ nodeId, measure, value, median }) => [nodeId, measure, value, median]),
        [[idOf('dear'), 'costUsd', 1.5, 0.01]],
      );
      assert.ok((await client.spikes()).spikes.some(({ nodeId }) => nodeId === idOf('dear')));
      await assert.rejects(client.why('no such node'), refusal('NOT_FOUND', /nodeId/));
      await assert.rejects(client.why(''), refusal('INVALID_ARGUMENT', /nodeId/));
      await assert.rejects(client.spikes('no such task'), refusal('NOT_FOUND', /taskId/));
    });

    test('[SV13] [AN1] compare and patterns: the same answers on every way in', async () => {
      const [one, other] = [await scene(), await scene()];
      await one.feed({ span: 1, name: 'plan' }, { span: 2, parent: 1, name: 'act', costUsd: 0.5 });
      await other.feed(
        { span: 1, name: 'plan' },
        { span: 2, parent: 1, name: 'act', status: 'ERROR' },
        { span: 3, parent: 1, name: 'mend', agent: 'critic-agent' },
      );
      const { client } = one;
      const [a, b] = [one.task, other.task];
      const { steps, counts, totals, nodes, firstDivergence, outcome, models } = await client.compare(a, b);
      assert.deepEqual(
        steps.map(({ depth, differs }) => [depth, differs]),
        [
          [0, []],
          [1, ['status', 'costUsd']],
          [1, []],
        ],
      );
      assert.equal(steps[2]?.a, undefined);
      assert.deepEqual(counts, { same: 1, differing: 1, onlyA: 0, onlyB: 1, textsCompared: 2 });
      assert.deepEqual([totals.a.taskId, totals.a.errors, totals.b.nodes], [a, 0, 3]);
      assert.deepEqual(outcome, { b: steps[1]?.b });
      assert.deepEqual(models.a, models.b);
      assert.equal(firstDivergence?.step, 1);
      assert.deepEqual(
        nodes.find(({ id }) => id === steps[1]?.a),
        (await client.getNode(steps[1]?.a ?? '')).node,
      );
      await assert.rejects(client.compare(a, a), refusal('INVALID_ARGUMENT', /^b:/));
      await assert.rejects(client.compare(a, 'no such task'), refusal('NOT_FOUND', /^b:/));
      await assert.rejects(client.compare('', b), refusal('INVALID_ARGUMENT', /^a /));

      const { patterns, tasks, tested, notice } = await client.patterns({ taskIds: [a, b] });
      assert.deepEqual(tasks, { failed: 1, passed: 1 });
      assert.ok(tested >= patterns.length && notice !== '');
      const critic = patterns.find(({ what }) => what.agent === 'CriticAgent' && what.type === undefined);
      assert.deepEqual([critic?.failed, critic?.passed, critic?.steps, critic?.errors], [1, 0, 1, 0]);
      assert.ok(Math.abs((critic?.fisher ?? 0) - 1) < 1e-9);
      await assert.rejects(client.patterns({ status: ['NOPE'] }), refusal('INVALID_ARGUMENT', /status/));
    });

    test('[SV13] [SM1] summary: the same sentences on every way in', async () => {
      const { client, task, feed } = await scene();
      await feed(
        { span: 1, name: 'call', costUsd: 0.5 },
        { span: 2, parent: 1, name: 'check', status: 'ERROR' },
      );
      const { nodes } = await client.getGraph({ filters: { taskIds: [task] }, collapse: 'none' });
      const idOf = (name: string) => nodes.find((node) => node.name === name)?.id ?? '';
      const { taskId, sentences } = await client.summary(task);
      assert.equal(taskId, task);
      assert.deepEqual(
        sentences.map(({ nodeIds, by }) => [nodeIds, by]),
        ['call', 'call', 'check', 'call', 'check', 'call'].map((name) => [[idOf(name)], 'rules']),
      );
      assert.match(sentences[2]?.text ?? '', /^“check” of ModelAdapter failed/);
      await assert.rejects(client.summary('no such task'), refusal('NOT_FOUND', /taskId/));
      await assert.rejects(client.summary(''), refusal('INVALID_ARGUMENT', /taskId/));
    });

    test('[SV13] single answers: node, graph, tasks, rendering hints on request only', async () => {
      const { client, task, feed, fresh } = await scene();
      await feed(
        { span: 1, name: 'one', costUsd: 0.5, agent: 'critic-agent' },
        { span: 2, parent: 1, name: 'two', status: 'ERROR' },
      );
      const graph = await fresh();
      const node = graph.nodes.find(({ name }) => name === 'one');
      assert.ok(node);
      assert.equal(node.agent, 'CriticAgent');
      assert.equal(node.costUsd, 0.5);
      assert.equal(node.tokensIn, undefined, 'an unknown number is absent');
      assert.equal(node.ui, undefined);
      assert.deepEqual((await client.getNode(node.id)).node, node);
      const hinted = (await fresh({ include: ['ui'] })).nodes.find(({ name }) => name === 'one');
      assert.ok(hinted?.ui?.label);
      const overview = (await client.listTasks()).find(({ taskId }) => taskId === task);
      assert.equal(overview?.nodes, 2);
      assert.equal(overview?.errors, 1);
    });

    test('[SV15] property: records, filters and lost connections in any order end in the fresh snapshot', async () => {
      const step = fc.oneof(
        fc.record({
          do: fc.constant('feed' as const),
          parent: fc.nat({ max: 9 }),
          failed: fc.boolean(),
          latencyMs: fc.constantFrom(10, 30, 2000),
        }),
        fc.record({ do: fc.constant('filter' as const), status: fc.constantFrom(undefined, 'OK', 'ERROR') }),
        fc.record({ do: fc.constant('drop' as const) }),
      );
      const property = fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
        const { filters, feed, subscribe, client } = await scene();
        const follower = await subscribe();
        let reader = client;
        let current: object = filters;
        let spans = 0;
        for (const action of steps) {
          if (action.do === 'feed') {
            const n = ++spans;
            const parent = n === 1 ? {} : { parent: 1 + (action.parent % (n - 1)) };
            const status = action.failed ? 'ERROR' : 'OK';
            await feed({ span: n, name: `step ${n}`, status, latencyMs: action.latencyMs, ...parent });
          } else if (action.do === 'filter') {
            current = action.status === undefined ? filters : { ...filters, status: [action.status] };
            await reader.updateFilters(follower.id, current);
          } else {
            await reader.disconnect();
            reader = await newClient();
            await follower.resume(reader, current);
          }
        }
        await follower.becomes(() => reader.getGraph({ filters: current }));
      });
      await fc.assert(property, { numRuns: WALKS });
    });

    test('[SV14] a reader that stops reading gets merged updates, and in the end the whole graph', async (context) => {
      const { client, trace, filters, subscribe } = await scene();
      if (client.flow === undefined) return context.skip('this client cannot stop reading');
      const onlyErrors = { filters: { ...filters, status: ['ERROR'] }, collapse: 'none' };
      const follower = await subscribe(onlyErrors);
      client.flow.pause();
      const summary = 'x'.repeat(190);
      const before = await harness.updatesMerged();
      let rounds = 0;
      while ((await harness.updatesMerged()) < before + FLOOD.merged) {
        assert.ok(rounds < FLOOD.maxRounds, 'more than anything holds back for a reader');
        const spans = Array.from({ length: FLOOD.spansPerRound }, (_, index) => {
          const n = 1 + rounds * FLOOD.spansPerRound + index;
          return span({ trace, span: n, name: `${n} ${'y'.repeat(400)}`, status: 'ERROR', summary });
        });
        await harness.feed(spans);
        await harness.flush();
        rounds += 1;
      }
      client.flow.resume();
      const watcher = await newClient();
      await follower.becomes(() => watcher.getGraph(onlyErrors));
      assert.equal(follower.graph.nodes.length, rounds * FLOOD.spansPerRound);
    });
  });
}

function refusal(code: string, message = /./): (error: unknown) => boolean {
  return (error) => {
    assert.ok(error instanceof ReaderError);
    assert.equal(error.code, code);
    assert.match(error.message, message);
    assert.doesNotMatch(error.message, /SECRETVALUE|no-such/);
    return true;
  };
}
