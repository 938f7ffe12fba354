import { randomBytes } from 'node:crypto';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { readKeyFile } from '../../access/key-file.ts';
import { BoundaryError } from '../../base/boundary-error.ts';
import type { Clock } from '../../base/clock.ts';
import type { ServiceConfig } from '../../config/schema.ts';
import { makeDataDir } from '../../storage/data-dir.ts';
import { lockDataDir, PREDECESSOR_WAIT_MS, type DataDirLock } from '../../storage/data-dir-lock.ts';
import type { Logger } from '../../telemetry/logger.ts';
import type { Addresses } from '../listeners.ts';
import {
  CELL_HOST,
  cellConfig,
  cellFolder,
  cellName,
  gatewayConfig,
  type CellSecrets,
} from './cell-config.ts';
import { CELLS_FOLDER, checkCellFolders, shareKey } from './cell-folders.ts';
import type { StartedProcess, StartFailure } from './messages.ts';
import { CANNOT_START, KeptProcess } from './kept-process.ts';
import { CannotStart } from './start-failure.ts';

/** The gateway among the processes. */
export const GATEWAY_NAME = 'gateway';

/** The gateway has finished what it passes on by then; readers hear from cells meanwhile. */
const GATEWAY_STOP_MS = 3_000;
/** What a service takes for its stop at the most, when single parts of it hang. Then its process is killed. */
const STOP_MS = 16_000;
/** A gateway whose supervisor was killed ends by itself, and has the ports for so long. */
const PORTS_WAIT_MS = 2_000;

export interface SupervisorOptions {
  /** With `cells`. */
  readonly config: ServiceConfig;
  readonly startProcess: (name: string) => StartedProcess;
  readonly clock: Clock;
  readonly logger: Logger;
  /** On loopback. */
  readonly freePort?: () => Promise<number>;
}

/**
 * Several cells and one gateway over them, each in a process of its own, so that none takes another along. It is itself idle:
 * what ends is started again, and a stop is one of the whole.
 */
export class Supervisor {
  private readonly options: SupervisorOptions;
  private readonly count: number;
  private readonly secrets: CellSecrets = { gatewayToken: newToken(), unusedToken: newToken() };
  private readonly freePort: () => Promise<number>;
  private ports: number[] = [];
  /** Of the gateway. */
  private addresses: Addresses | undefined;
  private projects: ReadonlySet<string> = new Set();
  private cells: readonly KeptProcess[] = [];
  private gateway: KeptProcess | undefined;
  private lock: DataDirLock | undefined;
  private stopping: Promise<void> | undefined;

  constructor(options: SupervisorOptions) {
    this.options = options;
    this.count = options.config.cells ?? 1;
    this.freePort = options.freePort ?? freeLoopbackPort;
  }

  /**
   * Resolves when the gateway listens, and each cell is ready or has failed once; it goes on to be tried then.
   * @returns where the gateway listens
   * @throws BoundaryError FAILED_PRECONDITION when the data folder cannot be used; CannotStart when the gateway or none of the
   *   cells can start. Nothing runs then.
   */
  async start(): Promise<Addresses> {
    try {
      await this.prepareFolders();
      this.ports = await Promise.all(Array.from({ length: this.count }, this.freePort));
      this.cells = this.ports.map((_, index) => this.cell(index));
      this.gateway = this.keptGateway();
      for (const one of [this.gateway, ...this.cells]) one.start();
      const { addresses, failure } = await this.gateway.firstStart;
      if (failure) throw new CannotStart(failure);
      this.addresses = addresses;
      await this.untilSomeCellIsThere();
      return addresses;
    } catch (error) {
      await this.stop('not started');
      throw error;
    }
  }

  /**
   * The gateway refuses what comes and finishes what it passes on, then all end; who does not in time is killed. A second call
   * waits for the first.
   */
  stop(reason: string): Promise<void> {
    return (this.stopping ??= this.stopAll(reason));
  }

  private async prepareFolders(): Promise<void> {
    const { dataDir, durability } = this.options.config;
    const { clock, logger } = this.options;
    if (durability === 'memory') return;
    await checkCellFolders(dataDir, this.count);
    const cells = join(dataDir, CELLS_FOLDER);
    await makeDataDir(dataDir, logger);
    await makeDataDir(cells, logger);
    this.lock = await lockDataDir({ dataDir: cells, waitMs: PREDECESSOR_WAIT_MS, clock, logger });
    await shareKey(
      dataDir,
      Array.from({ length: this.count }, (_, index) => cellFolder(dataDir, index)),
    );
    const keys = (await readKeyFile(join(dataDir, 'keys.json'))) ?? [];
    this.projects = new Set(keys.map(({ project }) => project).filter((name) => name !== 'default'));
  }

  private cell(index: number): KeptProcess {
    const { config, ...rest } = this.options;
    return new KeptProcess({
      ...rest,
      name: cellName(index),
      config: () =>
        cellConfig(config, this.count, { index, port: this.ports[index] ?? 0 }, this.secrets, this.projects),
      onFailed: ({ isPortTaken }) => (isPortTaken ? this.moveCell(index) : undefined),
    });
  }

  /** Its port is taken by somebody else now: it has another one, and the gateway is told so by starting anew. */
  private async moveCell(index: number): Promise<void> {
    this.ports[index] = await this.freePort();
    this.gateway?.replace('a cell has another address');
  }

  private keptGateway(): KeptProcess {
    const { config, clock, ...rest } = this.options;
    const beganAt = clock.monotonic();
    return new KeptProcess({
      ...rest,
      clock,
      name: GATEWAY_NAME,
      config: () => ({ ...gatewayConfig(config, this.ports, this.secrets), ...this.portsToKeep() }),
      retriesFirst: ({ isPortTaken }) => isPortTaken && clock.monotonic() - beganAt < PORTS_WAIT_MS,
    });
  }

  /** Where a free port was asked for, senders and readers know the one that was taken. */
  private portsToKeep(): Partial<Pick<ServiceConfig, 'port' | 'otlpGrpcPort' | 'otlpHttpPort'>> {
    if (!this.addresses) return {};
    const { readers, otlpGrpc, otlpHttp } = this.addresses;
    return { port: readers.port, otlpGrpcPort: otlpGrpc.port, otlpHttpPort: otlpHttp.port };
  }

  /** @throws CannotStart when each has failed */
  private async untilSomeCellIsThere(): Promise<void> {
    const someReady = Promise.withResolvers<void>();
    const firsts = await Promise.all(
      this.cells.map(async ({ name, firstStart }) => {
        const { failure } = await firstStart;
        if (!failure) someReady.resolve();
        // Where all fail it is said together.
        else
          void someReady.promise.then(() =>
            this.options.logger.error({ cell: name, why: failure.message }, CANNOT_START),
          );
        return failure;
      }),
    );
    const failures = firsts.filter((failure) => failure !== undefined);
    if (failures.length < firsts.length) return;
    throw new CannotStart({
      message: `no cell can start: ${inOneLine(failures)}`,
      isConfiguration: failures.every(({ isConfiguration }) => isConfiguration),
      isPortTaken: false,
    });
  }

  private async stopAll(reason: string): Promise<void> {
    const { clock, logger } = this.options;
    const all = [...(this.gateway ? [this.gateway] : []), ...this.cells];
    const killed = clock.after(STOP_MS, () => {
      logger.warn({}, 'a process did not stop in time and was killed');
      for (const one of all) one.kill();
    });
    // Timers of the clock do not keep a process alive, and a child that is waited for may not either.
    const awake = setInterval(() => {}, STOP_MS);
    const passedOn = Promise.withResolvers<void>();
    const patience = clock.after(GATEWAY_STOP_MS, () => passedOn.resolve());
    const gateway = this.gateway?.stop(reason);
    await Promise.race([gateway, passedOn.promise]);
    patience.cancel();
    await Promise.all([gateway, ...this.cells.map((cell) => cell.stop(reason))]);
    killed.cancel();
    clearInterval(awake);
    this.lock?.release();
  }
}

/** The same reason is said once. */
function inOneLine(failures: readonly StartFailure[]): string {
  const names = new Map<string, string[]>();
  for (const [index, { message }] of failures.entries()) {
    const known = names.get(message) ?? [];
    if (known.length === 0) names.set(message, known);
    known.push(cellName(index));
  }
  return [...names].map(([message, of]) => `${of.join(', ')}: ${message}`).join('; ');
}

function newToken(): string {
  return randomBytes(32).toString('base64url');
}

/** @throws BoundaryError UNAVAILABLE when there is none */
function freeLoopbackPort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on('error', (cause) => {
      reject(new BoundaryError('UNAVAILABLE', 'there is no free port on loopback for a cell', { cause }));
    });
    server.listen(0, CELL_HOST, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}
