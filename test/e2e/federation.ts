import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { connect, type Client } from '../../src/client/node.ts';
import { loadConfig } from '../../src/config/load-config.ts';
import { BUILTIN_RULES } from '../../src/redaction/rules/builtin.ts';
import { checkUserPattern } from '../../src/redaction/user-patterns.ts';
import { startGateway } from '../../src/service/gateway/start-gateway.ts';
import type { ServiceWithPorts } from '../../src/service/service.ts';
import { silentLogger } from '../../src/telemetry/logger.ts';
import { RealService, temporaryFolder } from './real-service.ts';

/** A gateway and its cells, all in this process, on free ports. */
export interface Federation {
  /** Named `cell-0`, `cell-1`, … */
  readonly cells: RealService[];
  readonly gateway: ServiceWithPorts;
  /** `http://127.0.0.1:PORT` of the gateway. */
  readonly url: string;
  readonly client: (url?: string) => Client;
}

export async function federation(t: TestContext, count: number): Promise<Federation> {
  const cells: RealService[] = [];
  for (let n = 0; n < count; n++) {
    const cell = await RealService.start({ dataDir: await temporaryFolder(t) });
    t.after(() => cell.stop());
    cells.push(cell);
  }
  const addresses = cells.map((cell, n) => {
    const { host, port } = cell.service.addresses.readers;
    return { name: `cell-${n}`, address: `${host}:${port}` };
  });
  const loaded = loadConfig({
    argv: ['--role=gateway', '--port=0', '--otlp-grpc-port=0', '--otlp-http-port=0'],
    env: {
      EXPLAINABILITY_AGENT_GATEWAY: JSON.stringify({ cells: addresses }),
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
