import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** A TCP line to a service that a test cuts, and leads elsewhere. */
export class UnreliableLine {
  /** The port on 127.0.0.1 where it ends; undefined: connections are refused. */
  target: number | undefined;
  private readonly server = createServer((near) => this.join(near));
  private readonly open = new Set<Socket>();

  static async to(target: number): Promise<UnreliableLine> {
    const line = new UnreliableLine();
    line.target = target;
    await new Promise<void>((resolve) => line.server.listen(0, '127.0.0.1', resolve));
    return line;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Every connection is gone at once, without a farewell, in the middle of whatever it is sending. */
  cut(): void {
    for (const socket of this.open) socket.resetAndDestroy();
  }

  close(): void {
    this.server.close();
    this.cut();
  }

  private join(near: Socket): void {
    if (this.target === undefined) {
      near.destroy();
      return;
    }
    const far = connect(this.target, '127.0.0.1');
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      this.open.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        this.open.delete(socket);
        other.destroy();
      });
    }
    near.pipe(far);
    far.pipe(near);
  }
}
