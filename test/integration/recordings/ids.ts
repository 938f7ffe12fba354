import { createHash } from 'node:crypto';

/**
 * Ids as OTLP/JSON wants them: lower-case hex. Recordings have them as hex, as base64 (protobuf's own JSON), as
 * decimal integers (the Python SDK) or as any other word; those last are hashed, so that equal ones stay equal.
 */
export function toHexId(id: string, bytes: 8 | 16): string {
  const digits = bytes * 2;
  const plain = id.replaceAll('-', '').toLowerCase();
  if (plain.length === digits && /^[0-9a-f]+$/.test(plain)) return plain;
  if (/^\d+$/.test(id) && BigInt(id) < 1n << BigInt(bytes * 8)) {
    return BigInt(id).toString(16).padStart(digits, '0');
  }
  if (/^[A-Za-z0-9+/]+={0,2}$/.test(id)) {
    const decoded = Buffer.from(id, 'base64');
    if (decoded.length === bytes && decoded.toString('base64') === id) return decoded.toString('hex');
  }
  return createHash('sha256').update(id).digest('hex').slice(0, digits);
}
