import assert from 'node:assert/strict';
import { test } from 'node:test';
import { configFromObject } from './object-layer.ts';

const OPTIONS = { homeDir: '/home/somebody', checkPattern: () => undefined, ruleNames: [] };

function problemsOf(config: object): readonly string[] {
  const loaded = configFromObject(config, OPTIONS);
  return loaded.ok ? [] : loaded.problems.map(({ path, message }) => `${path}: ${message}`);
}

test('[MP6] cells have a bound together, and each must have something of it', () => {
  const MIB = 1024 * 1024;
  assert.deepEqual(problemsOf({ cells: 8 }), []);
  assert.deepEqual(problemsOf({ cells: 8, maxMemoryBytes: 8 * MIB, maxStoreBytes: 8 * MIB }), []);
  assert.deepEqual(problemsOf({ cells: 8, maxMemoryBytes: 8 * MIB - 1 }), [
    'config.maxMemoryBytes: must be at least 8388608: 8 cells have it together',
  ]);
  assert.deepEqual(problemsOf({ cells: 8, maxStoreBytes: 7 * MIB }), [
    'config.maxStoreBytes: must be at least 8388608: 8 cells have it together',
  ]);
});

test('[MP1] cells is a number of processes to start, and no gateway over others', () => {
  for (const cells of [0, 65, 1.5, '3'])
    assert.match(problemsOf({ cells })[0] ?? '', /^config\.cells: must be a whole number from 1 to 64/);
  assert.deepEqual(problemsOf({ cells: 2, role: 'gateway', gateway: { cells: ['a:1'] } }), [
    'config.cells: starts cells and a gateway of its own, so "role" must not be "gateway": leave one of them out',
  ]);
});
