import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { createServer as createTcpServer, type AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { COMMANDS } from '../../src/cli/commands.ts';
import { EXIT } from '../../src/cli/exit-codes.ts';
import { RealService, temporaryFolder } from '../e2e/real-service.ts';
import { run, type Result } from './run-command.ts';

const RECORDING = join(import.meta.dirname, '../fixtures/telemetry/ai-sdk-6.otlp.json');
const MAIN = resolve(import.meta.dirname, '../../src/main.ts');

let service: RealService;
let folder: string;

before(async () => {
  folder = await temporaryFolder();
  service = await RealService.start({ dataDir: join(folder, 'data') });
});

after(async () => {
  await service.stop();
  await rm(folder, { recursive: true, force: true });
});

/** One clear line, and never a stack trace. */
function assertOneLine({ stdout, stderr }: Result, message: RegExp): void {
  assert.match(stderr, message);
  assert.equal(stderr.trimEnd().split('\n').length, 1, stderr);
  assert.doesNotMatch(stderr, /^ {4}at |node:internal/m);
  assert.equal(stdout, '');
}

async function listening(server: ReturnType<typeof createTcpServer>): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A port at which nothing listens. */
async function freePort(): Promise<string> {
  const server = createTcpServer();
  const url = await listening(server);
  server.close();
  await once(server, 'close');
  return url;
}

test('[CLI5] an unknown command and wrong options are refused with code 2, and what may have been meant', async () => {
  const cases = [
    [['gett'], /unknown command "gett": did you mean "get"\? \(see npm run -s cli -- --help\)/],
    [['xyzzy'], /unknown command "xyzzy": there are serve, demo, watch/],
    [['help', 'wach'], /did you mean "watch"/],
    [
      ['get', '--stauts', 'ERROR'],
      /unknown option --stauts: did you mean --status\? \(see npm run -s cli -- get --help\)/,
    ],
    [['get', '--hepl'], /unknown option --hepl: did you mean --help\?/],
    [['tasks', '--url', 'nonsense'], /url is not a URL/],
  ] as const;
  for (const [args, message] of cases) {
    const result = await run(args);
    assert.equal(result.code, 2, args.join(' '));
    assertOneLine(result, message);
  }
});

test('[CLI3] a misspelt option of a command that takes settings, too, is told the nearest one', async () => {
  const cases = [
    [['--verison'], /--verison: is not a known flag: did you mean --version\?/],
    [['config', '--verison'], /unknown option --verison: did you mean --version\?/],
    [['store', '--hlep'], /did you mean --help\?/],
    [['audit', '--verison'], /did you mean --version\?/],
    [['demo', '--runawy'], /did you mean --runaway\?/],
    [['config', 'print', '--source'], /did you mean --sources\?/],
    [['redact', '--finding'], /did you mean --findings\?/],
    [['keys', 'list', '--jsn'], /did you mean --json\?/],
    [['store', 'export', '--out', 'x', '--jsn'], /did you mean --json\?/],
  ] as const;
  for (const [args, message] of cases) {
    const { code, stderr } = await run(args);
    assert.equal(code, 2, args.join(' '));
    assert.match(stderr, message);
  }
});

test('[CLI5] each command says what it misses, or takes no part in', async () => {
  const cases = [
    [['get', '--format', 'yaml'], /--format must be one of explanation, cytoscape, d3, graphology/],
    [['get', 'id', '--task', 'x'], /leave out --format and the filters/],
    [['why'], /give either the id of a step or --task/],
    [['why', 'a', '--task', 'b'], /give either the id of a step or --task/],
    [['send'], /name the files to send/],
    [['send', 'x', '--url', 'nonsense'], /--url must be an address like/],
    [['config'], /config check, config print or config schema/],
  ] as const;
  for (const [[name, ...args], message] of cases) {
    const command = COMMANDS.find((one) => one.name === name);
    const refusal = { name: 'CliError', exitCode: EXIT.badConfiguration, message };
    await assert.rejects(async () => command?.run(args), refusal, [name, ...args].join(' '));
  }
});

test('[CLI6] help is there for the program and for each command', async () => {
  const whole = await run(['--help']);
  assert.equal(whole.code, 0);
  assert.match(whole.stdout, /Usage: npm run -s cli -- <command>/);
  const watch = await run(['watch', '--help']);
  assert.deepEqual([watch.code, watch.stderr], [0, '']);
  assert.equal((await run(['help', 'watch'])).stdout, watch.stdout);
  assert.match((await run(['--version'])).stdout, /^\d+\.\d+\.\d+\n$/);
});

test('[CLI7] where nothing answers, or something else, every command says so and ends with code 1', async (t) => {
  const html = createServer((_, response) => {
    response.setHeader('content-type', 'text/html');
    response.end('<html>hello</html>');
  });
  const rude = createTcpServer((socket) => socket.on('error', () => undefined).end('SSH-2.0-x\r\n'));
  t.after(() => [html, rude].map((server) => server.close()));
  const nobody = await freePort();
  const page = await listening(html);
  const other = await listening(rude);
  const cases = [
    [
      nobody,
      /Nothing answers at http:\/\/127\.0\.0\.1:\d+: is the service running there\? Start it with "npm run -s cli -- serve", or name another with --url\./,
    ],
    [page, /is this the readers' port \(9000 by default\)/],
    [other, /does not speak HTTP: is it the service's port for readers/],
    [`http://${service.otlpGrpc}`, /is (?:it|this) the (?:service's port for readers|readers' port)/],
    [service.otlpHttp, /check address and path/],
  ] as const;
  for (const [url, message] of cases) {
    // Each command, and each answer: what they have in common is tried once.
    for (const command of url === nobody ? [['get'], ['watch'], ['tasks']] : [['get']]) {
      const result = await run([...command, '--url', url]);
      assert.equal(result.code, 1, `${command.join(' ')} ${url}`);
      assertOneLine(result, message);
    }
  }
  const sent = [
    [nobody, /Nothing answers at .*--otlp-url/],
    [page, /is not the service's OTLP\/HTTP receiver/],
    [`http://${service.otlpGrpc}`, /is not the service's OTLP\/HTTP receiver/],
  ] as const;
  for (const [url, message] of sent) {
    const result = await run(['send', RECORDING, '--otlp-url', url]);
    assert.equal(result.code, 1);
    assertOneLine(result, message);
  }
});

test('[CLI7] an unknown step or task ends with code 1 and where to look', async () => {
  const cases = [
    [['why', 'nope'], /no node with this id.* tasks"/],
    [['get', 'nope'], /run -s cli -- tasks/],
    [['why', '--task', 'nope'], /no task with this id.* tasks"/],
    [['spikes', '--task', 'nope'], /no task with this id/],
    [['summary', 'nope'], /no task with this id/],
    [['compare', 'nope', 'nobody'], /a: no task with this id/],
    [['get', '--task', 'nope'], /no task nope is known \("npm run -s cli -- tasks" lists them\)/],
    [['get', '--task', 'nope', '--task', 'nobody', '--format', 'otlp'], /no task nope, nobody is known/],
    [['tasks', '--task', 'nope', '--json'], /no task nope is known/],
    [['patterns', '--task', 'nope', '--json'], /no task nope is known/],
    [['export', 'nope', '--to', 'http://127.0.0.1:1'], /no task nope is known/],
  ] as const;
  for (const [args, message] of cases) {
    const result = await run([...args, '--url', service.readers]);
    assert.equal(result.code, 1);
    assertOneLine(result, message);
  }
});

test('[CLI38] a file that cannot be read is named, with what to do, and the others are sent', async () => {
  const whole = await readFile(RECORDING);
  await mkdir(join(folder, 'dir'));
  await writeFile(join(folder, 'half.json'), whole.subarray(0, whole.length / 2));
  await writeFile(join(folder, 'empty.json'), '\n \n');
  await writeFile(join(folder, 'spans.pb'), Buffer.from([0x0a, 0x7b, 0x12, 0x08, 0x01, 0x7b]));
  await writeFile(join(folder, 'spans.json.gz'), gzipSync(whole));
  await writeFile(join(folder, 'page.html'), '<html></html>');
  const files = [
    'half.json',
    'empty.json',
    'dir',
    'nothing.json',
    'spans.pb',
    'spans.json.gz',
    'page.html',
    RECORDING,
  ];
  const urls = ['--otlp-url', service.otlpHttp, '--url', service.readers];
  const result = await run(['send', ...files, ...urls], { cwd: folder });
  assert.equal(result.code, 1);
  const expected = [
    /^half\.json: line 1: the JSON that begins here ends in the middle: is the file complete\?$/,
    /^empty\.json: is empty: there is nothing to send$/,
    /^dir: is a folder: name the files in it/,
    /^nothing\.json: does not exist: check the path$/,
    /^spans\.pb: is not JSON but binary, such as protobuf: send takes JSON/,
    /^spans\.json\.gz: is compressed: send it with "gunzip -c FILE/,
    /^page\.html: is not JSON: send takes OTLP JSON/,
  ];
  const lines = result.stderr.trimEnd().split('\n');
  assert.equal(lines.length, expected.length, result.stderr);
  for (const [index, pattern] of expected.entries()) assert.match(lines[index] ?? '', pattern);
  assert.match(result.stdout, /ai-sdk-6\.otlp\.json: 8 spans accepted\n$/);
});

test('[CLI36] what is refused ends with code 1, is named by line, and costs nothing else', async () => {
  const input =
    '{"requestId":"bad-1","timestamp":1750000000000,"text":"x"}\n{"requestId":"bad-2","te\n{"requestId":"bad-3"}\n{"a":1}\n';
  const result = await run(['send', '-', '--url', service.readers], { input });
  assert.equal(result.code, 1);
  assert.match(result.stderr, /line 2: is not valid JSON\n/);
  assert.match(result.stderr, /line 3: timestamp/);
  assert.match(result.stderr, /line 4: is none of what can be sent/);
  assert.equal(result.stdout, 'standard input: 1 thought accepted; 3 refused\n');
});

test('[CLI8] a reader that goes away ends a command quietly', async (t) => {
  await run(['send', RECORDING, '--otlp-url', service.otlpHttp]);
  const shell = promisify(execFile);
  for (const args of ['get --all --pretty', 'watch --json', 'help watch']) {
    const url = args.startsWith('help') ? '' : `--url ${service.readers}`;
    const line = `set -o pipefail; '${process.execPath}' '${MAIN}' ${args} ${url} | head -n 1`;
    const ended = shell('bash', ['-c', line], { timeout: 60_000 });
    // A watch notices with the next change that it writes.
    let number = 0;
    const changes = setInterval(() => {
      const body = JSON.stringify({
        requestId: `piped-${number++}`,
        timestamp: 1_750_000_000_000,
        text: 'x',
      });
      const headers = { 'content-type': 'application/json' };
      fetch(`${service.readers}/api/cot`, { method: 'POST', headers, body }).catch(() => undefined);
    }, 200);
    t.after(() => clearInterval(changes));
    const { stdout, stderr } = await ended;
    clearInterval(changes);
    assert.equal(stdout.trimEnd().split('\n').length, 1);
    assert.equal(stderr, '');
  }
});

test('[CLI54] a command that a problem of the configuration names is called as it is called here', async () => {
  const { stderr } = await run(['config', 'check', '--host', '0.0.0.0']);
  assert.match(stderr, /"npm run -s cli -- certs" makes files for trying/);
});

test('[CLI9] config: check says all problems at once, print masks secrets, schema is JSON', async () => {
  const path = join(folder, 'config.json');
  await writeFile(
    path,
    '{"explainabilityAgent": {"port": 9100, "auth": {"token": "very-secret-token"}, /* why */ }}',
  );
  const good = await run(['config', 'check', '--config', path]);
  assert.deepEqual([good.code, good.stdout, good.stderr], [0, 'OK\n', '']);
  const bad = await run(['config', 'check', '--config', path, '--port', 'x', '--prot', '1']);
  assert.equal(bad.code, 2);
  assert.match(
    bad.stderr,
    /--port: must be[^]*--prot: is not a known flag: did you mean --port\?|--prot[^]*--port: must be/,
  );
  const env = {
    EXPLAINABILITY_AGENT_OTLP_HTTP_PORT: '4400',
    EXPLAINABILITY_AGENT_URL: 'http://x',
    EXPLAINABILITY_AGENT_TOKEN: 'x',
  };
  const printed = await run(['config', 'print', '--config', path, '--otlp-grpc-port', '4500'], { env });
  assert.equal(printed.code, 0, printed.stderr);
  const merged = (JSON.parse(printed.stdout) as { explainabilityAgent: { [key: string]: unknown } })
    .explainabilityAgent;
  const { port, otlpHttpPort, otlpGrpcPort, auth } = merged;
  assert.deepEqual([port, otlpHttpPort, otlpGrpcPort], [9100, 4400, 4500]);
  assert.deepEqual(auth, { token: '********' });
  const sources = await run(['config', 'print', '--sources', '--config', path], { env });
  assert.match(
    sources.stdout,
    /\/\/ environment: EXPLAINABILITY_AGENT_OTLP_HTTP_PORT\n +"otlpHttpPort": 4400/,
  );
  const schema = await run(['config', 'schema']);
  assert.equal(
    schema.stdout,
    await readFile(join(import.meta.dirname, '../../config/explainability-agent.schema.json'), 'utf8'),
  );
});

test('[CLI5] a tee whose port is in use says so, and how to choose another', async (t) => {
  const server = createTcpServer();
  const { port } = new URL(await listening(server));
  t.after(() => server.close());
  const result = await run(['ag-ui', 'tee', 'http://127.0.0.1:1/agent', '--port', port]);
  assert.equal(result.code, EXIT.crash);
  assertOneLine(result, /ag-ui: port \d+ is in use: stop what uses it, or choose another with --port/);
});
