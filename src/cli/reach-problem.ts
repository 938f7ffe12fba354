/**
 * Why an address could not be talked to:
 *
 * - `nobody`: nothing listens there, or the way to it is cut.
 * - `unknownHost`: its name cannot be resolved.
 * - `otherProtocol`: something listens, and does not speak HTTP, or hangs up.
 * - `refusedPort`: a port that `fetch` never connects to (Fetch standard, "port blocking").
 */
export type ReachProblem = 'nobody' | 'unknownHost' | 'otherProtocol' | 'refusedPort';

const UNKNOWN_HOST: ReadonlySet<string> = new Set(['ENOTFOUND', 'EAI_AGAIN', 'EAI_NONAME', 'EAI_FAIL']);
const OTHER_PROTOCOL: ReadonlySet<string> = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE', 'EPROTO']);
/** Causes are few; a ring of them would be a bug of somebody else. */
const MAX_CAUSES = 8;

/** By what the system and Node's HTTP client say, from the error down to its first cause. */
export function reachProblem(error: unknown): ReachProblem {
  for (let inner: unknown = error, depth = 0; inner instanceof Error && depth < MAX_CAUSES; depth++) {
    const code = 'code' in inner && typeof inner.code === 'string' ? inner.code : '';
    if (UNKNOWN_HOST.has(code)) return 'unknownHost';
    if (OTHER_PROTOCOL.has(code) || code.startsWith('HPE_') || inner.name === 'HTTPParserError') {
      return 'otherProtocol';
    }
    if (inner.message === 'bad port') return 'refusedPort';
    inner = inner.cause;
  }
  return 'nobody';
}
