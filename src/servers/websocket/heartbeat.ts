import type { WebSocket } from 'ws';
import type { Clock, Timer } from '../../base/clock.ts';

/**
 * A reader that has much to take is not read from meanwhile, so its pong can't be seen: it gets two minutes of
 * the usual interval, in which even a bad line takes tens of megabytes.
 */
const PATIENCE_WHILE_SENDING = 4;

interface Life {
  silentBeats: number;
  bufferedBytes: number;
}

/** Pings every connection and cuts off those that show no life for an interval: a lost network leaves no other trace. */
export class Heartbeat {
  private readonly clock: Clock;
  private readonly intervalMs: number;
  private readonly lives = new Map<WebSocket, Life>();
  private timer: Timer | undefined;

  constructor(clock: Clock, intervalMs: number) {
    this.clock = clock;
    this.intervalMs = intervalMs;
  }

  watch(socket: WebSocket): void {
    this.lives.set(socket, { silentBeats: 0, bufferedBytes: 0 });
    socket.on('pong', () => this.seen(socket));
    this.timer ??= this.clock.after(this.intervalMs, () => this.beat());
  }

  forget(socket: WebSocket): void {
    this.lives.delete(socket);
  }

  stop(): void {
    this.timer?.cancel();
    this.lives.clear();
  }

  private seen(socket: WebSocket): void {
    const life = this.lives.get(socket);
    if (life !== undefined) life.silentBeats = 0;
  }

  private beat(): void {
    this.timer = undefined;
    for (const [socket, life] of this.lives) {
      if (socket.bufferedAmount < life.bufferedBytes) life.silentBeats = 0;
      if (life.silentBeats >= (socket.isPaused ? PATIENCE_WHILE_SENDING : 1)) {
        socket.terminate();
        continue;
      }
      life.silentBeats += 1;
      if (socket.readyState === socket.OPEN) socket.ping();
      life.bufferedBytes = socket.bufferedAmount;
    }
    if (this.lives.size > 0) this.timer = this.clock.after(this.intervalMs, () => this.beat());
  }
}
