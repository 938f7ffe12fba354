import { hash } from 'node:crypto';
import type { TelemetryRecord } from '../model/records.ts';

/**
 * Identifies a request that is sent again. Needed for thoughts only, which grow with every entry; all other records are
 * idempotent.
 */
export function requestDigest(body: Buffer, records: readonly TelemetryRecord[]): string | undefined {
  if (!records.some(({ kind }) => kind === 'cot')) return undefined;
  return hash('sha256', body, 'base64');
}
