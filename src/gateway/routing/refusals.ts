import { BoundaryError, HTTP_STATUS, type BoundaryCode } from '../../base/boundary-error.ts';
import type { CellAnswer } from '../cells/exchange.ts';

const CODES: ReadonlyMap<number, BoundaryCode> = new Map([
  ...Object.entries(HTTP_STATUS).map(([code, status]) => [status, code as BoundaryCode] as const),
  [502, 'UNAVAILABLE'],
  [504, 'UNAVAILABLE'],
]);

/** Those after which the sender sends the same again. */
const RETRIED: readonly BoundaryCode[] = ['UNAVAILABLE', 'RESOURCE_EXHAUSTED', 'DEADLINE_EXCEEDED'];

/** A cell's answer as the failure that it tells of; undefined when it is none. */
export function refusalOf({ status, retryAfter }: CellAnswer, message: string): BoundaryError | undefined {
  if (status >= 200 && status < 300) return undefined;
  const code = CODES.get(status) ?? 'INTERNAL';
  return new BoundaryError(
    code,
    message,
    retryAfter === undefined ? {} : { retryAfterMs: retryAfter * 1000 },
  );
}

/**
 * What the sender is told when cells refused. While one of them has to be sent to again, that is what it is told, with the
 * longest wait: it sends all of it again, which the others take as the same. Else it is what the first one said.
 */
export function worst(refusals: readonly BoundaryError[]): BoundaryError | undefined {
  for (const code of RETRIED) {
    const first = refusals.find((refusal) => refusal.code === code);
    if (!first) continue;
    const waits = refusals.map(({ retryAfterMs }) => retryAfterMs ?? 0);
    const retryAfterMs = Math.max(...waits);
    return new BoundaryError(code, first.message, retryAfterMs > 0 ? { retryAfterMs } : {});
  }
  return refusals[0];
}
