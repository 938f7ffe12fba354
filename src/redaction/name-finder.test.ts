import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRedactor } from './redactor.ts';
import { dictionaryNames } from './dictionary-names.ts';
import { knownNames } from './name-finder.ts';

const base = { key: new Uint8Array(32).fill(8), maxCodeSnippetChars: 2000 };

test('[RD11] listed names are hidden wherever they stand, as whole words and in any case', () => {
  const redactor = createRedactor({ ...base, nameFinders: [knownNames(['Zoë Özil', 'Bo', 'Ada', ''])] });
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
    id: 'broken',
    find: () => {
      throw new Error('no model');
    },
  };
  assert.throws(
    () => createRedactor({ ...base, nameFinders: [nameFinder] }).redactText('some text'),
    /no model/,
  );
});

test('[RD31] a dictionary finds names wherever they stand, and leaves other words', async () => {
  const redactor = createRedactor({ ...base, nameFinders: [await dictionaryNames()] });
  assert.match(
    redactor.redactText('So Tamara asked Jonathan van der Berg, and Grace Johnson agreed with Petr.'),
    /^So \[PERSON:\w{10}\] asked \[PERSON:\w{10}\], and \[PERSON:\w{10}\] agreed with \[PERSON:\w{10}\]\.$/,
  );
  assert.match(redactor.redactText('i met jonathan wozniak there'), /^i met \[PERSON:\w{10}\] there$/);
  for (const text of [
    'Will it Mark the May release? Grace period: 5 s, on Jan 28.',
    'The Austin build runs src/Anna.ts, anna.config and user.Martin().',
    'Run Jenkins, Ruby and Pascal; The Rose Page is at #Daniel.',
  ])
    assert.equal(redactor.redactText(text), text);
});
