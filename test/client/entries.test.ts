import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { scripted } from './scripted-server.ts';
import { graphOf } from './fake-transport.ts';

const CLIENT = resolve(import.meta.dirname, '../../src/client');

interface Reach {
  readonly files: ReadonlyMap<string, string>;
  readonly packages: ReadonlySet<string>;
}

/** Every file and package that is loaded with a file; imports of types alone are not. */
function reach(entry: string): Reach {
  const files = new Map<string, string>();
  const packages = new Set<string>();
  const queue = [resolve(CLIENT, entry)];
  for (const file of queue) {
    if (files.has(file)) continue;
    const code = readFileSync(file, 'utf8').replaceAll(/\/\*[^]*?\*\/|(?<=^|\s)\/\/.*$/gm, '');
    files.set(file, code);
    const names = [
      ...code.matchAll(/^(?:import|export) (?!type\b)[^;]*?from '([^']+)'/gm),
      ...code.matchAll(/\bimport\(\s*'([^']+)'/g),
      ...code.matchAll(/^import '([^']+)'/gm),
    ];
    for (const [, name = ''] of names) {
      if (name.startsWith('.')) queue.push(resolve(dirname(file), name));
      else packages.add(name);
    }
  }
  return { files, packages };
}

test('[CL27] what the browser loads needs graphology and nothing of Node', () => {
  const { files, packages } = reach('browser.ts');
  assert.deepEqual([...packages], ['graphology']);
  assert.ok(files.size > 10);
  for (const [file, code] of files) {
    if (/src\/base\/clock/.test(file)) continue;
    assert.doesNotMatch(code, /\b(?:Buffer|process|require|__dirname|setImmediate)\b[.(]/, file);
  }
  assert.ok(reach('node.ts').packages.has('@grpc/grpc-js'), 'the search finds what is there');
});

test('[CL27] nothing that Node 20 has not is used', () => {
  for (const [file, code] of reach('node.ts').files) {
    assert.doesNotMatch(
      code,
      /withResolvers|fromAsync|Iterator\.from|\.(?:union|intersection|isSubsetOf)\(|\bawait using\b|import\.meta\.dirname|Promise\.try|RegExp\.escape/,
      file,
    );
    assert.doesNotMatch(
      code,
      /\.(?:values|keys|entries)\(\)\s*\.(?:map|filter|some|every|find|toArray|reduce)\(/,
      file,
    );
  }
});

test('[CL27] both entries offer the same names', async () => {
  const browser = await import('../../src/client/browser.ts');
  const node = await import('../../src/client/node.ts');
  assert.deepEqual(Object.keys(browser).sort(), Object.keys(node).sort());
});

/** A program of a user; resolves with its exit code and what it said. */
async function run(program: string): Promise<{ readonly code: number | null; readonly output: string }> {
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], { timeout: 60_000 });
  let output = '';
  child.stdout.on('data', (text: Buffer) => (output += text.toString()));
  child.stderr.on('data', (text: Buffer) => (output += text.toString()));
  const code = await new Promise<number | null>((done) => child.on('close', done));
  return { code, output };
}

test('[CL28] a program goes on through a lost connection, and ends by itself after close', async (t) => {
  const url = await scripted(t, {
    frame: ({ type, requestId }, socket, connection) => {
      if (type !== 'subscribe') return;
      if (connection === 1) socket.terminate();
      else
        socket.send(
          JSON.stringify({
            type: 'subscribed',
            requestId,
            subscriptionId: 's',
            sequence: 0,
            graph: graphOf('a'),
          }),
        );
    },
  });
  const entry = pathToFileURL(resolve(CLIENT, 'node.ts')).href;
  const { code, output } = await run(`
    import { connect } from '${entry}';
    const client = connect({ url: '${url}' });
    const live = client.subscribe();
    live.on('state', ({ state }) => {
      console.log(state);
      if (state === 'live') client.close();
    });
  `);
  assert.equal(output, 'waiting\nconnecting\nlive\nclosed\n');
  assert.equal(code, 0);
});

test('[CL28] nothing is an unhandled rejection, whatever fails and nobody waits for', async (t) => {
  const url = await scripted(t, {
    upgrade: (_request, socket) => socket.destroy(),
    http: (_request, response) =>
      response.writeHead(401).end('{"error":{"code":"UNAUTHENTICATED","message":"no"}}'),
  });
  const entry = pathToFileURL(resolve(CLIENT, 'node.ts')).href;
  for (const address of [url, 'http://127.0.0.1:1', 'grpc://127.0.0.1:1']) {
    const { code, output } = await run(`
      import { connect } from '${entry}';
      const client = connect({ url: '${address}', timing: { initialBackoffMs: 10 } });
      client.subscribe();
      client.subscribe({ giveUpAfterMs: 100 });
      const live = client.subscribe();
      const iterator = live[Symbol.asyncIterator]();
      live.updateFilters({}).catch(() => undefined);
      setTimeout(() => client.close(), 400);
    `);
    assert.equal(output, '');
    assert.equal(code, 0);
  }
});
