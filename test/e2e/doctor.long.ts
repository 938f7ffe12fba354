import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import type { SplitReport, ToldCells } from '../../src/model/told-cells.ts';
import { run } from '../cli/run-command.ts';
import type { ToldCell } from '../../src/model/told-cells.ts';
import { BOUNDED, until } from '../support/until.ts';
import { SHORT_RUN, sendSpans } from '../ui/play.ts';
import { federation, traceOf } from './federation.ts';
import { RealService } from './real-service.ts';

const [SENDER, ADMIN] = ['sender-token', 'admin-token'];
/** Nobody guesses it. */
const GATEWAY = 'kG7x2Lq9Zp4Rt8VwYm3Nc6Hb';

/** What `doctor` said, and with `--json` the same for a program. */
async function diagnosis(
  url: string,
  ...flags: readonly string[]
): Promise<{ readonly code: number | null; readonly lines: readonly string[]; readonly stderr: string }> {
  const { code, stdout, stderr } = await run(['doctor', '--url', url, ...flags]);
  return { code, stderr, lines: stdout.split('\n').filter((line) => line !== '') };
}

/** A span as OTLP tells it. */
function told(trace: number, span: number, attributes: object, startMs = 0, ms = 100): object {
  const nanos = (at: number): string => `${BigInt(1_750_000_000_000 + at) * 1_000_000n}`;
  return {
    traceId: traceOf(trace),
    spanId: `${span}`.padStart(16, '0'),
    name: 'step',
    startTimeUnixNano: nanos(startMs),
    endTimeUnixNano: nanos(startMs + ms),
    attributes: Object.entries(attributes).map(([key, value]: readonly [string, unknown]) => ({
      key,
      value: typeof value === 'number' ? { intValue: value } : { stringValue: value },
    })),
  };
}

async function post(url: string, path: string, body: object): Promise<void> {
  const answer = await fetch(`${url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  assert.ok(answer.ok, await answer.text());
}

const sendTo = (url: string, scope: string, ...spans: readonly object[]): Promise<void> =>
  post(url, '/v1/traces', {
    resourceSpans: [{ resource: {}, scopeSpans: [{ scope: { name: scope }, spans }] }],
  });

test(
  '[DR3] doctor finds nothing where all is well, and names what several cells cannot join',
  BOUNDED,
  async (t) => {
    const { cells, url } = await federation(t, 2);
    const [first, second] = cells as [RealService, RealService];
    await sendSpans(first.otlpHttp, 'whole', SHORT_RUN);
    await first.flush();
    const well = await run(['doctor', '--url', url]);
    assert.deepEqual(
      [well.code, well.stdout, well.stderr],
      [0, 'All is well: 2 cells, 1 task looked at.\n', ''],
    );
    await sendSpans(first.otlpHttp, 'in-two', SHORT_RUN, [0, 1]);
    await sendSpans(second.otlpHttp, 'in-two', SHORT_RUN, [2]);
    await first.flush();
    await second.flush();
    const found = await run(['doctor', '--url', url]);
    assert.equal(found.code, 1);
    assert.match(
      found.stdout,
      /^! 1 task in several cells \(in-two in cell-0, cell-1\): share out by session\.id/m,
    );
    assert.match(found.stdout, /^! 1 trace in several cells \([0-9a-f]{32} in cell-0, cell-1\): /m);
  },
);

test(
  '[DR3] what was sent to a gateway and does not come out as from one service is named by doctor',
  BOUNDED,
  async (t) => {
    const { cells, gateway, url } = await federation(t, 3);
    const { host, port } = gateway.addresses.otlpHttp;
    const otlp = `http://${host}:${port}`;
    const call = {
      'gen_ai.operation.name': 'chat',
      'gen_ai.request.model': 'gpt-4o',
      'gen_ai.response.id': 'chatcmpl-1',
    };
    for (let trace = 0; trace < 12; trace++) {
      // One conversation over many traces, some of which are in other cells than the rest.
      await sendTo(otlp, 'agents', told(trace, 1, { 'session.id': 'talk' }, trace * 1000));
      // Sessions whose traces are tasks of their own.
      await sendTo(
        otlp,
        'agents',
        told(20 + trace, 1, { 'session.id': 'desk', taskID: `case-${trace}` }, trace * 1000),
      );
      // One call that each trace tells of by another instrumentation.
      await sendTo(otlp, `sdk-${trace}`, told(40 + trace, 1, { ...call, taskID: `own-${trace}` }));
      await sendTo(otlp, 'agents', told(60 + trace, 1, { requestId: 'r-1', taskID: `named-${trace}` }));
    }
    await post(url, '/api/cot', {
      requestId: 'nowhere',
      text: 'I think.',
      agent: 'A',
      timestamp: Date.now(),
    });
    for (const cell of cells) await cell.flush();
    const { code, lines, stderr } = await diagnosis(url);
    assert.deepEqual([code, stderr], [1, '']);
    const expected = [
      /^! 1 task in several cells \(talk in cell-\d, cell-\d.*\): share out by session\.id/,
      /^! 1 session with tasks in several cells, .* \(desk in cell-\d, cell-\d.*\): share out by session\.id/,
      /^! 1 thought without a request or trace in the same cell \(req:nowhere in cell-\d\): send thoughts with trace context/,
      /^! 1 request named by steps in several cells \(r-1 in cell-\d, cell-\d.*\): give each request/,
      /^! 1 call told twice, in different cells, .* \([0-9a-f]{32}:0{15}1 in cell-\d, cell-\d.*\): let/,
      /^3 cells, \d+ tasks looked at\.$/,
    ];
    for (const [i, pattern] of expected.entries()) assert.match(lines[i] ?? '', pattern);
    assert.equal(lines.length, expected.length, lines.join('\n'));
    const json = await diagnosis(url, '--json');
    const report = JSON.parse(json.lines.join('')) as SplitReport & ToldCells;
    assert.equal(json.code, 1);
    assert.deepEqual(
      report.findings.map(({ kind }) => kind),
      ['task', 'session', 'thought', 'request', 'twin'],
    );
    assert.deepEqual(
      report.cells.map(({ name }) => name),
      ['cell-0', 'cell-1', 'cell-2'],
    );
  },
);

test(
  '[DR3] a cell of another version and one with other settings are named by doctor',
  BOUNDED,
  async (t) => {
    const { url } = await federation(t, 4, {
      own: [undefined, { version: '9.1.0' }, { flags: ['--infer-edges'] }],
    });
    const { code, lines } = await diagnosis(url);
    assert.equal(code, 1);
    assert.deepEqual(lines.slice(0, -1), [
      '! cell cell-1 is of another version than this gateway',
      '! cell cell-2 has other settings than most cells, so it shows the same otherwise',
    ]);
  },
);

test(
  '[DR3] doctor names a cell that is away and looks at the others; when all are away it still says which',
  BOUNDED,
  async (t) => {
    const { cells, url } = await federation(t, 2);
    const [first, second] = cells as [RealService, RealService];
    await sendSpans(first.otlpHttp, 'whole', SHORT_RUN);
    await first.flush();
    await second.stop();
    const said = async (): Promise<Awaited<ReturnType<typeof diagnosis>>> => {
      for (;;) {
        const now = await diagnosis(url);
        if (now.lines.some((line) => line.includes('is away'))) return now;
      }
    };
    const one = await said();
    assert.equal(one.code, 1);
    assert.match(one.lines[0] ?? '', /^! cell cell-1 is away since .*nothing listens there/);
    assert.equal(one.lines[1], '2 cells, 1 task looked at.');
    assert.match(one.stderr, /^note: What only these cells have is missing, .*cell-1/);
    await first.stop();
    let all = await said();
    while (!all.lines.some((line) => line.includes('cell-0 is away'))) all = await said();
    assert.equal(all.code, 1);
    assert.match(all.stderr, /^note: the tasks were not looked at: .*cell-0/);
    assert.equal(all.lines.at(-1), '2 cells, no task looked at.');
    const json = await diagnosis(url, '--json');
    const report = JSON.parse(json.lines.join('')) as SplitReport & ToldCells;
    assert.deepEqual([json.code, report.truncated, report.notices?.length], [1, true, 1]);
  },
);

test(
  '[DR3] doctor needs the rights to monitor and to see, where a gateway asks for keys',
  BOUNDED,
  async (t) => {
    const auth = (more: object): string[] => [
      '--auth',
      JSON.stringify({ token: SENDER, adminToken: ADMIN, ...more }),
    ];
    const { cells, url } = await federation(t, 2, {
      flags: auth({ gatewayToken: GATEWAY }),
      gatewayFlags: auth({}),
      token: GATEWAY,
    });
    for (const { otlpHttp } of cells) await sendSpans(otlpHttp, 'in-two', SHORT_RUN, undefined, SENDER);
    const nobody = await diagnosis(url);
    assert.deepEqual([nobody.code, nobody.lines], [1, []]);
    assert.match(nobody.stderr, /key|token/);
    let admin = await diagnosis(url, '--token', ADMIN);
    while (admin.lines.length < 2) admin = await diagnosis(url, '--token', ADMIN);
    assert.deepEqual([admin.code, admin.stderr], [1, '']);
    assert.match(admin.lines[0] ?? '', /^! 1 task in several cells \(in-two in cell-0, cell-1\)/);
  },
);

test(
  '[DR2] [CE9] a gateway tells how its cells are, and counts them; a service that is none names none',
  BOUNDED,
  async (t) => {
    const { url } = await federation(t, 2);
    const answer = await fetch(`${url}/api/cells`);
    const { cells } = (await answer.json()) as { readonly cells: readonly Record<string, unknown>[] };
    assert.deepEqual(
      cells.map(({ name, state, version }) => [name, state, version]),
      [
        ['cell-0', 'well', '0.0.0-test'],
        ['cell-1', 'well', '0.0.0-test'],
      ],
    );
    const alone = await RealService.of(t);
    const told = await run(['doctor', '--url', alone.readers]);
    const counted = async (at: string): Promise<readonly string[]> =>
      [...(await (await fetch(`${at}/metrics`)).text()).matchAll(/^explain_cells\{(.*)\} ([1-9]\d*)$/gm)].map(
        ([, labels, cells]) => `${labels} ${cells}`,
      );
    assert.deepEqual(await counted(url), ['cell="gateway",state="well" 2']);
    assert.deepEqual(await counted(alone.readers), []);
    assert.match(await alone.metrics(), /^explain_cells\{state="away"\} 0$/m);
    assert.equal(told.code, 0);
    assert.match(told.stdout, /This is one service/);
  },
);

test(
  '[DR5] cells lists how each cell is, and says when one that is drained may be stopped',
  BOUNDED,
  async (t) => {
    const { cells, url } = await federation(t, 3, { drained: ['cell-1'] });
    const [first, second, third] = cells as [RealService, RealService, RealService];
    await sendSpans(first.otlpHttp, 'over', SHORT_RUN);
    await first.flush();
    const entry = { requestId: 'open', timestamp: Date.now(), sequence: 1, tokens: ['I think'] };
    const think = (fields: object): Promise<Response> =>
      fetch(`${second.readers}/api/cot`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ ...entry, ...fields }),
      });
    assert.equal((await think({})).status, 202);
    await second.flush();
    await third.stop();
    const list = async (): Promise<readonly ToldCell[]> => {
      const { code, stdout } = await run(['cells', '--json', '--url', url]);
      assert.equal(code, 0);
      return JSON.parse(stdout) as readonly ToldCell[];
    };
    await until('the third is known to be away', async () => (await list())[2]?.state === 'away');
    assert.deepEqual(
      (await list()).map(({ name, state, drain, tasks }) => [name, state, drain, tasks]),
      [
        ['cell-0', 'well', undefined, { tasks: 1, running: 0 }],
        ['cell-1', 'well', true, { tasks: 1, running: 1 }],
        ['cell-2', 'away', undefined, undefined],
      ],
    );
    const { stdout: before } = await run(['cells', '--url', url]);
    assert.match(before, /^CELL +ADDRESS +STATE +SINCE +VERSION +RUNNING +TASKS +ODDITIES$/m);
    assert.match(before, /^cell-0 +\S+ +serving +\S+Z +0\.0\.0-test +0 +1$/m);
    assert.match(before, /^cell-1 +\S+ +draining +\S+Z +0\.0\.0-test +1 +1$/m);
    assert.match(before, /^cell-2 +\S+ +away +\S+Z +\S+ +\? +\?$/m);
    assert.match(before, /^! cell cell-2 is away since /m);
    assert.match(before, /^cell-1 is to be waited for: 1 task of it is running\.$/m);
    assert.equal((await think({ sequence: 2, tokens: [' and am done.'], final: true })).status, 202);
    await second.flush();
    const { stdout: after } = await run(['cells', '--url', url]);
    assert.match(after, /^cell-1 may be taken out of the list and stopped: none of its tasks is running\.$/m);
  },
);

test('[DR5] cells says of a service that is no gateway that it has none', BOUNDED, async (t) => {
  const alone = await RealService.of(t);
  const told = await run(['cells', '--url', alone.readers]);
  assert.deepEqual([told.code, told.stdout], [0, 'This is one service, not a gateway: it has no cells.\n']);
  assert.equal((await run(['cells', '--url', alone.readers, '--json'])).stdout, '[]\n');
  assert.equal((await run(['cells', 'cell-0', '--url', alone.readers])).code, 2);
  assert.equal((await run(['cells', '--url', 'http://127.0.0.1:1'])).code, 1);
});

test('[DR5] cells says in a word how each cell is', BOUNDED, async (t) => {
  const cell = (state: string, more: object = {}): object => ({
    name: `of ${state}`,
    address: 'a:1',
    state,
    since: '2026-01-01T00:00:00.000Z',
    oddities: [],
    notices: [],
    ...more,
  });
  const cells = [
    cell('well'),
    cell('well', { oddities: ['not_ready', 'other_version'], notices: ['is not \u001b[2J ready'] }),
    cell('well', { drain: true }),
    cell('draining', { drain: true }),
    cell('unknown'),
    cell('away', { drain: true }),
  ];
  const server = createServer((_request, response) => void response.end(JSON.stringify({ cells }))).listen(0);
  t.after(() => server.close());
  await once(server, 'listening');
  const { stdout } = await run([
    'cells',
    '--url',
    `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  ]);
  const states = [...stdout.matchAll(/ a:1 +(\w+(?: ready)?) +2026/g)].map(([, state]) => state);
  assert.deepEqual(states, ['serving', 'not ready', 'draining', 'stopping', 'unknown', 'away']);
  assert.match(stdout, / not_ready, other_version$/m);
  assert.ok(!stdout.includes('\u001b'));
});
