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
  readonly resolver?: object;
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

test('[CT8] spans and log records are shared out by the same exporter, which says by what', () => {
  const { traces, logs, metrics } = service.pipelines;
  assert.deepEqual(traces?.exporters, ['load_balancing']);
  assert.deepEqual(logs?.exporters, traces?.exporters);
  assert.equal(exporters['load_balancing']?.routing_key, '${env:EXPLAIN_ROUTING_KEY:-traceID}');
  assert.deepEqual(metrics?.exporters, ['load_balancing/metrics']);
  assert.equal(exporters['load_balancing/metrics']?.routing_key, 'resource');
});

test('[CT8] what a cell has not taken waits on disk, in front of all cells, for ever', () => {
  for (const [name, { retry_on_failure, sending_queue, protocol, timeout }] of Object.entries(exporters)) {
    assert.equal(sending_queue?.storage, 'file_storage', name);
    assert.notEqual(sending_queue?.enabled, false, name);
    assert.equal(retry_on_failure?.enabled, true, name);
    assert.equal(retry_on_failure?.max_elapsed_time, '0s', name);
    assert.equal(protocol?.otlp.sending_queue.enabled, false, `${name}: a queue of a cell is in memory`);
    assert.equal(protocol?.otlp.retry_on_failure.enabled, false, name);
    assert.ok(parseInt(timeout ?? '') > 3 * parseInt(protocol?.otlp.timeout ?? ''), 'three cells in turn');
  }
});

test('[CT8] each resolver is one, for both exporters', () => {
  for (const resolver of RESOLVERS) {
    const found = read(`cells-${resolver}.yaml`).exporters;
    assert.deepEqual(Object.keys(found), Object.keys(exporters));
    const key = resolver === 'kubernetes' ? 'k8s' : resolver;
    for (const exporter of Object.values(found))
      assert.deepEqual(Object.keys(exporter.resolver ?? {}), [key]);
  }
});
