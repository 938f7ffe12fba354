import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../base/clock.ts';
import { UploadWatch } from './upload-watch.ts';

function watched(): { clock: ManualClock; watch: UploadWatch; dropped: string[] } {
  const clock = new ManualClock();
  const dropped: string[] = [];
  const watch = new UploadWatch(clock, (error) => dropped.push(error.code));
  watch.start();
  return { clock, watch, dropped };
}

test('[IN25] a request that stops is dropped within ten seconds', () => {
  const { clock, watch, dropped } = watched();
  clock.advance(500);
  watch.progress(1_000_000);
  clock.advance(9_499);
  assert.deepEqual(dropped, ['DEADLINE_EXCEEDED']);
});

test('[IN25] a byte now and then is no progress', () => {
  const { clock, watch, dropped } = watched();
  for (let second = 0; second < 10; second++) {
    watch.progress(100);
    clock.advance(1_000);
  }
  assert.deepEqual(dropped, ['DEADLINE_EXCEEDED']);
});

test('[IN25] a slow line may take its time, up to thirty seconds in all', () => {
  const { clock, watch, dropped } = watched();
  for (let second = 0; second < 29; second++) {
    watch.progress(2_000);
    clock.advance(1_000);
  }
  assert.deepEqual(dropped, []);
  watch.progress(1_000_000);
  clock.advance(1_000);
  assert.deepEqual(dropped, ['DEADLINE_EXCEEDED']);
});

test('[IN25] a pause of the service itself is not taken for the sender’s', () => {
  let tick = (): void => assert.fail('nothing is timed');
  const dropped: string[] = [];
  const paused = {
    now: () => 0,
    monotonic: () => 0,
    after: (_: number, task: () => void) => ((tick = task), { cancel() {} }),
  };
  const watch = new UploadWatch(paused, (error) => dropped.push(error.code));
  watch.start();
  tick();
  assert.deepEqual(dropped, [], 'however late it came, it was one');
});
