import assert from 'node:assert/strict';
import { test } from 'node:test';
import { configFromObject } from '../config/object-layer.ts';
import { shownSettings } from './shown-settings.ts';

function settingsOf(given: object): string {
  const loaded = configFromObject(given, { homeDir: '/nonexistent' });
  assert.ok(loaded.ok);
  return shownSettings(loaded.config);
}

test('[CE6] the settings of a cell are equal when the same is shown of the same input, in whatever order they are written', () => {
  const usual = settingsOf({});
  assert.match(usual, /^[0-9a-f]{16}$/);
  const same = [
    { port: 1, dataDir: '/x', persistRetentionDays: 1, auth: 'keys' },
    { maxNodesPerTask: 500, visibility: {} },
  ];
  for (const given of same) assert.equal(settingsOf(given), usual, JSON.stringify(given));
  const others = [
    { maxNodesPerTask: 400 },
    { visibility: { a: 'hidden' } },
    { knownNames: ['Ada'] },
    { disabledRules: ['x'] },
    { zeroDataRetention: true },
    { redactPII: false, allowUnredacted: true },
    { projects: { a: { visibility: { '*': 'hidden' } } } },
  ];
  assert.equal(new Set([usual, ...others.map(settingsOf)]).size, others.length + 1);
  assert.equal(
    settingsOf({ visibility: { a: 'hidden', b: 'summary' } }),
    settingsOf({ visibility: { b: 'summary', a: 'hidden' } }),
  );
});
