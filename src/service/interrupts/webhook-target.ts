import { createHmac } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import type { Clock } from '../../base/clock.ts';
import { parseJson } from '../../base/json.ts';
import type { Delivering, Interrupt, InterruptAnswer, InterruptTarget } from '../../model/interrupt.ts';
import type { Logger } from '../../telemetry/logger.ts';
import type { Given } from '../given.ts';
import { givenAnswer } from './given-interrupt.ts';
import { interruptFrame } from './interrupt-frame.ts';

export interface WebhookOptions {
  readonly url: string;
  /** Signs what is sent. */
  readonly secret: string;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** After the first try, in milliseconds: all of them lie within the time for an answer. */
const PAUSES_MS = [1_000, 3_000, 9_000];
const TRY_MS = 5_000;
const MAX_ANSWER_BYTES = 64 * 1024;

/** A program of the operator's that is told of what no agent waits for. It may answer at once, as an agent does. */
export class WebhookTarget implements InterruptTarget {
  readonly way = 'webhook';
  readonly isLast = true;
  private readonly options: WebhookOptions;

  constructor(options: WebhookOptions) {
    this.options = options;
  }

  /** What a sender says to itself is told to nobody else. */
  canReach({ onlyOf }: Pick<Interrupt, 'onlyOf'>): boolean {
    return onlyOf === undefined;
  }

  send(interrupt: Interrupt, { told, over }: Delivering): void {
    const take = told(interrupt.about.agent);
    void this.deliver(interrupt, over).then((answer) => answer && take(answer));
  }

  /** Never rejects. */
  private async deliver(interrupt: Interrupt, over: AbortSignal): Promise<InterruptAnswer | undefined> {
    setMaxListeners(0, over);
    for (const pause of [...PAUSES_MS, undefined]) {
      const outcome = await this.attempt(interrupt, over).catch(() => 'again' as const);
      if (over.aborted) return undefined;
      if (outcome !== 'again') return outcome;
      if (pause !== undefined) await this.pause(pause, over);
    }
    this.options.logger.warn({}, 'an interrupt could not be told to interruptWebhook: it does not answer');
    return undefined;
  }

  private async attempt(
    interrupt: Interrupt,
    over: AbortSignal,
  ): Promise<InterruptAnswer | undefined | 'again'> {
    const { url, secret, clock, logger } = this.options;
    const late = new AbortController();
    const timer = clock.after(TRY_MS, () => late.abort());
    const body = JSON.stringify(interruptFrame(interrupt, interrupt.id));
    const timestamp = String(Math.floor(clock.now() / 1000));
    const signature = createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex');
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'x-explain-id': interrupt.id,
          'x-explain-timestamp': timestamp,
          'x-explain-signature': `v1=${signature}`,
        },
        body,
        // What is told is for the configured address alone.
        redirect: 'manual',
        signal: AbortSignal.any([late.signal, over]),
      });
      const { status } = response;
      if (status >= 200 && status < 300) return await answerIn(response);
      await response.body?.cancel();
      if (status >= 500 || status === 408 || status === 429) return 'again';
      logger.warn({ status }, 'interruptWebhook refuses to be told of an interrupt');
      return undefined;
    } finally {
      timer.cancel();
    }
  }

  private async pause(ms: number, over: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = this.options.clock.after(ms, resolve);
    over.addEventListener('abort', () => resolve(), { once: true });
    await promise;
    timer.cancel();
  }
}

/** Whoever has nothing to say may say anything. */
async function answerIn(response: Response): Promise<InterruptAnswer | undefined> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of response.body ?? []) {
    bytes += part.length;
    if (bytes > MAX_ANSWER_BYTES) return undefined;
    parts.push(part);
  }
  try {
    const said = parseJson(Buffer.concat(parts).toString('utf8'));
    return typeof said === 'object' && said !== null ? givenAnswer(said as Given) : undefined;
  } catch {
    return undefined;
  }
}
