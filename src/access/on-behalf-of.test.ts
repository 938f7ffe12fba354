import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { propertyRuns } from '../../test/support/property-runs.ts';
import { ON_BEHALF_OF, onBehalfOf, readOnBehalfOf } from './on-behalf-of.ts';
import type { Principal } from './principal.ts';
import { ROLES } from './roles.ts';

const ANN: Principal = {
  by: 'key',
  id: 'key-1',
  name: 'Ann',
  roles: ['sender', 'reader'],
  project: 'shop',
};

function headerOf(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

test('[AC13] whom a gateway names comes out as it went in, with what narrows it, and nothing else of it', () => {
  const header = onBehalfOf({
    ...ANN,
    capabilities: [{ kind: 'reasoning/*', payload: { agent: 'Coder*' } }],
    limits: { subscriptions: 1 },
    from: '10.0.0.1',
    session: { csrf: 'secret', ended: new AbortController().signal },
  })[ON_BEHALF_OF];
  assert.doesNotMatch(Buffer.from(header, 'base64url').toString(), /secret|10\.0\.0\.1|subscriptions/);
  assert.deepEqual(readOnBehalfOf(header), {
    ...ANN,
    capabilities: [{ kind: 'reasoning/*', payload: { agent: 'Coder*' } }],
  });
  assert.deepEqual(readOnBehalfOf(headerOf({ ...ANN, by: undefined })).by, undefined);
});

test('[AC13] whatever a caller is called, the cell takes it', () => {
  const word = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 200 });
  const line = word.filter((text) => !/[\p{Cc}\u2028-\u202e\u2066-\u2069]/u.test(text));
  const callers = fc.record({
    by: fc.constantFrom('nobody', 'token', 'key', 'person', 'certificate', 'program', 'gateway'),
    id: line,
    name: line,
    roles: fc.uniqueArray(fc.constantFrom(...ROLES.filter((role) => role !== 'gateway')), { minLength: 1 }),
    project: fc.constantFrom('default', 'shop', 'a-1'),
  }) satisfies fc.Arbitrary<Principal>;
  fc.assert(
    fc.property(callers, (caller) => {
      const { name, ...rest } = readOnBehalfOf(onBehalfOf(caller)[ON_BEHALF_OF]);
      const { name: given, ...wanted } = caller;
      assert.deepEqual(rest, wanted);
      assert.ok(given.startsWith(name));
    }),
    propertyRuns(),
  );
});

test('[AC13] what is none is refused by what is wrong in it, and nothing of it is said', () => {
  const wrong: readonly (readonly [string, RegExp])[] = [
    ['', /JSON in base64url/],
    ['{"id":"SECRET"}', /JSON in base64url/],
    ['SECRET', /JSON in base64url/],
    [`${headerOf(ANN)}==`, /JSON in base64url/],
    [`${headerOf(ANN)},${headerOf(ANN)}`, /JSON in base64url/],
    [Buffer.from([0xff, 0xfe]).toString('base64url'), /JSON in base64url/],
    [Buffer.from('['.repeat(6_000)).toString('base64url'), /JSON in base64url/],
    [headerOf(`SECRET${'x'.repeat(7_000)}`), /more than 8192 characters/],
    [headerOf(null), /must be an object of id/],
    [headerOf([ANN]), /must be an object of id/],
    [headerOf({ ...ANN, limits: { SECRET: 1 } }), /must be an object of id/],
    [headerOf({ ...ANN, id: '' }), /id must be a text/],
    [headerOf({ ...ANN, id: 'SECRET\n' }), /id must be a text/],
    [headerOf({ ...ANN, id: 'S'.repeat(2_001) }), /id must be a text/],
    [headerOf({ ...ANN, name: 7 }), /name must be a text/],
    [headerOf({ ...ANN, name: undefined }), /name must be a text/],
    [headerOf({ ...ANN, roles: [] }), /roles must be/],
    [headerOf({ ...ANN, roles: 'admin' }), /roles must be/],
    [headerOf({ ...ANN, roles: ['SECRET'] }), /roles must be/],
    [headerOf({ ...ANN, project: '../SECRET' }), /project must have/],
    [headerOf({ ...ANN, by: 'guard' }), /by must be one of/],
    [headerOf({ ...ANN, capabilities: [{ kind: 'SECRET/**' }] }), /capabilities must be/],
  ];
  for (const [header, message] of wrong)
    assert.throws(
      () => readOnBehalfOf(header),
      (error: Error & { code?: string }) => {
        assert.equal(error.code, 'INVALID_ARGUMENT');
        assert.match(error.message, message);
        assert.match(error.message, /^x-explain-on-behalf-of: /);
        assert.doesNotMatch(error.message, /SECRET/);
        return true;
      },
    );
});

test('[AC13] the role gateway cannot be handed on', () => {
  for (const roles of [['gateway'], ['reader', 'gateway']] as const) {
    assert.throws(() => readOnBehalfOf(headerOf({ ...ANN, roles })), { code: 'PERMISSION_DENIED' });
    assert.throws(() => onBehalfOf({ ...ANN, roles }), { code: 'FAILED_PRECONDITION' });
  }
});

test('[AC13] who does not fit into the header is not asked for', () => {
  const capabilities = Array.from({ length: 50 }, () => ({ kind: `reasoning/${'x'.repeat(500)}` }));
  assert.throws(() => onBehalfOf({ ...ANN, capabilities }), {
    code: 'FAILED_PRECONDITION',
    message: /more than 8192 characters/,
  });
});
