import assert from 'node:assert/strict';
import { test } from 'node:test';
import { granted } from './person.ts';
import { Seal } from './sealed.ts';
import type { GroupGrants } from './settings.ts';

const GRANTS: GroupGrants = {
  leads: { roles: ['operator'], project: 'alpha' },
  alpha: { roles: ['analyst', 'sender'], project: 'alpha' },
  beta: { roles: ['admin'], project: 'beta' },
  all: { roles: ['reader'] },
};

test('[AC59] the first group says which project, and the roles of all groups with that project are given', () => {
  const of = (...groups: string[]) => granted(GRANTS, (group) => groups.includes(group));
  assert.deepEqual(of('alpha', 'leads', 'beta'), {
    roles: ['operator', 'analyst', 'sender'],
    project: 'alpha',
  });
  assert.deepEqual(of('all', 'beta'), { roles: ['admin'], project: 'beta' });
  assert.deepEqual(of('all'), { roles: ['reader'], project: 'default' });
  assert.equal(of('cooks'), undefined);
  assert.equal(of(), undefined);
});

test('[AC53] what a browser keeps is opened only as it was sealed, by the one that did', () => {
  const seal = new Seal();
  const kept = seal.close({ state: 'x' });
  assert.deepEqual(seal.open(kept), { state: 'x' });
  assert.notEqual(seal.close({ state: 'x' }), kept);
  assert.equal(new Seal().open(kept), undefined);
  for (let at = 0; at < kept.length - 1; at++) {
    const changed = kept.slice(0, at) + (kept[at] === 'A' ? 'B' : 'A') + kept.slice(at + 1);
    assert.equal(seal.open(changed), undefined, String(at));
  }
  for (const wrong of ['', 'x', kept.slice(0, 40), `${kept}AAAA`]) assert.equal(seal.open(wrong), undefined);
});
