import assert from 'node:assert/strict';
import { test } from 'node:test';
import { doorDetector } from '../bench/redaction/at-door.ts';
import { byPolicy } from '../bench/redaction/policy.ts';
import type { Sample } from '../bench/redaction/sample.ts';
import { isLeaked, score, type Result } from '../bench/redaction/score.ts';
import { createRedactor } from '../src/redaction/redactor.ts';

const VALUE = { start: 4, end: 24, type: 'SECRET' };

function hidden(...found: readonly (readonly [number, number])[]): Result {
  return [{ text: '', found: found.map(([start, end]) => ({ start, end, kind: 'SECRET' })) }];
}

test('[RD40] a value is leaked where six of its characters in a row are left, of a shorter one all', () => {
  assert.equal(isLeaked(VALUE, hidden([4, 24])), false);
  assert.equal(isLeaked(VALUE, hidden([9, 24])), false);
  assert.equal(isLeaked(VALUE, hidden([10, 24])), true);
  assert.equal(isLeaked(VALUE, hidden([4, 10], [16, 24])), true);
  assert.equal(isLeaked({ ...VALUE, end: 8 }, hidden([7, 8])), false);
  assert.equal(isLeaked({ ...VALUE, end: 8 }, hidden()), true);
});

test('[RD40] a value that one of the ways shows is leaked', () => {
  const [whole] = hidden([4, 24]);
  const [none] = hidden();
  assert.equal(isLeaked(VALUE, [whole, none]), true);
});

test('[RD40] exact spans are scored beside overlaps, and a clean text that changed at all is altered', () => {
  const samples: readonly Sample[] = [
    { id: 'exact', text: 'x', spans: [VALUE] },
    { id: 'part', text: 'x', spans: [VALUE] },
    { id: 'clean', text: '', spans: [] },
    { id: 'altered', text: 'harmless', spans: [] },
  ];
  const results = [hidden([4, 24]), hidden([6, 30]), hidden(), hidden([0, 2])];
  const { f1, exactF1, leaked, cleanTexts, alteredCleanTexts } = score(samples, results, ['SECRET'], false);
  assert.deepEqual(
    { f1: f1.toFixed(2), exactF1: exactF1.toFixed(2), leaked, cleanTexts, alteredCleanTexts },
    { f1: '0.80', exactF1: '0.40', leaked: 0, cleanTexts: 2, alteredCleanTexts: 1 },
  );
});

test('[RD40] by policy a labelled value is one wherever it stands again, other finds are errors, and ids to be shown are no secrets', () => {
  const text = 'pw: driftwood, again driftwood, other seashells';
  const label = { start: 4, end: 13, type: 'SECRET' };
  const id = { ...label, subtype: 'AzureTenantId' };
  const found = hidden([4, 13], [21, 30], [38, 47]);
  const scored = (sample: Sample, result: Result): readonly number[] => {
    const { labels, precision, recall } = score([sample], [result], ['SECRET'], false);
    return [labels, precision, recall];
  };
  const sample: Sample = { id: 'twice', text, spans: [label] };
  assert.deepEqual(scored(sample, found), [1, 1 / 3, 1]);
  assert.deepEqual(scored(byPolicy(sample), found), [1, 1 / 2, 1]);
  assert.deepEqual(scored(byPolicy(sample), hidden([21, 30])), [1, 0, 0]);
  assert.deepEqual(scored(byPolicy({ ...sample, spans: [id] }), found), [0, 0, 0]);
});

test('[RD40] what is scored is what leaves the door, as an attribute and as a thought', async () => {
  const redactor = createRedactor({ key: new Uint8Array(32).fill(3), maxCodeSnippetChars: 2000 });
  const text = 'ask jo.doe@example.net today';
  const [attribute, thought] = (await doorDetector(redactor).results([text]))[0] as Result;
  assert.match(attribute.text, /^ask \[EMAIL:[a-z2-7]{10}\] today$/);
  assert.equal(thought?.text, attribute.text);
  assert.deepEqual(attribute.found, [{ start: 4, end: 22, kind: 'EMAIL' }]);
});
