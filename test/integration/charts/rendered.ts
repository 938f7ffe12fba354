import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { loadConfig } from '../../../src/config/load-config.ts';
import type { ServiceConfig } from '../../../src/config/schema.ts';

interface Variable {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: { readonly secretKeyRef?: { readonly key: string } };
}
interface Container {
  readonly args: readonly string[];
  readonly env: readonly Variable[];
  readonly ports: readonly { readonly name: string }[];
}
export interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly data?: Readonly<Record<string, string>>;
  readonly spec?: {
    readonly serviceName?: string;
    readonly selector?: Readonly<Record<string, unknown>>;
    readonly ports?: readonly { readonly targetPort: string }[];
    readonly template?: {
      readonly metadata: { readonly labels: Readonly<Record<string, string>> };
      readonly spec: { readonly enableServiceLinks?: boolean; readonly containers: readonly Container[] };
    };
  };
}

export function manifestsOf(text: string): readonly Manifest[] {
  return parseAllDocuments(text)
    .map((document) => document.toJS() as Manifest | null)
    .filter((manifest) => manifest !== null);
}

function named(manifests: readonly Manifest[], kind: string, end: string): Manifest | undefined {
  return manifests.find((manifest) => manifest.kind === kind && manifest.metadata.name.endsWith(end));
}

/** As Kubernetes fills it in; each entry of a Secret has a value of its own. */
function environmentOf({ env }: Container): Readonly<Record<string, string>> {
  const known: Record<string, string> = {};
  for (const { name, value, valueFrom } of env) {
    const key = valueFrom?.secretKeyRef?.key;
    known[name] =
      key === 'key'
        ? '0f'.repeat(32)
        : key !== undefined
          ? `${key}-q7Xc2mVb9LrT4wZs8KdY6nHf3JpG5uAe`
          : (value ?? `${name.toLowerCase()}-0`).replaceAll(
              /\$\((\w+)\)/g,
              (_, other: string) => known[other] ?? '',
            );
  }
  return known;
}

/** The settings with which a container of ours starts, as the service reads them. @throws AssertionError with what is wrong */
export function settingsOf(manifests: readonly Manifest[], component: 'cell' | 'gateway'): ServiceConfig {
  const container = containerOf(manifests, component);
  const text = named(manifests, 'ConfigMap', `-${component}`)?.data?.['config.json'];
  assert.ok(text !== undefined && container.args.includes('--config=/config/config.json'));
  const folder = mkdtempSync(join(tmpdir(), 'test-charts-'));
  try {
    const file = join(folder, 'config.json');
    writeFileSync(file, text);
    const argv = [`--config=${file}`];
    const loaded = loadConfig({ argv, env: environmentOf(container), homeDir: '/nobody', cwd: '/' });
    assert.ok(loaded.ok, loaded.ok ? '' : JSON.stringify(loaded.problems));
    return loaded.config;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function containerOf(manifests: readonly Manifest[], component: string): Container {
  const owner = manifests.find(
    ({ kind, metadata }) =>
      /^(?:StatefulSet|Deployment)$/.test(kind) && metadata.name.endsWith(`-${component}`),
  );
  const container = owner?.spec?.template?.spec.containers[0];
  assert.ok(container, `there is no ${component}`);
  return container;
}

/** What no schema asks for. */
export function checkManifests(manifests: readonly Manifest[], replicas: number): void {
  const pods = manifests.flatMap(({ spec }) => spec?.template ?? []);
  for (const pod of pods)
    assert.equal(pod.spec.enableServiceLinks, false, 'EXPLAINABILITY_AGENT_PORT is not a link of a Service');
  for (const { kind, metadata, spec } of manifests.filter((manifest) => manifest.kind === 'Service')) {
    const behind = pods.filter(({ metadata: { labels } }) =>
      Object.entries(spec?.selector ?? {}).every(([key, value]) => labels[key] === value),
    );
    assert.equal(behind.length, 1, `${kind} ${metadata.name} leads to one kind of pod`);
    const ports = behind.flatMap(({ spec: { containers } }) => containers.flatMap((one) => one.ports));
    for (const { targetPort } of spec?.ports ?? [])
      assert.ok(
        ports.some(({ name }) => name === targetPort),
        `${metadata.name} leads to ${targetPort}`,
      );
  }
  checkNames(manifests, replicas);
  checkGateway(manifests);
}

/** Cells take from the gateway for whom it asks: by its certificate, or, over loopback, by its key or without any. */
function checkGateway(manifests: readonly Manifest[]): void {
  const { auth, tls } = settingsOf(manifests, 'cell');
  const { gateway } = settingsOf(manifests, 'gateway');
  const roles =
    typeof tls === 'object' ? Object.values(tls.clients ?? {}).flatMap((client) => client.roles) : [];
  if (roles.includes('gateway')) assert.ok(gateway?.tls?.certFile !== undefined);
  else if (typeof auth === 'object')
    assert.ok(gateway?.token !== undefined && gateway.token === auth.gatewayToken);
  else assert.equal(auth, 'none');
}

/** Gateways and the Collector know the cells by the same names, those of the StatefulSet's pods. */
function checkNames(manifests: readonly Manifest[], replicas: number): void {
  const set = named(manifests, 'StatefulSet', '-cell');
  const names = Array.from(
    { length: replicas },
    (_, index) => `${set?.metadata.name}-${index}.${set?.spec?.serviceName}.`,
  );
  const { gateway, allowedHosts } = settingsOf(manifests, 'gateway');
  assert.ok(allowedHosts.length >= 4);
  const [host = ''] = settingsOf(manifests, 'cell').allowedHosts;
  assert.ok(host.startsWith(`pod_name-0.${set?.spec?.serviceName}.`), host);
  const domain = host.slice(host.indexOf('.') + 1);
  if (gateway?.dns) assert.equal(gateway.dns.name, `_readers._tcp.${domain}`);
  const endpoints = names.map((name) => `${name.slice(0, name.indexOf('.'))}.${domain}:4317`);
  if (gateway?.cells)
    assert.deepEqual(
      gateway.cells.map((cell) => ('endpoint' in cell ? cell.endpoint : undefined)),
      endpoints,
    );
  const collector = named(manifests, 'StatefulSet', '-collector')?.spec?.template?.spec.containers[0];
  if (!collector) return;
  const env = environmentOf(collector);
  assert.equal(env['EXPLAIN_CELLS'], `[${endpoints.join(', ')}]`);
  const [name, port] = (env['EXPLAIN_GATEWAY'] ?? '').split(':');
  assert.ok(allowedHosts.includes(name ?? '') && port === '4317', env['EXPLAIN_GATEWAY']);
  assert.equal(env['EXPLAIN_ROUTING_ATTRIBUTE'] ?? 'traceID', gateway?.routeBy);
}
