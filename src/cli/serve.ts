import type { ServiceConfig } from '../config/schema.ts';
import type { TlsPort } from '../config/tls.ts';
import type { ServiceWithPorts } from '../service/service.ts';
import { checkNoCellFolders } from '../service/supervisor/cell-folders.ts';
import { startFailure } from '../service/supervisor/start-failure.ts';
import type { Logger } from '../telemetry/logger.ts';
import { createPinoLogger } from '../telemetry/pino-logger.ts';
import { EXIT } from './exit-codes.ts';
import { collectExternalMemory } from './external-memory.ts';
import { boundHeapGrowth } from './heap-growth.ts';
import { loadSettings } from './load-settings.ts';
import { VERSION } from '../base/version.ts';

/** `serve`: runs until a signal comes. */
export async function serve(argv: readonly string[]): Promise<number> {
  const settings = loadSettings(argv);
  if (!settings) return EXIT.badConfiguration;
  const { config, warnings } = settings;
  const logger = createPinoLogger({ level: config.logLevel });
  for (const warning of warnings) logger.warn({}, warning);
  if (config.cells !== undefined) return (await import('./cells/serve-cells.ts')).serveCells(config, logger);
  let service: ServiceWithPorts;
  try {
    await checkNoCellFolders(config);
    service = await startTuned(config, logger);
  } catch (error) {
    return cannotStart(error);
  }
  const stopped = stopSignal();
  printAddresses(service);
  const signal = await stopped;
  await service.stop(`the service was stopped (${signal})`);
  return EXIT.ok;
}

/** Starts the service in this process, whose V8 is told what the bounds of the settings mean for it. @throws as it does */
export async function startTuned(config: ServiceConfig, logger: Logger): Promise<ServiceWithPorts> {
  // What a gateway shows is held as the bytes that it passes on.
  const keptBytes = config.role === 'gateway' ? config.maxMemoryBytes : config.maxCachedTextBytes;
  collectExternalMemory({ keptBytes });
  boundHeapGrowth({ boundedBytes: config.maxMemoryBytes + config.maxInflightBytes });
  // Loaded late: the process that only starts others needs neither, and is half as large without.
  const startRole =
    config.role === 'gateway'
      ? (await import('../service/gateway/start-gateway.ts')).startGateway
      : (await import('../service/service.ts')).startService;
  return startRole({ config, env: process.env, version: VERSION, logger });
}

/** Says why. @returns the exit code */
export function cannotStart(error: unknown): number {
  const { message, isConfiguration } = startFailure(error);
  process.stderr.write(`explainability-agent cannot start: ${message}\n`);
  return isConfiguration ? EXIT.badConfiguration : EXIT.crash;
}

/** One line per listener with its real address and, last, `ready`. */
export function printAddresses({ addresses }: Pick<ServiceWithPorts, 'addresses'>): void {
  const at = addressText;
  const { otlpGrpc, otlpHttp, readers, tls } = addresses;
  const s = (port: TlsPort): string => (tls.has(port) ? 's' : '');
  process.stdout.write(
    [
      `OTLP/gRPC  ${at(otlpGrpc)}${tls.has('otlpGrpc') ? ' (TLS)' : ''}`,
      `OTLP/HTTP  http${s('otlpHttp')}://${at(otlpHttp)}/v1/{traces,logs,metrics}`,
      `readers    http${s('readers')}://${at(readers)}/  ws${s('readers')}://${at(readers)}/explain  gRPC ${at(readers)}`,
      'ready',
      '',
    ].join('\n'),
  );
}

/** `host:port`, as it stands in a URL. */
export function addressText({ host, port }: { readonly host: string; readonly port: number }): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** Resolves with the first SIGTERM or SIGINT; later ones change nothing, until the process has ended. */
export function stopSignal(): Promise<NodeJS.Signals> {
  // Node that ends by itself removes the handlers first, and a signal would still kill it; exit() leaves them.
  process.once('beforeExit', () => process.exit());
  return new Promise((resolve) => {
    process.on('SIGTERM', resolve);
    process.on('SIGINT', resolve);
  });
}
