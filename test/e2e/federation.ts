import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { connect, type Client } from '../../src/client/node.ts';
import { loadConfig } from '../../src/config/load-config.ts';
import { startGateway } from '../../src/service/gateway/start-gateway.ts';
import type { ServiceWithPorts } from '../../src/service/service.ts';
import { BUILTIN_RULES } from '../../src/redaction/rules/builtin.ts';
import { checkUserPattern } from '../../src/redaction/user-patterns.ts';
import { silentLogger } from '../../src/telemetry/logger.ts';
import { RealService, temporaryFolder, type RealServiceOptions } from './real-service.ts';

/** Real cells, and a gateway over them, all in this process. */
export interface Federation {
  readonly cells: RealService[];
  readonly gateway: ServiceWithPorts;
  /** `http://127.0.0.1:PORT` of the gateway. */
  readonly url: string;
  readonly client: (url?: string) => Client;
}

export interface FederationOptions {
  /** Flags of each cell, as on the command line. */
  readonly flags?: readonly string[];
  /** Of single cells, by their index. */
  readonly own?: readonly (Partial<RealServiceOptions> | undefined)[];
  /** Flags of the gateway. */
  readonly gatewayFlags?: readonly string[];
  /** The gateway's key at the cells. */
  readonly token?: string;
  /** By which the gateway reaches its cells, where it is not the address that they listen on. */
  readonly host?: string;
  /** `gateway.tls`. */
  readonly tls?: { readonly caFile: string; readonly certFile?: string; readonly keyFile?: string };
  /** Of the cells, those that are to be taken out. */
  readonly drained?: readonly string[];
}

/** They are stopped with the test. */
export async function federation(
  t: TestContext,
  count: number,
  { flags = [], own = [], gatewayFlags = [], token, host: given, tls, drained = [] }: FederationOptions = {},
): Promise<Federation> {
  const cells: RealService[] = [];
  for (let n = 0; n < count; n++) {
    const cell = await RealService.start({ dataDir: await temporaryFolder(t), flags, ...own[n] });
    t.after(() => cell.stop());
    cells.push(cell);
  }
  const addresses = cells.map((cell, n) => {
    const { host, port } = cell.service.addresses.readers;
    const name = `cell-${n}`;
    return { name, address: `${given ?? host}:${port}`, drain: drained.includes(name) };
  });
  const loaded = loadConfig({
    argv: ['--role=gateway', '--port=0', '--otlp-grpc-port=0', '--otlp-http-port=0', ...gatewayFlags],
    env: {
      EXPLAINABILITY_AGENT_GATEWAY: JSON.stringify({ cells: addresses, token, tls }),
      EXPLAINABILITY_AGENT_DATA_DIR: await temporaryFolder(t),
    },
    homeDir: '/nobody',
    ruleNames: BUILTIN_RULES.map(({ id }) => id),
    checkPattern: checkUserPattern,
  });
  assert.ok(loaded.ok, JSON.stringify(loaded));
  const gateway = await startGateway({
    config: loaded.config,
    env: {},
    // As that of the cells.
    version: '0.0.0-test',
    logger: silentLogger,
  });
  t.after(() => gateway.stop('over'));
  const url = `http://127.0.0.1:${gateway.addresses.readers.port}`;
  const client = (at = url): Client => {
    const made = connect({ url: at });
    t.after(() => made.close());
    return made;
  };
  return { cells, gateway, url, client };
}

export const traceOf = (n: number): string => (n + 1).toString(16).padStart(2, '0').repeat(16);

/** A task of three steps in each of these traces: `task-0`, `task-1`, …. */
export function spans(traces: number): object {
  const nanos = (ms: number): string => `${BigInt(1_750_000_000_000 + ms) * 1_000_000n}`;
  const span = (trace: number, n: number) => ({
    traceId: traceOf(trace),
    spanId: `${trace + 1}${n}`.padStart(16, '0'),
    ...(n > 1 && { parentSpanId: `${trace + 1}1`.padStart(16, '0') }),
    name: `step ${n}`,
    startTimeUnixNano: nanos(trace * 100 + n),
    endTimeUnixNano: nanos(trace * 100 + n + 500),
    attributes: [{ key: 'taskID', value: { stringValue: `task-${trace}` } }],
  });
  const all = Array.from({ length: traces }, (_, trace) => [1, 2, 3].map((n) => span(trace, n))).flat();
  return { resourceSpans: [{ resource: {}, scopeSpans: [{ scope: {}, spans: all }] }] };
}
