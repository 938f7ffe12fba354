import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import * as fc from 'fast-check';
import { loadConfig, type LoadConfigOptions } from './load-config.ts';
import { envName, FILE_KEY, flagName } from './names.ts';
import { CONFIG_KEYS, configSchema, type ConfigKey, type ServiceConfig } from './schema.ts';

const folder = mkdtempSync(join(tmpdir(), 'config-test-'));
after(() => rmSync(folder, { recursive: true }));
const homeDir = join(folder, 'home');
mkdirSync(join(homeDir, '.nootropic'), { recursive: true });

function load(options: Partial<LoadConfigOptions> = {}) {
  return loadConfig({ argv: [], env: {}, homeDir: join(folder, 'empty-home'), cwd: folder, ...options });
}

function loaded(options: Partial<LoadConfigOptions> = {}): ServiceConfig {
  const result = load(options);
  assert(result.ok, JSON.stringify(result));
  return result.config;
}

function problems(options: Partial<LoadConfigOptions>): Map<string, string> {
  const result = load(options);
  assert(!result.ok, 'was accepted');
  return new Map(result.problems.map(({ path, message }) => [path, message]));
}

let files = 0;
function file(text: string): string {
  const path = join(folder, `config-${files++}.json`);
  writeFileSync(path, text);
  return path;
}

test('[CF1] the founding defaults hold to the letter', () => {
  const config = loaded();
  assert.deepEqual(
    {
      maxCoTDepth: config.maxCoTDepth,
      pruneLatencyThresholdMs: config.pruneLatencyThresholdMs,
      minCostUsdDetail: config.minCostUsdDetail,
      nodeTTLMinutes: config.nodeTTLMinutes,
      maxNodesPerTask: config.maxNodesPerTask,
      redactPII: config.redactPII,
      redactionPatterns: config.redactionPatterns,
      port: config.port,
      persistRetentionDays: config.persistRetentionDays,
      maxQueuedUpdates: config.maxQueuedUpdates,
    },
    {
      maxCoTDepth: 5,
      pruneLatencyThresholdMs: 50,
      minCostUsdDetail: 0.0001,
      nodeTTLMinutes: 120,
      maxNodesPerTask: 500,
      redactPII: true,
      redactionPatterns: [
        String.raw`[a-zA-Z0-9._%+-]+@[a-zA-Z0-9.-]+\.[a-zA-Z]{2,}`,
        String.raw`api_key\s*=\s*['\"][A-Za-z0-9_-]{20,}['\"]`,
      ],
      port: 9000,
      persistRetentionDays: 7,
      maxQueuedUpdates: 100,
    },
  );
  assert.equal(config.dataDir, join(folder, 'empty-home', '.nootropic-cache'));
  assert.equal(config.host, '127.0.0.1');
  assert.equal(config.auth, undefined);
});

test('[CF2] names of the environment and of flags follow from the key', () => {
  assert.equal(envName('otlpGrpcPort'), 'EXPLAINABILITY_AGENT_OTLP_GRPC_PORT');
  assert.equal(envName('maxCoTDepth'), 'EXPLAINABILITY_AGENT_MAX_COT_DEPTH');
  assert.equal(envName('nodeTTLMinutes'), 'EXPLAINABILITY_AGENT_NODE_TTL_MINUTES');
  assert.equal(envName('redactPII'), 'EXPLAINABILITY_AGENT_REDACT_PII');
  assert.equal(envName('minCostUsdDetail'), 'EXPLAINABILITY_AGENT_MIN_COST_USD_DETAIL');
  assert.equal(flagName('otlpGrpcPort'), '--otlp-grpc-port');
  assert.equal(flagName('dataDir'), '--data-dir');
  assert.equal(flagName('updateLatencySlaMs'), '--update-latency-sla-ms');
  assert.equal(new Set(CONFIG_KEYS.map(envName)).size, CONFIG_KEYS.length);
});

test('[CF3] without --config the file in the home folder is read, and its other keys are left alone', () => {
  writeFileSync(
    join(homeDir, '.nootropic', 'config.json'),
    '\uFEFF{ "otherAgent": { "port": "x" }, /* shared */ "explainabilityAgent": { "port": 1234, }, }',
  );
  assert.equal(loaded({ homeDir }).port, 1234);
  const elsewhere = file('{ "explainabilityAgent": { "port": 4321 } }');
  assert.equal(loaded({ homeDir, argv: ['--config', elsewhere] }).port, 4321);
  assert.equal(loaded({ homeDir, argv: [`--config=${elsewhere}`] }).port, 4321);
});

test('[CF3] a file that was asked for must exist', () => {
  assert.match(
    problems({ argv: ['--config=missing.json'] }).get(join(folder, 'missing.json')) ?? '',
    /exist/,
  );
  assert.match(problems({ argv: ['--config'] }).get('--config') ?? '', /path of a file/);
});

test('[CF18] a file whose settings stand outside "explainabilityAgent" is refused, one of other programs is not', () => {
  const refused = [
    '{ "port": 9001, "dataDirr": "/data" }',
    '{ "$schema": "./schema.json", "retention": {}, "maxNodesPerTask": 5 }',
    '{ "explainability-agent": { "port": 9001 } }',
    '{ "explainability": { "port": 9001 } }',
  ];
  for (const text of refused) {
    const path = file(text);
    const message = problems({ argv: ['--config', path] }).get(path) ?? '';
    for (const name of Object.keys(JSON.parse(text) as object))
      if (name !== '$schema') assert.ok(message.includes(JSON.stringify(name)), message);
    assert.match(message, /\{"explainabilityAgent": \{"port": 9001\}\}/);
  }
  const warningsOf = (options: Partial<LoadConfigOptions>): readonly string[] => {
    const result = load(options);
    assert(result.ok, JSON.stringify(result));
    return result.warnings;
  };
  const foreign = file('{ "otherAgent": { "port": 1 } }');
  assert.match(warningsOf({ argv: ['--config', foreign] }).join(), /config-\d+\.json: .*"otherAgent"/);
  assert.deepEqual(warningsOf({ argv: ['--config', file('{}')] }), []);

  const home = join(folder, 'shared-home');
  mkdirSync(join(home, '.nootropic'), { recursive: true });
  const inHome = (text: string) => writeFileSync(join(home, '.nootropic', 'config.json'), text);
  inHome('{ "otherAgent": {}, "tools": [] }');
  assert.deepEqual(
    warningsOf({ homeDir: home }),
    [],
    'the file of the home folder is for other programs as well',
  );
  inHome('{ "otherAgent": {}, "port": 1 }');
  assert.match(warningsOf({ homeDir: home }).join(), /"port"/);
  inHome('{ "port": 1 }');
  assert.equal(problems({ homeDir: home }).size, 1);
});

test('[CF4] a syntax error is told with line and column', () => {
  const path = file('{\n  // a comment\n  "explainabilityAgent": { "port" 9000 }\n}');
  const message = problems({ argv: ['--config', path] }).get(path) ?? '';
  assert.match(message, /line 3, column 35/);
  assert.match(message, /colon expected/);
});

const valueArbitraries: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  maxCoTDepth: fc.integer({ min: 1, max: 1000 }),
  minCostUsdDetail: fc.double({ min: 0, max: 1000, noNaN: true }),
  nodeTTLMinutes: fc.double({ min: 0.001, max: 1000, noNaN: true }),
  port: fc.constantFrom(0, 9001, 9002),
  allowUnredacted: fc.boolean(),
  redactionPatterns: fc.array(fc.string({ minLength: 1, maxLength: 20 }), { maxLength: 4 }),
  sensitiveKeys: fc.array(fc.string({ minLength: 1, maxLength: 20 }), { maxLength: 4 }),
  durability: fc.constantFrom('memory', 'log', 'fsync'),
  auth: fc.constantFrom(
    'none',
    { token: 'a-first-token' },
    { token: 'a-second-token', adminToken: 'another-one' },
  ),
};
const layer = fc.record(valueArbitraries, { requiredKeys: [] }) as fc.Arbitrary<Record<ConfigKey, unknown>>;

const asText = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));

test('[CF5] defaults ← file ← environment ← flags, key by key', () => {
  fc.assert(
    fc.property(layer, layer, layer, fc.boolean(), (inFile, inEnv, inFlags, joined) => {
      const path = join(folder, 'property.json');
      writeFileSync(path, JSON.stringify({ [FILE_KEY]: inFile }));
      const result = load({
        env: Object.fromEntries(
          Object.entries(inEnv).map(([key, value]) => [envName(key as ConfigKey), asText(value)]),
        ),
        argv: [
          `--config=${path}`,
          ...Object.entries(inFlags).flatMap(([key, value]) => {
            const flag = flagName(key as ConfigKey);
            return joined || typeof value === 'string' ? [`${flag}=${asText(value)}`] : [flag, asText(value)];
          }),
        ],
      });
      assert(result.ok, JSON.stringify(result));
      const defaults = configSchema.parse({});
      for (const key of Object.keys(valueArbitraries) as ConfigKey[]) {
        const [layerName, from] = (
          [
            ['flag', inFlags],
            ['environment', inEnv],
            ['file', inFile],
            ['default', defaults],
          ] as const
        ).find(([, values]) => key in values) ?? ['default', defaults];
        assert.deepEqual(result.config[key], from[key]);
        assert.equal(result.sources[key].layer, layerName);
      }
    }),
    { numRuns: 300 },
  );
});

test('[CF6] flags: joined or apart, booleans alone, lists repeated or as JSON', () => {
  const config = loaded({
    argv: [
      '--port',
      '9100',
      '--otlp-grpc-port=0',
      '--allow-unredacted',
      '--safe-keys=a',
      '--safe-keys=["b","c"]',
      '--redaction-patterns=[a-z]+,x=',
      '--data-dir=~/store',
    ],
  });
  assert.deepEqual(
    [config.port, config.otlpGrpcPort, config.allowUnredacted, config.safeKeys, config.redactionPatterns],
    [9100, 0, true, ['a', 'b', 'c'], ['[a-z]+,x=']],
  );
  assert.equal(config.dataDir, join(folder, 'empty-home', 'store'));
  assert.equal(loaded({ argv: ['--allow-unredacted', 'false', '--port', '1'] }).allowUnredacted, false);
});

test('[CF7] every problem is told at once, each by the name it was given', () => {
  const path = file(`{ "explainabilityAgent": {
    "port": "9000", "portt": 1, "nodeTTLMinutes": 0, "durability": "disk", "redactionPatterns": ["ok", "(", 3, "", 4],
    "host": "localhost:9000", "maxNodesPerTask": null, "dataDir": "/a", "dataDir": "/b",
    "vaultKey": "too short", "forward": {"endpoint": "collector"}, "agUiAgents": ["agent"],
    "visibility": {"PlannerAgent": "none"} } }`);
  const found = problems({
    env: {
      EXPLAINABILITY_AGENT_OTLP_HTTP_PORT: '70000',
      EXPLAINABILITY_AGENT_LOG_LEVL: 'info',
      EXPLAINABILITY_AGENT_MAXCOT: '3',
    },
    argv: [
      '--config',
      path,
      '--max-cot-dept=3',
      '--redact-pii=false',
      'serve',
      '--log-level',
      '--max-connections=1.5',
    ],
    checkPattern: (pattern) => (pattern === '(' ? 'missing )' : undefined),
  });
  const expected: [string, RegExp][] = [
    ['explainabilityAgent.port', /^must be a whole number from 0 to 65535 \(line 2\)$/],
    ['explainabilityAgent.portt', /^is not a known key: did you mean port\? \(line 2\)$/],
    ['explainabilityAgent.nodeTTLMinutes', /above 0 .*not 0/],
    ['explainabilityAgent.durability', /one of memory, log, fsync/],
    ['explainabilityAgent.redactionPatterns[1]', /missing \)/],
    ...[2, 3, 4].map((n): [string, RegExp] => [
      `explainabilityAgent.redactionPatterns[${n}]`,
      /^does not fit: redactionPatterns must be a list of/,
    ]),
    ['explainabilityAgent.host', /without a port/],
    ['explainabilityAgent.maxNodesPerTask', /not null/],
    ['explainabilityAgent.dataDir', /given twice/],
    ['explainabilityAgent.vaultKey', /^must be 32 bytes as 64 hex digits or in base64 [^,]*$/],
    ['explainabilityAgent.forward', /^must be \{"endpoint": /],
    ['explainabilityAgent.agUiAgents[0]', /addresses with http or https/],
    ['explainabilityAgent.visibility', /each with "full", "summary" or "hidden"(?!.*, not an object)/],
    ['EXPLAINABILITY_AGENT_OTLP_HTTP_PORT', /from 0 to 65535, not 70000/],
    ['EXPLAINABILITY_AGENT_LOG_LEVL', /did you mean EXPLAINABILITY_AGENT_LOG_LEVEL\?/],
    // The prefix that all names share makes none of them near.
    ['EXPLAINABILITY_AGENT_MAXCOT', /^is not a known variable(?!.*_HOST)/],
    ['--max-cot-dept', /did you mean --max-cot-depth\?/],
    ['--redact-pii', /allowUnredacted/],
    ['argument 5', /not a flag/],
    ['--log-level', /followed by a value/],
    ['--max-connections', /whole number from 1/],
  ];
  for (const [path, message] of expected) assert.match(found.get(path) ?? `nothing about ${path}`, message);
  assert.deepEqual([...found.keys()].sort(), expected.map(([path]) => path).sort());
});

test('[CF7] an unknown key of a rule is named, and so are those that there are', () => {
  const result = loadConfig({
    argv: [
      '--type-rules',
      '[{"type": "TEST_RUN", "command": "make"}, {"type": "TEST_RUN", "comand": "make"}]',
    ],
    env: {},
    homeDir: '/nobody',
    cwd: '/',
  });
  assert.ok(!result.ok);
  assert.deepEqual(result.problems, [
    {
      path: '--type-rules[1]',
      message:
        'has no key "comand": the keys of a rule are type and one of toolName, command, spanName, agent',
    },
  ]);
});

test('[CF7] what is wrong inside a key is said with its own line, not with that of the key', () => {
  const path = file(`{ "explainabilityAgent": {
    "guards": [
      { "name": "loops", "limits": { "sameStep": 3 } },
      { "name": "dear",
        "limits": { "token": 3 } }
    ],
    "redactionPatterns": [
      "ok",
      "("
    ] } }`);
  const found = problems({ argv: ['--config', path], checkPattern: (p) => (p === '(' ? 'no )' : undefined) });
  assert.match(found.get('explainabilityAgent.guards[1].limits') ?? '', / \(line 5\)$/);
  assert.match(found.get('explainabilityAgent.redactionPatterns[1]') ?? '', / \(line 9\)$/);
});

test('[CF8] secrets are never echoed', () => {
  const canary = 'canary-7f3a';
  const path = file(
    `{ "explainabilityAgent": { "auth": { "token": "${canary} with blanks" }, "port": "${canary}" } }`,
  );
  const result = load({
    argv: ['--config', path, '--auth', canary, canary, '--log-level', canary],
    env: { EXPLAINABILITY_AGENT_AUTH: `{"token":"${canary}","more":1}`, EXPLAINABILITY_AGENT_OTHER: canary },
  });
  assert(!result.ok);
  assert.equal(result.problems.length, 7);
  assert.doesNotMatch(JSON.stringify(result), new RegExp(canary));
});

test('[CF9] ports differ, unless they are 0', () => {
  assert.equal(loaded({ argv: ['--port=0', '--otlp-grpc-port=0', '--otlp-http-port=0'] }).port, 0);
  assert.match(
    problems({ argv: ['--otlp-http-port=9000'] }).get('--otlp-http-port') ?? '',
    /differ from port/,
  );
});

test('[CF10] a host beyond loopback needs auth; "none" is accepted with a warning', () => {
  for (const host of ['0.0.0.0', '::', 'example.org', '10.0.0.1'])
    assert.match(
      problems({ argv: [`--host=${host}`, '--tls=terminated'] }).get('--host') ?? '',
      /"auth" must be set/,
    );
  for (const host of ['127.0.0.1', '127.8.8.8', '::1', 'localhost'])
    assert.equal(loaded({ argv: [`--host=${host}`] }).host, host);
  const open = load({ argv: ['--host=0.0.0.0', '--auth=none', '--tls=terminated'] });
  assert(open.ok);
  assert.equal(open.warnings.length, 1);
  const keyed = load({ argv: ['--host=0.0.0.0', '--auth=keys', '--tls=terminated'] });
  assert(keyed.ok);
  assert.deepEqual(keyed.warnings, []);
  const guarded = load({
    argv: ['--host=0.0.0.0', '--tls=terminated'],
    env: { EXPLAINABILITY_AGENT_AUTH: '{"token":"0123456789"}' },
  });
  assert(guarded.ok);
  assert.deepEqual(guarded.warnings, []);
  const unusable = problems({
    argv: ['--host=0.0.0.0', '--tls=terminated', '--auth={"token":"short"}'],
  });
  assert.deepEqual([...unusable.keys()], ['--auth']);
});

test('[AC16] the token of a gateway is its own, and none that could be guessed', () => {
  const problem = (auth: object): string | undefined => {
    const result = load({ env: { EXPLAINABILITY_AGENT_AUTH: JSON.stringify(auth) } });
    return result.ok ? undefined : result.problems[0]?.message;
  };
  const gatewayToken = 'kG7x2Lq9Zp4Rt8VwYm3Nc6Hb';
  assert.equal(problem({ token: 'a-first-token', gatewayToken }), undefined);
  assert.match(problem({ token: gatewayToken, gatewayToken }) ?? '', /must differ/);
  assert.match(
    problem({ token: 'a-first-token', adminToken: gatewayToken, gatewayToken }) ?? '',
    /must differ/,
  );
  assert.match(
    problem({ token: 'a-first-token', gatewayToken: 'aaaaaaaaaaaaaaaa' }) ?? '',
    /could be guessed/,
  );
});

test('[CF11] redaction is only turned off by two keys', () => {
  assert.match(problems({ argv: ['--redact-pii=false'] }).get('--redact-pii') ?? '', /allowUnredacted/);
  const result = load({ argv: ['--redact-pii=false', '--allow-unredacted'] });
  assert(result.ok);
  assert.match(result.warnings.join(), /private data/);
});

test('[SM7] a model for summaries is named with its address, and is sent nothing that nobody redacted', () => {
  const url = '--summary-url=http://127.0.0.1:11434/v1';
  const model = '--summary-model=small';
  assert.equal(loaded({ argv: [url, model] }).summaryModel, 'small');
  assert.match(problems({ argv: [url] }).get('--summary-url') ?? '', /needs "summaryModel"/);
  assert.match(problems({ argv: [model] }).get('--summary-model') ?? '', /needs "summaryUrl"/);
  const open = problems({ argv: [url, model, '--redact-pii=false', '--allow-unredacted'] });
  assert.match(open.get('--summary-url') ?? '', /redactPII is false/);
  for (const bad of ['ftp://host/v1', 'http://user:word@host/v1', 'http://host/v1?key=secret', 'host/v1', ''])
    assert.match(problems({ argv: [`--summary-url=${bad}`, model] }).get('--summary-url') ?? '', /http/, bad);
});

test('[CF17] a vault goes with neither zeroDataRetention, redaction turned off, memory alone nor a second key', () => {
  const key = `--vault-key=${'0f'.repeat(32)}`;
  assert.equal(loaded({ argv: [key] }).vaultKey, '0f'.repeat(32));
  assert.equal(loaded({ argv: ['--vault-key-file=keys/vault'] }).vaultKeyFile, join(folder, 'keys/vault'));
  assert.equal(loaded({ argv: ['--adaptations-file=a.json'] }).adaptationsFile, join(folder, 'a.json'));
  assert.equal(loaded({ argv: ['--zero-data-retention'] }).zeroDataRetention, true);
  const clashes: readonly (readonly [string, RegExp])[] = [
    ['--vault-key-file=/k', /leave one/],
    ['--zero-data-retention', /zeroDataRetention/],
    ['--redact-pii=false', /redactPII/],
    ['--durability=memory', /is a file/],
  ];
  for (const [flag, message] of clashes)
    assert.match(
      problems({ argv: [key, flag, '--allow-unredacted'] }).get('--vault-key') ?? '',
      message,
      flag,
    );
  for (const wrong of ['short', '0f'.repeat(31), `${'0f'.repeat(32)}00`])
    assert.match(problems({ argv: [`--vault-key=${wrong}`] }).get('--vault-key') ?? '', /64 hex digits/);
  const lonely = load({ argv: [key] });
  assert(lonely.ok);
  assert.match(lonely.warnings.join(), /nobody can reveal/);
});

test('[CF12] names of disabled rules are checked when the rules are known', () => {
  const options = { argv: ['--disabled-rules=emial', '--disabled-rules=iban'], ruleNames: ['email', 'iban'] };
  const found = problems(options);
  assert.deepEqual(
    [...found],
    [['--disabled-rules[0]', 'is not the name of a redaction rule: did you mean email?']],
  );
});

test('[CF13] addresses of linked services in the environment are no configuration', () => {
  const result = load({
    env: {
      EXPLAINABILITY_AGENT_PORT: 'tcp://10.0.0.7:9000',
      EXPLAINABILITY_AGENT_SERVICE_HOST: '10.0.0.7',
      EXPLAINABILITY_AGENT_SERVICE_PORT_OTLP_GRPC: '4317',
      EXPLAINABILITY_AGENT_PORT_4317_TCP_ADDR: '10.0.0.7',
      EXPLAINABILITY_AGENT_LOG_LEVEL: '',
    },
  });
  assert(result.ok);
  assert.equal(result.config.port, 9000);
  assert.equal(result.config.logLevel, 'info');
  assert.equal(result.warnings.length, 1);
});

test('[CF14] the configuration cannot be changed', () => {
  const config = loaded({ argv: ['--safe-keys=a'] });
  assert.throws(() => Object.assign(config, { port: 1 }), TypeError);
  assert.throws(() => (config.safeKeys as string[]).push('b'), TypeError);
});
