import { createHash, randomUUID } from 'node:crypto';
import type { Principal } from '../../access/principal.ts';
import { BoundaryError } from '../../base/boundary-error.ts';
import {
  ANSWER_STATUSES,
  INTERRUPT_REASONS,
  type InterruptAnswer,
  type InterruptReason,
} from '../../model/interrupt.ts';

/** What somebody sent, unchecked. */
export interface Given {
  readonly [field: string]: unknown;
}

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
const MAX_NAME_CHARS = 1_000;
const OWN_ID = /^[\w.:-]{1,100}$/;

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
  const own = given['id'];
  if (own === undefined) return { id: randomUUID().replaceAll('-', ''), reason, message, isFresh: true };
  if (typeof own !== 'string' || !OWN_ID.test(own))
    throw wrong('id', 'must be 1 to 100 letters, digits, ".", "_", ":" and "-"');
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

/** A text that is not empty; undefined when it is absent. @throws BoundaryError INVALID_ARGUMENT, naming the field */
export function textIn(given: Given, field: string, most = MAX_NAME_CHARS): string | undefined {
  const value = Object.hasOwn(given, field) ? (given[field] ?? undefined) : undefined;
  if (value === undefined) return undefined;
  if (typeof value === 'string' && value.trim() !== '' && value.length <= most) return value;
  throw wrong(field, `must be a text of 1 to ${most} characters`);
}

export function wrong(field: string, problem: string): BoundaryError {
  return new BoundaryError('INVALID_ARGUMENT', `${field} ${problem}`);
}
