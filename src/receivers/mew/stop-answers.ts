import { ANSWER_STATUSES, type InterruptAnswer } from '../../model/interrupt.ts';
import type { Envelope } from './envelope.ts';

/** What an agent says about being asked to stop. */
export interface StopAnswer extends InterruptAnswer {
  /** Undefined for a frame of a stream, which names nobody. */
  readonly from: string | undefined;
  /** The requests that it answers; undefined where it ends a context, whoever asked for that. */
  readonly requests: readonly string[] | undefined;
  /** The one that is over. */
  readonly context: string | undefined;
}

/** ADR r5x answers by a message of its own. Today's agents conclude, and say `cancelled` where they did not come to an end. */
export function stopAnswerIn({
  kind,
  from,
  correlation,
  context,
  payload,
}: Envelope): StopAnswer | undefined {
  const words = [payload['message'], payload['reason']].find(
    (said) => typeof said === 'string' && said.trim() !== '',
  );
  const message = typeof words === 'string' ? words.slice(0, MAX_MESSAGE_CHARS) : undefined;
  if (kind === 'reasoning/interrupt-ack') {
    const status = ANSWER_STATUSES.find((one) => one === payload['status']);
    return status && { status, message, from, requests: correlation, context: undefined };
  }
  if (kind !== 'reasoning/conclusion') return undefined;
  const status = payload['cancelled'] === true ? 'stopping' : 'completing_thought';
  return { status, message, from, requests: undefined, context: context.at(-1) };
}

/** It stands in one line of the graph. */
const MAX_MESSAGE_CHARS = 2_000;
