import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRedactor } from '../redactor.ts';
import { hitsOf } from '../rule.ts';
import { PHONE_RULES } from './phone.ts';

const redactor = createRedactor({ key: new Uint8Array(32).fill(7), maxCodeSnippetChars: 2000 });

/** As the numbering plan of each country has them written at home, with or without a word in front. */
const AT_HOME = [
  ['US', '(212) 555-0187'],
  ['GB', '020 7946 0833'],
  ['DE', '030 901820 12'],
  ['FR', '01 23 45 67 89'],
  ['AT', '0664 123 45 67'],
  ['CH', '044 668 18 00'],
  ['NL', '06-12345678'],
  ['BE', '0472 88 12 34'],
  ['SE', '070-123 45 67'],
  ['FI', '041 234 5678'],
  ['DK', '51-16-34-25'],
  ['ES', '612-345-678'],
  ['IT', '06 698 12345'],
  ['AU', '(02) 9876 5432'],
  ['NZ', '021 345 6789'],
  ['JP', '03-3456-7890'],
  ['KR', '010-2345-6789'],
  ['CN', '138 1234 5678'],
  ['RU', '8 (495) 123-45-67'],
  ['BR', '(11) 98765-4321'],
  ['ZA', '082 345 6789'],
  ['IE', '087 123 4567'],
] as const;
const BY_WORD = [
  ['ES', '612 345 678'],
  ['PT', '912 345 678'],
  ['PL', '512 345 678'],
  ['NO', '406 12 345'],
  ['IN', '98765 43210'],
  ['MX', '55 1234 5678'],
  ['CN', '13812345678'],
] as const;

test('[RD30] phones of twenty countries are hidden as they are written at home', () => {
  const shown = AT_HOME.filter(([, number]) => redactor.redactText(`see ${number}, or`).includes(number));
  const announced = BY_WORD.filter(([, number]) => redactor.redactText(`tel ${number}.`).includes(number));
  assert.deepEqual([...shown, ...announced], []);
});

test('[RD30] rows of figures, dates and versions are no phones', () => {
  for (const text of [
    '612 345 678 rows, 98765 43210 of them',
    'at 2024-01-15 10:20:30.123456 and 15.01.2024 10',
    '00000010 0123 4567 89ab; 0100 0200 0300 0400',
    'listen on 60000-61000, v1.2.3-4567-89',
    'ISBN 978-3-16-148410-0, ISSN 0317-8471',
  ])
    assert.equal(redactor.redactText(text), text);
});

/** The examples up to the phone, of those that nothing behind it says to be one. */
const UP_TO_PHONE = PHONE_RULES.flatMap(hitsOf)
  .map(({ text, hidden }) => ({ text: text.slice(0, text.indexOf(hidden) + hidden.length), hidden }))
  .filter(({ text, hidden }) => !redactor.redactText(text).includes(hidden));

test('[RD30] a phone is hidden whole, and nothing behind it, with a number, a date or a time of day behind', () => {
  const rests = [
    ' / 12',
    ' / 12/27',
    '. 12 more',
    ' 2026-01-02',
    ' 02.01.2026',
    ' 10:30',
    ' (2)',
    ', 12 more',
  ];
  const wrong = UP_TO_PHONE.flatMap(({ text }) =>
    rests
      .filter((rest) => redactor.redactText(text + rest) !== redactor.redactText(text) + rest)
      .map((rest) => text + rest),
  );
  assert.ok(UP_TO_PHONE.length > 30);
  assert.deepEqual(wrong, []);
});

test('[RD30] a phone is hidden whole, and nothing behind it, with another one behind a slash or a comma', () => {
  const wrong = UP_TO_PHONE.flatMap(({ text }) =>
    UP_TO_PHONE.flatMap(({ hidden: other }) => [' / ', ', '].map((sign) => ({ text, sign, other }))),
  ).filter(({ text, sign, other }) => {
    const hidden = redactor.redactText(text) + sign;
    const redacted = redactor.redactText(text + sign + other);
    return (
      redacted !== hidden + other &&
      !(redacted.startsWith(hidden) && MARKER.test(redacted.slice(hidden.length)))
    );
  });
  assert.deepEqual(
    wrong.map(({ text, sign, other }) => text + sign + other),
    [],
  );
});

const MARKER = /^\[PHONE:\w+\]$/;
