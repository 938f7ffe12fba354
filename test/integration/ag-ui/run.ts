import { installSdk } from '../sdks/install.ts';
import { Steps } from '../steps/steps.ts';
import { judgeIn } from './in.ts';
import { openLibrary } from './library.ts';

/**
 * The official packages of AG-UI judge ours: client, encoder and validators.
 * Usage: npm run test:ag-ui
 * Another version of them: change package.json, then `npm install --package-lock-only --ignore-scripts` beside it.
 */
const steps = new Steps();
const modules = await steps.step('npm ci', () =>
  installSdk(import.meta.dirname, (what) => console.log(`  ${what}`)),
);
if (modules !== undefined) {
  const library = await openLibrary(modules);
  await judgeIn(steps, library);
}
steps.finish();
