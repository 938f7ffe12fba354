import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../../base/clock.ts';
import { Pace } from '../../base/pace.ts';
import { CausalGraph } from '../../graph/causal-graph.ts';
import { edgeId } from '../../model/ids.ts';
import type { Evidence, ExplanationEdge, ExplanationNode } from '../../model/node.ts';
import { TaskFolds } from '../../pruning/task-folds.ts';
import { silentLogger } from '../../telemetry/logger.ts';
import { FOLD_LIMITS } from '../../../test/support/make-engine.ts';
import type { ViewSource } from '../view-source.ts';
import type { ViewSpec } from '../view-spec.ts';
import type { ArchivedStep } from './archive.ts';
import { Recall } from './recall.ts';
import { EVERYTHING } from './wanted.ts';

function node(id: string, taskId: string, name = id): ExplanationNode {
  return {
    id,
    timestamp: '2025-06-15T15:06:40.000Z',
    agent: 'A',
    type: 'OTHER',
    name,
    title: name,
    taskId,
    state: 'ENDED',
    status: 'OK',
  };
}

function edge(from: string, to: string, evidence: Evidence = 'parentSpanId'): ExplanationEdge {
  return { id: edgeId(from, 'NEXT_STEP', to), from, to, relation: 'NEXT_STEP', evidence };
}

function only(...tasks: readonly string[]): ViewSpec {
  return { ...EVERYTHING, filters: { taskIds: new Set(tasks) } };
}

/** Memory, an archive whose pages come when they are let through, and what recalls. */
class Bench {
  readonly live = new CausalGraph();
  readonly archived = new Map<string, ArchivedStep>();
  readonly clock = new ManualClock();
  readonly warnings: string[] = [];
  gate: Promise<void> = Promise.resolve();
  /** The task of each page that was read. */
  readonly pagesRead: string[] = [];
  readonly recall: Recall;
  private readonly folds: TaskFolds;

  constructor(maxKept = 100) {
    this.folds = new TaskFolds(this.live, FOLD_LIMITS, this.clock, () => {
      const { log } = this.live.takeChanges();
      this.recall.follow(log);
      return log;
    });
    this.recall = new Recall({
      live: { graph: this.live, folds: this.folds },
      archive: {
        archivedTask: (taskId) => this.pages(taskId),
        archivedTasks: async () => [...new Set([...this.archived.values()].map((step) => step.node.taskId))],
        archivedNode: async (id) => this.archived.get(id),
      },
      limits: FOLD_LIMITS,
      clock: this.clock,
      pace: new Pace(this.clock),
      logger: { ...silentLogger, warn: (_fields, message) => this.warnings.push(message) },
      onChange: () => {},
      maxKept,
    });
  }

  put(what: ExplanationNode, ...into: readonly ExplanationEdge[]): void {
    this.live.putNode(what);
    this.live.putInEdges(what.id, into);
  }

  /** A node leaves memory, with the edges that it has. */
  leave(id: string): void {
    const left = this.live.node(id) as ExplanationNode;
    const step = { node: left, edges: [...this.live.inEdges(id), ...this.live.outEdges(id)] };
    this.live.dropNode(id);
    this.recall.keep([step]);
    this.archived.set(id, step);
  }

  /** What a reader with this spec looks at, once it is there. */
  async lookAs(spec: ViewSpec): Promise<ViewSource> {
    this.recall.acquire(spec);
    await this.recall.settled(spec);
    return this.look(spec);
  }

  look(spec: ViewSpec): ViewSource {
    this.folds.catchUp();
    this.recall.takeChanges();
    return this.recall.sourceFor(spec);
  }

  private async *pages(taskId: string): AsyncGenerator<readonly ArchivedStep[]> {
    const steps = [...this.archived.values()].filter((step) => step.node.taskId === taskId);
    await this.gate;
    for (const step of steps) {
      await new Promise(setImmediate);
      this.pagesRead.push(taskId);
      yield [step];
    }
  }
}

function edgesInto(source: ViewSource, id: string): string[] {
  return source.graph.inEdges(id).map(({ from }) => from);
}

test('[SU14] archived nodes are seen with their edges, by who asks for their task only', async () => {
  const bench = new Bench();
  bench.put(node('a', 'T'));
  bench.put(node('b', 'T'), edge('a', 'b'));
  bench.put(node('x', 'U'), edge('b', 'x'));
  bench.leave('b');
  bench.leave('a');
  const recalling = await bench.lookAs(only('T'));
  assert.deepEqual([...recalling.graph.nodesOfTask('T')].sort(), ['a', 'b']);
  assert.deepEqual(edgesInto(recalling, 'b'), ['a']);
  const other = bench.look({ ...only('U'), archived: false });
  assert.equal(other.graph.node('a'), undefined);
  assert.deepEqual(edgesInto(other, 'x'), []);
});

test('[SU14] what is hidden by a filter on tasks still joins what is archived on both its sides', async () => {
  const bench = new Bench();
  bench.put(node('before', 'T'));
  bench.put(node('between', 'U'), edge('before', 'between'));
  bench.put(node('after', 'T'), edge('between', 'after'));
  bench.leave('before');
  const recalling = await bench.lookAs(only('T'));
  assert.deepEqual(edgesInto(recalling, 'between'), ['before']);
  assert.deepEqual(edgesInto(recalling, 'after'), ['between']);
});

test('[SU14] a node that leaves while somebody looks stays before their eyes, though nothing else changes', async () => {
  const bench = new Bench();
  bench.put(node('a', 'T'));
  bench.put(node('b', 'U'));
  bench.leave('a');
  await bench.lookAs(EVERYTHING);
  bench.leave('b');
  assert.equal(bench.look(EVERYTHING).graph.node('b')?.name, 'b');
});

test('[SU15] an edge of an archived node that is in memory again, in another task, is seen there', async () => {
  const bench = new Bench();
  bench.put(node('a', 'T'));
  bench.put(node('b', 'U'), edge('a', 'b'));
  bench.leave('a');
  bench.put(node('a', 'U'));
  const recalling = await bench.lookAs(EVERYTHING);
  assert.deepEqual(edgesInto(recalling, 'b'), ['a']);
});

test('[SU15] where edges contradict each other those in memory stay, whatever the evidence', async () => {
  const bench = new Bench();
  bench.put(node('a', 'T'));
  bench.put(node('b', 'T'), edge('a', 'b', 'parentSpanId'));
  bench.leave('b');
  bench.put(node('b', 'T'));
  bench.put(node('a', 'T'), edge('b', 'a', 'inferred'));
  const recalling = await bench.lookAs(only('T'));
  assert.deepEqual(edgesInto(recalling, 'a'), ['b']);
  assert.deepEqual(edgesInto(recalling, 'b'), []);
});

test('[SU15] a node that leaves once more while its task is read is seen as it left last', async () => {
  const bench = new Bench();
  bench.put(node('a', 'T', 'first'));
  bench.leave('a');
  let open = (): void => {};
  bench.gate = new Promise((resolve) => (open = resolve));
  bench.recall.acquire(only('T'));
  // Until the page was made, and waits.
  await new Promise((resolve) => setImmediate(resolve));
  bench.put(node('a', 'T', 'second'));
  bench.leave('a');
  open();
  await bench.recall.settled();
  assert.equal(bench.look(only('T')).graph.node('a')?.name, 'second');
});

test('[SU15] a node that comes again and leaves as another task’s is not seen in the first any more', async () => {
  const bench = new Bench();
  bench.put(node('a', 'T'));
  bench.leave('a');
  await bench.lookAs(only('T'));
  bench.put(node('a', 'U'));
  bench.look(only('T'));
  bench.leave('a');
  assert.equal(bench.look(only('T')).graph.node('a'), undefined);
});

test('[SU16] beyond the bound the task that was recalled first goes, and it is said once', async () => {
  const bench = new Bench(3);
  for (const id of ['1', '2', '3', '4', '5']) {
    bench.put(node(id, `T${id}`));
    bench.leave(id);
  }
  const recalling = await bench.lookAs(EVERYTHING);
  assert.deepEqual([...recalling.graph.taskIds()].sort(), ['T2', 'T3', 'T4']);
  assert.deepEqual(bench.warnings, ['more left memory than is shown at once: ask for fewer tasks']);
});

test('[SU16] who asks for one task when the bound is reached sees it whole, in place of what was recalled first', async () => {
  const bench = new Bench(3);
  for (const id of ['1', '2', '3', '4']) {
    bench.put(node(id, `T${id}`));
    bench.leave(id);
  }
  for (const id of ['a', 'b']) bench.put(node(id, 'mine'));
  for (const id of ['a', 'b']) bench.leave(id);
  await bench.lookAs(EVERYTHING);
  bench.recall.release(EVERYTHING);
  const recalling = await bench.lookAs(only('mine'));
  assert.deepEqual([...recalling.graph.nodesOfTask('mine')].sort(), ['a', 'b']);
});

test('[SU16] nothing is held ten seconds after the last look, and it is read again for the next', async () => {
  const bench = new Bench();
  bench.put(node('a', 'T'));
  bench.leave('a');
  await bench.lookAs(EVERYTHING);
  bench.recall.release(EVERYTHING);
  bench.clock.advance(9_999);
  assert.ok(bench.look(EVERYTHING).graph.node('a'));
  bench.clock.advance(1);
  assert.equal(bench.look(EVERYTHING).graph.node('a'), undefined);
  assert.ok((await bench.lookAs(EVERYTHING)).graph.node('a'));
});

test('[SU14] an erased task is gone from before everybody’s eyes', async () => {
  const bench = new Bench();
  bench.put(node('a', 'T'));
  bench.leave('a');
  await bench.lookAs(EVERYTHING);
  bench.recall.forget(['T']);
  assert.equal(bench.look(EVERYTHING).graph.node('a'), undefined);
});

test('[SU14] a reader waits for what it asks for alone, and large tasks that others ask for come in between', async () => {
  const bench = new Bench(1000);
  const sizes = { large: 100, larger: 200, mine: 2 };
  for (const [taskId, size] of Object.entries(sizes))
    for (let n = 0; n < size; n++) {
      bench.put(node(`${taskId}${n}`, taskId));
      bench.leave(`${taskId}${n}`);
    }
  for (const others of [[only('large'), only('larger')], [EVERYTHING]]) {
    bench.pagesRead.length = 0;
    for (const spec of others) bench.recall.acquire(spec);
    const seen = await bench.lookAs(only('mine'));
    assert.deepEqual([...seen.graph.nodesOfTask('mine')], ['mine0', 'mine1']);
    assert.ok(bench.pagesRead.length < 60, `${bench.pagesRead.length} pages`);
    assert.ok(bench.recall.isSettled(only('mine')));
    for (const spec of others) assert.ok(!bench.recall.isSettled(spec));
    await bench.recall.settled();
    assert.equal(bench.pagesRead.length, 302);
    for (const spec of [...others, only('mine')]) bench.recall.release(spec);
    bench.clock.advance(10_000);
  }
});

test('[SU14] edges from and to what comes while the graph is copied are seen', async () => {
  const bench = new Bench(10_000);
  bench.put(node('first', 'T'));
  bench.put(node('last', 'T'), edge('first', 'last'));
  for (let n = 0; n < 1000; n++) bench.put(node(`n${n}`, 'U'));
  bench.put(node('before', 'V'));
  bench.put(node('middle', 'T'), edge('before', 'middle'));
  bench.put(node('after', 'V'), edge('middle', 'after'));
  for (const id of ['first', 'last', 'middle']) bench.leave(id);
  // What changed until now is followed; from here on all is copied.
  bench.look(only('T'));
  const recalling = await bench.lookAs(only('T'));
  assert.deepEqual(
    ['last', 'middle', 'after'].map((id) => edgesInto(recalling, id)),
    [['first'], ['before'], ['middle']],
  );
});

test('[SU14] what cannot be read is not waited for', async () => {
  const bench = new Bench();
  bench.put(node('a', 'T'));
  bench.leave('a');
  bench.gate = Promise.reject(new Error('disk'));
  await bench.lookAs(only('T'));
  await bench.recall.settled();
  assert.ok(bench.recall.isSettled(only('T')));
});
