import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { createRedactor } from '../redactor.ts';
import { KeepingRedactor, Originals, type Original } from './originals.ts';
import { markersOf, restore } from './restore.ts';

const OPTIONS = { key: new Uint8Array(32).fill(3), maxCodeSnippetChars: 2000 };

function keeping(keepSecrets: boolean): {
  readonly redactor: KeepingRedactor;
  readonly originals: Originals;
} {
  const originals = new Originals({ keep() {} }, keepSecrets);
  originals.place = { node: 'n', field: 'text', member: '' };
  return { redactor: new KeepingRedactor(OPTIONS, originals), originals };
}

function byMarker(originals: readonly Original[]): ReadonlyMap<string, string> {
  return new Map(originals.map(({ marker, value }) => [marker, value]));
}

const VALUES = fc.constantFrom(
  'jo.doe@example.net',
  'sk-proj-k7Qz2mXw9RtB4vHn8LcY3sDf6GjP1aTe5UiKoVxN',
  'AB "cd"\n',
  'plain',
  '4111 1111 1111 1111',
);

test('[RD13] redacted and restored a text is what it was, whatever was hidden in it, in JSON and in JSON in JSON', () => {
  const words = fc.array(VALUES, { minLength: 1, maxLength: 6 }).map((parts) => parts.join(' and '));
  fc.assert(
    fc.property(words, fc.integer({ min: 0, max: 3 }), (words, level) => {
      const { redactor, originals } = keeping(true);
      let text = words;
      for (let i = 0; i < level; i++) text = JSON.stringify({ note: text, list: [1, text] });
      const safe = redactor.redactText(text);
      const map = byMarker(originals.take());
      assert.deepEqual(new Set(map.keys()), markersOf({ safe }));
      const back = restore({ safe: [safe] }, map);
      assert.equal(back.safe[0], text);
    }),
    { numRuns: 200 },
  );
});

test('[RD13] names are restored too; markers without an original, and cut code, stay as they are', () => {
  const { redactor, originals } = keeping(false);
  const safe = redactor.redactText(
    'mail jo.doe@example.net, password=Hunter2x9Zq [CODE_CUT:12] [REDACTION_ERROR]',
  );
  const map = byMarker(originals.take());
  assert.equal(map.size, 1, 'the password is no personal data');
  const marker = [...map.keys()][0] ?? '';
  const back = restore({ [marker]: safe, list: [marker, 7, null] }, map);
  assert.deepEqual(Object.keys(back), ['jo.doe@example.net', 'list']);
  assert.match(JSON.stringify(back), /jo\.doe.*\[SECRET:\w{10}\] \[CODE_CUT:12\] \[REDACTION_ERROR\]/);
});

test('[RD13] the redactor that keeps hides exactly what the other hides', () => {
  const { redactor } = keeping(true);
  const plain = createRedactor(OPTIONS);
  for (const text of [
    'mail jo.doe@example.net now',
    '{"password":"abc12345","to":"a@example.org"}',
    'nothing',
  ])
    assert.equal(redactor.redactText(text), plain.redactText(text));
});

test('[RD13] nothing is collected of what nobody is shown', () => {
  const { redactor, originals } = keeping(true);
  originals.isWanted = false;
  redactor.redactText('mail jo.doe@example.net');
  assert.deepEqual(originals.take(), []);
});
