import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { parse } from 'yaml';
import { loadConfig } from '../../src/config/load-config.ts';
import type { ServiceConfig } from '../../src/config/schema.ts';

/** What `npm run test:prometheus` reads by the tools of compose where they are there, as far as it is ours. */
const ROOT = join(import.meta.dirname, '../..');

interface Service {
  readonly image: string;
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly ports?: readonly string[];
  readonly volumes?: readonly string[];
}

const { services, volumes } = parse(readFileSync(join(ROOT, 'docker-compose.cells.yml'), 'utf8'), {
  merge: true,
}) as { services: Readonly<Record<string, Service>>; volumes: Readonly<Record<string, null>> };
const CELLS = ['cell-0', 'cell-1', 'cell-2'];

/** As the image starts it. */
function settingsOf(name: string): ServiceConfig {
  const given = services[name]?.environment ?? {};
  const own = Object.entries(given).map(([key, value]) => [
    key,
    value.replace(/\$\{[^}]*\}/, 'a-token-for-the-test'),
  ]);
  const env = { EXPLAINABILITY_AGENT_HOST: '0.0.0.0', EXPLAINABILITY_AGENT_DATA_DIR: '/data' };
  const loaded = loadConfig({
    argv: [],
    env: { ...env, ...Object.fromEntries(own) },
    homeDir: '/nobody',
    cwd: '/',
  });
  assert.ok(loaded.ok, JSON.stringify(loaded));
  return loaded.config;
}

test('[DP4] compose for cells: each is an ordinary service with a volume of its own', () => {
  for (const name of CELLS) {
    assert.equal(settingsOf(name).role, 'all');
    assert.ok(settingsOf(name).allowedHosts.includes(name));
    assert.deepEqual(services[name]?.volumes, [`${name}:/data`]);
    assert.ok(name in volumes);
  }
});

test('[DP4] compose for cells: the gateway and the Collector know the same cells by the same names', () => {
  const { role, gateway } = settingsOf('gateway');
  assert.equal(role, 'gateway');
  assert.deepEqual(
    gateway?.cells,
    CELLS.map((name) => ({ name, address: `${name}:9000`, endpoint: `${name}:4317` })),
  );
  const known = parse(services['otel-collector']?.environment?.['EXPLAIN_CELLS'] ?? '') as unknown;
  assert.deepEqual(
    known,
    CELLS.map((name) => `${name}:4317`),
  );
  assert.equal(services['otel-collector']?.environment?.['EXPLAIN_GATEWAY'], 'gateway:4317');
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
