import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hexId, jsonSpan, sendSpans } from '../integration/steps/otlp.ts';
import { Steps } from '../integration/steps/steps.ts';
import { within } from '../integration/steps/child.ts';
import { Attack } from './attack.ts';
import { Bystander } from './bystander.ts';
import type { SessionName } from './channels.ts';
import { narrow } from './narrow.ts';
import { WatchedService } from './watched-service.ts';

/**
 * Sends hostile input to a real service over every way in, and looks afterwards whether the service is what it was:
 * `node test/fuzz/run.ts [INPUTS]`. `FUZZ_SEED` repeats a run; `FUZZ_ONLY=PATTERN` keeps to some ways in; `FUZZ_REPLAY=FILE` plays the sessions of a file that a
 * failed run has left, one after the other.
 */
const INPUTS = Number(process.argv[2] ?? 200_000);
const SEED = Number(process.env['FUZZ_SEED'] ?? Math.trunc(Math.random() * 0x7fffffff));
const REPLAY = process.env['FUZZ_REPLAY'];
/** Resident memory on defaults, whatever is sent. */
const MAX_MIB = 1.2 * 1024;
const SHOWN_MS = 15_000;
const REPORT_MS = 20_000;

console.log(`fuzz: FUZZ_SEED=${SEED}, ${INPUTS} inputs`);
const steps = new Steps();
const service = await WatchedService.start(SEED);
const attack = new Attack(SEED, service.addresses);
const bystander = new Bystander(service.addresses, service.pid);
/** Ended from outside: what was started is stopped all the same. */
let isTold = false;
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => (isTold = true));
const start = performance.now();
const seconds = (): number => (performance.now() - start) / 1000;
const progress = setInterval(() => {
  const memory = service.memory();
  console.log(
    `  ${attack.inputs} inputs, ${seconds().toFixed(0)} s, ${memory?.now.toFixed(0)} MiB, at most ${memory?.peak.toFixed(0)} MiB`,
  );
}, REPORT_MS);
try {
  const isOver = (): boolean => isTold || !service.isAlive;
  if (REPLAY === undefined) await attack.send(INPUTS, isOver);
  else await attack.replay(JSON.parse(readFileSync(REPLAY, 'utf8')) as SessionName[], isOver);
  const took = seconds();
  for (const [channel, count] of attack.counts) console.log(`  ${channel}: ${count} inputs`);
  console.log(
    `  ${attack.inputs} inputs in ${took.toFixed(0)} s, ${(attack.inputs / took).toFixed(0)} a second`,
  );

  await steps.step('[FZ1] a span sent last is shown', lastSpan);
  await bystander.stop();
  await steps.step('[FZ1] the same process is alive', () =>
    assert.ok(service.isAlive, service.failures.join('\n')),
  );
  await steps.step('[FZ3] a well-behaved client was served within two seconds all the time', () => {
    console.log(`  ${bystander.figures()}`);
    assert.ok(bystander.count > 0, 'it was served at all');
    assert.deepEqual(bystander.failures.slice(0, 10), [], `${bystander.failures.length} times not`);
  });
  await steps.step('[FZ1] it is ready', async () => {
    const answer = await fetch(`http://${service.addresses.readers}/readyz`);
    assert.equal(answer.status, 200, await answer.text());
  });
  await steps.step(`[FZ2] resident memory stayed below ${MAX_MIB.toFixed(0)} MiB`, () => {
    const memory = service.memory();
    console.log(`  at most ${memory?.peak.toFixed(0)} MiB`);
    assert.ok(memory === undefined || memory.peak <= MAX_MIB, `${memory?.peak.toFixed(0)} MiB`);
  });
  attack.end();
  await steps.step('[FZ1] it ends cleanly', async () => {
    const told = seconds();
    assert.equal(await service.stop(), 'exit code 0, signal null');
    console.log(`  ${(seconds() - told).toFixed(1)} s after it was told to`);
  });
  await steps.step('[FZ4] nothing was logged as an error', () => assert.deepEqual(service.failures, []));
} finally {
  clearInterval(progress);
  attack.end();
  await bystander.stop();
  await service.remove();
}
if (steps.hasFailed && !isTold) await tell();
steps.finish();

async function lastSpan(): Promise<void> {
  await sendSpans(service.addresses.otlpHttp, [jsonSpan('sent last', 'last')]);
  const id = `${hexId('sent last', 32)}:${hexId('sent last/last', 16)}`;
  await within(SHOWN_MS, 'the span sent last is shown', async () => {
    const answer = await fetch(`http://${service.addresses.readers}/api/nodes/${id}`);
    return answer.ok ? true : undefined;
  });
}

/** How to see it again: the sessions before the end, and the fewest of them that are enough. */
async function tell(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'fuzz-failure-'));
  const file = join(folder, 'last-sessions.json');
  writeFileSync(file, JSON.stringify(attack.last));
  console.log(
    `  the last ${attack.last.length} sessions: FUZZ_SEED=${SEED} FUZZ_REPLAY=${file} npm run test:fuzz`,
  );
  if (service.hasCrashed) {
    const few = await narrow(SEED, attack.last);
    if (few === undefined) return console.log('  one after the other they leave the service alive');
    const fewFile = join(folder, 'smallest.json');
    writeFileSync(fewFile, JSON.stringify(few));
    console.log(
      `  enough of them: FUZZ_SEED=${SEED} FUZZ_REPLAY=${fewFile} npm run test:fuzz\n  ${JSON.stringify(few.slice(-5))}`,
    );
  }
}
