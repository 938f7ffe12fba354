import { createServer, type Server, type TLSSocket } from 'node:tls';
import type { Socket } from 'node:net';
import { assert } from '../../base/assert.ts';
import type { Clock, Timer } from '../../base/clock.ts';
import type { Logger } from '../../telemetry/logger.ts';
import type { Connection, Connections } from '../connections.ts';
import { Seldom } from '../seldom.ts';
import { AdmittedClients } from './admitted-clients.ts';
import type { Certificates } from './certificates.ts';
import { rememberCertificate } from './client-certificate.ts';
import { isTlsHandshake, refuseCertificate, refusePlainText } from './refusals.ts';
import { MIN_TLS_VERSION, type TlsMaterial } from './tls-files.ts';

/** From when it is let in to the end of its handshake a connection has this long; a far and busy peer needs a tenth. */
const HANDSHAKE_MS = 10_000;

export interface TlsEntranceOptions {
  readonly certificates: Certificates;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly handshakeTimeoutMs?: number;
}

interface Waiting {
  readonly connection: Connection;
  readonly connections: Connections;
  readonly done: (connection: Connection) => void;
  readonly timer: Timer;
  /** What the handshake goes by. */
  readonly material: TlsMaterial;
}

/**
 * Where the connections of a port that speaks TLS come in: after the handshake they go on as any other. Who speaks plain
 * text, or has no certificate though one is asked for, is told so.
 */
export class TlsEntrance {
  private readonly options: TlsEntranceOptions;
  private readonly seldom: Seldom;
  /** During their handshake, by `endpointOf`. At most as many as there may be connections. */
  private readonly waiting = new Map<string, Waiting>();
  private readonly admitted: AdmittedClients;
  private server: Server | undefined;
  private material!: TlsMaterial;

  constructor(options: TlsEntranceOptions) {
    this.options = options;
    this.seldom = new Seldom(options.clock, options.logger);
    this.admitted = new AdmittedClients(options.clock);
    options.certificates.onMaterial((material) => this.use(material));
    options.certificates.onLook(({ authorities }) => this.admitted.look(authorities));
  }

  /**
   * @param connection one that nothing was read from
   * @param done gets the connection that takes its place after the handshake; not called when there is none
   */
  secure(connection: Connection, connections: Connections, done: (connection: Connection) => void): void {
    const { socket } = connection;
    const timer = this.boundHandshake(socket);
    const onReadable = (): void => {
      const chunk = socket.read() as Buffer | null;
      if (chunk === null) return;
      // The listener goes first: unshift makes the socket readable again.
      socket.off('readable', onReadable).off('end', onGone);
      if (isTlsHandshake(chunk)) {
        socket.unshift(chunk);
        this.shakeHands({ connection, connections, done, timer, material: this.material });
        return;
      }
      timer.cancel();
      refusePlainText(socket, this.seldom);
    };
    const onGone = (): void => void socket.destroy();
    socket.on('readable', onReadable).on('end', onGone);
  }

  private use(material: TlsMaterial): void {
    const { cert, key, ca } = material;
    this.material = material;
    const context = { cert, key, ca, minVersion: MIN_TLS_VERSION } as const;
    if (this.server !== undefined) return this.server.setSecureContext(context);
    const { clientCertificates } = this.options.certificates.files;
    this.server = createServer({
      ...context,
      // Who offers both is a browser or an HTTP client, whose HTTP/1.1 is served; clients of gRPC offer h2 alone.
      ALPNProtocols: ['http/1.1', 'h2'],
      requestCert: clientCertificates !== undefined,
      // Refused in `admit`, where it can be told why.
      rejectUnauthorized: false,
    });
    this.server.on('secureConnection', (socket) => this.admit(socket));
    this.server.on('tlsClientError', (error: NodeJS.ErrnoException, socket) => {
      // A peer that leaves in the middle is no news.
      if (error.code !== 'ECONNRESET')
        this.seldom.warn('a handshake of TLS failed', { code: error.code ?? 'unknown' });
      socket.destroy();
    });
  }

  private shakeHands(waiting: Waiting): void {
    const { socket } = waiting.connection;
    const endpoint = endpointOf(socket);
    assert(this.server, 'there is a certificate before the port is open');
    if (endpoint === undefined) return void socket.destroy();
    this.waiting.set(endpoint, waiting);
    socket.once('close', () => {
      if (this.waiting.get(endpoint) === waiting) this.waiting.delete(endpoint);
    });
    this.server.emit('connection', socket);
  }

  private admit(socket: TLSSocket): void {
    const endpoint = endpointOf(socket);
    const waiting = endpoint === undefined ? undefined : this.waiting.get(endpoint);
    if (endpoint === undefined || waiting === undefined) return void socket.destroy();
    this.waiting.delete(endpoint);
    waiting.timer.cancel();
    const connection = waiting.connections.replace(waiting.connection, socket);
    const problem = this.certificateProblem(socket, waiting.material);
    if (problem === undefined) return waiting.done(connection);
    refuseCertificate(socket, problem, this.seldom);
  }

  /** What is wrong with the client's certificate; one that is right is remembered. */
  private certificateProblem(socket: TLSSocket, before: TlsMaterial): string | undefined {
    const { clientCertificates } = this.options.certificates.files;
    if (clientCertificates === undefined) return undefined;
    const certificate = socket.getPeerX509Certificate();
    if (certificate === undefined)
      return clientCertificates === 'required' ? 'none was given, and this port asks for one' : undefined;
    // A code, whatever its type says.
    if (!socket.authorized) return PROBLEMS.get(String(socket.authorizationError)) ?? OTHER_AUTHORITY;
    const ended = this.admitted.admit(socket, before.authorities, this.material.authorities);
    if (typeof ended === 'string') return ended;
    rememberCertificate(socket, certificate, ended);
    return undefined;
  }

  private boundHandshake(socket: Socket): Timer {
    const { clock, handshakeTimeoutMs = HANDSHAKE_MS } = this.options;
    let lastLook: NodeJS.Immediate | undefined;
    // What came while this process stood still is read before its silence is believed: timers go before the network.
    const timer = clock.after(handshakeTimeoutMs, () => {
      lastLook = setImmediate(() => socket.destroy());
    });
    const cancel = (): void => {
      timer.cancel();
      clearImmediate(lastLook);
    };
    socket.once('close', cancel);
    return { cancel };
  }
}

const OTHER_AUTHORITY = 'no authority of this service has signed it for clients';
const PROBLEMS: ReadonlyMap<string, string> = new Map([
  ['CERT_HAS_EXPIRED', 'it has expired'],
  ['CERT_NOT_YET_VALID', 'it is not valid yet'],
]);

/**
 * Which connection this is. The one thing by which a socket of TLS tells on which socket it lies: Node has no other public
 * way, and of one port no two connections have the same peer.
 */
function endpointOf({ remoteAddress, remotePort, localAddress }: Socket): string | undefined {
  return remoteAddress === undefined ? undefined : `${remoteAddress} ${remotePort} ${localAddress}`;
}
