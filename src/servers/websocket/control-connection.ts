import type { WebSocket } from 'ws';
import type { Limits } from '../../access/limits.ts';
import type { Principal } from '../../access/principal.ts';
import { BoundaryError, invalid } from '../../base/boundary-error.ts';
import type { Clock } from '../../base/clock.ts';
import { objectIn } from '../../base/json.ts';
import { TokenBucket } from '../../base/token-bucket.ts';
import type { ControlApi } from '../control-api.ts';
import { waitingOf } from '../control-query.ts';
import { closeWith, CLOSE_GOING_AWAY, CLOSE_POLICY_VIOLATION, CLOSE_TRY_AGAIN } from './close-codes.ts';
import { encodeError } from './encode-frame.ts';

/** Answers are few. */
const FRAMES = 100;
const FRAMES_REFILL_MS = 10_000;
/** Who lets so much lie does not read. */
const MAX_BUFFERED_BYTES = 1024 * 1024;

export interface ControlConnectionOptions {
  readonly socket: WebSocket;
  readonly principal: Principal;
  readonly perKey: Limits;
  readonly control: ControlApi;
  /** What the agent waits for, as it says. */
  readonly query: URLSearchParams;
  readonly clock: Clock;
}

/** One agent that waits on a WebSocket, and answers there. */
export class ControlConnection {
  private readonly options: ControlConnectionOptions;
  private readonly frames: TokenBucket;

  constructor(options: ControlConnectionOptions) {
    const { socket, principal, control, query, clock } = options;
    this.options = options;
    this.frames = new TokenBucket(FRAMES, FRAMES_REFILL_MS, clock);
    socket.on('error', () => undefined);
    socket.on('message', (data, isBinary) => void this.receive(data as Buffer, isBinary));
    try {
      const stream = {
        send: (frame: object) => this.send(JSON.stringify(frame)),
        end: () => this.close(CLOSE_GOING_AWAY, 'nothing more comes'),
      };
      socket.once('close', control.wait(principal, waitingOf(query), stream));
    } catch (thrown) {
      const error = BoundaryError.from(thrown);
      this.send(encodeError(error, undefined));
      this.close(
        error.code === 'RESOURCE_EXHAUSTED' ? CLOSE_TRY_AGAIN : CLOSE_POLICY_VIOLATION,
        error.message,
      );
    }
  }

  close(code: number, reason: string): void {
    closeWith(this.options.socket, code, reason);
  }

  private async receive(data: Buffer, isBinary: boolean): Promise<void> {
    const { principal, perKey, control } = this.options;
    if (!this.frames.take()) {
      this.close(CLOSE_POLICY_VIOLATION, 'too many frames');
      return;
    }
    try {
      const given = isBinary ? undefined : objectIn(data.toString('utf8'));
      if (!given) throw invalid('a frame is a JSON object, such as {"id": "…", "status": "stopping"}');
      perKey.admit(principal);
      this.send(JSON.stringify({ type: 'ok', ...(await control.answer(principal, given)) }));
    } catch (error) {
      this.send(encodeError(BoundaryError.from(error), undefined));
    }
  }

  private send(text: string): void {
    const { socket } = this.options;
    if (socket.readyState !== socket.OPEN) return;
    if (socket.bufferedAmount > MAX_BUFFERED_BYTES) socket.terminate();
    else socket.send(text, { binary: false });
  }
}
