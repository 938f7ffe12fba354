import { loadConfig } from '../../src/config/load-config.ts';
import { withKeysOf } from '../../src/service/keys-offline.ts';
import type { Role } from '../../src/access/roles.ts';
import { silentLogger } from '../../src/telemetry/logger.ts';

/** Makes keys of these names, for sending and seeing, in the folder of a service that is not started yet. */
export async function keysIn(
  dataDir: string,
  names: readonly string[],
  roles: readonly Role[] = ['sender', 'reader'],
): Promise<readonly string[]> {
  const loaded = loadConfig({
    argv: ['--data-dir', dataDir],
    env: {},
    homeDir: dataDir,
    checkPattern: () => undefined,
    ruleNames: [],
  });
  if (!loaded.ok) throw new Error('the configuration is wrong');
  return withKeysOf(loaded.config, silentLogger, async (made) => {
    const keys: string[] = [];
    for (const name of names) keys.push((await made.create({ name, roles })).key);
    return keys;
  });
}
