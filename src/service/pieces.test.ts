import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hurriedPace } from '../../test/support/hurried-pace.ts';
import { makeEngine, type TestEngine } from '../../test/support/make-engine.ts';
import { span } from '../../test/support/records.ts';
import { until } from '../../test/support/until.ts';
import { batchOf } from '../../test/support/world.ts';
import { ManualClock, type Timer } from '../base/clock.ts';
import { Pace, type Line } from '../base/pace.ts';
import type { SafeRecord } from '../model/pipeline.ts';

/** Time passes with every look at the clock, and a millisecond takes one turn. */
class RushingClock extends ManualClock {
  private passed = 0;
  readonly msALook: number;

  constructor(msALook: number) {
    super();
    this.msALook = msALook;
  }

  override monotonic(): number {
    this.passed += this.msALook;
    return super.monotonic() + this.passed;
  }

  override after(delayMs: number, task: () => void): Timer {
    return super.after(Math.max(1, delayMs), task);
  }
}

/** All below the first. */
function task(count: number): SafeRecord[] {
  const spanId = (n: number): string => (n + 1).toString(16).padStart(16, '0');
  return Array.from({ length: count }, (_, n) => ({
    ...span(1, { parent: 1 }),
    spanId: spanId(n),
    parentSpanId: n === 0 ? undefined : spanId(0),
  }));
}

function nodes({ engine }: TestEngine): number {
  return engine.graph.nodeCount;
}

test('[EL2] a large batch is worked off in pieces, and its success means that the graph holds all of it', async () => {
  const held: number[] = [];
  const pace = hurriedPace([40], () => held.push(nodes(target)));
  const target = makeEngine({ pace });
  await target.engine.correlator.consume(batchOf(task(1000)));
  assert.equal(nodes(target), 1000);
  assert.equal(target.engine.graph.edgeCount, 999);
  const partial = new Set(held.filter((count) => count > 0 && count < 1000));
  assert.ok(partial.size >= 10, `${partial.size} pauses with a part of it`);
});

test('[EL2] what refuses a large batch does so before any of it is in the graph', async () => {
  let pauses = 0;
  const pace = hurriedPace([40], () => {
    pauses++;
    assert.equal(nodes(target), 0);
  });
  const target = makeEngine({ pace, journal: { append: () => Promise.reject(new Error('full')) } });
  await assert.rejects(target.engine.correlator.consume(batchOf(task(1000))), /full/);
  assert.equal(nodes(target), 0);
  assert.ok(pauses >= 10);
});

test('[EL2] what one record brings to a thousand others is brought in pieces too', async () => {
  const edges: number[] = [];
  const pace = hurriedPace([40], () => edges.push(target.engine.graph.edgeCount));
  const target = makeEngine({ pace });
  const [root, ...below] = task(1000);
  assert.ok(root);
  await target.engine.correlator.consume(batchOf(below));
  edges.length = 0;
  await target.engine.correlator.consume(batchOf([root]));
  assert.equal(target.engine.graph.edgeCount, 999);
  assert.ok(new Set(edges).size >= 10, `${edges.length} pauses`);
});

test('[EL4] prune looks at many nodes in pieces, and answers how many go', async () => {
  const clock = new RushingClock(4);
  const target = makeEngine({ clock });
  await target.engine.correlator.consume(batchOf(task(7000)));
  let answer: number | undefined;
  const pruned = target.engine.reader.prune(0).then(({ prunedNodes }) => (answer = prunedNodes));
  await Promise.resolve();
  assert.equal(answer, undefined);
  for (let turn = 0; nodes(target) > 0 && turn < 10_000; turn++) {
    clock.advance(1);
    await new Promise((resolve) => setImmediate(resolve));
  }
  assert.equal(await pruned, 7000);
  assert.equal(nodes(target), 0);
});

test('[EL4] a prune that has not begun when the service stops is refused', async () => {
  const clock = new RushingClock(4);
  const target = makeEngine({ clock });
  await target.engine.correlator.consume(batchOf(task(7000)));
  const pruned = target.engine.reader.prune(0);
  target.engine.stop();
  await assert.rejects(pruned, { code: 'UNAVAILABLE' });
});

test('[EL5] what is restored is folded and published as it comes, so that nothing is left for the first update', async () => {
  const before = makeEngine();
  await before.engine.correlator.consume(batchOf(task(1000)));
  const facts = [...before.engine.correlator.facts()];
  const clock = new ManualClock();
  // Its turns are never over: each piece is followed because it came, not because it took long.
  const target = makeEngine({ clock, pace: hurriedPace([1e9], () => {}) });
  const added: number[] = [];
  target.engine.reader.subscribe(
    { collapse: 'none' },
    {
      writable: true,
      write: (frame) => frame.type === 'update' && added.push(frame.update.addedNodes.length),
      close() {},
    },
  );
  for (let at = 0; at < facts.length; at += 100) {
    await target.engine.replay(facts.slice(at, at + 100));
    clock.advance(10);
  }
  assert.ok(added.length >= 3, `${added.length} updates`);
  const sent = added.reduce((sum, count) => sum + count, 0);
  assert.ok(sent >= 500, `${sent} nodes sent before its end`);
  assert.ok(Math.max(...added) <= 500, `${Math.max(...added)} nodes in one update`);
});

/** The turns of upkeep are over at every look, those of what takes in never: what is not taken in waits for upkeep. */
class SlowUpkeep extends Pace {
  isUpkeep = false;

  override get isOver(): boolean {
    return this.isUpkeep;
  }

  protected override async restIn(line: Line): Promise<void> {
    await super.restIn(line);
    this.isUpkeep = line === 'upkeep';
    process.nextTick(() => (this.isUpkeep = false));
  }
}

test('[EL6] while an update takes too long nothing more is taken in, and then it is', async () => {
  const clock = new RushingClock(700);
  const pace = new SlowUpkeep(clock);
  const target = makeEngine({ clock, pace });
  const records = task(2000);
  // Each small enough to be taken at once: what follows the graph does so later.
  for (let at = 0; at < records.length; at += 200)
    await target.engine.correlator.consume(batchOf(records.slice(at, at + 200)));
  pace.isUpkeep = true;
  clock.advance(10);
  pace.isUpkeep = false;
  for (let turn = 0; turn < 6; turn++) await new Promise(setImmediate);
  const taken: boolean[] = [];
  const more = target.engine.correlator.consume(batchOf([span('f')])).then(() => taken.push(true));
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(taken, []);
  for (let slice = 0; slice < 1000 && taken.length === 0; slice++) {
    clock.advance(1);
    await new Promise((resolve) => setImmediate(resolve));
  }
  await more;
  assert.equal(nodes(target), 2001);
});

test('[EL2] small batches that were kept together are worked off in pieces, as a large one is', async () => {
  const held: number[] = [];
  const kept = Promise.withResolvers<void>();
  const pace = hurriedPace([10], () => held.push(nodes(target)));
  let asked = 0;
  const append = (): Promise<void> => {
    asked++;
    return kept.promise;
  };
  const target = makeEngine({ pace, journal: { append } });
  const all = Promise.all(task(200).map((record) => target.engine.correlator.consume(batchOf([record]))));
  await until('all of them wait', () => asked === 200);
  kept.resolve();
  await all;
  const steps = held.map((count, i) => count - (held[i - 1] ?? 0));
  assert.equal(nodes(target), 200);
  assert.ok(Math.max(...steps) <= 20, `${Math.max(...steps)} of 200 nodes in one turn`);
});
