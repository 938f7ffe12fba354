import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BoundaryError } from '../../base/boundary-error.ts';
import { CellList } from '../cells/cell-list.ts';
import type { CellSender } from '../routing/cell-sender.ts';
import { AllMetrics } from './all-metrics.ts';
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

function text(...lines: readonly string[]): string {
  return `${lines.join('\n')}\n`;
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

test('[GM2] a cell that does not answer is left out, and explain_cell_up says so; the others are there', async () => {
  const addresses = new CellList();
  addresses.take(['good', 'failing', 'away'].map((name) => ({ name, address: name, endpoint: name })));
  const sender: CellSender = {
    async send({ cell, path, headers }) {
      assert.deepEqual([path, headers], ['/metrics', { authorization: 'Bearer secret' }]);
      if (cell === 'away') throw new BoundaryError('UNAVAILABLE', 'cell away does not answer');
      const body = Buffer.from(text(...COUNTER));
      return { status: cell === 'good' ? 200 : 503, retryAfter: undefined, body };
    },
  };
  let scrapes = 0;
  const own = async (): Promise<string> => {
    scrapes++;
    return text(...COUNTER);
  };
  const all = new AllMetrics({ own, addresses, sender, token: 'secret' });
  const [first, second] = await Promise.all([all.text(), all.text()]);
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
      'explain_cell_up{cell="failing"} 0',
      'explain_cell_up{cell="away"} 0',
      '',
    ],
  );
  assert.equal(await all.text(), first);
  assert.equal(scrapes, 2);
});
