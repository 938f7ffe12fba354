import { availableParallelism } from 'node:os';
import type { ServiceConfig } from '../../config/schema.ts';
import { systemClock } from '../../base/clock.ts';
import type { ServiceWithPorts } from '../../service/service.ts';
import { Supervisor } from '../../service/supervisor/supervisor.ts';
import type { Logger } from '../../telemetry/logger.ts';
import { EXIT } from '../exit-codes.ts';
import { processStarter } from './start-process.ts';
import { cannotStart, printAddresses, stopSignal } from '../serve.ts';

/** What serves, as whoever started it sees it: one service, or cells and their gateway. */
export type Running = Pick<ServiceWithPorts, 'addresses' | 'stop'>;

/** `serve` with `cells`: cells and a gateway as processes of this one, until a signal comes. */
export async function serveCells(config: ServiceConfig, logger: Logger): Promise<number> {
  const supervisor = supervisorOf(config, logger);
  const stopped = stopSignal();
  const starting = supervisor.start().then(
    (addresses) => ({ addresses }),
    (error: unknown) => ({ error }),
  );
  const started = await Promise.race([starting, stopped]);
  if (typeof started === 'object') {
    if ('error' in started) return cannotStart(started.error);
    printAddresses(started);
  }
  const signal = await stopped;
  await supervisor.stop(`the service was stopped (${signal})`);
  return EXIT.ok;
}

/** @throws as the supervisor does */
export async function startCells(config: ServiceConfig, logger: Logger): Promise<Running> {
  const supervisor = supervisorOf(config, logger);
  const addresses = await supervisor.start();
  return { addresses, stop: (reason) => supervisor.stop(reason) };
}

function supervisorOf(config: ServiceConfig, logger: Logger): Supervisor {
  const { cells = 1 } = config;
  if (cells > availableParallelism())
    logger.warn({ cells }, 'cells is more than this machine has cores: each costs memory and brings nothing');
  return new Supervisor({ config, startProcess: processStarter(cells), clock: systemClock, logger });
}
