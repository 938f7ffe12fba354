import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createRedactor } from '../../src/redaction/redactor.ts';
import { LiveText } from '../../src/redaction/live-text.ts';
import { hitsOf } from '../../src/redaction/rule.ts';
import { BUILTIN_RULES } from '../../src/redaction/rules/builtin.ts';
import { propertyRuns } from '../support/property-runs.ts';

const redactor = createRedactor({ key: new Uint8Array(32).fill(6), maxCodeSnippetChars: 2000 });
const hits = BUILTIN_RULES.flatMap(hitsOf);
/** Values with spaces in them are those that a cut between words can fall into. */
const spaced = ['4111 1111 1111 1111', '378-28-2246', 'DE89 3704 0044 0532 0130 00', '+49 30 901820 1234'];
const report = { hidden: () => undefined };
const MARKER = /\[[A-Z]+:[a-z2-7]{10}\]/g;

const percent = (text: string): string =>
  Array.from(text, (char) => `%${(char.codePointAt(0) ?? 0).toString(16).padStart(2, '0')}`).join('');
/** Ways to write a value in ASCII so that it does not look like one. */
const ENCODINGS: Readonly<Record<string, (text: string) => string>> = {
  base64: (text) => Buffer.from(text).toString('base64'),
  base64url: (text) => Buffer.from(text).toString('base64url'),
  'base64 of JSON': (text) => Buffer.from(JSON.stringify({ note: text })).toString('base64'),
  hex: (text) => Buffer.from(text).toString('hex'),
  percent,
  'percent of percent': (text) => encodeURIComponent(percent(text)),
  'character references': (text) =>
    Array.from(text, (char) => `&#x${char.charCodeAt(0).toString(16)};`).join(''),
  'decimal references': (text) => Array.from(text, (char) => `&#${char.charCodeAt(0)};`).join(''),
  escapes: (text) =>
    Array.from(text, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`).join(''),
  'full width': (text) => text.replace(/[!-~]/g, (char) => String.fromCharCode(char.charCodeAt(0) + 0xfee0)),
  'zero width': (text) => Array.from(text).join('\u200b'),
};
/** Values that name themselves, so that they are found without a word before them. */
const plainValues = ['jane.doe@mail.example.com', `ghp_${'a1B2c3D4e5F6'.repeat(3)}`, '4111 1111 1111 1111'];

const encoded = fc
  .tuple(fc.constantFrom(...plainValues), fc.constantFrom(...Object.values(ENCODINGS)))
  .map(([value, encode]) => encode(value));

/** A value between words: what two values without a word between them are, is another question. */
const part = fc
  .tuple(
    fc.oneof(
      { weight: 2, arbitrary: fc.constantFrom(...hits.map(({ text }) => text)) },
      { weight: 3, arbitrary: fc.constantFrom(...spaced) },
      { weight: 3, arbitrary: encoded },
    ),
    fc.lorem({ maxCount: 8 }),
  )
  .map(([value, words]) => `${value} ${words}`);

test('[RD6] every state of a growing text is a beginning of the redaction of the whole', () => {
  fc.assert(
    fc.property(
      fc.array(part, { minLength: 8, maxLength: 20 }),
      fc.array(fc.integer({ min: 1, max: 90 }), { minLength: 1, maxLength: 8 }),
      (parts, sizes) => {
        const whole = `So: ${parts.join(' ')}`;
        const redacted = redactor.redactText(whole);
        const live = new LiveText(redactor, report);
        let from = 0;
        let shown = '';
        for (let i = 0; from < whole.length; i++) {
          const size = sizes[i % sizes.length] ?? 1;
          live.append(whole.slice(from, from + size));
          from += size;
          shown += live.settle();
          if (!redacted.startsWith(shown)) assert.equal(shown, redacted.slice(0, shown.length));
        }
      },
    ),
    propertyRuns(),
  );
});

test('[RD6] a code is held back until its end is there, however long it is', () => {
  const code = Buffer.from(`${'all is well. '.repeat(3000)}mail jane.doe@mail.example.com`).toString(
    'base64',
  );
  const whole = `so ${code} and ${'on '.repeat(4000)}`;
  const live = new LiveText(redactor, report);
  let shown = '';
  for (let from = 0; from < whole.length; from += 977) {
    live.append(whole.slice(from, from + 977));
    shown += live.settle();
    assert.ok(redactor.redactText(whole).startsWith(shown));
  }
  assert.match(shown, /^so \[EMAIL:\w{10}\] and /);
});

test('[RD4] [RD19] a value is found however it is encoded, and its whole code is hidden', () => {
  for (const [name, encode] of Object.entries(ENCODINGS)) {
    for (const value of plainValues) {
      const text = `see ${encode(value)} there`;
      assert.match(redactor.redactText(text), /^see \[[A-Z]+:\w{10}\] there$/, `${name} of ${value}`);
    }
  }
});

test('[RD7] redacting a redacted text changes nothing, whatever its values were written as', () => {
  const piece = fc.oneof(
    part,
    encoded,
    fc.string({ maxLength: 8 }),
    fc.constantFrom('%', '&#', '\\u', '=', ':', '/', '-', '@', '"', '\u200b', 'token=', 'password: '),
  );
  fc.assert(
    fc.property(fc.array(piece, { minLength: 1, maxLength: 6 }), (pieces) => {
      const once = redactor.redactText(pieces.join(''));
      assert.equal(redactor.redactText(once), once);
    }),
    propertyRuns(),
  );
});

test('[RD3] JSON with encoded values stays JSON', () => {
  const leaf = fc.oneof(encoded, part, fc.string({ unit: 'binary', maxLength: 12 }));
  fc.assert(
    fc.property(fc.dictionary(fc.oneof(encoded, fc.string({ maxLength: 8 })), leaf), (object) => {
      const redacted = redactor.redactText(JSON.stringify(object));
      const names = Object.keys(JSON.parse(redacted) as object);
      assert.ok(names.length <= Object.keys(object).length);
    }),
    propertyRuns(),
  );
});

test('[RD4] of a hidden value no six characters in a row are left, of its code neither', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.constantFrom(...hits),
        encoded.map((text) => ({ text, hidden: text })),
      ),
      fc.lorem({ maxCount: 6 }),
      fc.lorem({ maxCount: 6 }),
      ({ text, hidden }, before, after) => {
        const around = `${before} ${text.replace(hidden, ' ')} ${after}`;
        const redacted = redactor.redactText(`${before} ${text} ${after}`).replace(MARKER, ' ');
        for (let i = 0; i + 6 <= hidden.length; i++) {
          const piece = hidden.slice(i, i + 6);
          assert.ok(
            around.includes(piece) || !redacted.includes(piece),
            `${piece} of ${hidden} in ${redacted}`,
          );
        }
      },
    ),
    propertyRuns(),
  );
});
