import { join } from 'node:path';
import type { ServiceConfig } from '../../config/schema.ts';
import { CELLS_FOLDER } from './cell-folders.ts';

/** Cells are reached from this machine only. */
export const CELL_HOST = '127.0.0.1';

/** With less a service does not start. */
const LEAST_HEAP_MIB = 64;

/** What the gateway and its cells know, and nobody else; made anew at each start. */
export interface CellSecrets {
  /** By which the gateway asks, for its callers. */
  readonly gatewayToken: string;
  /** Of nobody: that it is set keeps all others out. */
  readonly unusedToken: string;
}

export interface CellPlace {
  readonly index: number;
  readonly port: number;
}

export function cellName(index: number): string {
  return `cell-${index}`;
}

export function cellFolder(dataDir: string, index: number): string {
  return join(dataDir, CELLS_FOLDER, String(index));
}

/**
 * The configuration of one cell: an ordinary service on loopback that only the gateway may ask, with its part of what all
 * have together.
 * @param count of cells @param projects that there are keys for
 */
export function cellConfig(
  config: ServiceConfig,
  count: number,
  { index, port }: CellPlace,
  { gatewayToken, unusedToken }: CellSecrets,
  projects: ReadonlySet<string> = new Set(),
): ServiceConfig {
  const isFirst = index === 0;
  const part = (whole: number): number => Math.floor(whole / count);
  return {
    ...config,
    cells: undefined,
    host: CELL_HOST,
    port,
    // It takes OTLP on the readers' port; these two are asked by nobody.
    otlpGrpcPort: 0,
    otlpHttpPort: 0,
    auth: { token: unusedToken, gatewayToken },
    tls: undefined,
    people: undefined,
    oidcClientSecret: undefined,
    ldapPassword: undefined,
    allowedHosts: [],
    allowedOrigins: [],
    projects: { ...Object.fromEntries([...projects].map((name) => [name, {}])), ...config.projects },
    dataDir: cellFolder(config.dataDir, index),
    // One history beside one file has one writer; and a participant is one.
    adaptationsFile: isFirst
      ? (config.adaptationsFile ?? join(config.dataDir, 'adaptations.json'))
      : undefined,
    mew: isFirst ? config.mew : undefined,
    maxMemoryBytes: part(config.maxMemoryBytes),
    maxStoreBytes: part(config.maxStoreBytes),
    maxCachedTextBytes: part(config.maxCachedTextBytes),
    maxVaultBytes: part(config.maxVaultBytes),
    maxInflightBytes: inflightPart(config, count),
  };
}

/** The configuration of the gateway: the whole service as it is seen from outside. */
export function gatewayConfig(
  config: ServiceConfig,
  ports: readonly number[],
  { gatewayToken }: CellSecrets,
): ServiceConfig {
  return {
    ...config,
    cells: undefined,
    role: 'gateway',
    gateway: {
      cells: ports.map((port, index) => ({ name: cellName(index), address: `${CELL_HOST}:${port}` })),
      routeBy: 'traceID',
      otlpPort: 4317,
      token: gatewayToken,
      // Cells know no keys of senders.
      speaksForSenders: true,
    },
    maxInflightBytes: inflightPart(config, ports.length),
  };
}

/** The gateway holds what passes it as well. The largest allowed request is taken by each. */
function inflightPart({ maxInflightBytes, maxRequestBytes }: ServiceConfig, count: number): number {
  const largest = Math.min(maxRequestBytes, maxInflightBytes);
  return Math.max(largest, Math.floor(maxInflightBytes / (count + 1)));
}

/**
 * Flags of V8 for one of the processes: a limit of the heap that was given for the whole is divided like all else.
 * @param given to this process, on the command line and in NODE_OPTIONS
 */
export function heapFlags(given: readonly string[], count: number): readonly string[] {
  const limits = given.flatMap((flag) => /^--max[-_]old[-_]space[-_]size=(\d+)$/.exec(flag)?.[1] ?? []);
  const last = limits.at(-1);
  return last === undefined
    ? []
    : [`--max-old-space-size=${Math.max(LEAST_HEAP_MIB, Math.floor(Number(last) / (count + 1)))}`];
}

/**
 * The environment of a cell. What it told of itself could come back to it by the gateway, which alone knows its own ports, and
 * be told of again without end.
 */
export function cellEnvironment(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(environment).filter(([name]) => !name.startsWith('OTEL_EXPORTER_')),
  );
}
