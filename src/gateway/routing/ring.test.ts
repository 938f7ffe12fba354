import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { attributeKey } from './keys.ts';
import { Ring } from './ring.ts';

interface Told {
  readonly endpoints: readonly string[];
  readonly traces: readonly (readonly [traceId: string, endpoint: string])[];
  readonly attributes: readonly (readonly [name: string, value: never, key: string, endpoint: string])[];
  /** Of the endpoints of `key 0` to `key 39999`: points that gave way to others own a place or two. */
  readonly digest: string;
  readonly services: readonly (readonly [service: string, endpoint: string])[];
}

/** Made by the exporter's own source: test/integration/gateway-ring. */
const table = JSON.parse(
  readFileSync(new URL('../../../test/fixtures/gateway/collector-ring.json', import.meta.url), 'utf8'),
) as readonly Told[];

test("[RT1] the ring chooses as that of the Collector's load_balancing exporter does", () => {
  for (const { endpoints, traces, services, digest } of table) {
    const ring = new Ring(endpoints);
    for (const [traceId, endpoint] of traces)
      assert.equal(ring.endpointOf(Buffer.from(traceId, 'hex')), endpoint, traceId);
    for (const [service, endpoint] of services) assert.equal(ring.endpointOf(service), endpoint, service);
    const chosen = createHash('sha256');
    for (let i = 0; i < 40_000; i++) chosen.update(`${ring.endpointOf(`key ${i}`)}\n`);
    assert.equal(chosen.digest('hex'), digest);
  }
  assert.ok(
    new Set(table.at(-1)?.traces.map(([, endpoint]) => endpoint)).size > 6,
    'the table has many cells',
  );
});

test('[RT1] keys of attributes are written as the exporter writes them', () => {
  for (const { endpoints, attributes } of table) {
    const ring = new Ring(endpoints);
    for (const [name, value, key, endpoint] of attributes) {
      assert.equal(attributeKey(name, value), key);
      assert.equal(ring.endpointOf(key), endpoint, key);
    }
  }
});

test('[RT1] the order of endpoints, and one named twice, change nothing; one more moves few keys', () => {
  const names = ['c:4317', 'a:4317', 'b:4317'];
  const ring = new Ring(names);
  const same = new Ring([...names].sort().concat('a:4317'));
  const larger = new Ring([...names, 'd:4317']);
  let moved = 0;
  for (let i = 0; i < 4000; i++) {
    const owner = ring.endpointOf(`key ${i}`);
    assert.equal(same.endpointOf(`key ${i}`), owner);
    if (larger.endpointOf(`key ${i}`) === owner) continue;
    assert.equal(larger.endpointOf(`key ${i}`), 'd:4317', 'what moves goes to the new one');
    moved++;
  }
  assert.ok(moved > 600 && moved < 1400, `${moved} of 4000 moved`);
});
