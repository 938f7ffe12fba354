import assert from 'node:assert/strict';
import { setTimeout } from 'node:timers/promises';
import { join } from 'node:path';
import { playPython } from './python/play.ts';
import { checkRun, type CheckedRun } from './check-run.ts';
import type { ExportedSpans } from './exported-spans.ts';
import { installSdk } from './install.ts';
import { readRun } from './reader.ts';
import type { SdkSpec } from './spec.ts';
import { SPECS } from './specs.ts';
import { Stage } from './stage.ts';
import { Steps } from '../steps/steps.ts';

/**
 * Runs programs that use real SDKs with faked models, each installed apart and in a process of its own, against the
 * real service, and compares what readers see with what the models answered.
 * Then programs in Python, where there is one (`python`).
 * Usage: npm run test:sdks -- [WORDS IN THE NAMES OF PROGRAMS]
 * Another version of an SDK: change its package.json, then `npm install --package-lock-only --ignore-scripts` beside it.
 */
const SDKS = import.meta.dirname;
/** After a program's last export was acknowledged. */
const SHOWN_LIMIT_MS = 5_000;
const PAUSE_MS = 100;
/** Problems of one check that are shown. */
const MAX_SHOWN = 20;

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
const words = process.argv.slice(2);
const chosen = SPECS.filter(
  (spec) => words.length === 0 || words.some((word) => nameOf(spec).includes(word)),
);
const steps = new Steps();
const stage = await Stage.start();
try {
  for (const [folder, specs] of Map.groupBy(chosen, (spec) => spec.folder)) {
    const modules = await steps.step(`${folder}: npm ci`, () =>
      installSdk(join(SDKS, folder), (what) => console.log(`  ${folder}: ${what}`)),
    );
    if (modules !== undefined) for (const spec of specs) await runSpec(spec, modules);
  }
} finally {
  const { code, stderr } = await stage.stop();
  await steps.step('the service ends cleanly, and logs no error', () => {
    assert.equal(code, 0, stderr);
    assert.doesNotMatch(stderr, /"level":"(?:error|fatal)"/);
  });
}
await playPython(steps, words);
steps.finish();

function nameOf({ folder, program }: SdkSpec): string {
  return `${folder}/${program}`;
}

async function runSpec(spec: SdkSpec, modules: string): Promise<void> {
  const exported = await steps.step(
    `${nameOf(spec)}: [SDK1] exports the spans that it is known for`,
    async () => {
      const run = await stage.run(join(SDKS, spec.folder), spec.program, modules);
      assert.deepEqual(run.names.toSorted(), spec.spans.toSorted());
      return run;
    },
  );
  if (exported === undefined) return;
  const checked = await steps.step(`${nameOf(spec)}: is there to read`, () => whatIsShown(spec, exported));
  for (const { title, problems } of checked ?? []) {
    const gap = spec.gaps?.[/\[(\w+)\]/.exec(title)?.[1] ?? ''];
    if (gap !== undefined && problems.length > 0) {
      console.log(`~ ${nameOf(spec)}: ${title}: known gap, ${gap}`);
      continue;
    }
    await steps.step(`${nameOf(spec)}: ${title}`, () => {
      const shown = problems.slice(0, MAX_SHOWN).join('\n');
      assert.ok(problems.length === 0, `${shown}${problems.length > MAX_SHOWN ? '\n…' : ''}`);
    });
  }
}

/** Reads until all is right, or until that cannot be expected any more. */
async function whatIsShown(spec: SdkSpec, exported: ExportedSpans): Promise<readonly CheckedRun[]> {
  const deadline = performance.now() + SHOWN_LIMIT_MS;
  for (;;) {
    const checked = checkRun(spec, exported, await readRun(stage.readers, exported));
    if (performance.now() > deadline || checked.every(({ problems }) => problems.length === 0))
      return checked;
    await setTimeout(PAUSE_MS);
  }
}
