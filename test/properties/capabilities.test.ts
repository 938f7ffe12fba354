import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { maySay } from '../../src/access/capability.ts';
import { readCapability } from '../../src/access/read-capability.ts';
import { naiveMaySay } from '../support/naive-capabilities.ts';
import { propertyRuns } from '../support/property-runs.ts';

/** Few letters, so that patterns and messages meet. */
const word = fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 1, maxLength: 2 });
const kind = fc.array(word, { minLength: 1, maxLength: 3 }).map((words) => words.join('/'));
const kindPattern = fc.oneof(
  kind,
  kind.map((one) => `${one}/*`),
  fc.constant('*'),
);
const textPattern = fc.oneof(
  word,
  word.map((one) => `${one}*`),
  word.map((one) => `!${one}`),
  fc.constantFrom('*', '', '!'),
);
const field = fc.constantFrom('a', 'b', 'toString', '__proto__');
/** As JSON has it: `__proto__` is a field as any other. */
const asJson = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;
const objectOf = (value: fc.Arbitrary<unknown>): fc.Arbitrary<object> =>
  fc
    .array(fc.tuple(field, value), { maxLength: 3 })
    .map(
      (fields) =>
        JSON.parse(`{${fields.map(([name, one]) => `"${name}":${JSON.stringify(one)}`).join()}}`) as object,
    );
const payloadPattern = objectOf(
  fc.oneof(textPattern, objectOf(fc.oneof(textPattern, objectOf(textPattern)))),
);
const value = fc.oneof(word, word, fc.constantFrom('', 1, null, true), fc.array(word, { maxLength: 2 }));
const payload = fc.oneof(
  objectOf(fc.oneof(value, objectOf(fc.oneof(value, objectOf(value))))),
  fc.constantFrom(undefined, null, 'a', []),
);
const capability = fc
  .tuple(kindPattern, fc.option(payloadPattern, { nil: undefined }))
  .map(([pattern, inPayload]) =>
    asJson({ kind: pattern, ...(pattern !== '*' && inPayload && { payload: inPayload }) }),
  );

test('[MW24] whatever the patterns and the message, what is allowed is what a naive reading of them allows', () => {
  let allowed = 0;
  fc.assert(
    fc.property(fc.array(capability, { maxLength: 3 }), kind, payload, (given, said, held) => {
      const capabilities = given.map((one) => {
        const read = readCapability(one);
        assert.ok(typeof read !== 'string', `${JSON.stringify(one)}: ${JSON.stringify(read)}`);
        return read;
      });
      const message = { kind: said, payload: held };
      const isAllowed = maySay(capabilities, message);
      if (isAllowed) allowed++;
      assert.equal(isAllowed, naiveMaySay(capabilities, message));
    }),
    { ...propertyRuns(), numRuns: propertyRuns().numRuns * 25 },
  );
  assert.ok(allowed > 0, 'some of them are allowed');
});
