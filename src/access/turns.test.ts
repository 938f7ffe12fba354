import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ManualClock } from '../base/clock.ts';
import { propertyRuns } from '../../test/support/property-runs.ts';
import { Turns } from './turns.ts';

/** Work that is done when it is told to be. */
class Works {
  readonly clock = new ManualClock();
  readonly turns = new Turns(this.clock);
  /** Names of what runs, in the order in which it began. */
  readonly running = new Map<string, () => void>();
  began: string[] = [];

  start(who: string, name: string): Promise<void> {
    return this.turns.take(who, () => {
      this.began.push(name);
      return new Promise((resolve) => this.running.set(name, resolve));
    });
  }

  /** What began first ends; resolves when what follows has begun. */
  async endFirst(): Promise<string> {
    const [first] = this.running;
    assert.ok(first);
    this.running.delete(first[0]);
    first[1]();
    await new Promise(setImmediate);
    return first[0];
  }
}

test('[AC36] who is alone is not held up; while others send, each has one piece of work done at a time', async () => {
  const works = new Works();
  const done = [1, 2, 3].map((n) => works.start('flood', `f${n}`));
  assert.deepEqual(works.began, ['f1', 'f2', 'f3']);
  done.push(works.start('other', 'o1'), works.start('flood', 'f4'), works.start('flood', 'f5'));
  assert.deepEqual(works.began.slice(3), ['o1']);
  for (let n = 0; n < 4; n++) await works.endFirst();
  assert.deepEqual(works.began.slice(4), ['f4'], 'one of the flood, when all that ran before is done');
  while (works.running.size > 0) await works.endFirst();
  await Promise.all(done);
  works.clock.advance(60_001);
  for (const n of [6, 7]) void works.start('flood', `f${n}`);
  assert.deepEqual([...works.running.keys()], ['f6', 'f7'], 'nobody else came for a minute');
});

test('[AC36] however much others send, one waits for at most one piece of work of each that began before', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 4 }),
      fc.integer({ min: 0, max: 200 }),
      async (floods, each) => {
        const works = new Works();
        // They know of each other.
        for (let n = 0; n <= floods; n++) void works.start(`k${n}`, `first of k${n}`);
        while (works.running.size > 0) await works.endFirst();
        for (let n = 0; n < each; n++)
          for (let flood = 0; flood < floods; flood++) void works.start(`k${flood}`, `k${flood} ${n}`);
        void works.start(`k${floods}`, 'mine');
        assert.ok(works.running.has('mine'), 'it begins at once');
        assert.ok(works.running.size <= floods + 1, 'beside one of each');
      },
    ),
    propertyRuns(),
  );
});

test('[AC36] who has more waiting goes on when what another began meanwhile is done, or takes too long', async () => {
  const works = new Works();
  void works.start('other', 'o1');
  void works.start('flood', 'f1');
  for (const n of [2, 3, 4]) void works.start('flood', `f${n}`);
  assert.equal(await works.endFirst(), 'o1');
  void works.start('other', 'o2');
  assert.equal(await works.endFirst(), 'f1');
  assert.deepEqual([...works.running.keys()], ['o2'], 'alone');
  await works.endFirst();
  assert.deepEqual([...works.running.keys()], ['f2']);
  void works.start('other', 'o3');
  assert.equal(await works.endFirst(), 'f2');
  works.clock.advance(100);
  await new Promise(setImmediate);
  assert.deepEqual([...works.running.keys()], ['o3', 'f3'], 'o3 takes longer than it is waited for');
});

test('[AC36] what failed makes room as well, and an error is its own', async () => {
  const turns = new Turns(new ManualClock());
  await turns.take('other', () => Promise.resolve());
  const failing = turns.take('one', () => Promise.reject(new Error('refused')));
  const next = turns.take('one', () => Promise.resolve('taken'));
  await assert.rejects(failing, /refused/);
  assert.equal(await next, 'taken');
});
