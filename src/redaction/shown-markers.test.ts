import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { propertyRuns } from '../../test/support/property-runs.ts';
import { shownLength } from '../model/marker.ts';
import { createRedactor } from './redactor.ts';
import { ShownMarkers } from './shown-markers.ts';

const key = new Uint8Array(32).fill(7);
const door = createRedactor({ key, tags: true, maxCodeSnippetChars: 2000 });
const markers = new ShownMarkers(key);
const TAG = /\[[A-Z]+:[a-z2-7]{11,}/;

test('[RD37] 10,000 guesses in a task say nothing of what another hides, though the right one is among them', () => {
  const guesses = Array.from(
    { length: 10_000 },
    (_, i) => `SSN: 536-${10 + Math.trunc(i / 5000)}-${String((i % 5000) + 1).padStart(4, '0')}`,
  );
  const kept = door.redactText(guesses.join('\n'));
  const codesIn = (text: string): readonly string[] => text.match(/(?<=\[SSN:)[a-z2-7]{10}(?=\])/g) ?? [];
  const [hidden = ''] = codesIn(markers.shown('of another', door.redactText(guesses[4217] ?? '')));
  assert.equal(codesIn(markers.shown('of another', kept))[4217], hidden, 'in one task it is the same');
  const own = new Set(
    [markers.shown('own', kept), markers.id(kept), markers.shown('', kept)].flatMap(codesIn),
  );
  assert.equal(own.size, 30_000);
  assert.equal(own.has(hidden), false);
});

test('[RD37] whatever holds them, tags are shown once and for all, and what holds none is the same object', () => {
  const leaf = fc.constantFrom(
    'plain [text',
    1,
    null,
    true,
    'to jo@example.net',
    '{"to":"jo@example.net"}',
    '4111 1111 1111 1111',
  );
  const { value: anything } = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      leaf,
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom('a', 'for jo@example.net'), tie('value'), { maxKeys: 2 }),
    ),
  }));
  const hide = (text: string): string => door.redactText(text);
  fc.assert(
    fc.property(anything, fc.string(), (value, taskId) => {
      const plain = JSON.stringify(value);
      assert.equal(markers.shown(taskId, value), value);
      const kept = JSON.parse(hide(plain)) as unknown;
      const shown = markers.shown(taskId, kept);
      assert.doesNotMatch(JSON.stringify(shown), TAG);
      assert.equal(markers.shown('another task', shown), shown);
      const emptied = (text: unknown): string => JSON.stringify(text).replace(/:[a-z2-7]{10,16}\]/g, ']');
      assert.equal(emptied(shown), emptied(kept));
    }),
    propertyRuns(),
  );
});

test('[RD37] of a tag at which a text was cut nothing is shown; other brackets stay', () => {
  const tag = door.redactText('jo@example.net');
  for (let end = '[EMAIL:'.length; end < tag.length; end++)
    for (const rest of ['', '…', ' …', '…[cut 5 chars]', '\n[CODE_CUT:5]\n'])
      assert.equal(markers.shown('T', `to ${tag.slice(0, end)}${rest}`), `to [EMAIL:${rest}`);
  for (const text of [
    '[INFO:starting',
    '[SSN:]',
    'a[SECRET:x]',
    '[EMAIL:abcdefghij]',
    '[CODE_CUT:1234567890123456]',
  ])
    assert.equal(markers.shown('T', text), text);
});

test('[RD37] redacting what holds tags changes nothing, and a text is as long as it is shown', () => {
  for (const text of [
    'mail jo@example.net',
    'password = hunter2hunter2',
    '{"token":"hunter2hunter2"}',
    'card 4111 1111 1111 1111',
  ]) {
    const kept = door.redactText(text);
    assert.match(kept, /\[[A-Z]+:[a-z2-7]{16}\]/);
    assert.equal(door.redactText(kept), kept);
    const shown = markers.shown('T', kept);
    assert.equal(shownLength(kept), shown.length);
    assert.equal(door.redactText(shown), shown);
  }
});
