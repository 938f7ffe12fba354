import { createServer } from 'node:net';
import type { AddressInfo, Server } from 'node:net';
import type { Pace } from '../base/pace.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Connection, Connections } from './connections.ts';
import type { TlsEntrance } from './tls/tls-entrance.ts';

/** Where a server really listens. */
export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

export interface TcpListenerOptions {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  readonly connections: Connections;
  readonly logger: Logger;
  readonly accept: (connection: Connection) => void;
  /** Connections come in through it. Plain text if absent. */
  readonly tls?: TlsEntrance | undefined;
  /** Long work that makes room for those who wait to be let in. */
  readonly pace?: Pick<Pace, 'connectionTaken'> | undefined;
}

/** Listens on a port; every socket goes through its `Connections`. */
export class TcpListener {
  private readonly options: TcpListenerOptions;
  private readonly server: Server;
  private closing: Promise<void> | undefined;

  constructor(options: TcpListenerOptions) {
    this.options = options;
    const { connections, accept, tls, pace } = options;
    this.server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
      pace?.connectionTaken();
      const connection = connections.admit(socket);
      if (tls === undefined) accept(connection);
      else tls.secure(connection, connections, accept);
    });
  }

  get isClosing(): boolean {
    return this.closing !== undefined;
  }

  /** Resolves when the port is open. @throws Error with code EADDRINUSE, EACCES, EADDRNOTAVAIL */
  start(): Promise<ListenAddress> {
    const { host, port, logger } = this.options;
    return new Promise((resolve, reject) => {
      this.server.once('error', reject);
      this.server.listen(port, host, () => {
        this.server.off('error', reject);
        this.server.on('error', (error: NodeJS.ErrnoException) =>
          logger.error({ code: error.code }, 'listener failed'),
        );
        const { address, port: bound } = this.server.address() as AddressInfo;
        resolve({ host: address, port: bound });
      });
    });
  }

  /** Takes no new connections. Resolves when the last has gone; the same promise whenever it is called. */
  close(): Promise<void> {
    return (this.closing ??= new Promise((resolve) => this.server.close(() => resolve())));
  }

  /** Closes; running requests have `graceMs` to end. */
  async closeWithin(graceMs: number): Promise<void> {
    const { connections } = this.options;
    const closed = this.close();
    connections.endIdle();
    const idle = setInterval(() => connections.endIdle(), Math.max(1, graceMs / 20));
    let timer: NodeJS.Timeout | undefined;
    await Promise.race([closed, new Promise((resolve) => (timer = setTimeout(resolve, graceMs)))]);
    clearTimeout(timer);
    clearInterval(idle);
  }

  /** Closes everything at once. Resolves when the port is free. */
  async stop(): Promise<void> {
    const closed = this.close();
    this.options.connections.destroyAll();
    await closed;
  }
}
