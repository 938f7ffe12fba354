import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Stages, type Stage } from './stages.ts';

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
