import { randomInt } from 'node:crypto';
import { installSdk } from '../sdks/install.ts';
import { Steps } from '../steps/steps.ts';
import { judgeIn } from './in.ts';
import { openLibrary } from './library.ts';
import { official } from './official.ts';
import { judgeOut } from './out.ts';

/**
 * The official packages of AG-UI judge ours: client, encoder and validators.
 * Usage: npm run test:ag-ui; PROPERTY_SEED repeats a run
 * Another version of them: change package.json, then `npm install --package-lock-only --ignore-scripts` beside it.
 */
const seed = Number(process.env['PROPERTY_SEED'] ?? randomInt(2 ** 31));

console.log(`PROPERTY_SEED=${seed}`);
const steps = new Steps();
const modules = await steps.step('npm ci', () =>
  installSdk(import.meta.dirname, (what) => console.log(`  ${what}`)),
);
if (modules !== undefined) {
  const library = await openLibrary(modules);
  await judgeIn(steps, library);
  await judgeOut(steps, await official(modules), seed);
}
steps.finish();
