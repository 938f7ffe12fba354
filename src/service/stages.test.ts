import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { ManualClock } from '../base/clock.ts';
import { inOrder, isLate, Stages, STOP_MS, type Stage } from './stages.ts';

function recorded(events: string[], name: string, failing?: 'start' | 'stop'): Stage {
  const record = async (what: 'start' | 'stop'): Promise<void> => {
    await Promise.resolve();
    events.push(`${what} ${name}`);
    if (what === failing) throw new Error(`${what} of ${name} failed`);
  };
  return { start: () => record('start'), stop: () => record('stop') };
}

test('[LC1] stages start in order, each when the one before works, and stop once in reverse', async () => {
  const events: string[] = [];
  const stages = new Stages();
  await stages.start(recorded(events, 'a'), recorded(events, 'b'));
  await stages.start({}, recorded(events, 'c'));
  await Promise.all([stages.stop('first'), stages.stop('second')]);
  assert.deepEqual(events, ['start a', 'start b', 'start c', 'stop c', 'stop b', 'stop a']);
});

test('[LC1] when a stage fails to start, it and those before it are stopped and the later ones never start', async () => {
  const events: string[] = [];
  const stages = new Stages();
  const starting = stages.start(recorded(events, 'a'), recorded(events, 'b', 'start'), recorded(events, 'c'));
  await assert.rejects(starting, /start of b failed/);
  await stages.stop('not started');
  assert.deepEqual(events, ['start a', 'start b', 'stop b', 'stop a']);
});

test('[LC1] a stage that fails to stop does not keep the others running', async () => {
  const events: string[] = [];
  const stages = new Stages();
  await stages.start(recorded(events, 'a'), recorded(events, 'b', 'stop'), recorded(events, 'c'));
  await assert.rejects(stages.stop('over'), /stop of b failed/);
  assert.deepEqual(events.slice(3), ['stop c', 'stop b', 'stop a']);
});

test('[LC5] a stage that never stops is not waited for longer than all may take, and the others stop', async () => {
  const clock = new ManualClock();
  const events: string[] = [];
  const stages = new Stages(clock);
  const hangs: Stage = { stop: () => new Promise(() => undefined) };
  await stages.start(recorded(events, 'a'), hangs, recorded(events, 'b'), hangs, recorded(events, 'c'));
  const stopped = stages.stop('over').then(
    () => undefined,
    (failure: unknown) => failure,
  );
  await turn();
  clock.advance(STOP_MS - 1);
  await turn();
  assert.deepEqual(events.slice(3), ['stop c']);
  clock.advance(1);
  await turn();
  assert.deepEqual(events.slice(3), ['stop c', 'stop b']);
  // What is left of the time for all is nothing: the next one has a little all the same.
  clock.advance(STOP_MS / 2);
  assert.ok(isLate(await stopped));
  assert.deepEqual(events.slice(3), ['stop c', 'stop b', 'stop a']);
});

test('[LC5] a failure is told before one that was not waited for, and stages in a stage have their own time', async () => {
  const clock = new ManualClock();
  const events: string[] = [];
  const stages = new Stages(clock);
  let end = (): void => undefined;
  const long: Stage = { stop: () => new Promise((resolve) => (end = resolve)) };
  await stages.start(recorded(events, 'a', 'stop'), inOrder(long), {
    stop: () => new Promise(() => undefined),
  });
  let failure: unknown;
  stages.stop('over').catch((thrown: unknown) => (failure = thrown));
  await turn();
  clock.advance(STOP_MS);
  await turn();
  clock.advance(STOP_MS);
  await turn();
  assert.deepEqual([failure, events.slice(1)], [undefined, []]);
  end();
  await turn();
  assert.match(String(failure), /stop of a failed/);
});
