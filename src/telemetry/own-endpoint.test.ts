import assert from 'node:assert/strict';
import { networkInterfaces } from 'node:os';
import { test } from 'node:test';
import { isOwnEndpoint } from './own-endpoint.ts';

const names: Readonly<Record<string, readonly string[]>> = {
  localhost: ['::1', '127.0.0.1'],
  collector: ['10.9.9.9'],
  'agent.internal': ['10.1.1.1'],
};
const lookup = (host: string) =>
  names[host] ? Promise.resolve(names[host]) : Promise.reject(new Error('unknown name'));

const own = (endpoint: string, host: string) =>
  isOwnEndpoint(endpoint, { host, ports: [4317, 4318] }, lookup);

test('[TE5] own listeners are known by address and port, however they are written', async () => {
  for (const endpoint of [
    'http://localhost:4317',
    'http://127.0.0.1:4318/v1/traces',
    'http://127.9.9.9:4317',
    'http://[::1]:4317',
    'http://[::ffff:127.0.0.1]:4317',
    'http://0.0.0.0:4317',
    'localhost:4317',
    'https://LOCALHOST:4317',
  ]) {
    assert.equal(await own(endpoint, '127.0.0.1'), true, endpoint);
    assert.equal(await own(endpoint, '0.0.0.0'), true, endpoint);
    assert.equal(await own(endpoint, 'localhost'), true, endpoint);
  }
  assert.equal(await own('http://10.1.1.1:4317', '10.1.1.1'), true);
  assert.equal(await own('http://agent.internal:4317', '10.1.1.1'), true);
  assert.equal(await own('http://10.1.1.1:4317', 'agent.internal'), true);
});

test('[TE5] a listener on every address is known by each of them', async () => {
  const mine = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  for (const { address, family } of mine.filter(({ scopeid }) => !scopeid))
    assert.equal(
      await own(family === 'IPv6' ? `http://[${address}]:4317` : `http://${address}:4317`, '::'),
      true,
    );
});

test('[TE5] other machines and other ports are not ours', async () => {
  assert.equal(await own('http://localhost:14317', '127.0.0.1'), false);
  assert.equal(await own('http://localhost', '127.0.0.1'), false);
  assert.equal(await own('http://collector:4317', '0.0.0.0'), false);
  assert.equal(await own('http://unknown.example:4317', '0.0.0.0'), false);
  assert.equal(await own('http://localhost:4317', '10.1.1.1'), false);
  assert.equal(await own('unix:///run/collector.sock', '127.0.0.1'), false);
});
