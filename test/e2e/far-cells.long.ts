import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { TestCertificates } from '../support/test-certificates.ts';
import { BOUNDED } from '../support/until.ts';
import { federation, spans } from './federation.ts';
import { temporaryFolder } from './real-service.ts';

/** An address of this machine that is none of loopback's. */
const FAR = Object.values(networkInterfaces())
  .flat()
  .find((each) => each?.family === 'IPv4' && !each.internal)?.address;
const TOKEN = 'token-of-senders-and-readers';

test(
  '[AC13] a gateway shows what cells on other machines have that know it by its certificate, and says what those lack that do not',
  { ...BOUNDED, skip: FAR === undefined && 'this machine has no address but loopback' },
  async (t) => {
    const folder = await temporaryFolder(t);
    const certificates = new TestCertificates(folder);
    const server = certificates.signed({ use: 'server', commonName: 'cell', names: [FAR ?? ''] });
    const files = await certificates.write(server);
    const [certFile, keyFile] = [join(folder, 'gateway.crt'), join(folder, 'gateway.key')];
    const client = certificates.signed({ use: 'client', commonName: 'gateway' });
    await writeFile(certFile, client.cert);
    await writeFile(keyFile, client.key, { mode: 0o600 });
    const tls = { ...files, clientCertificates: 'optional', clients: { gateway: { roles: ['gateway'] } } };
    const auth = JSON.stringify({ token: TOKEN });
    const flags = ['--host=0.0.0.0', `--auth=${auth}`, `--tls=${JSON.stringify(tls)}`];

    const askAt = async (own: object, path: string): Promise<Response> => {
      const { gateway } = await federation(t, 2, {
        flags,
        gatewayFlags: [`--auth=${auth}`],
        ...(FAR !== undefined && { host: FAR }),
        tls: { caFile: files.caFile, ...own },
      });
      const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' };
      const url = `http://127.0.0.1:${gateway.addresses.readers.port}`;
      const body = JSON.stringify(spans(4));
      assert.equal((await fetch(`${url}/v1/traces`, { method: 'POST', headers, body })).status, 200);
      return fetch(url + path, { headers });
    };
    const known = await askAt({ certFile, keyFile }, '/api/tasks');
    assert.equal(((await known.json()) as { tasks: unknown[] }).tasks.length, 4);
    const unknown = await askAt({}, '/api/tasks');
    assert.equal(unknown.status, 503);
    assert.match(await unknown.text(), /gateway\.token must be a key .* or gateway\.tls have a certificate/);
  },
);
