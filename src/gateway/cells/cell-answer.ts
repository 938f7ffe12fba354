import { z } from 'zod';
import type { CellIdentity } from '../../model/cell-identity.ts';
import type { SaidByCell } from './ask-cell.ts';
import { WANTED_OF_GATEWAY } from './refuses-gateway.ts';

/** A name, a digest, a sentence: what is longer is no answer of a cell. */
const word = z.string().min(1).max(200);
const MAX_REASONS = 100;
const time = z.number().min(0).max(8.64e15);

/** Of a later version a cell may say more. */
const identity = z.object({
  version: word.regex(/^\d+\.\d+\.\d+/),
  data: word,
  startedAt: time,
  now: time,
  settings: word,
  role: z.literal('all'),
  state: z.enum(['starting', 'open', 'draining']),
  reasons: z.array(z.string().max(10_000)).max(MAX_REASONS),
});

/** What a cell says of itself, or why that is no use, for people. */
export type ReadAnswer =
  | { readonly identity: CellIdentity; readonly problem?: undefined }
  | { readonly problem: string; readonly isRefusal?: true };

/** @param answer to `GET /api/cell` */
export function readCellAnswer({ status, body }: SaidByCell): ReadAnswer {
  if (status === 401 || status === 403)
    return {
      isRefusal: true,
      problem: `refuses the gateway (${status}): ${WANTED_OF_GATEWAY}; a key is taken over loopback or with a client certificate`,
    };
  if (status === 404) return { problem: 'is no cell, or of a version that no gateway can ask (404)' };
  if (status !== 200) return { problem: `answers ${status}` };
  let said: unknown;
  try {
    said = JSON.parse(body.toString());
  } catch {
    return { problem: 'answers something that is not JSON' };
  }
  const { data, error } = identity.safeParse(said);
  if (data) return { identity: data };
  if (isGateway(said)) return { problem: 'is a gateway itself: name its cells instead' };
  return { problem: `answers what no cell says (${error.issues[0]?.path.join('.') ?? ''})` };
}

function isGateway(said: unknown): boolean {
  return typeof said === 'object' && said !== null && 'role' in said && said.role === 'gateway';
}
