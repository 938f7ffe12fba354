import type { X509Certificate } from 'node:crypto';
import type { TLSSocket } from 'node:tls';

/** Who a client is by its certificate, which an authority of `caFile` signed. */
export interface ClientCertificate {
  /** Its common name; where it has none, its first alternative name. */
  readonly subject: string;
  /** Its common names and alternative names (DNS, URI, e-mail, IP), by each of which it may be known. */
  readonly names: readonly string[];
  /** SHA-256 of the certificate: hex digits in pairs, between colons. */
  readonly fingerprint: string;
  /** Aborted, with the reason, when the certificate is good no more: the connection ends then. */
  readonly ended: AbortSignal;
}

/** On the socket itself: HTTP/2 hands out a stand-in that passes on what is read of it. */
const CERTIFICATE = Symbol('the certificate of the client');

/**
 * The certificate that the client of a connection has proved to be its own; undefined without TLS, without one, or when
 * the connection is gone. @param socket that of a request of HTTP/1.1, or of a session of HTTP/2
 */
export function certificateOf(socket: object | undefined): ClientCertificate | undefined {
  try {
    return socket === undefined
      ? undefined
      : (Reflect.get(socket, CERTIFICATE) as ClientCertificate | undefined);
  } catch {
    // The stand-in throws when its session has lost its socket.
    return undefined;
  }
}

/** To be called for a certificate that was verified. */
export function rememberCertificate(
  socket: TLSSocket,
  certificate: X509Certificate,
  ended: AbortSignal,
): void {
  const names = namesOf(certificate);
  const { fingerprint256: fingerprint } = certificate;
  Object.assign(socket, { [CERTIFICATE]: { subject: names[0] ?? fingerprint, names, fingerprint, ended } });
}

/** As Node writes alternative names; one that holds a comma, a quote or a control character is a JSON string. */
const ALTERNATIVE_NAME = /(?:^|, )(?:DNS|URI|email|IP Address):("(?:[^"\\]|\\.)*"|[^,"]*)(?=, |$)/g;

function namesOf(certificate: X509Certificate): string[] {
  const { CN: common } = certificate.toLegacyObject().subject as { readonly CN?: string | readonly string[] };
  const alternative = Array.from(
    certificate.subjectAltName?.matchAll(ALTERNATIVE_NAME) ?? [],
    ([, name = '']) => (name.startsWith('"') ? (JSON.parse(name) as string) : name),
  );
  return [...new Set([common ?? [], alternative].flat())].filter((name) => name !== '');
}
