import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { parse } from 'jsonc-parser';
import { describeConfig, renderDefaults, renderJsonSchema } from './describe-config.ts';
import { loadConfig } from './load-config.ts';
import { configSchema } from './schema.ts';

const committed = (name: string) => readFileSync(new URL(`../../config/${name}`, import.meta.url), 'utf8');
const HINT = 'run: node scripts/write-config-schema.ts';

test('[CF15] config/ holds what the schema says', () => {
  assert.equal(committed('defaults.jsonc'), renderDefaults(), HINT);
  assert.equal(committed('explainability-agent.schema.json'), renderJsonSchema(), HINT);
});

test('[CF15] the defaults file read as a configuration changes nothing', () => {
  const file = parse(committed('defaults.jsonc'), [], { allowTrailingComma: true }) as Record<
    string,
    unknown
  >;
  assert.deepEqual(configSchema.parse(file['explainabilityAgent']), configSchema.parse({}));
});

test('[CF16] the effective configuration names the source of each value and masks secrets', () => {
  const loaded = loadConfig({
    argv: ['--port=9100'],
    env: {
      EXPLAINABILITY_AGENT_AUTH: '{"token":"canary-token-1","adminToken":"canary-token-2"}',
      EXPLAINABILITY_AGENT_INTERRUPT_WEBHOOK: '{"url":"http://canary-1/","secret":"canary-of-the-webhook"}',
    },
    homeDir: '/nowhere',
  });
  assert(loaded.ok);
  const text = describeConfig(loaded.config, loaded.sources);
  assert.doesNotMatch(text, /canary/);
  assert.match(text, /\/\/ flag: --port\n {4}"port": 9100,/);
  assert.match(text, /\/\/ environment: EXPLAINABILITY_AGENT_AUTH\n/);
  const printed = (parse(text, [], { allowTrailingComma: true }) as Record<string, unknown>)[
    'explainabilityAgent'
  ];
  const masked = { token: '********', adminToken: '********' };
  const webhook = { url: '********', secret: '********' };
  assert.deepEqual(printed, { ...loaded.config, auth: masked, interruptWebhook: webhook });
});
