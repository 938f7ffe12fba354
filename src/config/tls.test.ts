import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadConfig } from './load-config.ts';
import type { ServiceConfig } from './schema.ts';

/** What is wrong, one problem a line; nothing when it is accepted. */
function wrong(tls: object | string, ...flags: readonly string[]): string {
  const text = typeof tls === 'string' ? tls : JSON.stringify(tls);
  const argv = [...(text === '' ? [] : [`--tls=${text}`]), ...flags];
  const result = loadConfig({ argv, env: {}, homeDir: '/nowhere' });
  return result.ok ? '' : result.problems.map(({ path, message }) => `${path} ${message}`).join('\n');
}

const pair = { certFile: 'a.crt', keyFile: 'a.key' };
const caFile = 'ca.crt';

test('[AC66] a host beyond loopback needs TLS on every port, or the word that something in front has it', () => {
  const wide = ['--host=0.0.0.0', '--auth={"token":"0123456789"}'];
  assert.match(wrong('', ...wide), /^--host is not loopback, so "tls" must be set for every port/);
  assert.match(wrong({ readers: pair }, ...wide), /^--host .*"tls" must be set for every port/);
  for (const tls of ['terminated', pair, { ...pair, otlpGrpc: 'terminated' }])
    assert.equal(wrong(tls, ...wide), '');
  assert.equal(wrong({ readers: pair }), '', 'on loopback a port may be left out');
});

test('[AC66] what is wrong in `tls` is said by its place', () => {
  assert.match(wrong({ certFile: 'a.crt' }), /^--tls needs keyFile/);
  assert.match(wrong({ readers: { keyFile: 'a.key' } }), /^--tls needs certFile/);
  assert.match(wrong({ ...pair, clientCertificates: 'required' }), /needs caFile/);
  assert.match(wrong({ ...pair, caFile }), /needs clientCertificates/);
  assert.equal(wrong({ ...pair, caFile, clientCertificates: 'none' }), '');
  assert.match(
    wrong({ ...pair, caFile, clientCertificates: 'always' }),
    /^--tls\.clientCertificates must be/,
  );
  assert.match(wrong({ ...pair, certfile: 'x' }), /^--tls has an unknown key; the keys are certFile/);
  assert.match(wrong({ ...pair, readers: 'off' }), /^--tls\.readers must be "terminated" or/);
  assert.match(wrong('on'), /^--tls must be "terminated" or/);
});

test('[AC68] names in certificates are mapped to roles that there are', () => {
  const one = { 'collector-1': { roles: ['sender'] } };
  assert.match(wrong({ ...pair, clients: one }), /has clients, so it needs caFile/);
  const asked = { ...pair, caFile, clientCertificates: 'optional' };
  assert.equal(wrong({ ...asked, clients: one }), '');
  assert.equal(wrong({ ...pair, clients: one, otlpGrpc: { caFile, clientCertificates: 'required' } }), '');
  assert.match(
    wrong({ ...asked, clients: { c: { roles: ['root'] } } }),
    /must be a list of roles, of sender/,
  );
  assert.match(wrong({ ...asked, clients: { c: { roles: [] } } }), /must be a list of roles/);
  assert.equal(wrong({ ...asked, clients: { c: { roles: ['gateway'] } } }), '');
  assert.match(wrong({ ...asked, clients: { c: { roles: ['gateway', 'reader'] } } }), /gateway stands alone/);
  assert.match(
    wrong({ ...asked, clients: { c: { roles: ['sender'], project: 'a b' } } }),
    /\.project must be/,
  );
});

test('[AC66] files of TLS are found from the working folder and from home', () => {
  const tls = {
    certFile: 'a.crt',
    keyFile: '~/a.key',
    readers: { certFile: '/b.crt' },
    otlpHttp: 'terminated',
  };
  const result = loadConfig({
    argv: [`--tls=${JSON.stringify(tls)}`],
    env: {},
    homeDir: '/home/me',
    cwd: '/work',
  });
  assert.ok(result.ok);
  const expected: ServiceConfig['tls'] = {
    certFile: '/work/a.crt',
    keyFile: '/home/me/a.key',
    readers: { certFile: '/b.crt' },
    otlpHttp: 'terminated',
  };
  assert.deepEqual(result.config.tls, expected);
});
