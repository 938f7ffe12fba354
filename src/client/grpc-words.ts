/** As grpc-js writes them in `load-balancer-pick-first` and `resolving-call`. */
const NOT_CONNECTED =
  /No connection established\. Last error: (?:Error: )?(?<why>.+?)(?: \([\d-]{10}T[\d:.]+Z\))?\. Resolution note: /s;
const TOO_LATE = /^Deadline exceeded after (?<seconds>[\d.]+)s/;

/**
 * What grpc-js says of a way that failed, without what only its own developers can use. All else, as what a service says, is as
 * it was.
 */
export function wordsOf(details: string): string {
  const why = NOT_CONNECTED.exec(details)?.groups?.['why'];
  if (why !== undefined) return why;
  const seconds = TOO_LATE.exec(details)?.groups?.['seconds'];
  return seconds === undefined ? details : `no answer within ${Math.max(1, Math.round(Number(seconds)))} s`;
}
