import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { loadConfig } from '../../src/config/load-config.ts';
import { withKeysOf } from '../../src/service/keys-offline.ts';
import { silentLogger } from '../../src/telemetry/logger.ts';
import { RealService, temporaryFolder } from './real-service.ts';

/** A service that asks for keys, of which there is one for each of these. */
export async function serviceWithKeys<Name extends string>(
  t: TestContext,
  wanted: { readonly [name in Name]: object },
  flags: readonly string[] = [],
): Promise<{ readonly service: RealService; readonly keys: { readonly [name in Name]: string } }> {
  const dataDir = await temporaryFolder(t);
  const loaded = loadConfig({
    argv: ['--data-dir', dataDir],
    env: {},
    homeDir: dataDir,
    checkPattern: () => undefined,
    ruleNames: [],
  });
  assert.ok(loaded.ok);
  const keys = await withKeysOf(loaded.config, silentLogger, async (made) => {
    const shown: Record<string, string> = {};
    for (const [name, one] of Object.entries<object>(wanted))
      shown[name] = (await made.create({ name, ...one })).key;
    return shown as { readonly [name in Name]: string };
  });
  const service = await RealService.start({ dataDir, flags });
  t.after(() => service.stop());
  return { service, keys };
}
