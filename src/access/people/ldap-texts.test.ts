import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { EqualityFilter, FilterParser } from 'ldapts';
import { propertyRuns } from '../../../test/support/property-runs.ts';
import { filterWith, sameDn } from './ldap-texts.ts';

test('[AC55] property: whatever a name is, the filter asks for that name and nothing else', () => {
  const special = fc.stringMatching(/^[*()\\\0&|!=<>~,+"; a-z]{0,40}$/);
  fc.assert(
    fc.property(fc.oneof(special, fc.string({ unit: 'binary', maxLength: 40 })), (name) => {
      fc.pre(name !== '');
      const filter = FilterParser.parseString(filterWith('(uid={name})', { name }));
      assert.ok(filter instanceof EqualityFilter);
      assert.equal(filter.attribute, 'uid');
      const { value } = filter;
      assert.equal(Buffer.isBuffer(value) ? value.toString() : value, name.toWellFormed());
    }),
    propertyRuns(),
  );
});

test('[AC55] only the places of a filter are filled, each with its own', () => {
  const values = { name: '{dn}', dn: 'cn=a,b=c' };
  assert.equal(
    filterWith('(&(member={dn})(uid={name})(x={y}))', values),
    '(&(member=cn=a,b=c)(uid=\\7bdn\\7d)(x={y}))',
  );
});

test('[AC55] DNs are compared as directories do', () => {
  const dn = 'cn=Ops\\, all,ou=groups,dc=example';
  for (const same of [dn, 'CN = ops\\2C all , OU=Groups,dc=EXAMPLE', 'cn=Ops\\2c all;ou=groups;dc=example'])
    assert.ok(sameDn(dn, same), same);
  for (const other of [
    'cn=Ops,cn=all,ou=groups,dc=example',
    'cn=Ops, all,ou=groups,dc=example',
    'cn=Ops\\, all,ou=groups',
    'cn=Ops\\, all,ou=groups,dc=example,dc=x',
    'cn=Ops\\\\, all,ou=groups,dc=example',
    'Ops',
    '',
  ])
    assert.ok(!sameDn(dn, other), other);
  assert.ok(!sameDn('', '') && !sameDn('x', 'x') && !sameDn('cn=a\\', 'cn=a\\'));
});
