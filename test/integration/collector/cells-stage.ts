import { execFile } from 'node:child_process';
import { rmSync } from 'node:fs';
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import type { ExplanationGraph } from '../../../src/model/node.ts';
import { CollectorProcess, toService } from './collector-process.ts';
import { freePorts } from './free-ports.ts';
import { ServiceProcess } from './service-process.ts';

const CONFIGS = resolve(import.meta.dirname, '../../../config/otel-collector');
/** Addresses of one machine, so that cells can have one port, as behind a name. */
const HOSTS = ['127.0.0.1', '127.0.0.2', '127.0.0.3'];
const NAME = 'cells.test';
/** Becomes a command to which our file is /etc/hosts; nobody else sees it. */
const WITH_HOSTS = 'mount --bind "$1" /etc/hosts && shift && exec "$@"';

export const RESOLVERS = ['static', 'dns', 'kubernetes'] as const;
export type Resolver = (typeof RESOLVERS)[number];
export const KEYS = ['trace', 'attribute'] as const;
export type Key = (typeof KEYS)[number];

/** What the agents of `Application` have in their resource, all the same. */
const ATTRIBUTE = 'service.name';

export function cellsConfigs(resolver: Resolver, key: Key): readonly string[] {
  const names = ['cells', `cells-${resolver}`, ...(key === 'attribute' ? ['cells-by-attribute'] : [])];
  return names.map((name) => join(CONFIGS, `${name}.yaml`));
}

/** What several services show, put together; what two of them have is there twice. */
export class Cells {
  readonly all: readonly ServiceProcess[];

  constructor(all: readonly ServiceProcess[]) {
    this.all = all;
  }

  async graph(collapse: 'none' | 'auto' = 'none'): Promise<ExplanationGraph> {
    const parts = await Promise.all(this.all.map((cell) => cell.graph(collapse)));
    return {
      nodes: parts.flatMap(({ nodes }) => nodes),
      edges: parts.flatMap(({ edges }) => edges),
      lastUpdated:
        parts
          .map((part) => part.lastUpdated)
          .sort()
          .at(-1) ?? '',
    };
  }

  async thought(nodeId: string): Promise<string | undefined> {
    const found = await Promise.all(this.all.map((cell) => cell.thought(nodeId).catch(() => undefined)));
    return found.find((text) => text !== undefined);
  }
}

/** Three cells with a Collector in front of them. */
export interface CellsStage {
  readonly cells: Cells;
  readonly collector: CollectorProcess;
  /** Over the cells; log records and metrics come by way of it, and by `gateway` spans as well. */
  readonly gateway: ServiceProcess;
}

/**
 * Whether a process can have an /etc/hosts of its own here, by which a name has the addresses of our cells.
 * @returns the command, without its arguments: the file and what is to be started
 */
export async function withHosts(): Promise<readonly [string, ...string[]] | undefined> {
  for (const flags of [['-m'], ['-r', '-m']]) {
    const command = [...flags, 'sh', '-c', WITH_HOSTS, 'sh'];
    try {
      await promisify(execFile)('unshare', [...command, '/dev/null', 'true']);
      return ['unshare', ...command];
    } catch {
      // Not allowed, or no Linux; the next way.
    }
  }
  return undefined;
}

/** How the Collector sends to the cells: to those that it finds so, or, by `gateway`, all by way of the gateway. */
export interface Way {
  readonly resolver: 'static' | 'dns' | 'gateway';
  readonly key: Key;
}

/** Sets the stage, plays, and clears away what was started, however the play ended. */
export async function onCellsStage(
  binary: string,
  { resolver, key }: Way,
  play: (stage: CellsStage) => Promise<void>,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'test-collector-'));
  const removeFolder = (): void => rmSync(folder, { recursive: true, force: true });
  process.once('exit', removeFolder);
  const cells: ServiceProcess[] = [];
  let collector: CollectorProcess | undefined;
  let gateway: ServiceProcess | undefined;
  try {
    const ports = await freePorts(3);
    for (const host of HOSTS)
      cells.push(await ServiceProcess.startAt({ folder: join(folder, host), host, ports }));
    const known = cells.map(({ address, otlpGrpc }) => ({ address, endpoint: otlpGrpc }));
    gateway = await ServiceProcess.startAt({ folder: join(folder, 'gateway'), ports: await freePorts(3) }, [
      '--role=gateway',
      `--gateway=${JSON.stringify({ cells: known, ...(key === 'attribute' && { routeBy: ATTRIBUTE }) })}`,
    ]);
    const queue = join(folder, 'collector');
    await mkdir(queue);
    const hosts = join(folder, 'hosts');
    await writeFile(hosts, HOSTS.map((host) => `${host} ${NAME}\n`).join(''));
    const unshare = resolver === 'dns' ? await withHosts() : undefined;
    collector = await CollectorProcess.start({
      binary,
      configs: resolver === 'gateway' ? [join(CONFIGS, 'collector.yaml')] : cellsConfigs(resolver, key),
      folder: queue,
      env: {
        PATH: process.env['PATH'] ?? '',
        EXPLAIN_CELLS: `[${cells.map(({ otlpGrpc }) => otlpGrpc).join(', ')}]`,
        EXPLAIN_CELLS_HOST: NAME,
        EXPLAIN_CELLS_PORT: String(ports[1]),
        EXPLAIN_GATEWAY: gateway.otlpGrpc,
        EXPLAIN_ROUTING_ATTRIBUTE: ATTRIBUTE,
        ...(resolver === 'gateway' &&
          toService({ protocol: 'grpc', otlpGrpc: gateway.otlpGrpc, otlpHttp: gateway.otlpHttp })),
      },
      ...(unshare && { through: [...unshare, hosts] }),
    });
    await play({ cells: new Cells(cells), collector, gateway });
  } finally {
    await Promise.all([...cells.map((cell) => cell.kill()), gateway?.kill(), collector?.kill()]);
    process.off('exit', removeFolder);
    removeFolder();
  }
}
