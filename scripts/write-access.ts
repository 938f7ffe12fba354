/** Writes docs/access.md from what a running service declares. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { accessPage } from '../src/access/ways-in.ts';
import { loadConfig } from '../src/config/load-config.ts';
import { startService } from '../src/service/service.ts';
import { silentLogger } from '../src/telemetry/logger.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'access-page-'));
const loaded = loadConfig({
  argv: [
    '--port=0',
    '--otlp-grpc-port=0',
    '--otlp-http-port=0',
    '--durability=memory',
    '--data-dir',
    dataDir,
  ],
  env: {},
  homeDir: dataDir,
  checkPattern: () => undefined,
  ruleNames: [],
});
if (!loaded.ok) throw new Error('the defaults are wrong');
const service = await startService({ config: loaded.config, env: {}, version: '0', logger: silentLogger });
const page = accessPage(await service.waysIn());
await service.stop('done');
rmSync(dataDir, { recursive: true, force: true });
writeFileSync(fileURLToPath(new URL('../docs/access.md', import.meta.url)), page);
