import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BoundaryError } from '../base/boundary-error.ts';
import { createAccess } from './access.ts';
import { demand, NOBODY, type Credentials, type Principal } from './principal.ts';
import { allows, RIGHTS, ROLES } from './roles.ts';

const guarded = createAccess({ token: 'token-of-all', adminToken: 'admin-token' });

function unauthenticated(error: unknown): boolean {
  return error instanceof BoundaryError && error.code === 'UNAUTHENTICATED' && !/token-x/.test(error.message);
}

test('[AC1] of the rights, each role from reader on has those of the one before; senders read nothing', () => {
  const rights = ROLES.map((role) => [role, RIGHTS.filter((right) => allows([role], right))]);
  assert.deepEqual(Object.fromEntries(rights), {
    sender: ['send'],
    monitor: ['monitor'],
    gateway: ['monitor'],
    reader: ['see'],
    analyst: ['see', 'read', 'annotate'],
    operator: ['see', 'read', 'annotate', 'operate', 'interrupt', 'monitor'],
    admin: ['see', 'read', 'annotate', 'operate', 'interrupt', 'administer', 'monitor'],
  });
  assert.ok(allows(['sender', 'reader'], 'send') && allows(['sender', 'reader'], 'see'));
  assert.ok(!allows([], 'see'));
});

test('[AC11] how the service is, all projects together, is told to those of the project default alone', () => {
  const monitor: Principal = { ...NOBODY, by: 'key', roles: ['monitor'] };
  demand(monitor, 'monitor');
  demand(NOBODY, 'monitor');
  for (const roles of [['monitor'], ['admin']] as const)
    assert.throws(() => demand({ ...monitor, roles, project: 'web' }, 'monitor'), {
      code: 'PERMISSION_DENIED',
    });
  assert.throws(() => demand({ ...monitor, roles: ['analyst'] }, 'monitor'), { code: 'PERMISSION_DENIED' });
  assert.throws(() => demand(monitor, 'see'), { code: 'PERMISSION_DENIED' });
});

test('[AC2] auth.token sends and operates, auth.adminToken administers, wherever the token stands', () => {
  const rolesOf = (credentials: Credentials) => guarded.identify(credentials).roles;
  assert.deepEqual(rolesOf({ authorization: 'Bearer token-of-all' }), ['sender', 'operator']);
  assert.deepEqual(rolesOf({ authorization: 'bearer  admin-token ' }), ['admin']);
  assert.deepEqual(rolesOf({ apiKey: 'admin-token' }), ['admin']);
  assert.deepEqual(rolesOf({ subprotocols: 'explain.v1, explain.bearer.admin%2Dtoken' }), ['admin']);
});

test('[AC2] no token, a wrong one and another scheme are refused; the first that is there counts', () => {
  for (const authorization of [
    undefined,
    '',
    'Bearer',
    'Bearer token-x',
    'Basic token-of-all',
    'token-of-all',
  ])
    assert.throws(() => guarded.identify({ authorization }), unauthenticated);
  for (const subprotocols of [
    'explain.bearer.',
    'explain.bearer.%',
    'token-of-all',
    'explain.bearer.token-x',
  ])
    assert.throws(() => guarded.identify({ subprotocols }), unauthenticated);
  const both = { authorization: 'Bearer token-x', apiKey: 'admin-token' };
  assert.throws(() => guarded.identify(both), unauthenticated);
  assert.throws(() => createAccess({ token: 'token-of-all' }).identify({ apiKey: '' }), unauthenticated);
});

test('[AC3] without auth everybody sends and operates, nobody administers, and is told what to set', () => {
  const nobody = createAccess('none').identify({ authorization: 'Bearer admin-token' });
  for (const right of ['send', 'see', 'read', 'operate', 'interrupt'] as const) demand(nobody, right);
  assert.throws(() => demand(nobody, 'administer'), {
    code: 'PERMISSION_DENIED',
    message: /auth\.adminToken/,
  });
});
