import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { installPackages } from './install.ts';
import { blocksOf, rewritten } from './page.ts';
import { PAGES } from './pages.ts';
import { Player, ROOT } from './play.ts';
import { isSame } from './same.ts';
import { startFakes } from '../sdks/fake-servers.ts';
import { FREE_PORTS, serve } from '../steps/serve.ts';
import { Steps } from '../steps/steps.ts';

/**
 * Plays the pages with the SDKs that they are about, the models faked, and compares what they show with what is
 * printed. Usage: npm run test:pages -- [--write] [WORDS IN THE NAMES OF PAGES]; with --write it corrects the pages.
 */
const words = process.argv.slice(2).filter((word) => word !== '--write');
const writes = process.argv.includes('--write');
const named = new Set(
  PAGES.filter(({ file }) => words.some((word) => file.includes(word))).flatMap(({ file, follows = [] }) => [
    file,
    ...follows,
  ]),
);
for (const word of words)
  assert.ok(
    word === 'demo' || PAGES.some(({ file }) => file.includes(word)),
    `no page has "${word}" in its name`,
  );
/** The beginning of what the README shows of the demo is picked by hand; from here on it is what was printed. */
const WHOLE_FROM = 'What failed';
const HAS_PYTHON = spawnSync('python3', ['--version']).status === 0;

const steps = new Steps();
execFileSync(process.execPath, [join(ROOT, 'scripts/build.ts')]);
const fakes = await startFakes();
const player = await Player.start();
try {
  for (const { file, needs } of PAGES) {
    if (words.length > 0 && !named.has(file)) continue;
    if (needs === 'python' && !HAS_PYTHON) {
      console.log(`- ${file}: not played, python3 is not there`);
      continue;
    }
    await steps.step(`[E2E21] ${file} shows what its commands print`, () =>
      check(file, needs === 'nothing' || needs === 'build'),
    );
  }
  if (words.length === 0 || words.includes('demo'))
    await steps.step('[E2E20] README.md shows the demo', checkDemo);
} finally {
  fakes.stop();
  await player.stop();
}
steps.finish();

async function check(file: string, isClone: boolean): Promise<void> {
  const path = join(ROOT, file);
  const page = await readFile(path, 'utf8');
  const outcomes = await player.play(page, {
    env: fakes.env,
    ...(!isClone && { install: (command, folder) => installPackages(command, page, folder) }),
  });
  assert.ok(outcomes.length > 0, 'nothing to compare');
  const wrong = outcomes.filter(({ same }) => !same);
  if (writes)
    return writeFile(path, rewritten(page, new Map(wrong.map(({ block, printed }) => [block, printed]))));
  for (const { block, printed } of wrong) assert.equal(printed, block.text);
}

async function checkDemo(): Promise<void> {
  const path = join(ROOT, 'README.md');
  const page = await readFile(path, 'utf8');
  const block = blocksOf(page).find(({ verb }) => verb === 'demo');
  assert.ok(block);
  const demo = await serve(process.execPath, [join(ROOT, 'src/main.ts'), 'demo', ...FREE_PORTS]);
  await demo.child.prints(/^Ctrl-C stops it\.$/m);
  const { stdout } = demo.child;
  await demo.child.stop();
  if (writes && !isSame(block.text, stdout)) {
    const [head = ''] = block.text.split(WHOLE_FROM);
    const [, rest = ''] = stdout.split(WHOLE_FROM);
    const text = head + WHOLE_FROM + rest.slice(0, rest.indexOf('\nThe same with all its evidence'));
    return writeFile(path, rewritten(page, new Map([[block, text]])));
  }
  assert.ok(writes || isSame(block.text, stdout), stdout);
}
