import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { BrowserContextOptions } from 'playwright-core';
import { RealService, temporaryFolder } from '../test/e2e/real-service.ts';
import { startBrowser } from '../test/ui/browser.ts';
import { openPage } from '../test/ui/open-page.ts';
import { playTask, type PlayedSpan } from '../test/ui/play.ts';

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
  ['patterns', '/patterns', DESK],
  ['large', '/t/large?view=graph', DARK],
  ['talk-phone', `/t/${TASK}?view=talk`, PHONE],
  ['graph-phone', `/t/${TASK}?view=graph`, PHONE],
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
  await playTask(service, 'large', largeRun());
  await take('large', '/t/large?view=graph', DARK);
  await takeAway();
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

/** What the page shows when the service has gone. */
async function takeAway(): Promise<void> {
  const gone = await RealService.start({ dataDir: await temporaryFolder() });
  await playTask(gone, 'weather');
  const { page } = await openPage(browser, `${gone.readers}/t/weather?view=waterfall`, DESK);
  await page.getByTestId('waterfall-row').first().waitFor();
  await gone.stop();
  await page.getByRole('alert').waitFor();
  await page.screenshot({ path: join(ROOT, 'docs/ui/away.png') });
  await page.context().close();
  console.log('docs/ui/away.png');
}

/** Six agents, two thousand steps: most are quick and folded, some fail. */
function largeRun(): readonly PlayedSpan[] {
  return Array.from({ length: 2_000 }, (_, index) => {
    const agent = ['planner', 'researcher', 'writer', 'critic', 'browser', 'publisher'][index % 6] ?? '';
    const tool = ['search_web', 'read_page', 'draft', 'review', 'open_tab'][index % 5] ?? '';
    const start = index * 200;
    if (index < 6)
      return {
        name: `invoke_agent ${agent}`,
        start: 0,
        end: 400_000,
        agent,
        ...(index > 0 && { parent: 0 }),
      };
    return {
      name: `execute_tool ${tool}`,
      start,
      end: start + (index % 11 === 0 ? 900 : 40),
      agent,
      parent: index % 6,
      ...(index % 97 === 0 && { error: 'the site answered 503' }),
      attributes: { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': tool },
    };
  });
}
