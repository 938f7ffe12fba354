import assert from 'node:assert/strict';
import { once } from 'node:events';
import { cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
import type { TestContext } from 'node:test';
import type { ToldCell } from '../../src/model/told-cells.ts';
import { run } from '../cli/run-command.ts';
import { until } from '../support/until.ts';
import { temporaryFolder } from './real-service.ts';
import { SpawnedService } from './spawned-service.ts';

const ROOT = resolve(import.meta.dirname, '../..');

/** A process that has the same folder and ports whenever it is started. */
class Member {
  readonly t: TestContext;
  readonly dataDir: string;
  private readonly flags: readonly string[];
  private readonly ports: readonly number[];
  private service: SpawnedService | undefined;

  constructor(t: TestContext, dataDir: string, ports: readonly number[], flags: readonly string[]) {
    this.t = t;
    this.dataDir = dataDir;
    this.ports = ports;
    const [readers, otlpGrpc, otlpHttp] = ports.map(String) as [string, string, string];
    this.flags = ['--port', readers, '--otlp-grpc-port', otlpGrpc, '--otlp-http-port', otlpHttp, ...flags];
  }

  static async of(t: TestContext, flags: readonly string[] = []): Promise<Member> {
    return new Member(t, await temporaryFolder(t), await lastingPorts(3), flags);
  }

  /** `host:port` of its port for readers. */
  get address(): string {
    return `127.0.0.1:${this.ports[0]}`;
  }

  get otlpHttp(): string {
    return `127.0.0.1:${this.ports[2]}`;
  }

  /** @param main of another version of the program; this one's if absent */
  async start(main?: string): Promise<void> {
    this.service = await SpawnedService.ready(this.t, this.dataDir, this.flags, {}, main);
  }

  /** Ends it as a service manager does. */
  async stop(): Promise<void> {
    this.service?.process.kill('SIGTERM');
    assert.equal(await this.service?.exit(), 0, this.service?.stderr);
  }

  async kill(): Promise<void> {
    this.service?.process.kill('SIGKILL');
    await this.service?.exit();
  }
}

/** Cells and a gateway that reads their list from a file, each a process of its own. */
export class Fleet {
  readonly gateway: Member;
  readonly cells = new Map<string, Member>();
  private readonly t: TestContext;
  private readonly file: string;

  private constructor(t: TestContext, file: string, gateway: Member) {
    this.t = t;
    this.file = file;
    this.gateway = gateway;
  }

  static async start(t: TestContext, count: number): Promise<Fleet> {
    const file = join(await temporaryFolder(t), 'cells.json');
    const gateway = await Member.of(t, ['--role', 'gateway', '--gateway', JSON.stringify({ file })]);
    const fleet = new Fleet(t, file, gateway);
    await Promise.all(Array.from({ length: count }, (_, n) => fleet.startCell(`cell-${n}`)));
    await fleet.writeList();
    await gateway.start();
    return fleet;
  }

  get url(): string {
    return `http://${this.gateway.address}`;
  }

  /** A new cell, which no list names yet. */
  async startCell(name: string): Promise<Member> {
    const cell = await Member.of(this.t);
    this.cells.set(name, cell);
    await cell.start();
    return cell;
  }

  cell(name: string): Member {
    const cell = this.cells.get(name);
    assert.ok(cell, name);
    return cell;
  }

  /** Names all cells in the file that the gateway watches. @param drained the one that is to be taken out */
  async writeList(drained?: string): Promise<void> {
    const names = [...this.cells.keys()].sort();
    const list = names.map((name) => ({
      name,
      address: this.cell(name).address,
      ...(name === drained && { drain: true }),
    }));
    await writeFile(this.file, JSON.stringify(list));
  }

  /** What the command `cells` prints. */
  async list(): Promise<readonly ToldCell[]> {
    const { code, stdout, stderr } = await run(['cells', '--json', '--url', this.url]);
    assert.equal(code, 0, stderr);
    return JSON.parse(stdout) as readonly ToldCell[];
  }

  /** Waits until all cells serve, the named one, if any, of that version. */
  async serves(name?: string, version?: string): Promise<void> {
    await until('all cells serve', async () => {
      const list = await this.list();
      return (
        list.length === this.cells.size &&
        list.every(isServing) &&
        (name === undefined || list.some((cell) => cell.name === name && cell.version === version))
      );
    });
  }

  async graphOf(name: string): Promise<{ readonly nodes: readonly Shown[] }> {
    const response = await fetch(`http://${this.cell(name).address}/api/graph?collapse=none`);
    return (await response.json()) as { readonly nodes: readonly Shown[] };
  }
}

function isServing({ state, oddities, tasks }: ToldCell): boolean {
  return state === 'well' && !oddities.includes('not_ready') && tasks !== undefined;
}

interface Shown {
  readonly id: string;
  readonly taskId: string;
}

/** The program with another version: its `src/main.ts`. */
export async function programOf(t: TestContext, version: string): Promise<string> {
  const folder = await temporaryFolder(t);
  const isProgram = (path: string): boolean => !/\.test(?:-support)?\.ts$/.test(path);
  await cp(join(ROOT, 'src'), join(folder, 'src'), { recursive: true, filter: isProgram });
  for (const name of ['node_modules', 'proto', 'config']) await symlink(join(ROOT, name), join(folder, name));
  await mkdir(join(folder, 'dist'), { recursive: true });
  const manifest = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as object;
  await writeFile(join(folder, 'package.json'), JSON.stringify({ ...manifest, version }));
  return join(folder, 'src/main.ts');
}

/** Below those that the system gives to connections: what is started again finds its ports free. */
const LASTING = { from: 20_000, to: 32_000 };

async function lastingPorts(count: number): Promise<readonly number[]> {
  const ports: number[] = [];
  while (ports.length < count) {
    const port = LASTING.from + Math.floor(Math.random() * (LASTING.to - LASTING.from));
    if (!taken.has(port) && (await isFree(port))) ports.push(port);
    taken.add(port);
  }
  return ports;
}

const taken = new Set<number>();

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    server.close();
    await once(server, 'close');
    return true;
  } catch {
    return false;
  }
}
