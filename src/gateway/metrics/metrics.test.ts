import assert from 'node:assert/strict';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test, type TestContext } from 'node:test';
import { ManualClock } from '../../base/clock.ts';
import { until } from '../../../test/support/until.ts';
import { CellList } from '../cells/cell-list.ts';
import { HttpCellSender, type CellSender } from '../routing/cell-sender.ts';
import { AllMetrics, METRICS_BOUNDS } from './all-metrics.ts';
import { mergedExpositions } from './exposition.ts';

const COUNTER = ['# HELP a_total Of a.', '# TYPE a_total counter', 'a_total{x="1"} 2', 'a_total{x="2"} 3'];
const HISTOGRAM = [
  '# HELP h Of h.',
  '# TYPE h histogram',
  'h_bucket{le="1"} 1',
  'h_bucket{le="+Inf"} 2',
  'h_sum 3.5',
  'h_count 2',
];

async function nextTurns(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve));
}

function text(...lines: readonly string[]): string {
  return `${lines.join('\n')}\n`;
}

async function listening(t: TestContext, answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('[GM1] each series has the name of its process, each metric HELP and TYPE once', () => {
  const merged = mergedExpositions([
    { name: 'gateway', text: text(...HISTOGRAM, '', ...COUNTER) },
    { name: 'cell-0', text: text(...COUNTER, 'bare 1', ...HISTOGRAM) },
  ]);
  assert.deepEqual(merged.split('\n'), [
    '# HELP a_total Of a.',
    '# TYPE a_total counter',
    'a_total{cell="gateway",x="1"} 2',
    'a_total{cell="gateway",x="2"} 3',
    'a_total{cell="cell-0",x="1"} 2',
    'a_total{cell="cell-0",x="2"} 3',
    'bare{cell="cell-0"} 1',
    '# HELP h Of h.',
    '# TYPE h histogram',
    'h_bucket{cell="gateway",le="1"} 1',
    'h_bucket{cell="gateway",le="+Inf"} 2',
    'h_sum{cell="gateway"} 3.5',
    'h_count{cell="gateway"} 2',
    'h_bucket{cell="cell-0",le="1"} 1',
    'h_bucket{cell="cell-0",le="+Inf"} 2',
    'h_sum{cell="cell-0"} 3.5',
    'h_count{cell="cell-0"} 2',
    '',
  ]);
});

test('[GM1] what a cell says that is no line of the format, twice, or of another type, spoils nothing', () => {
  const bad = [
    'a_total{x="un"closed"} 1',
    'a_total{x="3"} one',
    'a_total{x="1"} 7',
    'a_total{x="1"} 8',
    '<html>',
    'a_total{cell="mine",x="br}ace, \\" cell=\\"",} +Inf 1750000000000',
    '# TYPE h counter',
    'h 4',
  ];
  const merged = mergedExpositions([
    { name: 'gateway', text: text(...HISTOGRAM) },
    { name: 'a "b"\\', text: text(...bad) },
  ]);
  assert.deepEqual(
    merged.split('\n').filter((line) => !line.startsWith('#') && !line.includes('"gateway"')),
    [
      'a_total{cell="a \\"b\\"\\\\",x="1"} 7',
      'a_total{cell="a \\"b\\"\\\\",exported_cell="mine",x="br}ace, \\" cell=\\""} +Inf',
      '',
    ],
  );
});

test('[GM2] a cell that does not answer is left out, and explain_cell_up says so; the others are there', async (t) => {
  const good = await listening(t, (request, response) => {
    const isKnown = request.url === '/metrics' && request.headers.authorization === 'Bearer secret';
    response.writeHead(isKnown ? 200 : 401).end(text(...COUNTER));
  });
  const silent = await listening(t, () => undefined);
  const failing = await listening(t, (_request, response) => response.writeHead(503).end('a_total 99\n'));
  const endless = await listening(t, (_request, response) => {
    const more = (): void => void (response.writable && response.write('x'.repeat(1 << 20), more));
    more();
  });
  const clock = new ManualClock();
  const addresses = new CellList();
  addresses.take(
    Object.entries({ good, silent, failing, endless }).map(([name, address]) => ({
      name,
      address,
      endpoint: name,
    })),
  );
  const http = new HttpCellSender({ addresses, clock, ...METRICS_BOUNDS });
  t.after(() => http.close());
  let answered = 0;
  const sender: CellSender = { send: (request) => http.send(request).finally(() => answered++) };
  let scrapes = 0;
  const own = (): Promise<string> => {
    scrapes++;
    return Promise.resolve(text(...COUNTER));
  };
  const all = new AllMetrics({ own, addresses, sender, token: 'secret' });
  /** Those that answer have done so, and then the time is over. */
  const scraped = async (): Promise<readonly string[]> => {
    const before = answered;
    const texts: string[] = [];
    for (let who = 0; who < 2; who++) void all.text().then((answer) => texts.push(answer));
    await until('all but one have answered', () => answered === before + 3);
    clock.advance(1_999);
    await nextTurns();
    assert.deepEqual(texts, []);
    clock.advance(1);
    await nextTurns();
    return texts;
  };
  const [first = '', second] = await scraped();
  assert.equal(first, second);
  assert.equal(scrapes, 1);
  assert.deepEqual(
    first.split('\n').filter((line) => !line.startsWith('#')),
    [
      'a_total{cell="gateway",x="1"} 2',
      'a_total{cell="gateway",x="2"} 3',
      'a_total{cell="good",x="1"} 2',
      'a_total{cell="good",x="2"} 3',
      'explain_cell_up{cell="good"} 1',
      'explain_cell_up{cell="silent"} 0',
      'explain_cell_up{cell="failing"} 0',
      'explain_cell_up{cell="endless"} 0',
      '',
    ],
  );
  assert.equal((await scraped())[0], first);
  assert.equal(scrapes, 2);
});
