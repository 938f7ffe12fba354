import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRedactor } from './redactor.ts';
import { knownNames } from './name-finder.ts';

const base = { key: new Uint8Array(32).fill(8), maxCodeSnippetChars: 2000 };

test('[RD11] listed names are hidden wherever they stand, as whole words and in any case', () => {
  const redactor = createRedactor({ ...base, nameFinder: knownNames(['Zoë Özil', 'Bo', 'Ada', '']) });
  assert.match(
    redactor.redactText('So ZOË  özil asked Bo, and ada agreed.'),
    /^So \[PERSON:\w{10}\] asked \[PERSON:\w{10}\], and \[PERSON:\w{10}\] agreed\.$/,
  );
  assert.equal(redactor.redactText('The Boeing in Adana, Zoë alone'), 'The Boeing in Adana, Zoë alone');
});

test('[RD11] names by their context are found by default, and left when that is off', () => {
  const text = 'Hi Marcus, ship it to 221B Baker Street, London NW1 6XE.';
  assert.match(
    createRedactor(base).redactText(text),
    /^Hi \[PERSON:\w{10}\], ship it to \[ADDRESS:\w{10}\]\.$/,
  );
  assert.equal(createRedactor({ ...base, names: 'off' }).redactText(text), text);
});

test('[RD1] a name finder that throws is not swallowed, so that the field is withheld', () => {
  const nameFinder = {
    find: () => {
      throw new Error('no model');
    },
  };
  assert.throws(() => createRedactor({ ...base, nameFinder }).redactText('some text'), /no model/);
});
