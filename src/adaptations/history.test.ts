import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FileItem } from './fields.ts';
import { History, MAX_VERSIONS } from './history.ts';

const NOW = 1_750_000_000_000;
const item = (id: string, content: string): FileItem => ({
  id,
  title: 'T',
  content,
  scope: {},
  tags: [],
  enabled: true,
});

test('[AD3] of one adaptation the last hundred versions are kept, with the numbers that they have', () => {
  let history = new History();
  for (let n = 1; n <= MAX_VERSIONS + 20; n++) history = history.with([item('a', `${n}`)], NOW + n, 'file');
  const versions = history.versions('a');
  assert.deepEqual(
    [versions.length, versions[0]?.version, versions.at(-1)?.version],
    [MAX_VERSIONS, 21, 120],
  );
  assert.deepEqual(History.parse(history.toText())?.versions('a'), versions, 'and so after a restart');
});

test('[AD3] all versions together take a bounded room: the oldest go first, the last ones of the file never', () => {
  let history = new History();
  const ids = Array.from({ length: 60 }, (_, n) => `a${n}`);
  for (let round = 1; round <= 12; round++)
    history = history.with(
      ids.map((id) => item(id, `${round}`.padEnd(20_000, 'x'))),
      NOW + round,
      'file',
    );
  const kept = ids.map((id) => history.versions(id));
  const chars = kept.flat().reduce((sum, { content }) => sum + content.length, 0);
  assert.ok(chars <= 8 * 1024 * 1024 && chars > 7 * 1024 * 1024, `${chars}`);
  assert.ok(kept.every((versions) => versions.at(-1)?.version === 12));
  const firsts = kept.map((versions) => versions[0]?.version ?? 0);
  assert.ok(Math.max(...firsts) - Math.min(...firsts) <= 1, 'the oldest of all went');
  history = history.with([], NOW + 100, 'file');
  assert.ok(history.ids.length > 0, 'what was taken out is still known');
});

test('[AD3] what is no history is none', () => {
  const good = new History().with([item('a', '1')], NOW, 'file').toText();
  assert.ok(History.parse(good));
  for (const text of [
    '',
    'null',
    '{}',
    good.slice(0, -5),
    good.replace('"format":1', '"format":2'),
    good.replace('"version":1', '"version":0'),
    good.replace('"content":"1"', '"content":1'),
  ])
    assert.equal(History.parse(text), undefined, text);
});

test('[AD3] a clock that is set back makes no version older than the one before', () => {
  const history = new History()
    .with([item('a', '1')], NOW, 'file')
    .with([item('a', '2')], NOW - 3_600_000, 'edit')
    .with([item('a', '3')], NOW, 'file');
  const times = history.versions('a').map(({ updatedAt }) => Date.parse(updatedAt) - NOW);
  assert.deepEqual(times, [0, 1, 2]);
});
