/** Causes are few; a ring of them would be a bug of somebody else. */
const MAX_CAUSES = 8;

const UNTRUSTED =
  'its certificate is signed by no authority that is trusted here: give the certificate of its authority (`tls.ca`, --ca FILE)';

interface Problem {
  /** The code of OpenSSL or of Node, whole or in part. */
  readonly code: RegExp;
  /** What the error says, where gRPC passes on its words alone, or its code is that of all of them. */
  readonly words?: RegExp;
  readonly problem: string;
}

const PROBLEMS: readonly Problem[] = [
  {
    code: /^(?:DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_GET_ISSUER_CERT(?:_LOCALLY)?|UNABLE_TO_VERIFY_LEAF_SIGNATURE|CERT_SIGNATURE_FAILURE)$/,
    words: /self-signed certificate|unable to (?:get|verify)|certificate signature failure/,
    problem: UNTRUSTED,
  },
  {
    code: /^CERT_HAS_EXPIRED$/,
    words: /certificate has expired/,
    problem: 'its certificate has expired: it needs a new one',
  },
  {
    code: /^CERT_NOT_YET_VALID$/,
    words: /certificate is not yet valid/,
    problem: 'its certificate is not valid yet: is the clock of this machine right?',
  },
  {
    code: /^ERR_TLS_CERT_ALTNAME_INVALID$/,
    words: /does not match certificate's altnames/,
    problem:
      'its certificate holds for other names: use one of these in the URL, or give it a certificate for this one',
  },
  {
    code: /WRONG_VERSION_NUMBER|ALERT_UNEXPECTED_MESSAGE|PACKET_LENGTH_TOO_LONG|RECORD_LAYER_FAILURE/,
    words: /wrong version number|alert unexpected message|packet length too long|record layer failure/,
    problem: 'it speaks no TLS: use http:// (ws://, grpc://) in the URL',
  },
  {
    code: /ALERT_PROTOCOL_VERSION|UNSUPPORTED_PROTOCOL/,
    words: /alert protocol version|unsupported protocol/,
    problem: 'it and this program have no version of TLS in common',
  },
  {
    code: /CERTIFICATE_REQUIRED|ALERT_(?:BAD|UNKNOWN)_CERTIFICATE|ALERT_UNKNOWN_CA|ALERT_CERTIFICATE_EXPIRED/,
    words: /alert (?:certificate required|bad certificate|unknown ca|certificate expired)/,
    problem:
      'it does not take this client without a certificate, or with this one: give one that it knows (`tls.cert` and `tls.key`, --cert and --key FILE)',
  },
  {
    code: /KEY_VALUES_MISMATCH/,
    problem:
      'the key of the client is not the one of its certificate: `tls.cert` and `tls.key` (--cert and --key) must be a pair',
  },
];

/** The same by the words of an error, where there is no more. */
export function tlsProblemIn(text: string): string | undefined {
  return PROBLEMS.find(({ words }) => words?.test(text))?.problem;
}

/** What about TLS keeps a client from a service, by the error that it met; undefined where it is something else. */
export function tlsProblem(error: unknown): string | undefined {
  for (let inner: unknown = error, depth = 0; inner instanceof Error && depth < MAX_CAUSES; depth++) {
    const { code } = inner as NodeJS.ErrnoException;
    const found = typeof code === 'string' ? PROBLEMS.find((one) => one.code.test(code)) : undefined;
    const problem = found?.problem ?? (code === 'EPROTO' ? tlsProblemIn(inner.message) : undefined);
    if (problem !== undefined) return problem;
    inner = inner.cause;
  }
  return undefined;
}
