import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { BrowserContextOptions } from 'playwright-core';
import { RealService, temporaryFolder } from '../test/e2e/real-service.ts';
import { startBrowser } from '../test/ui/browser.ts';
import { openPage } from '../test/ui/open-page.ts';

/** Takes the pictures of the page in docs/ui: of the story in examples/coder-critic, among recordings of tests. */
const ROOT = resolve(import.meta.dirname, '..');
const RECORDED = join(ROOT, 'test/fixtures/telemetry');
const TASK = 'create-readme';
/** What `task-7` did as well, told by another SDK. */
const REVIEWED = '4db2fb6e600551e38839114b73d14937';
const DESK = { viewport: { width: 1280, height: 800 } };
const DARK = { ...DESK, colorScheme: 'dark' } as const;
const PHONE = { viewport: { width: 390, height: 760 }, deviceScaleFactor: 2 };
/** Until lists and transitions stand still. */
const SETTLE_MS = 1_000;

const PICTURES: readonly (readonly [name: string, path: string, options: BrowserContextOptions])[] = [
  ['runs', '/', DESK],
  ['graph', `/t/${TASK}?view=graph`, DESK],
  ['why', `/t/${TASK}?view=graph&ask=why`, DARK],
  ['waterfall-dark', `/t/${TASK}?view=waterfall`, DARK],
  ['talk', `/t/${TASK}?view=talk`, DESK],
  ['compare', `/compare?a=task-7&b=${REVIEWED}`, DESK],
  ['talk-phone', `/t/${TASK}?view=talk`, PHONE],
];

const service = await RealService.start({ dataDir: await temporaryFolder() });
const browser = await startBrowser();
try {
  await take('empty', '/', DESK);
  for (const file of readdirSync(RECORDED)) {
    await fetch(`${service.otlpHttp}/v1/traces`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: readFileSync(join(RECORDED, file)),
    });
  }
  const story = spawn(process.execPath, [join(ROOT, 'examples/coder-critic/main.js')], {
    env: {
      ...process.env,
      OTEL_EXPORTER_OTLP_ENDPOINT: service.otlpHttp,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf',
      CODER_CRITIC_TASK_ID: TASK,
    },
  });
  await once(story, 'exit');
  await service.flush();
  for (const [name, path, options] of PICTURES) await take(name, path, options);
} finally {
  await browser.close();
  await service.stop();
}

async function take(name: string, path: string, options: BrowserContextOptions): Promise<void> {
  const { page } = await openPage(browser, service.readers + path, options);
  await page.locator('[data-testid=connection-state][data-state=live]').waitFor();
  if (path.includes('ask=why')) await page.getByTestId('why-candidate').first().waitFor();
  await page.waitForTimeout(SETTLE_MS);
  await page.screenshot({ path: join(ROOT, `docs/ui/${name}.png`) });
  await page.context().close();
  console.log(`docs/ui/${name}.png`);
}
