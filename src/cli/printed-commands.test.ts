import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { commandLine, curlLine } from './printed-commands.ts';
import { PROGRAM, quoted } from './program.ts';

test('[CLI54] a printed command names the service where it is not at the default address', () => {
  const there = { url: 'http://127.0.0.1:9000', wantsToken: false };
  const elsewhere = { url: 'http://[::1]:41234', wantsToken: true };
  assert.equal(commandLine(there, 'why', 'req:a/1'), `${PROGRAM} why req:a/1`);
  assert.equal(commandLine(elsewhere, 'watch'), `${PROGRAM} watch --url 'http://[::1]:41234'`);
  assert.equal(curlLine(there, '/metrics'), 'curl http://127.0.0.1:9000/metrics');
  assert.equal(
    curlLine(elsewhere, '/api/graph?a=b&c=d'),
    `curl -H "authorization: Bearer $EXPLAINABILITY_AGENT_TOKEN" 'http://[::1]:41234/api/graph?a=b&c=d'`,
  );
});

test('[CLI54] a shell takes every printed word for the one that it is', () => {
  for (const word of ['a b', "it's", '$HOME', '`x`', 'a;b', '*', '~', '', '!x', '"', 'a\\b', 'é', '#x'])
    assert.equal(execFileSync('sh', ['-c', `printf %s ${quoted(word)}`]).toString(), word);
});
