import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createEngine } from '../../src/redaction/engine.ts';
import { LiveText } from '../../src/redaction/live-text.ts';
import { BUILTIN_RULES } from '../../src/redaction/rules/builtin.ts';
import { propertyRuns } from '../support/property-runs.ts';

const engine = createEngine({ key: new Uint8Array(32).fill(6), maxCodeSnippetChars: 2000 });
const hits = BUILTIN_RULES.flatMap((rule) => rule.examples.hits.map(({ text }) => text));
/** Values with spaces in them are those that a cut between words can fall into. */
const spaced = ['4111 1111 1111 1111', '378-28-2246', 'DE89 3704 0044 0532 0130 00', '+49 30 901820 1234'];
const report = { hidden: () => undefined };

/** A value between words: what two values without a word between them are, is another question. */
const part = fc
  .tuple(
    fc.oneof(
      { weight: 2, arbitrary: fc.constantFrom(...hits) },
      { weight: 3, arbitrary: fc.constantFrom(...spaced) },
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
        const redacted = engine.redactText(whole);
        const live = new LiveText(engine, report);
        let from = 0;
        for (let i = 0; from < whole.length; i++) {
          const size = sizes[i % sizes.length] ?? 1;
          live.append(whole.slice(from, from + size));
          from += size;
          const shown = live.text();
          if (!redacted.startsWith(shown)) assert.equal(shown, redacted.slice(0, shown.length));
        }
      },
    ),
    propertyRuns(),
  );
});
