import { randomUUID } from 'node:crypto';
import { assert } from '../../base/assert.ts';
import type { ServiceConfig } from '../../config/schema.ts';
import { AllCells } from '../../gateway/cells/all-cells.ts';
import { askOverHttp } from '../../gateway/cells/ask-cell.ts';
import { CellHealth } from '../../gateway/cells/cell-health.ts';
import { cellReadiness } from '../../gateway/cells/cell-readiness.ts';
import { CellSet } from '../../gateway/cells/cell-set.ts';
import { connectCell, readCellTls } from '../../gateway/cells/connect-cell.ts';
import { openCellAddresses } from '../../gateway/cells/open-cell-addresses.ts';
import { AllMetrics, METRICS_BOUNDS } from '../../gateway/metrics/all-metrics.ts';
import { HttpCellSender } from '../../gateway/routing/cell-sender.ts';
import { lockDataDir, PREDECESSOR_WAIT_MS } from '../../storage/data-dir-lock.ts';
import { makeDataDir } from '../../storage/data-dir.ts';
import { shownSettings } from '../shown-settings.ts';
import { Listeners } from '../listeners.ts';
import { openAccess } from '../open-access.ts';
import type { ServiceWithPorts } from '../service.ts';
import { openShared, type ServiceOptions, type SharedParts } from '../shared-parts.ts';
import { isLate, Stages } from '../stages.ts';
import { CellWays } from './cell-ways.ts';
import { GatewayProjects } from './gateway-projects.ts';
import { SendingOn } from './sending-on.ts';

/**
 * Starts a gateway with all its ports: a service without a graph of its own, which shows what its cells have, and sends on
 * to them what it is sent.
 * @throws BoundaryError FAILED_PRECONDITION when the data folder or a file of `gateway.tls` cannot be used, Error when a
 *   port cannot be had: the message says which and what to do
 */
export async function startGateway(options: ServiceOptions): Promise<ServiceWithPorts> {
  const { config, version } = options;
  const settings = config.gateway;
  assert(settings !== undefined, 'the settings of a gateway are checked to be there');
  const stages = new Stages();
  try {
    const shared = await openShared(options, stages);
    const { clock, logger, telemetry, pace } = shared;
    await holdFolder(config, shared, stages);
    const tls = await readCellTls(settings);
    const { token, routeBy, speaksForSenders } = settings;
    const addresses = openCellAddresses(settings, { clock, logger });
    const asking = askOverHttp({ token, tls });
    const health = new CellHealth({ addresses, ask: asking.ask, version, clock });
    const cells = new CellSet({
      addresses,
      clock,
      connect: (at, as) => connectCell(at, as, { tls, token }),
      isAway: (name) => health.of(name)?.state === 'away',
    });
    const sendingOn = new SendingOn({
      addresses,
      cells: (project) => cells.asked({ project, level: 'structure' }),
      routeBy,
      tls,
      speaksBy: speaksForSenders === true ? token : undefined,
      clock,
      pace,
      maxBodyBytes: config.maxRequestBytes,
    });
    const ways = new CellWays({ addresses, cells, token, tls, clock, sendingOn });
    const projects = new GatewayProjects({ config, shared, cells, sending: sendingOn.routes, ways, stages });
    const main = await projects.openDefault();
    telemetry.observe({
      cells: () => health.counts(),
      nodesInMemory: () => 0,
      subscriptions: () => projects.subscriptionCount,
      memoryBytes: () => 0,
      storeBytes: () => 0,
      storeRefusing: () => 0,
      openCotStreams: () => 0,
      memoryLimitBytes: () => config.maxMemoryBytes,
      updateLatencySlaMs: () => config.updateLatencySlaMs,
    });
    const entrance = await openAccess(config, shared, projects, main);
    const asksMetrics = new HttpCellSender({ addresses, tls, clock, ...METRICS_BOUNDS });
    const metrics = new AllMetrics({
      own: () => telemetry.metricsText(),
      addresses,
      sender: asksMetrics,
      token,
    });
    const allCells = new AllCells({ addresses, health, askTasks: asking.askTasks, clock });
    const ports = new Listeners({
      ...shared,
      config,
      entrance,
      passOn: sendingOn.passOn,
      projects: {
        of: (name) => projects.of(name),
        warnings: () => cellReadiness(addresses, health).warnings,
      },
      problems: () => cellReadiness(addresses, health).problems,
      cells: () => allCells.told(),
      metricsText: () => metrics.text(),
      identity: { version, data: randomUUID(), startedAt: clock.now(), settings: shownSettings(config) },
    });
    // Stopped in reverse.
    await stages.start(
      { stop: () => asksMetrics.close() },
      { stop: () => sendingOn.stop() },
      { stop: () => ways.stop() },
      cells,
      { start: () => health.start(), stop: () => (health.stop(), asking.close()) },
      entrance,
      projects,
      ports,
      { stop: (reason) => ways.refuse(reason) },
      { stop: () => ports.refuse() },
    );
    return {
      addresses: ports.addresses,
      waysIn: () => ports.waysIn(),
      stop: (reason) =>
        stages.stop(reason).catch((failure: unknown) => {
          if (!isLate(failure)) throw failure;
          logger.warn({}, 'a part of the gateway did not stop in time and was not waited for');
        }),
    };
  } catch (error) {
    await stages.stop('not started');
    throw error;
  }
}

/** The record of what is done through the gateway is there, and its keys. */
async function holdFolder(
  { dataDir, durability }: ServiceConfig,
  { clock, logger }: SharedParts,
  stages: Stages,
): Promise<void> {
  if (durability === 'memory') return;
  await makeDataDir(dataDir, logger);
  const lock = await lockDataDir({ dataDir, waitMs: PREDECESSOR_WAIT_MS, clock, logger });
  await stages.start({ stop: () => lock.release() });
}
