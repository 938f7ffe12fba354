import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ClientCertificate } from '../transport/tls/client-certificate.ts';
import { createAccess } from './access.ts';
import { onBehalfOf, ON_BEHALF_OF } from './on-behalf-of.ts';
import { demand, NOBODY, type Access, type Credentials, type Principal } from './principal.ts';
import { withConnections } from './with-connections.ts';
import { speakerOf, withGateways } from './with-gateways.ts';
import { BoundaryError } from '../base/boundary-error.ts';

const GATEWAY: Principal = {
  by: 'key',
  id: 'key-g',
  name: 'the gateway',
  roles: ['gateway'],
  project: 'default',
};
const ANN: Principal = { by: 'person', id: 'oidc:ann', name: 'Ann', roles: ['analyst'], project: 'shop' };
const CERTIFICATE: ClientCertificate = {
  subject: 'gateway-1',
  names: ['gateway-1'],
  fingerprint: 'AB:CD',
  ended: new AbortController().signal,
};

/** What comes from this machine and names a caller. */
function asked(caller: Principal, more: Credentials = {}): Credentials {
  return { address: '127.0.0.1', onBehalfOf: onBehalfOf(caller)[ON_BEHALF_OF], ...more };
}

function accessOf(speaker: Principal): Access & { readonly watched: Principal[] } {
  const watched: Principal[] = [];
  const access: Access = {
    identify: () => speaker,
    watch(principal) {
      watched.push(principal);
      return () => undefined;
    },
    refused: () => undefined,
  };
  return { ...withConnections(withGateways(access)), watched };
}

const denied = (message: RegExp) => ({ code: 'PERMISSION_DENIED', message });

test('[AC13] a gateway becomes the caller that it names, from its own network and with an id of both', () => {
  const caller = accessOf(GATEWAY).identify(asked(ANN));
  assert.deepEqual(caller, { ...ANN, id: 'key-g/oidc:ann', via: GATEWAY, from: '127.0.0.1' });
  const unsaid = { id: 'a', name: 'a', roles: ['reader'], project: 'default' };
  const header = Buffer.from(JSON.stringify(unsaid)).toString('base64url');
  assert.equal(accessOf(GATEWAY).identify({ address: '::1', onBehalfOf: header }).by, 'gateway');
});

test('[AC13] a gateway is near, or shows a certificate', () => {
  const access = accessOf(GATEWAY);
  for (const address of ['127.0.0.1', '127.8.8.8', '::1', '::ffff:127.0.0.1'])
    assert.equal(access.identify(asked(ANN, { address })).name, 'Ann');
  for (const address of [
    undefined,
    '',
    '10.0.0.7',
    '::',
    '::ffff:10.0.0.7',
    '::2',
    'fe80::1',
    'localhost.example',
  ])
    assert.throws(
      () => access.identify(asked(ANN, { address })),
      denied(/over loopback, or with a client certificate/),
      address,
    );
  const far = asked(ANN, { address: '10.0.0.7', certificate: CERTIFICATE });
  assert.equal(access.identify(far).admittedBy, CERTIFICATE.ended);
});

test('[AC13] who is no gateway names nobody, and narrows nothing, whatever the header holds', () => {
  const admin = { ...GATEWAY, roles: ['admin'] } as const;
  const session = { csrf: 'c', ended: new AbortController().signal };
  for (const speaker of [admin, { ...admin, by: 'token' } as const, { ...GATEWAY, session }])
    for (const onBehalfOf of [asked(ANN).onBehalfOf, '', 'garbage'])
      assert.throws(
        () => accessOf(speaker).identify({ address: '127.0.0.1', onBehalfOf }),
        denied(/is for gateways/),
      );
});

test('[AC13] a gateway of a project speaks for that project alone: its administrators can make its key', () => {
  const ofShop = accessOf({ ...GATEWAY, project: 'shop' });
  assert.equal(ofShop.identify(asked(ANN)).project, 'shop');
  for (const project of ['default', 'web'])
    assert.throws(() => ofShop.identify(asked({ ...ANN, project })), denied(/another project/));
});

test('[AC14] without auth everybody may be narrowed, and nobody gets more than everybody has', () => {
  const access = withConnections(withGateways(createAccess('none')));
  const reader = { ...ANN, project: 'default', roles: ['reader'] } as const;
  const narrowed = access.identify(asked(reader));
  assert.deepEqual(narrowed.roles, ['reader']);
  assert.throws(() => demand(narrowed, 'read'), { code: 'PERMISSION_DENIED' });
  const everybody = access.identify(asked(NOBODY));
  assert.equal(everybody.id, 'nobody/nobody');
  for (const right of ['send', 'see', 'read', 'operate', 'interrupt', 'monitor'] as const)
    demand(everybody, right);
  assert.throws(
    () => access.identify(asked({ ...reader, roles: ['reader', 'admin'] })),
    denied(/more rights/),
  );
  assert.throws(() => access.identify(asked(ANN)), denied(/without auth there is no other/));
  assert.throws(() => access.identify(asked(reader, { address: '10.0.0.7' })), denied(/loopback/));
});

test('[AC15] what the callers of a gateway have open ends with the gateway, and its connections are its own', () => {
  const access = accessOf(GATEWAY);
  const connection = {};
  const caller = access.identify(asked(ANN, { connection }));
  access.watch(caller, () => undefined);
  assert.deepEqual(access.watched, [GATEWAY]);
  assert.deepEqual(
    Object.getOwnPropertySymbols(connection).map((symbol) => Reflect.get(connection, symbol) as unknown),
    ['key-g'],
  );
});

test('[AC15] a refusal says who wanted to speak, from where', () => {
  const reader = { ...GATEWAY, roles: ['reader'] } as const;
  assert.throws(
    () => accessOf(reader).identify(asked(ANN, { address: '10.0.0.7' })),
    (error) => {
      assert.ok(error instanceof BoundaryError);
      assert.deepEqual(speakerOf(error), { ...reader, from: '10.0.0.7' });
      return true;
    },
  );
});
