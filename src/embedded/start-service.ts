import { homedir } from 'node:os';
import { invalid } from '../base/boundary-error.ts';
import { VERSION } from '../base/version.ts';
import { configFromObject } from '../config/object-layer.ts';
import type { ServiceConfig } from '../config/schema.ts';
import { BUILTIN_RULES } from '../redaction/rules/builtin.ts';
import { checkUserPattern } from '../redaction/user-patterns.ts';
import { composeService } from '../service/compose.ts';
import { silentLogger, type Logger } from '../telemetry/logger.ts';
import type { EmbeddedService } from './embedded-service.ts';
import { RunningService } from './running-service.ts';

export interface StartOptions {
  /**
   * Keys of the configuration, as in its file; neither a file nor the environment is read. Without `dataDir` the graph
   * is kept in memory only, and gone when the service stops.
   */
  readonly config?: Partial<ServiceConfig>;
  /** `open`: the ports of the configuration are opened, as by the command line. Default `none`: no socket at all. */
  readonly ports?: 'none' | 'open';
  /** Pino's or one like it. Nothing is logged if absent. No message holds text of records. */
  readonly logger?: Logger;
}

/**
 * Starts a service inside this program; any number of them run side by side, each with a data folder of its own. The
 * process stays the program's: no signal handler, no exit, no flag of V8, nothing global of OpenTelemetry, no
 * environment variable is read. It does not keep the process alive without ports; call `stop()` before the end.
 *
 * @throws BoundaryError INVALID_ARGUMENT with all that is wrong with the configuration; FAILED_PRECONDITION when the data
 *   folder or what `kafka` needs cannot be used; Error when a port cannot be had
 */
export async function startService(options: StartOptions = {}): Promise<EmbeddedService> {
  const { config: given = {}, ports = 'none', logger = silentLogger } = options;
  const loaded = configFromObject(given, {
    homeDir: homedir(),
    checkPattern: checkUserPattern,
    ruleNames: BUILTIN_RULES.map((rule) => rule.id),
  });
  const problems = loaded.ok ? [] : loaded.problems.map(({ path, message }) => `${path}: ${message}`);
  if (ports !== 'none' && ports !== 'open') problems.push('ports: must be "none" or "open"');
  if (loaded.ok && loaded.config.cells !== undefined)
    problems.push('config.cells: only the command line starts processes: leave it out');
  if (!loaded.ok || problems.length > 0)
    throw invalid(`the service cannot start:\n  ${problems.join('\n  ')}`);
  const { config, warnings } = loaded;
  for (const warning of warnings) logger.warn({}, warning);
  const service = { config, env: {}, version: VERSION, logger };
  if (ports === 'none') return new RunningService(await composeService(service), undefined);
  // With them come gRPC and all servers: half of what there is to load.
  const { Listeners } = await import('../service/listeners.ts');
  const composed = await composeService(service, (listening) => new Listeners(listening));
  return new RunningService(composed, composed.ports.addresses);
}
