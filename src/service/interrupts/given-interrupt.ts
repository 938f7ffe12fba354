import { createHash, randomUUID } from 'node:crypto';
import type { Principal } from '../../access/principal.ts';
import {
  ANSWER_STATUSES,
  INTERRUPT_REASONS,
  type InterruptAnswer,
  type InterruptReason,
} from '../../model/interrupt.ts';
import { ownIdIn, textIn, wrong, type Given } from '../given.ts';

/** Why, and by which id it is known when it is sent again. */
export interface AskedWhy {
  readonly id: string;
  readonly reason: InterruptReason;
  readonly message?: string | undefined;
  /** The node that it follows from, where that is not the step. */
  readonly after?: string | undefined;
  /** The id was made for it: nobody has sent it before. */
  readonly isFresh?: true;
}

/** It stands in one line of the graph, and an agent reads it. */
const MAX_MESSAGE_CHARS = 2_000;

/**
 * `{reason, message?, id?}`. An id is that of its sender alone: two who choose the same one mean two things.
 * @throws BoundaryError INVALID_ARGUMENT, naming the field
 */
export function askedWhy(given: Given, by: Principal): AskedWhy {
  const reason = INTERRUPT_REASONS.find((one) => one === given['reason']);
  if (!reason) throw wrong('reason', `must be one of ${INTERRUPT_REASONS.join(', ')}`);
  const message = textIn(given, 'message', MAX_MESSAGE_CHARS);
  if (reason === 'other' && message === undefined)
    throw wrong('message', 'is required with the reason other');
  const own = ownIdIn(given);
  if (own === undefined) return { id: randomUUID().replaceAll('-', ''), reason, message, isFresh: true };
  const id = createHash('sha256').update(`${by.by}\0${by.id}\0${own}`).digest('hex').slice(0, 32);
  return { id, reason, message };
}

/** @throws BoundaryError INVALID_ARGUMENT, naming the field */
export function givenAnswer(given: Given): InterruptAnswer | undefined {
  if (given['received'] === true && given['status'] === undefined) return undefined;
  const status = ANSWER_STATUSES.find((one) => one === given['status']);
  if (!status)
    throw wrong('status', `must be one of ${ANSWER_STATUSES.join(', ')}, or "received": true in its place`);
  return { status, message: textIn(given, 'message', MAX_MESSAGE_CHARS) };
}
