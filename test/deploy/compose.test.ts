import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { parse } from 'yaml';
import { loadConfig } from '../../src/config/load-config.ts';
import type { ServiceConfig } from '../../src/config/schema.ts';
import { CELLS, environmentOf, services, volumes } from './compose-file.ts';

/** What `npm run test:prometheus` reads by the tools of compose where they are there, as far as it is ours. */
const ROOT = join(import.meta.dirname, '../..');

/** As the image starts it. */
function settingsOf(name: string): ServiceConfig {
  const image = { EXPLAINABILITY_AGENT_HOST: '0.0.0.0', EXPLAINABILITY_AGENT_DATA_DIR: '/data' };
  const env = { ...image, ...environmentOf(name) };
  const loaded = loadConfig({ argv: [], env, homeDir: '/nobody', cwd: '/' });
  assert.ok(loaded.ok, JSON.stringify(loaded));
  return loaded.config;
}

test('[DP4] compose for cells: each is an ordinary service that only this network reaches, with a volume of its own', () => {
  for (const name of CELLS) {
    assert.equal(settingsOf(name).role, 'all');
    assert.equal(settingsOf(name).host, '127.0.0.1');
    assert.deepEqual(services[name]?.volumes, [`${name}:/data`]);
    assert.ok(name in volumes);
  }
});

test('[DP4] compose for cells: all are in one network, in which no two listen on one port', () => {
  for (const name of [...CELLS, 'gateway', 'otel-collector'])
    assert.equal(services[name]?.network_mode, 'service:network');
  const ports = [...CELLS, 'gateway']
    .map(settingsOf)
    .flatMap((one) => [one.port, one.otlpGrpcPort, one.otlpHttpPort]);
  const used = [...ports, 4317, 4318, 8888, 13133];
  assert.equal(new Set(used).size, used.length, used.join());
  const open = services['network']?.ports?.map((port) => port.slice(port.lastIndexOf(':') + 1));
  assert.deepEqual(open, [String(settingsOf('gateway').port), '4317', '4318']);
});

test('[DP4] compose for cells: the gateway and the Collector know the same cells by the same names', () => {
  const { role, gateway, otlpGrpcPort } = settingsOf('gateway');
  assert.equal(role, 'gateway');
  const endpointOf = (name: string): string => `127.0.0.1:${settingsOf(name).otlpGrpcPort}`;
  assert.deepEqual(
    gateway?.cells,
    CELLS.map((name) => ({
      name,
      address: `127.0.0.1:${settingsOf(name).port}`,
      endpoint: endpointOf(name),
    })),
  );
  const { EXPLAIN_CELLS: known = '', EXPLAIN_GATEWAY: at } = environmentOf('otel-collector');
  assert.deepEqual(parse(known), CELLS.map(endpointOf));
  assert.equal(at, `127.0.0.1:${otlpGrpcPort}`);
});

test('[DP4] compose for cells: what is mounted is there and is what is read, ports stay on the machine', () => {
  const collector = services['otel-collector'];
  for (const argument of collector?.command ?? []) {
    const name = argument.slice(argument.lastIndexOf('/') + 1);
    assert.ok(
      collector?.volumes?.some((volume) => volume.includes(`/${name}:`)),
      argument,
    );
  }
  for (const { image, ports = [], volumes: mounts = [] } of Object.values(services)) {
    for (const port of ports) assert.match(port, /^127\.0\.0\.1:/);
    for (const [from = ''] of mounts.map((mount) => mount.split(':')))
      assert.ok(from.startsWith('./') ? existsSync(join(ROOT, from)) : from in volumes, from);
    assert.match(image, /:(?!latest)[\w.-]+$/);
  }
});
