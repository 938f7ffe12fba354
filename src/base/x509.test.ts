import assert from 'node:assert/strict';
import { X509Certificate, createPrivateKey } from 'node:crypto';
import { test } from 'node:test';
import { makeCertificate } from './x509.ts';

const DAY_MS = 86_400_000;
const validFrom = new Date('2026-01-02T03:04:05Z');
const validTo = new Date(validFrom.getTime() + 30 * DAY_MS);

test('[AC67] a certificate says what it was made for, and is signed by its authority', () => {
  const ca = makeCertificate({
    use: 'authority',
    commonName: 'Prüfstelle',
    validFrom,
    validTo: new Date('2051-01-01'),
  });
  const names = ['localhost', 'build-7.example', '127.0.0.1', '::1', 'fe80::1:2', '::ffff:1.2.3.4'];
  const pair = makeCertificate({
    use: 'server',
    commonName: 'localhost',
    names,
    validFrom,
    validTo,
    signedBy: ca,
  });
  const [authority, server] = [new X509Certificate(ca.cert), new X509Certificate(pair.cert)];
  assert.ok(authority.ca);
  assert.equal(Date.parse(authority.validTo), Date.parse('2051-01-01T00:00:00Z'));
  assert.ok(authority.verify(authority.publicKey));
  assert.ok(!server.ca);
  assert.ok(server.checkIssued(authority));
  assert.ok(server.verify(authority.publicKey));
  assert.ok(server.checkPrivateKey(createPrivateKey(pair.key)));
  assert.equal(Date.parse(server.validFrom), validFrom.getTime());
  assert.equal(Date.parse(server.validTo), validTo.getTime());
  for (const name of names.slice(0, 2)) assert.equal(server.checkHost(name), name);
  for (const address of names.slice(2)) assert.ok(server.checkIP(address), address);
  assert.equal(server.checkHost('example.org'), undefined);
  assert.deepEqual(server.keyUsage, ['1.3.6.1.5.5.7.3.1']);
});

test('[AC67] no two certificates have one serial number, and each is positive', () => {
  const serials = Array.from({ length: 50 }, () => {
    const { cert } = makeCertificate({ use: 'client', commonName: 'c', validFrom, validTo });
    return new X509Certificate(cert).serialNumber;
  });
  assert.equal(new Set(serials).size, serials.length);
  for (const serial of serials) assert.match(serial, /^[4-7]/);
});
