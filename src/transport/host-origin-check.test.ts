import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BoundaryError } from '../base/boundary-error.ts';
import { createHostOriginCheck } from './host-origin-check.ts';
import type { HostHeaders } from './host-origin-check.ts';

const local = createHostOriginCheck({
  host: '127.0.0.1',
  allowedHosts: ['explain.internal'],
  allowedOrigins: ['https://dash.example'],
});
const wide = createHostOriginCheck({ host: '0.0.0.0' });

function refused(check: typeof local, headers: HostHeaders, setting: RegExp): void {
  assert.throws(
    () => check.check(headers),
    (error) =>
      error instanceof BoundaryError && error.code === 'PERMISSION_DENIED' && setting.test(error.message),
  );
}

test('[SV30] loopback names, the configured host and allowedHosts are answered', () => {
  const hosts = [
    'localhost:9000',
    'LOCALHOST',
    '127.0.0.1:9000',
    '127.9.9.9',
    '[::1]:9000',
    'explain.internal:1',
  ];
  for (const host of hosts) assert.equal(local.check({ host }), undefined, host);
});

test('[SV30] any other Host is refused with the setting that allows it', () => {
  const foreign = [
    'evil.example:9000',
    '10.0.0.1:9000',
    '127.0.0.1.evil.example',
    'localhost.evil.example',
    '',
    'a b',
  ];
  for (const host of [...foreign, '[::1', '127.0.0.1:9000@evil', undefined])
    refused(local, { host }, /allowedHosts/);
});

test('[SV30] bound wider, addresses are answered and names are not', () => {
  for (const host of ['10.0.0.1:9000', '[fe80::1]:9000', 'localhost'])
    assert.equal(wide.check({ host }), undefined);
  refused(wide, { host: 'evil.example' }, /allowedHosts/);
});

test('[SV31] the same host and port is no foreign Origin', () => {
  const host = 'localhost:9000';
  assert.equal(local.check({ host, origin: 'http://localhost:9000' }), undefined);
  assert.equal(local.check({ host: 'localhost', origin: 'http://localhost' }), undefined);
  assert.equal(local.check({ host: 'explain.internal', origin: 'https://explain.internal' }), undefined);
});

test('[SV31] an allowed Origin and a VS Code webview are named for CORS', () => {
  const host = 'localhost:9000';
  for (const origin of ['https://dash.example', 'vscode-webview://0abc']) {
    assert.equal(local.check({ host, origin }), origin);
  }
});

test('[SV31] any other Origin is refused with the setting that allows it', () => {
  const host = 'localhost:9000';
  const foreign = [
    'https://evil.example',
    'http://localhost:3000',
    'http://127.0.0.1:9000',
    'null',
    'file://',
    '',
  ];
  for (const origin of [...foreign, 'https://dash.example.evil', 'ftp://localhost:9000']) {
    refused(local, { host, origin }, /allowedOrigins/);
  }
});

test('[SV30] a refusal does not repeat what was sent', () => {
  assert.throws(
    () => local.check({ host: 'secret-name.example' }),
    (error: Error) => !error.message.includes('secret'),
  );
});

test('[IN23] a sender may use any Host beyond loopback, and no foreign Origin anywhere', () => {
  const foreign = { host: 'explain.monitoring.svc' };
  assert.throws(() => local.checkSender(foreign), /allowedHosts/);
  wide.checkSender(foreign);
  for (const check of [local, wide]) {
    check.checkSender({ host: 'localhost' });
    assert.throws(
      () => check.checkSender({ host: 'localhost', origin: 'https://evil.example' }),
      /allowedOrigins/,
    );
  }
});
