import type { TLSSocket } from 'node:tls';
import { sharedAbort } from '../../base/shared-abort.ts';
import type { Clock } from '../../base/clock.ts';
import { LINGER_MS } from '../connections.ts';
import type { Authorities } from './tls-files.ts';

interface Admitted {
  readonly ended: AbortController;
  /** Of the authorities of its handshake those that are above its certificate; all of them where that is not known. */
  readonly vouchers: Authorities;
  /** Of the certificate and of those above it, what holds for all; wall clock, milliseconds. */
  readonly validTo: number;
}

/** Why a certificate is good no more, for the log and for who showed it. */
export type CertificateEnd = 'it has expired' | 'its authority is trusted no more';

/**
 * Connections that a client certificate let in. A handshake looks at certificates once: from then on they are looked at
 * here, so that no connection lasts longer than what let it in.
 */
export class AdmittedClients {
  private readonly clock: Clock;
  private readonly admitted = new Map<TLSSocket, Admitted>();

  constructor(clock: Clock) {
    this.clock = clock;
  }

  /**
   * @param before the authorities when its handshake began
   * @param authorities those of now
   * @returns aborted when the connection ends for its certificate; or why it may not even begin
   */
  admit(socket: TLSSocket, before: Authorities, authorities: Authorities): AbortSignal | CertificateEnd {
    const chain = chainOf(socket);
    const above = chain.slice(1).map(({ fingerprint256 }) => fingerprint256);
    const vouchers = new Set(above.filter((one) => before.has(one)));
    const one = {
      ended: sharedAbort(),
      // A session that is taken up again may have forgotten what was above its certificate.
      vouchers: vouchers.size > 0 ? vouchers : before,
      validTo: Math.min(...chain.map(({ valid_to: end }) => Date.parse(end))),
    };
    const end = this.endOf(one, authorities);
    if (end !== undefined) return end;
    this.admitted.set(socket, one);
    socket.once('close', () => this.admitted.delete(socket));
    return one.ended.signal;
  }

  /** Ends those whose certificates are good no more. They are told first. */
  look(authorities: Authorities): void {
    for (const [socket, one] of this.admitted) {
      const end = this.endOf(one, authorities);
      if (end === undefined) continue;
      this.admitted.delete(socket);
      one.ended.abort(`the client certificate of this connection: ${end}`);
      this.clock.after(LINGER_MS, () => socket.destroy());
    }
  }

  private endOf({ vouchers, validTo }: Admitted, authorities: Authorities): CertificateEnd | undefined {
    if (this.clock.now() >= validTo) return 'it has expired';
    for (const one of vouchers) if (!authorities.has(one)) return 'its authority is trusted no more';
    return undefined;
  }
}

interface Shown {
  readonly fingerprint256: string;
  readonly valid_to: string;
}

/** The certificate, and those above it as far as they are known: up to the authority that the handshake ended at. */
function chainOf(socket: TLSSocket): readonly Shown[] {
  const chain: Shown[] = [];
  let next = socket.getPeerCertificate(true);
  while (next && !chain.includes(next)) {
    chain.push(next);
    next = next.issuerCertificate;
  }
  return chain;
}
