import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeConfig } from './describe-config.ts';
import { loadConfig } from './load-config.ts';

/** @param role empty where it is not set */
function load(gateway: unknown, role = 'gateway') {
  return loadConfig({
    argv: [],
    env: {
      EXPLAINABILITY_AGENT_ROLE: role,
      EXPLAINABILITY_AGENT_GATEWAY: gateway === undefined ? undefined : JSON.stringify(gateway),
    },
    homeDir: '/nobody',
    cwd: '/work',
  });
}

/** By their places in `gateway`. */
function problems(gateway: unknown, role?: string): Readonly<Record<string, string>> {
  const result = load(gateway, role);
  assert.ok(!result.ok, 'was accepted');
  return Object.fromEntries(
    result.problems.map(({ path, message }) => [path.replace('EXPLAINABILITY_AGENT_', ''), message]),
  );
}

test('[CE1] a service is an ordinary one unless its role is gateway, and then it knows where its cells are', () => {
  const ordinary = load(undefined, '');
  assert.ok(ordinary.ok);
  assert.equal(ordinary.config.role, 'all');
  assert.equal(ordinary.config.gateway, undefined);
  const gateway = load({ cells: ['cell-1:9000', { name: 'b', address: '[::1]:9000', endpoint: 'b:1' }] });
  assert.ok(gateway.ok);
  assert.deepEqual(gateway.config.gateway, {
    cells: [{ address: 'cell-1:9000' }, { name: 'b', address: '[::1]:9000', endpoint: 'b:1' }],
    routeBy: 'traceID',
    otlpPort: 4317,
  });
  const dns = load({ dns: { name: 'cells.example' } });
  assert.ok(dns.ok);
  assert.deepEqual(dns.config.gateway?.dns, { name: 'cells.example', type: 'A', everySeconds: 10 });
  const file = load({ file: 'cells.json', tls: { caFile: '~/ca.pem' } });
  assert.ok(file.ok);
  assert.equal(file.config.gateway?.file, '/work/cells.json');
  assert.deepEqual(file.config.gateway.tls, { caFile: '/nobody/ca.pem' });
});

test('[CE1] role and cells go together, and cells come from one place', () => {
  assert.match(problems(undefined)['ROLE'] ?? '', /^is "gateway", so "gateway" must say where the cells are/);
  assert.match(problems({ file: 'x' }, 'all')['GATEWAY'] ?? '', /^needs "role": "gateway" beside it/);
  assert.match(problems({ file: 'x' }, 'cell')['ROLE'] ?? '', /^must be one of all, gateway/);
  assert.match(problems({ file: 'x', cells: ['a:1'] })['GATEWAY'] ?? '', /exactly one of .* it has 2/);
  assert.match(problems({})['GATEWAY'] ?? '', /exactly one of cells, dns and file.* it has none/);
});

test('[CE2] all that is wrong with the settings of a gateway is said at once, by its place', () => {
  const found = problems({
    cells: [
      'cell-1',
      'cell-1:70000',
      { address: 'cell-2:9000', name: 'no blanks', endpoint: 4317 },
      { name: 'x', port: 9000 },
      7,
    ],
    dns: { name: 'http://cells', type: 'MX', port: 0, everySeconds: 0, server: 'localhost', ttl: 1 },
    file: '',
    routeBy: 'two words',
    otlpPort: '4317',
    token: 'a canary',
    tls: { ca: 'x', certFile: 1 },
    cell: [],
  });
  const expected: readonly (readonly [string, RegExp])[] = [
    ['GATEWAY.cells[0]', /^must be an address with its port, such as "cell-1:9000", or an object/],
    ['GATEWAY.cells[1]', /^must be an address with its port/],
    ['GATEWAY.cells[2]', /^name must be a name of 1 to 64 .*; endpoint must be an address .*4317"$/],
    ['GATEWAY.cells[3]', /address must be an address .*; has no key "port": the keys of a cell are/],
    ['GATEWAY.cells[4]', /or an object; the keys of a cell are name, address, endpoint and drain$/],
    ['GATEWAY.dns.name', /^must be a name in the DNS/],
    ['GATEWAY.dns.type', /^must be "A", "AAAA" or "SRV"$/],
    ['GATEWAY.dns.port', /from 1 to 65535/],
    ['GATEWAY.dns.everySeconds', /from 0.1 to 3600/],
    ['GATEWAY.dns.server', /^must be the IP address of a server with its port/],
    ['GATEWAY.dns', /^has no key "ttl": the keys of dns are name, type, port/],
    ['GATEWAY.file', /path of a file/],
    ['GATEWAY.routeBy', /"traceID", or the name of an attribute/],
    ['GATEWAY.otlpPort', /from 1 to 65535/],
    ['GATEWAY.token', /^must be a token of 8 to 4096 visible ASCII characters$/],
    ['GATEWAY.tls.certFile', /path of a file/],
    ['GATEWAY.tls', /^has no key "ca": the keys of tls are caFile, certFile and keyFile/],
    ['GATEWAY', /^has no key "cell": the keys of gateway are cells, dns, file/],
  ];
  for (const [path, message] of expected) assert.match(found[path] ?? `nothing at ${path}`, message);
  assert.deepEqual(Object.keys(found).sort(), expected.map(([path]) => path).sort());
});

test('[CE2] of two cells with the same name, address or endpoint one is wrong; there are at most 100', () => {
  const twice = problems({
    cells: [
      { name: 'a', address: 'a:1', endpoint: 'a:3' },
      { name: 'a', address: 'a:1', endpoint: 'a:3' },
    ],
  });
  assert.deepEqual(twice, {
    'GATEWAY.cells[1]': 'is the address of another cell: each needs its own',
    'GATEWAY.cells[1].name': 'is the name of another cell: each needs its own',
    'GATEWAY.cells[1].endpoint': 'is the endpoint of another cell: each needs its own',
  });
  const many = Array.from({ length: 101 }, (_, n) => `cell-${n}:9000`);
  assert.match(problems({ cells: many })['GATEWAY.cells'] ?? '', /^must be a list of 1 to 100 cells/);
  assert.match(problems({ cells: [] })['GATEWAY.cells'] ?? '', /^must be a list of 1 to 100 cells/);
  assert.match(
    problems({ dns: { name: 'x', type: 'SRV', port: 1 } })['GATEWAY.dns.port'] ?? '',
    /^must be left out with "type": "SRV"/,
  );
  assert.match(problems({ file: 'x', tls: { certFile: 'c' } })['GATEWAY.tls'] ?? '', /certFile and keyFile/);
});

test('[CE3] the token of a gateway is never shown, its cells are', () => {
  const token = 'canary-of-the-gateway';
  const result = load({ cells: ['cell-1:9000'], token });
  assert.ok(result.ok);
  const text = describeConfig(result.config, result.sources);
  assert.doesNotMatch(text, /canary/);
  assert.match(text, /"token": "\*{8}"/);
  assert.match(text, /cell-1:9000/);
  assert.match(result.warnings.join('\n'), /gateway\.tls is not set: gateway\.token goes over the network/);
  const near = load({ cells: ['127.0.0.1:9000', '[::1]:9000'], token });
  assert.ok(near.ok);
  assert.deepEqual(near.warnings, []);
  const flags = (gateway: unknown) =>
    loadConfig({
      argv: ['--role=gateway', `--gateway=${JSON.stringify(gateway)}`],
      env: {},
      homeDir: '/nobody',
    });
  const shown = flags({ cells: ['127.0.0.1:9000'], token });
  assert.ok(shown.ok);
  assert.match(shown.warnings.join('\n'), /^--gateway: other users of this machine can see flags/);
  const plain = flags({ cells: ['127.0.0.1:9000'] });
  assert.ok(plain.ok);
  assert.deepEqual(plain.warnings, []);
});
