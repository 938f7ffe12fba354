import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { ManualClock } from '../../base/clock.ts';
import { configSchema, type ServiceConfig } from '../../config/schema.ts';
import { silentLogger, type Logger } from '../../telemetry/logger.ts';
import { cellConfig, cellEnvironment, gatewayConfig, heapFlags } from './cell-config.ts';
import { checkCellFolders, checkFolderOfOne, checkNoCellFolders, shareKey } from './cell-folders.ts';
import type { FromProcess, StartedProcess, StartFailure, ToProcess } from './messages.ts';
import { Supervisor } from './supervisor.ts';

const MIB = 1024 * 1024;

function configOf(settings: object): ServiceConfig {
  return configSchema.parse({ durability: 'memory', ...settings });
}

/** A process that does what the test says. */
class FakeProcess implements StartedProcess {
  readonly name: string;
  readonly sent: ToProcess[] = [];
  isKilled = false;
  /** Ends as soon as it is told to. */
  obeys = true;
  private told: (message: FromProcess) => void = () => undefined;
  private ended: (how: string) => void = () => undefined;

  constructor(name: string) {
    this.name = name;
  }

  get config(): ServiceConfig {
    const [first] = this.sent;
    assert.ok(first?.kind === 'start');
    return first.config;
  }

  get isStopping(): boolean {
    return this.sent.some(({ kind }) => kind === 'stop');
  }

  send(message: ToProcess): void {
    this.sent.push(message);
    if (message.kind === 'stop' && this.obeys) this.end('exit code 0');
  }

  kill(): void {
    this.isKilled = true;
    this.end('SIGKILL');
  }

  onMessage(told: (message: FromProcess) => void): void {
    this.told = told;
  }

  onExit(ended: (how: string) => void): void {
    this.ended = ended;
  }

  ready(): void {
    const { host, port } = this.config;
    const address = { host, port: port || 50_000 };
    this.told({
      kind: 'ready',
      addresses: { otlpGrpc: address, otlpHttp: address, readers: address, tls: new Set() },
    });
  }

  fail(failure: Partial<StartFailure>): void {
    this.told({
      kind: 'failed',
      failure: { message: 'it cannot', isConfiguration: false, isPortTaken: false, ...failure },
    });
    this.end('exit code 1');
  }

  end(how: string): void {
    this.ended(how);
  }
}

class World {
  readonly clock = new ManualClock();
  readonly processes: FakeProcess[] = [];
  readonly said: { readonly cell?: string; readonly why?: string; readonly message: string }[] = [];
  readonly supervisor: Supervisor;
  private lastPort = 40_000;

  constructor(settings: object = {}) {
    const say = (fields: object, message: string): void => void this.said.push({ ...fields, message });
    const logger: Logger = { ...silentLogger, warn: say, error: say };
    this.supervisor = new Supervisor({
      config: configOf({ cells: 3, ...settings }),
      clock: this.clock,
      logger,
      freePort: () => Promise.resolve(++this.lastPort),
      startProcess: (name) => {
        const process = new FakeProcess(name);
        this.processes.push(process);
        return process;
      },
    });
  }

  /** Those that were started under this name. */
  of(name: string): readonly FakeProcess[] {
    return this.processes.filter((process) => process.name === name);
  }

  last(name: string): FakeProcess {
    const found = this.of(name).at(-1);
    assert.ok(found, `${name} was started`);
    return found;
  }

  async started(): Promise<void> {
    const started = this.supervisor.start();
    await settled();
    for (const process of this.processes) process.ready();
    await started;
  }
}

/** Whatever waits for promises alone has gone on. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
}

test('[MP1] cells and a gateway are started; the gateway knows each cell by name and address, and a token that nobody else has', async () => {
  const world = new World({ port: 9000, auth: { token: 'of-senders' } });
  await world.started();
  assert.deepEqual(
    world.processes.map(({ name }) => name),
    ['gateway', 'cell-0', 'cell-1', 'cell-2'],
  );
  const { config } = world.last('gateway');
  assert.equal(config.role, 'gateway');
  assert.deepEqual(
    config.gateway?.cells,
    [0, 1, 2].map((index) => ({ name: `cell-${index}`, address: `127.0.0.1:${40_001 + index}` })),
  );
  assert.deepEqual([config.port, config.auth], [9000, { token: 'of-senders' }]);
  const token = config.gateway?.token;
  assert.match(token ?? '', /^[\w-]{43}$/);
  for (const [index, name] of ['cell-0', 'cell-1', 'cell-2'].entries()) {
    const cell = world.last(name).config;
    assert.deepEqual([cell.role, cell.host, cell.port], ['all', '127.0.0.1', 40_001 + index]);
    assert.ok(typeof cell.auth === 'object');
    assert.equal(cell.auth.gatewayToken, token);
    assert.notEqual(cell.auth.token, 'of-senders');
    assert.equal(cell.cells, undefined);
  }
  await world.supervisor.stop('over');
});

test('[MP2] a process that ends is started again, after 0.1 s to 10 s, and soon again when it was well for a minute', async () => {
  const world = new World();
  await world.started();
  const waits: number[] = [];
  for (let end = 0; end < 9; end++) {
    const count = world.of('cell-1').length;
    world.last('cell-1').end('SIGKILL');
    await settled();
    let waited = 0;
    for (; world.of('cell-1').length === count; waited += 100) world.clock.advance(100);
    waits.push(waited);
    if (end === 7) {
      world.last('cell-1').ready();
      world.clock.advance(60_000);
    }
  }
  assert.deepEqual(waits, [100, 200, 400, 800, 1600, 3200, 6400, 10_000, 100]);
  assert.equal(world.last('cell-1').config.dataDir, world.of('cell-1')[0]?.config.dataDir);
  assert.deepEqual([world.of('cell-0').length, world.of('gateway').length], [1, 1]);
  assert.deepEqual(world.said[0], {
    cell: 'cell-1',
    why: 'its process ended (SIGKILL)',
    message: 'a process ended by itself: it is started again',
  });
  await world.supervisor.stop('over');
});

test('[MP2] a gateway that ends has the ports again that it had, also where any free one was asked for', async () => {
  const world = new World({ port: 0, otlpGrpcPort: 0, otlpHttpPort: 0 });
  await world.started();
  world.last('gateway').end('SIGKILL');
  await settled();
  world.clock.advance(100);
  const [first, second] = world.of('gateway').map(({ config }) => config);
  assert.equal(first?.port, 0);
  assert.deepEqual([second?.port, second?.otlpGrpcPort, second?.otlpHttpPort], [50_000, 50_000, 50_000]);
  assert.deepEqual(second?.gateway, first?.gateway);
  await world.supervisor.stop('over');
});

test('[MP3] a cell whose port is taken has another one, and the gateway is told', async () => {
  const world = new World();
  await world.started();
  world.last('cell-0').end('SIGKILL');
  await settled();
  world.clock.advance(100);
  world.last('cell-0').fail({ isPortTaken: true });
  await settled();
  world.clock.advance(200);
  assert.equal(world.last('cell-0').config.port, 40_004);
  assert.equal(world.of('gateway').length, 2);
  assert.deepEqual(world.last('gateway').config.gateway?.cells?.[0], {
    name: 'cell-0',
    address: '127.0.0.1:40004',
  });
  await world.supervisor.stop('over');
});

test('[MP4] a stop: the gateway first, then the cells; nothing is started again', async () => {
  const world = new World();
  await world.started();
  const gateway = world.last('gateway');
  const cells = ['cell-0', 'cell-1', 'cell-2'].map((name) => world.last(name));
  gateway.obeys = false;
  const stopped = world.supervisor.stop('SIGTERM');
  assert.equal(world.supervisor.stop('again'), stopped);
  await settled();
  assert.deepEqual([gateway.isStopping, cells.some((cell) => cell.isStopping)], [true, false]);
  gateway.end('exit code 0');
  await stopped;
  assert.ok(cells.every((cell) => cell.isStopping));
  world.clock.advance(60_000);
  assert.equal(world.processes.length, 4);
});

test('[MP4] a stop waits for nobody for ever: cells end while the gateway hangs, and who hangs is killed', async () => {
  const world = new World();
  await world.started();
  const hanging = [world.last('gateway'), world.last('cell-2')];
  for (const process of hanging) process.obeys = false;
  const stopped = world.supervisor.stop('SIGTERM');
  await settled();
  world.clock.advance(3_000);
  await settled();
  assert.ok(world.last('cell-0').isStopping);
  world.clock.advance(13_000);
  await stopped;
  assert.deepEqual(
    world.processes.filter(({ isKilled }) => isKilled),
    hanging,
  );
});

test('[MP4] a cell that waits to be started again is not started while all stops', async () => {
  const world = new World();
  await world.started();
  world.last('cell-0').end('SIGKILL');
  await settled();
  await world.supervisor.stop('over');
  world.clock.advance(60_000);
  assert.equal(world.of('cell-0').length, 1);
});

test('[MP5] a cell that cannot start is said by name, once, and tried again; the others go on', async () => {
  const world = new World();
  const started = world.supervisor.start();
  await settled();
  for (const name of ['gateway', 'cell-0', 'cell-2']) world.last(name).ready();
  world.last('cell-1').fail({ message: 'the disk is full' });
  await started;
  for (let tries = 0; tries < 4; tries++) {
    await settled();
    world.clock.advance(10_000);
    world.last('cell-1').fail({ message: tries < 2 ? 'the disk is full' : 'it is in use' });
  }
  await settled();
  const message = 'a process cannot start: it is tried again';
  assert.deepEqual(world.said, [
    { cell: 'cell-1', why: 'the disk is full', message },
    { cell: 'cell-1', why: 'it is in use', message },
  ]);
  assert.equal(world.of('cell-1').length, 5);
  await world.supervisor.stop('over');
});

test('[MP5] what keeps all cells or the gateway from starting is said once, and nothing goes on', async () => {
  const cells = new World();
  const noCells = cells.supervisor.start();
  await settled();
  cells.last('gateway').ready();
  for (const name of ['cell-0', 'cell-1'])
    cells.last(name).fail({ message: 'no kafka', isConfiguration: true });
  cells.last('cell-2').fail({ message: 'no room', isConfiguration: true });
  await assert.rejects(noCells, {
    message: 'no cell can start: cell-0, cell-1: no kafka; cell-2: no room',
    failure: {
      message: 'no cell can start: cell-0, cell-1: no kafka; cell-2: no room',
      isConfiguration: true,
      isPortTaken: false,
    },
  });
  assert.ok(cells.last('gateway').isStopping);
  assert.deepEqual(cells.said, []);

  const gateway = new World();
  const noGateway = gateway.supervisor.start();
  await settled();
  for (const name of ['cell-0', 'cell-1', 'cell-2']) gateway.last(name).ready();
  // One that is going down may have the port for a while.
  for (const waitMs of [100, 200, 400, 800, 1600]) {
    gateway.last('gateway').fail({ message: 'port 9000 is in use', isPortTaken: true });
    await settled();
    gateway.clock.advance(waitMs);
  }
  gateway.last('gateway').fail({ message: 'port 9000 is in use', isPortTaken: true });
  await assert.rejects(noGateway, { message: 'port 9000 is in use' });
  assert.ok(gateway.last('cell-0').isStopping);
  assert.deepEqual(gateway.said, []);
});

test('[MP6] bounds of memory and disk are of the whole; what is one, such as a participant of MEW, is in one cell', () => {
  const config = configOf({
    dataDir: '/data',
    cells: 4,
    maxMemoryBytes: 400 * MIB,
    maxStoreBytes: 4000 * MIB,
    maxInflightBytes: 100 * MIB,
    maxRequestBytes: 16 * MIB,
    people: { ldap: undefined },
    host: '0.0.0.0',
    tls: 'terminated',
    mew: { url: 'ws://127.0.0.1:1', space: 's', token: 'a-token' },
  });
  const secrets = { gatewayToken: 'g', unusedToken: 'u' };
  const cells = [0, 1, 2, 3].map((index) =>
    cellConfig(config, 4, { index, port: 1 }, secrets, new Set(['team'])),
  );
  for (const [index, cell] of cells.entries()) {
    assert.deepEqual(
      [cell.maxMemoryBytes, cell.maxStoreBytes, cell.maxInflightBytes],
      [100 * MIB, 1000 * MIB, 20 * MIB],
    );
    assert.deepEqual(
      [cell.dataDir, cell.host, cell.tls, cell.people],
      [`/data/cells/${index}`, '127.0.0.1', undefined, undefined],
    );
    assert.deepEqual(cell.projects, { team: {} });
  }
  assert.deepEqual(
    cells.map(({ mew, adaptationsFile }) => [mew !== undefined, adaptationsFile]),
    [[true, '/data/adaptations.json'], ...[1, 2, 3].map(() => [false, undefined])],
  );
  assert.equal(gatewayConfig(config, [1, 2, 3, 4], secrets).maxInflightBytes, 20 * MIB);
  const many = cellConfig({ ...config, cells: 20 }, 20, { index: 0, port: 1 }, secrets);
  assert.equal(many.maxInflightBytes, 16 * MIB, 'the largest request is taken');
  assert.deepEqual(heapFlags(['--max-old-space-size=1000', '--max_old_space_size=4000'], 3), [
    '--max-old-space-size=1000',
  ]);
  assert.deepEqual(heapFlags(['--no-warnings'], 3), []);
  const environment = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://localhost:4317', OTEL_SERVICE_NAME: 'explain' };
  assert.deepEqual(cellEnvironment(environment), { OTEL_SERVICE_NAME: 'explain' });
});

async function folder(t: TestContext): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'explain-supervisor-'));
  t.after(() => rm(path, { recursive: true, force: true }));
  return path;
}

test('[MP7] a folder of more cells, of one service, or of cells where there are none to be: refused, with what to do', async (t) => {
  const dataDir = await folder(t);
  for (const number of ['0', '1', '4', '007', 'x'])
    await mkdir(join(dataDir, 'cells', number), { recursive: true });
  await assert.rejects(checkCellFolders(dataDir, 2), {
    code: 'FAILED_PRECONDITION',
    message: /the tasks of cell-4 would not be shown: start with --cells 5, or move \S+\/cells\/4 away$/,
  });
  await checkCellFolders(dataDir, 5);
  await checkCellFolders(dataDir, 6);
  await assert.rejects(checkNoCellFolders(configOf({ dataDir, durability: 'log' })), {
    code: 'FAILED_PRECONDITION',
    message: /holds the history of cells: start with --cells 5/,
  });
  await checkNoCellFolders(configOf({ dataDir }));
  await assert.rejects(checkFolderOfOne(dataDir), {
    code: 'FAILED_PRECONDITION',
    message: /holds the history of cells: do it for each, with --data-dir \S+\/cells\/0, \S+\/1, \S+\/4$/,
  });
  await checkFolderOfOne(join(dataDir, 'cells', '0'));
  await writeFile(join(dataDir, 'explain.db'), '');
  await assert.rejects(checkCellFolders(dataDir, 9), {
    code: 'FAILED_PRECONDITION',
    message: /holds the history of one service: .*or move its explain\.db away/,
  });
});

test('[MP7] the command that makes the folder of one service that of the first cell does so, and keeps its keys', async (t) => {
  const dataDir = join(await folder(t), "a folder's name");
  await mkdir(dataDir);
  for (const name of ['explain.db', 'redaction.key', 'keys.json']) await writeFile(join(dataDir, name), name);
  const refusal = await checkCellFolders(dataDir, 3).then(
    () => '',
    (error: unknown) => (error as Error).message,
  );
  const command = /the first cell: (mv .*)$/.exec(refusal)?.[1];
  assert.ok(command, refusal);
  execFileSync('sh', ['-c', command]);
  await checkCellFolders(dataDir, 3);
  assert.deepEqual((await readdir(dataDir)).sort(), ['cells', 'keys.json']);
  assert.deepEqual((await readdir(join(dataDir, 'cells', '0'))).sort(), [
    'explain.db',
    'keys.json',
    'redaction.key',
  ]);
});

test('[MP8] cells have one key for what they hide; the history of a former service goes on with its own', async (t) => {
  const dataDir = await folder(t);
  const folders = [0, 1].map((index) => join(dataDir, 'cells', String(index)));
  await mkdir(folders[0] ?? '', { recursive: true });
  await writeFile(join(folders[0] ?? '', 'explain.db'), '');
  const key = Buffer.alloc(32, 7);
  await writeFile(join(folders[0] ?? '', 'redaction.key'), key);
  await shareKey(dataDir, folders);
  for (const path of [dataDir, ...folders])
    assert.deepEqual(await readFile(join(path, 'redaction.key')), key);
  assert.ok(existsSync(join(dataDir, 'redaction.key')));
});
