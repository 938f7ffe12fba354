import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { checkRun, type Fact } from './check-run.ts';
import { loadExpectedRuns, type ExpectedRun } from './expected-run.ts';
import { readShown } from './shown-run.ts';
import { startLiveService } from '../recordings/live-service.ts';
import { plainTable } from '../recordings/plain-table.ts';

/**
 * Sends each recorded run of a folder with `expected.json` through a service of its own, and prints how many of the
 * expected facts are right, whether tokens are counted twice, and each fact that is missed.
 * Usage: run.ts [FOLDER] [RUN…]
 */
const [folderArgument = '../shared/data/telemetry/python-stacks', ...wanted] = process.argv.slice(2);
const folder = resolve(folderArgument);

if (existsSync(join(folder, 'expected.json'))) await report();
else console.log(`no recordings: there is no ${folder}/expected.json; give the folder as the argument`);

async function report(): Promise<void> {
  const runs = [...(await loadExpectedRuns(folder))].filter(
    ([name]) => wanted.length === 0 || wanted.includes(name),
  );
  const checked = new Map<string, readonly Fact[]>();
  for (const [name, run] of runs) checked.set(name, await factsOf(run));
  for (const line of plainTable([...checked].map(([name, facts]) => rowOf(name, facts)))) console.log(line);
  for (const [name, facts] of checked)
    for (const fact of facts) if (!fact.isRight) console.log(`${name}: ${fact.name}: shown ${fact.shown}`);
  const all = [...checked.values()].flat();
  const right = all.filter(({ isRight }) => isRight).length;
  console.log(`${right} of ${all.length} facts right (${share(right, all.length)})`);
  if (right < all.length) process.exitCode = 1;
}

async function factsOf(run: ExpectedRun): Promise<readonly Fact[]> {
  const service = await startLiveService();
  try {
    for (const file of run.files) {
      const signal = file.endsWith('.logs.otlp.json') ? 'logs' : 'traces';
      const problem = await service.send(await readFile(join(folder, file)), 'application/json', signal);
      if (problem !== undefined) throw new Error(`${file}: ${problem}`);
    }
    return await checkRun(run, await readShown(service));
  } finally {
    await service.stop();
  }
}

function rowOf(run: string, facts: readonly Fact[]) {
  const right = facts.filter(({ isRight }) => isRight).length;
  const nodeTokens = facts.find(({ name }) => name === 'totals.nodeTokens');
  const tokens = nodeTokens?.isRight === false ? nodeTokens.shown : 'once';
  return { run, right, facts: facts.length, share: share(right, facts.length), tokens };
}

function share(part: number, all: number): string {
  return `${((100 * part) / all).toFixed(1)} %`;
}
