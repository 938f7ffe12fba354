import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { of } from 'rxjs';
import {
  applyUpdate,
  startService,
  type EmbeddedService,
  type ExplanationGraph,
  type Refusal,
  type StartOptions,
  type Thought,
  type ViewRequest,
  type ViewUpdate,
} from '../../src/embedded/program.ts';
import { run } from '../integration/steps/child.ts';
import { temporaryFolder } from '../e2e/real-service.ts';
import { until } from '../support/until.ts';

const T0 = Date.parse('2026-11-25T10:00:00Z');

async function start(t: Pick<TestContext, 'after'>, options: StartOptions = {}): Promise<EmbeddedService> {
  const service = await startService(options);
  t.after(() => service.stop());
  return service;
}

function thought(requestId: string, more: Partial<Thought> = {}): Thought {
  return {
    requestId,
    timestamp: T0,
    text: `What ${requestId} thinks`,
    final: true,
    agent: 'CoderAgent',
    taskId: 'T1',
    ...more,
  };
}

/** The graph that an observer holds, and what happened to it. */
class Observed {
  graph: ExplanationGraph | undefined;
  readonly updates: ViewUpdate[] = [];
  ended: unknown = 'not yet';
  readonly unsubscribe: () => void;

  constructor(service: EmbeddedService, view?: ViewRequest) {
    const subscription = service.updates(view).subscribe({
      next: (update) => {
        this.updates.push(update);
        this.graph = applyUpdate(this.graph, update);
      },
      error: (error: unknown) => (this.ended = error),
      complete: () => (this.ended = 'complete'),
    });
    this.unsubscribe = () => subscription.unsubscribe();
  }

  get names(): string[] {
    return idsOf(this.graph);
  }
}

function idsOf(graph: ExplanationGraph | undefined): string[] {
  return (graph?.nodes ?? []).map(({ id }) => id).toSorted();
}

test('[EM1] thoughts and events that are pushed in come out as a snapshot and then as updates', async (t) => {
  const service = await start(t);
  service.thoughts.next(thought('r1'));
  await until('the first is there', async () => (await service.getGraph()).nodes.length > 0);
  const observed = new Observed(service, { collapse: 'none' });
  await until('the snapshot came', () => observed.updates.length > 0);
  assert.equal(observed.updates[0]?.snapshot, true);
  service.events.next({ eventID: 'e1', eventType: 'PlanMade', timestamp: T0 + 1, payload: { taskId: 'T1' } });
  service.thoughts.next(thought('r2', { timestamp: T0 + 2 }));
  const graph = async (): Promise<ExplanationGraph> => service.getGraph({ collapse: 'none' });
  await until('both are there', async () => (await graph()).nodes.length >= 5);
  await until('the observer has them', () => observed.names.length >= 5);
  assert.deepEqual(observed.names, idsOf(await graph()));
  assert.equal(observed.updates.filter(({ snapshot }) => snapshot).length, 1);
});

test('[EM1] what goes in is redacted before anybody sees it', async (t) => {
  const service = await start(t);
  await service.publishThought(thought('r1', { text: 'Ask jane.doe@example.com first' }));
  const { nodes } = await service.getGraph({ collapse: 'none' });
  const details = await Promise.all(nodes.map(({ id }) => service.getNode(id)));
  assert.match(JSON.stringify(details), /\[EMAIL:/);
  assert.doesNotMatch(JSON.stringify(details), /jane\.doe/);
});

test('[EM2] several observers have filters of their own; who unsubscribes gets nothing more', async (t) => {
  const service = await start(t);
  const one = new Observed(service, { filters: { taskIds: ['T1'] }, collapse: 'none' });
  const two = new Observed(service, { filters: { taskIds: ['T2'] }, collapse: 'none' });
  await Promise.all([
    service.publishThought(thought('r1')),
    service.publishThought(thought('r2', { taskId: 'T2' })),
  ]);
  await until('both have theirs', () => one.names.length > 0 && two.names.length > 0);
  assert.ok(one.graph?.nodes.every(({ taskId }) => taskId === 'T1'));
  assert.ok(two.graph?.nodes.every(({ taskId }) => taskId === 'T2'));
  one.unsubscribe();
  const before = one.updates.length;
  await service.publishThought(thought('r3'));
  await service.publishThought(thought('r4', { taskId: 'T2' }));
  await until('the other goes on', () => two.names.length > 1);
  assert.equal(one.updates.length, before);
  assert.match(await service.metrics(), /^explain_subscriptions 1$/m);
});

test('[EM2] a view that is none fails the observable, naming the field', async (t) => {
  const service = await start(t);
  const wrong = new Observed(service, { filters: { status: ['BAD'] } } as never);
  await until('it has failed', () => wrong.ended !== 'not yet');
  assert.equal((wrong.ended as { code: string }).code, 'INVALID_ARGUMENT');
  assert.match((wrong.ended as Error).message, /status/);
  await assert.rejects(
    async () => {
      for await (const update of service.follow({ filters: { status: ['BAD'] } } as never))
        assert.fail(update.timestamp);
    },
    { code: 'INVALID_ARGUMENT' },
  );
});

test('[EM3] what changes while a follower is busy comes as one update; in the end it has the whole graph', async (t) => {
  const service = await start(t);
  let graph: ExplanationGraph | undefined;
  let updates = 0;
  let goOn = (): void => undefined;
  const following = (async () => {
    for await (const update of service.follow({ collapse: 'none' })) {
      updates++;
      graph = applyUpdate(graph, update);
      if (updates === 2) await new Promise<void>((resolve) => (goOn = resolve));
    }
  })();
  await until('it follows', () => updates === 1);
  await service.publishThought(thought('r0', { timestamp: T0 }));
  await until('it is busy', () => updates === 2);
  for (let n = 1; n < 50; n++) await service.publishThought(thought(`r${n}`, { timestamp: T0 + n }));
  const all = await service.getGraph({ collapse: 'none' });
  assert.equal(updates, 2);
  goOn();
  await until('it has all', () => graph?.nodes.length === all.nodes.length);
  assert.ok(updates <= 5, `${updates} updates`);
  assert.deepEqual(idsOf(graph), idsOf(all));
  await service.stop();
  await following;
});

test('[EM3] who follows can leave while it waits, and its subscription is gone', async (t) => {
  const service = await start(t);
  const updates = service.follow();
  assert.equal((await updates.next()).done, false);
  const waiting = updates.next();
  await updates.return?.();
  assert.equal((await waiting).done, true);
  assert.equal((await updates.next()).done, true);
  assert.match(await service.metrics(), /^explain_subscriptions 0$/m);
});

test('[EM4] a refused message is told to who published it, by field; through a Subject it is told by `refusals`', async (t) => {
  const service = await start(t);
  const refusals: Refusal[] = [];
  service.refusals.subscribe((refusal) => refusals.push(refusal));
  await assert.rejects(service.publishThought({ timestamp: 1 } as never), {
    code: 'INVALID_ARGUMENT',
    message: /^requestId: required/,
  });
  service.events.next({ eventType: 'X', timestamp: 'hunter2' });
  await until('it is told', () => refusals.length === 1);
  assert.equal(refusals[0]?.input, 'events');
  assert.match(refusals[0]?.error.message ?? '', /^timestamp: must be/);
  assert.doesNotMatch(refusals[0]?.error.message ?? '', /hunter2/);
});

test('[EM4] a source that completes or fails does not end the input for the others', async (t) => {
  const service = await start(t);
  const refusals: Refusal[] = [];
  service.refusals.subscribe((refusal) => refusals.push(refusal));
  of(thought('r1')).subscribe(service.thoughts);
  service.thoughts.error(new Error('the source broke'));
  assert.equal(refusals[0]?.error.code, 'UNAVAILABLE');
  of(thought('r2')).subscribe(service.thoughts);
  await until('both are there', async () => (await service.getGraph({ collapse: 'none' })).nodes.length >= 4);
});

test('[EM5] `stop` keeps what was taken, tells observers the last of it, and completes them; after it all is refused', async (t) => {
  const dataDir = await temporaryFolder(t);
  const service = await start(t, { config: { dataDir } });
  const observed = new Observed(service, { collapse: 'none' });
  await until('it observes', () => observed.updates.length > 0);
  for (let n = 0; n < 20; n++) service.thoughts.next(thought(`r${n}`));
  await Promise.all([service.stop(), service.stop()]);
  assert.equal(observed.ended, 'complete');
  // A thought is a call and what was thought in it.
  assert.equal(observed.names.length, 40);
  await assert.rejects(service.publishThought(thought('r')), { code: 'UNAVAILABLE' });
  await assert.rejects(service.getGraph(), { code: 'UNAVAILABLE' });
  const late = new Observed(service);
  assert.equal((late.ended as { code: string }).code, 'UNAVAILABLE');

  const again = await start(t, { config: { dataDir } });
  assert.deepEqual(idsOf(await again.getGraph({ collapse: 'none' })), observed.names);
});

test('[EM6] all that is wrong with the configuration is said at once, by the names in the object', async () => {
  const config = {
    port: 'x',
    maxNodePerTask: 3,
    redactionPatterns: ['('],
    durability: 'log',
    auth: { token: 'secret' },
  };
  await assert.rejects(startService({ config } as never), (error: Error & { code?: string }) => {
    assert.equal(error.code, 'INVALID_ARGUMENT');
    for (const said of [
      /config\.port: must be a whole number/,
      /config\.maxNodePerTask: is not a known key: did you mean maxNodesPerTask\?/,
      /config\.redactionPatterns\[0\]: is not a usable regular expression/,
      /config\.durability: needs "dataDir"/,
      /config\.auth: must be "none"/,
    ])
      assert.match(error.message, said);
    assert.doesNotMatch(error.message, /secret/);
    return true;
  });
  await assert.rejects(startService({ config: [] } as never), /config: must be an object/);
  await assert.rejects(startService({ ports: 'maybe' } as never), /ports: must be "none" or "open"/);
});

test('[EM7] several services live side by side; two may not share a folder', async (t) => {
  const dataDir = await temporaryFolder(t);
  const first = await start(t, { config: { dataDir: join(dataDir, 'a') } });
  const second = await start(t, { config: { dataDir: join(dataDir, 'b') } });
  await Promise.all([
    first.publishThought(thought('r1')),
    second.publishThought(thought('r2', { taskId: 'T2' })),
  ]);
  for (const [service, taskId] of [
    [first, 'T1'],
    [second, 'T2'],
  ] as const)
    assert.deepEqual(
      (await service.findTasks()).tasks.map((task) => task.taskId),
      [taskId],
    );
  await assert.rejects(startService({ config: { dataDir: join(dataDir, 'a') } }), {
    code: 'FAILED_PRECONDITION',
  });
  assert.deepEqual((await readdir(dataDir)).toSorted(), ['a', 'b']);
});

test('[EM8] with `ports: open` others reach it as usual', async (t) => {
  const service = await start(t, { ports: 'open', config: { port: 0, otlpGrpcPort: 0, otlpHttpPort: 0 } });
  await service.publishThought(thought('r1'));
  const { host, port } = service.addresses!.readers;
  const graph = (await (await fetch(`http://${host}:${port}/api/graph`)).json()) as ExplanationGraph;
  assert.deepEqual(idsOf(graph), idsOf(await service.getGraph()));
});

test("[EM10] the process stays the program's: no socket, no handler, nothing global, no file; it ends by itself", async (t) => {
  const home = await temporaryFolder(t);
  const host = join(import.meta.dirname, 'host-program.ts');
  const env = {
    PATH: process.env['PATH'],
    HOME: home,
    EXPLAINABILITY_AGENT_PORT: 'none of its business',
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1',
  };
  const { code, stdout, stderr } = await run(process.execPath, [host], { cwd: home, env });
  assert.equal(code, 0, stderr);
  assert.deepEqual([stderr, JSON.parse(stdout)], ['', { nodes: 2, changed: [] }]);
  assert.deepEqual(await readdir(home), []);
});

test('[EM9] a task is erased for good', async (t) => {
  const service = await start(t, { config: { dataDir: await temporaryFolder(t) } });
  await service.publishThought(thought('r1'));
  await service.publishThought(thought('r2', { taskId: 'T2' }));
  const erased = await service.erase({ taskId: 'T1' });
  assert.deepEqual([erased.tasks, erased.nodesInMemory], [['T1'], 2]);
  assert.deepEqual(
    (await service.findTasks()).tasks.map(({ taskId }) => taskId),
    ['T2'],
  );
  await assert.rejects(service.erase({} as never), { code: 'INVALID_ARGUMENT' });
});
