import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Progress } from './progress.ts';

const MIB = 1024 * 1024;

function progressOn(
  output: { readonly isTTY?: boolean; readonly columns?: number },
  size: number | undefined,
) {
  const clock = { now: 0 };
  const written: string[] = [];
  const progress = new Progress(
    'spans.json',
    size,
    { ...output, write: (text: string) => written.push(text) },
    () => clock.now,
  );
  return { clock, written, progress };
}

test('[CLI53] on a terminal one line is kept current, cut to its width, and taken away at the end', () => {
  const { clock, written, progress } = progressOn({ isTTY: true, columns: 40 }, 10 * MIB);
  progress.advance(MIB, () => '5 spans accepted');
  assert.deepEqual(written, [], 'not for what is done at once');
  clock.now = 200;
  progress.advance(MIB, () => '10 spans accepted');
  clock.now = 300;
  progress.advance(MIB, () => '15 spans accepted');
  progress.tell('line 3: no');
  progress.clear();
  assert.deepEqual(written, [
    '\r\u001b[2Kspans.json: 20 % (2.0 of 10.0 MiB), 10…',
    '\r\u001b[2K',
    'spans.json: line 3: no\n',
  ]);
});

test('[CLI53] elsewhere it is a line every ten seconds, and only what was sent where the size is not known', () => {
  const { clock, written, progress } = progressOn({}, undefined);
  for (clock.now = 0; clock.now <= 25_000; clock.now += 500) progress.advance(MIB / 2, () => 'all well');
  progress.clear();
  assert.deepEqual(written, ['spans.json: 10.5 MiB, all well\n', 'spans.json: 20.5 MiB, all well\n']);
});
