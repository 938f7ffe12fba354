import {
  createHash,
  createPrivateKey,
  generateKeyPairSync,
  randomBytes,
  sign,
  X509Certificate,
} from 'node:crypto';
import { isIP } from 'node:net';
import { assert } from './assert.ts';

/** A certificate and its key, PEM each. */
export interface CertificatePair {
  readonly cert: string;
  readonly key: string;
}

export interface CertificateRequest {
  /** What it is for: to sign others, or to show as a server or as a client. */
  readonly use: 'authority' | 'server' | 'client';
  readonly commonName: string;
  /** DNS names and IP addresses that it holds for. */
  readonly names?: readonly string[];
  readonly validFrom: Date;
  readonly validTo: Date;
  /** Who signs it; itself if absent. */
  readonly signedBy?: CertificatePair;
}

/** Makes a key (P-256) and a certificate (X.509 v3, RFC 5280) for it, signed with ECDSA and SHA-256. */
export function makeCertificate(request: CertificateRequest): CertificatePair {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const spki = publicKey.export({ type: 'spki', format: 'der' });
  const { signedBy, commonName, validFrom, validTo } = request;
  const issuer = signedBy && new X509Certificate(signedBy.cert);
  const signer = signedBy ? createPrivateKey(signedBy.key) : privateKey;
  const issuerSpki = issuer ? issuer.publicKey.export({ type: 'spki', format: 'der' }) : spki;
  const body = sequence(
    explicit(0, integer(Buffer.from([2]))),
    serialNumber(),
    ECDSA_WITH_SHA256,
    name(issuer ? commonNameOf(issuer) : commonName),
    sequence(time(validFrom), time(validTo)),
    name(commonName),
    spki,
    explicit(3, sequence(...extensions(request, keyId(spki), keyId(issuerSpki)))),
  );
  const signature = sign('sha256', body, { key: signer, dsaEncoding: 'der' });
  return {
    cert: pem('CERTIFICATE', sequence(body, ECDSA_WITH_SHA256, bits(signature, 0))),
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

function commonNameOf(certificate: X509Certificate): string {
  const { CN } = certificate.toLegacyObject().subject as { readonly CN?: string };
  assert(CN !== undefined, 'an authority has a common name');
  return CN;
}

function extensions({ use, names = [] }: CertificateRequest, id: Buffer, issuerId: Buffer): Buffer[] {
  const isAuthority = use === 'authority';
  return [
    extension('2.5.29.19', true, isAuthority ? sequence(TRUE, integer(Buffer.from([0]))) : sequence()),
    // keyCertSign and cRLSign, or digitalSignature.
    extension('2.5.29.15', true, isAuthority ? bits(Buffer.from([0x06]), 1) : bits(Buffer.from([0x80]), 7)),
    ...(isAuthority
      ? []
      : [extension('2.5.29.37', false, sequence(use === 'server' ? SERVER_AUTH : CLIENT_AUTH))]),
    extension('2.5.29.14', false, tlv(OCTETS, id)),
    extension('2.5.29.35', false, sequence(tlv(0x80, issuerId))),
    ...(names.length === 0 ? [] : [extension('2.5.29.17', false, sequence(...names.map(alternativeName)))]),
  ];
}

function extension(id: string, isCritical: boolean, value: Buffer): Buffer {
  return sequence(oid(id), ...(isCritical ? [TRUE] : []), tlv(OCTETS, value));
}

function alternativeName(text: string): Buffer {
  return isIP(text) === 0 ? tlv(0x82, Buffer.from(text, 'latin1')) : tlv(0x87, addressBytes(text));
}

function addressBytes(address: string): Buffer {
  if (isIP(address) === 4) return Buffer.from(address.split('.').map(Number));
  // A URL writes an address of four numbers at its end as two groups, as the others.
  const groups = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const [head = [], tail = []] = groups.map((part) => part.split(':').filter((group) => group !== ''));
  const between = Array.from({ length: 8 - head.length - tail.length }, () => '0');
  return Buffer.from([...head, ...between, ...tail].map((group) => group.padStart(4, '0')).join(''), 'hex');
}

function name(commonName: string): Buffer {
  return sequence(tlv(0x31, sequence(oid('2.5.4.3'), tlv(0x0c, Buffer.from(commonName)))));
}

/** RFC 5280, 4.1.2.2: positive, at most 20 octets, none twice. */
function serialNumber(): Buffer {
  const bytes = randomBytes(16);
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x40;
  return integer(bytes);
}

/** RFC 5280, 4.2.1.2, method 1, of the whole key with its algorithm: any value that is the same in both places. */
function keyId(spki: Buffer): Buffer {
  return createHash('sha256').update(spki).digest().subarray(0, 20);
}

/** RFC 5280, 4.1.2.5: two digits of the year until 2049. */
function time(date: Date): Buffer {
  const digits = date.toISOString().replace(/[-:T]|\.\d+/g, '');
  return date.getUTCFullYear() < 2050
    ? tlv(0x17, Buffer.from(digits.slice(2)))
    : tlv(0x18, Buffer.from(digits));
}

function pem(label: string, der: Buffer): string {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ''].join('\n');
}

/** DER (X.690): tag, length, value. */
function tlv(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const value = Buffer.concat(parts);
  const { length } = value;
  assert(length < 0x10000, 'a certificate is small');
  if (length < 0x80) return Buffer.concat([Buffer.from([tag, length]), value]);
  if (length < 0x100) return Buffer.concat([Buffer.from([tag, 0x81, length]), value]);
  return Buffer.concat([Buffer.from([tag, 0x82, length >> 8, length & 0xff]), value]);
}

function sequence(...parts: readonly Uint8Array[]): Buffer {
  return tlv(0x30, ...parts);
}

function explicit(number: number, value: Uint8Array): Buffer {
  return tlv(0xa0 + number, value);
}

/** @param bytes of a number that is not negative: the first bit is 0 */
function integer(bytes: Uint8Array): Buffer {
  return tlv(0x02, bytes);
}

function bits(bytes: Uint8Array, unused: number): Buffer {
  return tlv(0x03, Buffer.from([unused]), bytes);
}

function oid(text: string): Buffer {
  const [first = 0, second = 0, ...rest] = text.split('.').map(Number);
  const base128 = (arc: number): number[] => {
    const bytes = [arc & 0x7f];
    for (let left = arc >> 7; left > 0; left >>= 7) bytes.unshift((left & 0x7f) | 0x80);
    return bytes;
  };
  return tlv(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]));
}

const OCTETS = 0x04;
const TRUE = Buffer.from([0x01, 0x01, 0xff]);
const ECDSA_WITH_SHA256 = sequence(oid('1.2.840.10045.4.3.2'));
const SERVER_AUTH = oid('1.3.6.1.5.5.7.3.1');
const CLIENT_AUTH = oid('1.3.6.1.5.5.7.3.2');
