import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { parse } from 'yaml';

/** What `npm run test:collector` shows to be so with a real Collector, as far as it can be read. */
const CONFIGS = join(import.meta.dirname, '../../config/otel-collector');
const RESOLVERS = ['static', 'dns', 'kubernetes'];

interface Queue {
  readonly enabled?: boolean;
  readonly storage?: string;
}
interface LoadBalancing {
  readonly routing_key?: string;
  readonly routing_attributes?: readonly string[];
  readonly resolver?: {
    readonly dns?: { readonly port?: string };
    readonly k8s?: { readonly ports?: readonly number[] };
  };
  readonly retry_on_failure?: { readonly enabled: boolean; readonly max_elapsed_time: string };
  readonly sending_queue?: Queue;
  readonly timeout?: string;
  readonly protocol?: {
    readonly otlp: {
      readonly timeout: string;
      readonly retry_on_failure: { readonly enabled: boolean };
      readonly sending_queue: Queue;
    };
  };
}
interface Config {
  readonly exporters: Readonly<Record<string, LoadBalancing>>;
  readonly service: {
    readonly pipelines: Readonly<Record<string, { readonly exporters: readonly string[] }>>;
  };
}

function read(name: string): Config {
  return parse(readFileSync(join(CONFIGS, name), 'utf8'), { merge: true }) as Config;
}

const { exporters, service } = read('cells.yaml');

test('[CT8] spans are shared out by their trace; log records and metrics go by way of the gateway', () => {
  const { traces, logs, metrics } = service.pipelines;
  assert.deepEqual(traces?.exporters, ['load_balancing']);
  assert.equal(exporters['load_balancing']?.routing_key, 'traceID');
  // The exporter refuses attributes beside another key.
  assert.equal(exporters['load_balancing'].routing_attributes, undefined);
  assert.deepEqual(logs?.exporters, ['otlp_grpc/gateway']);
  assert.deepEqual(metrics?.exporters, ['otlp_grpc/gateway']);
});

test('[CT8] by an attribute, everything is shared out by the same exporter', () => {
  const by = read('cells-by-attribute.yaml');
  const { traces, ...others } = service.pipelines;
  assert.deepEqual(Object.keys(by.service.pipelines), Object.keys(others));
  for (const { exporters: names } of Object.values(by.service.pipelines))
    assert.deepEqual(names, traces?.exporters);
  assert.equal(by.exporters['load_balancing']?.routing_key, 'attributes');
  assert.equal(by.exporters['load_balancing'].routing_attributes?.length, 1);
});

test('[CT8] what a cell has not taken waits on disk, in front of all cells, for ever', () => {
  for (const [name, { retry_on_failure, sending_queue }] of Object.entries(exporters)) {
    assert.equal(sending_queue?.storage, 'file_storage', name);
    assert.notEqual(sending_queue?.enabled, false, name);
    assert.equal(retry_on_failure?.enabled, true, name);
    assert.equal(retry_on_failure?.max_elapsed_time, '0s', name);
  }
  const { protocol, timeout } = exporters['load_balancing'] ?? {};
  assert.equal(protocol?.otlp.sending_queue.enabled, false, 'a queue of a cell is in memory');
  assert.equal(protocol?.otlp.retry_on_failure.enabled, false);
  assert.ok(parseInt(timeout ?? '') > 3 * parseInt(protocol?.otlp.timeout ?? ''), 'three cells in turn');
});

test('[CT8] each resolver is one, and gives endpoints with their port, of which the ring is made', () => {
  for (const resolver of RESOLVERS) {
    const found = read(`cells-${resolver}.yaml`).exporters;
    assert.deepEqual(Object.keys(found), ['load_balancing']);
    const by = found['load_balancing']?.resolver ?? {};
    assert.deepEqual(Object.keys(by), [resolver === 'kubernetes' ? 'k8s' : resolver]);
    if (resolver === 'dns') assert.match(by.dns?.port ?? '', /4317/);
    if (resolver === 'kubernetes') assert.deepEqual(by.k8s?.ports, [4317]);
  }
});
