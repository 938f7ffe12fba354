import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { test, type TestContext } from 'node:test';
import { promisify } from 'node:util';
import { blocksOf } from '../integration/pages/page.ts';
import { isSame } from '../integration/pages/same.ts';
import { temporaryFolder } from './real-service.ts';
import { SpawnedService } from './spawned-service.ts';
import { until } from '../support/until.ts';

const ROOT = resolve(import.meta.dirname, '../..');

/** What a line prints that somebody copies into a shell, in the project's folder. */
async function pasted(line: string, home: string): Promise<string> {
  const env = { PATH: process.env['PATH'], HOME: home };
  const { stdout } = await promisify(execFile)('sh', ['-c', line], { cwd: ROOT, env });
  return stdout;
}

/** Without what a busy machine does otherwise: a tool call that took far longer than its like is not folded with them. */
function steady(text: string): string {
  return text.replaceAll(/^.*TOOL_CALL read_file.*\n/gm, '').replaceAll(/\(n=\d+,/g, '(n=N,');
}

const PORTS = ['--port', '0', '--otlp-grpc-port', '0', '--otlp-http-port', '0'];

/**
 * Milliseconds of a beat. What is shown while it goes on needs beats that the machine keeps up with: where it is too busy
 * for the first, the next are longer.
 */
const PACES = [100, 400, 1000];

test('[E2E20] the demo shows what failed, what may have caused it, and what was done about it', async (t) => {
  const folder = await temporaryFolder(t);
  let demo: SpawnedService | undefined;
  for (const pace of PACES) {
    demo = await toldAt(t, folder, pace);
    try {
      await checkStory(demo.stdout);
      break;
    } catch (error) {
      demo.process.kill('SIGKILL');
      await demo.exit();
      if (pace === PACES.at(-1)) throw error;
    }
  }
  assert.ok(demo);

  const printed = demo.stdout.split('The same with all its evidence:')[1] ?? '';
  const commands = [...printed.matchAll(/^ {2}((?:npm|curl) .*)$/gm)].map(([, line = '']) => line);
  assert.deepEqual(
    commands.map((line) => /^curl|why|watch/.exec(line)?.[0]),
    ['why', 'watch', 'curl', 'curl'],
  );
  // `watch` goes on for ever.
  const answers = await Promise.all(
    commands.filter((line) => !line.includes(' watch')).map((line) => pasted(line, folder)),
  );
  assert.match(answers[0] ?? '', /critic\.analysis/);
  assert.match(answers[1] ?? '', /"status":"ERROR"/);
  assert.match(answers[2] ?? '', /^explain_nodes_in_memory/m);
  assert.match(commands[1] ?? '', new RegExp(` watch --url http://${demo.readers}$`));

  demo.process.kill('SIGTERM');
  assert.equal(await demo.exit(), 0);
  assert.equal(demo.stderr, '');
});

/** A demo whose story is over. */
async function toldAt(t: TestContext, folder: string, pace: number): Promise<SpawnedService> {
  // Telemetry that is meant for somebody else must not lead the story elsewhere.
  const env = { CODER_CRITIC_PACE_MS: String(pace), OTEL_LOGS_EXPORTER: 'none' };
  const demo = new SpawnedService(t, folder, ['demo', ...PORTS, '--data-dir', folder], env);
  await until('the story is told', () => demo.stdout.includes('Ctrl-C stops it.'));
  return demo;
}

async function checkStory(stdout: string): Promise<void> {
  const part = (from: string, to: string): string => stdout.split(from)[1]?.split(to)[0] ?? '';
  assert.match(
    part('ready\n', 'As a graph'),
    /\+ ⋯ LLM_CALL .* running /,
    'thoughts are seen while they are thought',
  );
  assert.match(
    part('ready\n', 'As a graph'),
    /\+ ⋯ OTHER workflow\.create_readme {2}running .*(.|\n)*~ ✓ OTHER workflow\.create_readme /,
    'steps are seen when they begin, and again when they have ended',
  );
  assert.match(part('As a graph', 'What failed'), /✓ OTHER workflow\.create_readme .*\n {2}├ /);
  assert.match(part('What failed', 'Why?'), /(✗ STATIC_ANALYSIS critic\.analysis .*no-secrets.*\n.*){2}/);
  const why = part('Why?', 'What was done');
  assert.match(why, /1\. ✗ STATIC_ANALYSIS critic\.analysis/);
  assert.match(why, /2\. ✓ LLM_CALL chat tabby-7b.*\n(?: {5}.*\n)*? {5}The LLM call closest before/);
  assert.match(why, /it thought: The usage needs a token .*\[EMAIL:\w+\]/);
  const done = part('What was done about it', 'The same with');
  for (const step of [
    'TaskRetryInitiated',
    'ModelSwitched',
    'CodeFixApplied',
    '✓ STATIC_ANALYSIS critic.analysis',
  ]) {
    assert.ok(done.includes(step), step);
  }
  assert.doesNotMatch(stdout, /sk-proj|dana@/);

  const readme = await readFile(join(ROOT, 'README.md'), 'utf8');
  const shown = blocksOf(readme).find(({ verb }) => verb === 'demo')?.text ?? '';
  assert.ok(
    isSame(steady(shown), steady(stdout)),
    `README.md shows another demo (npm run pages:write):\n${stdout}`,
  );
}

test('[E2E20] a demo that is stopped in the middle of the story ends at once, with exit code 0', async (t) => {
  const folder = await temporaryFolder(t);
  const demo = new SpawnedService(t, folder, ['demo', ...PORTS, '--data-dir', folder]);
  await until('the first step is there', () => demo.stdout.includes('+ ⋯ LLM_CALL'));
  demo.process.kill('SIGINT');
  assert.equal(await demo.exit(), 0);
  assert.doesNotMatch(demo.stdout, /broke off/);
});
