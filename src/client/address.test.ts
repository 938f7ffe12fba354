import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseAddress } from './address.ts';

test("[CL24] a URL names the readers' port in any of its schemes, with the prefix of a proxy", () => {
  const here = { kind: 'http', socket: 'ws://h:9000/explain', http: 'http://h:9000' };
  for (const url of [
    'http://h:9000',
    'http://h:9000/',
    'ws://h:9000',
    'ws://h:9000/explain',
    'ws://h:9000/explain/',
  ]) {
    assert.deepEqual(parseAddress(url), here, url);
  }
  const behind = { kind: 'http', socket: 'wss://h/agents/explain', http: 'https://h/agents' };
  for (const url of ['https://h/agents', 'wss://h/agents/explain'])
    assert.deepEqual(parseAddress(url), behind, url);
  assert.deepEqual(parseAddress('grpc://h'), { kind: 'grpc', target: 'h:9000', tls: false });
  assert.deepEqual(parseAddress('grpcs://[::1]:443'), { kind: 'grpc', target: '[::1]:443', tls: true });
});
